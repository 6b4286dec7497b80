-- Who may write what: column by column, since a right on a whole table is not narrowed by taking a column away.
-- Who migrates owns all of it and is none of these.

GRANT USAGE ON SCHEMA gateway TO gateway_api, gateway_reconciler, gateway_health, gateway_recorder;
GRANT SELECT ON migration TO gateway_api, gateway_reconciler, gateway_health, gateway_recorder;

-- Whoever may execute one could put it on a table of its own, and write history with it.
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA gateway FROM PUBLIC;

GRANT SELECT, DELETE ON gpu_type, gpu_price, tenant, workspace, workspace_namespace, gpu_allocation, node_record
    TO gateway_api;
GRANT SELECT ON controller, field_change, gpu_pool TO gateway_api;
GRANT INSERT (name, memory_mib, products, slurm_types), UPDATE (memory_mib, products, slurm_types)
    ON gpu_type TO gateway_api;
GRANT INSERT (gpu_type, effective_from, amount, currency), UPDATE (amount, currency) ON gpu_price TO gateway_api;
GRANT INSERT (id, display_name), UPDATE (display_name) ON tenant TO gateway_api;
GRANT INSERT (tenant_id, name, cluster, queue), UPDATE (cluster, queue) ON workspace TO gateway_api;
GRANT INSERT (cluster, namespace, tenant_id, workspace), UPDATE (tenant_id, workspace)
    ON workspace_namespace TO gateway_api;
GRANT INSERT (tenant_id, workspace, gpu_type, cards), UPDATE (cards) ON gpu_allocation TO gateway_api;
GRANT INSERT (cluster, name, target, tenant_id, claimed_cards, claimed_gpu_type),
    UPDATE (target, tenant_id, claimed_cards, claimed_gpu_type, desired_cordoned, desired_cordon_reason,
        desired_layout, desired_uid, desired_acknowledged, desired_retried)
    ON node_record TO gateway_api;
GRANT INSERT (name, paused_by, paused_reason), UPDATE (paused_by, paused_reason) ON controller TO gateway_api;
GRANT SELECT, INSERT (actor, mutation, key, fingerprint), UPDATE (result), DELETE ON answered TO gateway_api;

-- It reads all records, so that its process needs no login that may write what callers ask for.
GRANT SELECT ON gpu_type, gpu_price, tenant, workspace, workspace_namespace, gpu_allocation, node_record, controller
    TO gateway_reconciler;
GRANT UPDATE (observed_phase, observed_generation, observed_layout_converged, observed_message, observed_blockers,
        observed_progress)
    ON node_record TO gateway_reconciler;
GRANT INSERT (name, holder, max_in_change), UPDATE (holder, max_in_change) ON controller TO gateway_reconciler;

GRANT SELECT ON node_record TO gateway_health;
GRANT UPDATE (health_healthy, health_reasons, health_checked_at) ON node_record TO gateway_health;

GRANT SELECT, DELETE ON alert TO gateway_recorder;
GRANT INSERT (id, finding, first_seen, last_seen), UPDATE (finding, first_seen, last_seen, resolved_at)
    ON alert TO gateway_recorder;
