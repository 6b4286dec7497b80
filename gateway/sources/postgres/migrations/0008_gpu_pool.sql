-- All cards of a type that a tenant has given away on a cluster, as one row that every giver must change:
-- two of them cannot both take the last card, under any isolation level.

CREATE TABLE gpu_pool (
    tenant_id text NOT NULL,
    cluster text NOT NULL,
    gpu_type text NOT NULL,
    allocated bigint NOT NULL CHECK (allocated >= 0),
    PRIMARY KEY (tenant_id, cluster, gpu_type)
);
INSERT INTO gpu_pool
SELECT tenant_id, cluster, gpu_type, sum(cards)
  FROM gpu_allocation JOIN workspace USING (tenant_id) WHERE workspace.name = gpu_allocation.workspace
 GROUP BY tenant_id, cluster, gpu_type;

-- How many cards are healthy is not known here: a writer says it in gateway.healthy_seen, for its transaction.
-- Whoever says nothing (an import) is not held to it; giving back is always allowed.
CREATE FUNCTION take_from_pool(of_tenant text, of_cluster text, of_type text, more bigint) RETURNS void
LANGUAGE plpgsql SET search_path = gateway, pg_temp AS $$
DECLARE
    healthy bigint := nullif(current_setting('gateway.healthy_seen', true), '');
BEGIN
    INSERT INTO gpu_pool VALUES (of_tenant, of_cluster, of_type, 0) ON CONFLICT DO NOTHING;
    UPDATE gpu_pool SET allocated = allocated + more
     WHERE (tenant_id, cluster, gpu_type) = (of_tenant, of_cluster, of_type)
       AND (more <= 0 OR healthy IS NULL OR allocated + more <= healthy);
    IF NOT FOUND THEN
        RAISE 'tenant % has not % more healthy cards of % on %', of_tenant, more, of_type, of_cluster
            USING ERRCODE = 'GW003';
    END IF;
END $$;

-- After the row and not before it: an upsert would count twice.
CREATE FUNCTION pool_allocation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gateway, pg_temp AS $$ BEGIN
    -- The workspace stays on its cluster meanwhile.
    PERFORM FROM workspace
      WHERE (tenant_id, name) IN ((OLD.tenant_id, OLD.workspace), (NEW.tenant_id, NEW.workspace)) FOR KEY SHARE;
    PERFORM take_from_pool(line.tenant_id, line.cluster, line.gpu_type, line.more)
       FROM (SELECT given.tenant_id, workspace.cluster, given.gpu_type, sum(given.cards) AS more
               FROM (VALUES (OLD.tenant_id, OLD.workspace, OLD.gpu_type, -OLD.cards),
                            (NEW.tenant_id, NEW.workspace, NEW.gpu_type, NEW.cards))
                    AS given (tenant_id, workspace, gpu_type, cards)
               JOIN workspace ON (workspace.tenant_id, workspace.name) = (given.tenant_id, given.workspace)
              GROUP BY 1, 2, 3 ORDER BY 1, 2, 3) AS line;
    RETURN NULL;
END $$;
CREATE TRIGGER pool_allocation AFTER INSERT OR UPDATE OR DELETE ON gpu_allocation
    FOR EACH ROW EXECUTE FUNCTION pool_allocation();

CREATE FUNCTION pool_workspace() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gateway, pg_temp AS $$ BEGIN
    PERFORM take_from_pool(NEW.tenant_id, OLD.cluster, gpu_type, -cards),
            take_from_pool(NEW.tenant_id, NEW.cluster, gpu_type, cards)
       FROM gpu_allocation WHERE (tenant_id, workspace) = (NEW.tenant_id, NEW.name);
    RETURN NULL;
END $$;
CREATE TRIGGER pool_workspace AFTER UPDATE OF cluster ON workspace
    FOR EACH ROW WHEN (OLD.cluster <> NEW.cluster) EXECUTE FUNCTION pool_workspace();
