-- What is asked of a node, how far the reconciler is with it, and what the health monitor saw.
-- Each group of columns has one writer; see the grants.

-- Until now the generation counted what nobody was shown: 0 says that nobody asked for anything yet.
DROP TRIGGER count_node_record ON node_record;
UPDATE node_record SET desired_generation = 0;
ALTER TABLE node_record ALTER desired_generation SET DEFAULT 0;

ALTER TABLE node_record
    ADD desired_cordoned boolean NOT NULL DEFAULT false,
    ADD desired_cordon_reason text,
    ADD desired_layout jsonb,
    ADD desired_uid text,
    ADD desired_acknowledged text[] NOT NULL DEFAULT '{}' CHECK (array_position(desired_acknowledged, NULL) IS NULL),
    ADD desired_retried integer,
    ADD layout_generation integer NOT NULL DEFAULT 0,
    ADD desired_changed_at timestamptz,
    ADD desired_changed_by text,
    ADD observed_phase text,
    ADD observed_generation integer,
    ADD observed_layout_converged integer,
    ADD observed_message text,
    ADD observed_blockers jsonb,
    ADD observed_progress jsonb,
    ADD observed_changed_at timestamptz,
    ADD health_healthy boolean,
    ADD health_reasons jsonb,
    ADD health_checked_at timestamptz CHECK (isfinite(health_checked_at)),
    ADD CHECK (desired_generation = 0 OR (desired_changed_at, desired_changed_by) IS NOT NULL),
    ADD CHECK (observed_phase IS NULL
        OR (observed_generation, observed_layout_converged, observed_message, observed_changed_at) IS NOT NULL),
    ADD CHECK (health_healthy IS NULL OR (health_reasons, health_checked_at) IS NOT NULL);
COMMENT ON COLUMN node_record.desired_uid IS 'Of the Kubernetes node that the layout was asked for.';
COMMENT ON COLUMN node_record.desired_retried IS 'The generation in which the same was asked again after it was given up.';
COMMENT ON COLUMN node_record.layout_generation IS 'When the layout, its node or what was acknowledged changed last.';
COMMENT ON COLUMN node_record.observed_layout_converged IS 'The layout generation that was verified last; 0: none.';
COMMENT ON COLUMN node_record.observed_progress IS 'What a change must remember over a restart.';

-- The epoch grows with every leader, by itself: what an earlier one still writes is refused.
CREATE TABLE controller (
    name text PRIMARY KEY CHECK (name <> ''),
    epoch bigint NOT NULL DEFAULT 0,
    holder text CHECK (holder <> ''),
    max_in_change integer CHECK (max_in_change > 0),
    paused_by text CHECK (paused_by <> ''),
    paused_reason text
);
COMMENT ON TABLE controller IS 'One a cluster, as node-reconciler/fleet.';

CREATE FUNCTION begin_epoch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    NEW.epoch := coalesce(OLD.epoch, 0) + (NEW.holder IS NOT NULL)::integer;
    RETURN NEW;
END $$;
CREATE TRIGGER begin_epoch BEFORE INSERT OR UPDATE OF epoch, holder ON controller
    FOR EACH ROW EXECUTE FUNCTION begin_epoch();
