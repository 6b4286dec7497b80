-- Which changes were made for which key, so that the same request again is answered and not done again.
-- Written first in the change's own transaction: a second one waits for the first to end.

CREATE TABLE answered (
    actor text NOT NULL,
    mutation text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
    result jsonb,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (actor, mutation, key)
);
CREATE INDEX answered_at ON answered (at);
