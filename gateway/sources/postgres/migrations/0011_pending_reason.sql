-- Why work waits or waited, kept after Kubernetes forgets: its events go after an hour, its conditions with the pod.
-- What is said is told apart by its digest, for an index holds no text of any length.

CREATE TABLE pending_reason (
    id bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    cluster text NOT NULL,
    subject text NOT NULL CHECK (subject <> ''),
    said bytea NOT NULL,
    namespace text NOT NULL,
    pod_name text,
    controller text,
    code text NOT NULL,
    message text NOT NULL,
    scheduler text NOT NULL,
    total_nodes integer,
    parts jsonb NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen timestamptz NOT NULL,
    resolved_at timestamptz,
    PRIMARY KEY (cluster, subject, said)
);
COMMENT ON COLUMN pending_reason.subject IS 'The uid of the pod, or of its group or owner where no pod can be named.';
CREATE INDEX pending_reason_namespace ON pending_reason (cluster, namespace, id);
CREATE INDEX pending_reason_resolved ON pending_reason (resolved_at);

-- Each event counts by itself, so that one that is read twice, or by two, counts once.
CREATE TABLE reason_event (
    cluster text NOT NULL,
    subject text NOT NULL,
    said bytea NOT NULL,
    event text NOT NULL CHECK (event <> ''),
    count integer NOT NULL CHECK (count > 0),
    PRIMARY KEY (cluster, subject, said, event),
    FOREIGN KEY (cluster, subject, said) REFERENCES pending_reason ON DELETE CASCADE
);

GRANT SELECT ON pending_reason, reason_event TO gateway_api;
GRANT SELECT, DELETE ON pending_reason, reason_event TO gateway_recorder;
GRANT INSERT (cluster, subject, said, namespace, pod_name, controller, code, message, scheduler, total_nodes, parts,
        first_seen, last_seen),
    UPDATE (pod_name, controller, code, message, scheduler, total_nodes, parts, first_seen, last_seen, resolved_at)
    ON pending_reason TO gateway_recorder;
GRANT INSERT (cluster, subject, said, event, count), UPDATE (count) ON reason_event TO gateway_recorder;
