-- The categories for requests.
ALTER TABLE accounts ADD COLUMN categories @json NOT NULL DEFAULT '["feature_request","bug","question","problem","task"]';

-- The suggested values of a request, and their source: rules or a model. reason
-- says why the rules answered although a model was asked.
CREATE TABLE request_suggestions (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    request_id BIGINT NOT NULL REFERENCES requests (id),
    field      TEXT NOT NULL CHECK (field IN ('category', 'sentiment', 'emotion')),
    value      @json NOT NULL,
    decided_by TEXT NOT NULL CHECK (decided_by IN ('rules', 'model')),
    reason     TEXT NOT NULL,
    decided_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, request_id, field)
);

-- begun counts how often a request was read for suggestions. saved is the
-- reading that the values come from, so that an older reading that answers late
-- is ignored. heard is the requester's message that the sentiment is based on.
CREATE TABLE suggestion_runs (
    account_id      BIGINT NOT NULL REFERENCES accounts (id),
    request_id      BIGINT NOT NULL REFERENCES requests (id),
    begun           BIGINT NOT NULL,
    saved           BIGINT NOT NULL,
    heard_id        BIGINT REFERENCES messages (id),
    heard_edited_at BIGINT,
    PRIMARY KEY (account_id, request_id)
);

-- The tokens that an account's questions to a model have cost. A day is in UTC,
-- counted from 1970.
CREATE TABLE suggestion_costs (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    day        BIGINT NOT NULL,
    tokens     BIGINT NOT NULL,
    PRIMARY KEY (account_id, day)
);
