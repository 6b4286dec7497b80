-- What holds for every writer of a node's record, whichever program it is; triggers fire in the order of their names.

CREATE FUNCTION actor() RETURNS text LANGUAGE sql STABLE SET search_path = gateway, pg_temp
    RETURN coalesce(nullif(current_setting('gateway.actor', true), ''), session_user);
COMMENT ON FUNCTION actor IS 'On whose behalf this session writes.';

-- A setting of the session and not a column: a stale leader would pass by leaving a column out.
-- The row is locked, so that a new leader and a pause wait for writes in flight, and later ones see them.
CREATE FUNCTION fence_reconciler() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gateway, pg_temp AS $$
DECLARE
    epoch_held text := nullif(current_setting('gateway.epoch', true), '');
    now_valid controller;
BEGIN
    IF session_user <> 'gateway_reconciler' AND epoch_held IS NULL THEN
        RETURN NEW;
    END IF;
    SELECT * INTO now_valid FROM controller WHERE name = 'node-reconciler/' || NEW.cluster FOR SHARE;
    IF (epoch_held = nullif(now_valid.epoch, 0)::text) IS NOT TRUE THEN
        RAISE 'epoch % is not the one of the leader of %: lead again', coalesce(epoch_held, 'unsaid'), NEW.cluster
            USING ERRCODE = 'GW001';
    END IF;
    IF now_valid.paused_by IS NOT NULL THEN
        RAISE '% is paused by %', now_valid.name, now_valid.paused_by USING ERRCODE = 'GW004';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER a_fence_reconciler BEFORE UPDATE ON node_record
    FOR EACH ROW EXECUTE FUNCTION fence_reconciler();

CREATE FUNCTION hold_in_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gateway, pg_temp AS $$ BEGIN
    IF OLD.observed_phase NOT IN ('CONVERGED', 'BLOCKED', 'FAILED')
        AND (TG_OP = 'DELETE' OR (NEW.cluster, NEW.name, NEW.target, NEW.tenant_id)
            IS DISTINCT FROM (OLD.cluster, OLD.name, OLD.target, OLD.tenant_id)) THEN
        RAISE '%/% is in change (%): wait for it, or withdraw what was asked', OLD.cluster, OLD.name, OLD.observed_phase
            USING ERRCODE = 'GW002';
    END IF;
    -- Without its record nobody would know that the cordon is ours, and give it back.
    IF TG_OP = 'DELETE' AND OLD.observed_phase IS NOT NULL
        AND (OLD.desired_cordoned OR OLD.observed_progress ->> 'began_at' IS NOT NULL) THEN
        RAISE '%/% is kept from new work by the gateway: uncordon it, or withdraw its layout, before its record goes',
            OLD.cluster, OLD.name USING ERRCODE = 'GW002';
    END IF;
    RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER b_hold_in_change BEFORE UPDATE OR DELETE ON node_record
    FOR EACH ROW EXECUTE FUNCTION hold_in_change();

-- Generations and times come by themselves, so that no writer can forget one or set it back.
CREATE OR REPLACE FUNCTION count_node_record() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gateway, pg_temp AS $$
DECLARE
    layout_moved boolean := (NEW.desired_layout, NEW.desired_uid, NEW.desired_acknowledged)
        IS DISTINCT FROM (OLD.desired_layout, OLD.desired_uid, OLD.desired_acknowledged);
    moved boolean := layout_moved
        OR (NEW.target, NEW.tenant_id, NEW.desired_cordoned, NEW.desired_cordon_reason, NEW.desired_retried)
        IS DISTINCT FROM
           (OLD.target, OLD.tenant_id, OLD.desired_cordoned, OLD.desired_cordon_reason, OLD.desired_retried);
BEGIN
    NEW.desired_generation := OLD.desired_generation + moved::integer;
    NEW.layout_generation := CASE WHEN layout_moved THEN NEW.desired_generation ELSE OLD.layout_generation END;
    NEW.desired_changed_at := CASE WHEN moved THEN clock_timestamp() ELSE OLD.desired_changed_at END;
    NEW.desired_changed_by := CASE WHEN moved THEN actor() ELSE OLD.desired_changed_by END;
    NEW.observed_changed_at := CASE
        WHEN (NEW.observed_phase, NEW.observed_generation, NEW.observed_layout_converged, NEW.observed_message,
                NEW.observed_blockers)
            IS DISTINCT FROM (OLD.observed_phase, OLD.observed_generation, OLD.observed_layout_converged,
                OLD.observed_message, OLD.observed_blockers)
        THEN clock_timestamp() ELSE OLD.observed_changed_at END;
    RETURN NEW;
END $$;
CREATE TRIGGER c_count_node_record BEFORE UPDATE ON node_record
    FOR EACH ROW EXECUTE FUNCTION count_node_record();
