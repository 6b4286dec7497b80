-- What the gateway found out, over restarts and for all its replicas: since when, until when.
-- One row for each thing that can be wrong; it is told again in the same row when it comes back.
-- The finding is json and not jsonb: what systems say may hold \u0000, which jsonb refuses.

CREATE TABLE alert (
    id text PRIMARY KEY CHECK (id <> ''),
    finding json NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen timestamptz NOT NULL CHECK (last_seen >= first_seen),
    resolved_at timestamptz CHECK (resolved_at >= last_seen)
);
CREATE INDEX alert_resolved ON alert (resolved_at);
