-- What is counted and measured of requests: one row for each conversation that is
-- one and was not merged into another. They lie in the order of their making, so
-- that a question about a part of time reads one run of them. Lengths are in
-- hundredths of a minute; schedule_version_id is by what waits are measured. is_answered says that a responder has replied. Of each
-- promise it says whether it applies, and from when on it is broken, which may be
-- to come. survey_points is 5 or 2.
CREATE TABLE request_facts (
    account_id             BIGINT NOT NULL REFERENCES accounts (id),
    created_at             BIGINT NOT NULL,
    request_id             BIGINT NOT NULL,
    collection_id          BIGINT NOT NULL,
    channel_id             TEXT,
    customer_id            BIGINT,
    assignee               TEXT,
    state                  TEXT NOT NULL,
    priority               TEXT NOT NULL,
    has_ticket             BOOLEAN NOT NULL,
    is_answered            BOOLEAN NOT NULL,
    schedule_version_id    BIGINT,
    first_response         BIGINT,
    first_resolution       BIGINT,
    resolution             BIGINT,
    first_response_sla     BOOLEAN NOT NULL,
    first_response_late_at BIGINT,
    resolution_sla         BOOLEAN NOT NULL,
    resolution_late_at     BIGINT,
    one_touch_sla          BOOLEAN NOT NULL,
    one_touch_late         BOOLEAN NOT NULL,
    survey_at              BIGINT,
    survey_points          BIGINT,
    survey_value           BIGINT,
    PRIMARY KEY (account_id, created_at, request_id)
);
CREATE UNIQUE INDEX request_facts_request ON request_facts (account_id, request_id);
CREATE INDEX request_facts_survey ON request_facts (account_id, survey_at, request_id) WHERE survey_at IS NOT NULL;

-- How long each wait of a requester for an answer was, of the waits that are over.
-- message_id is what the wait began with, and opened_at when that was said, in
-- microseconds; created_at is the request's.
CREATE TABLE response_facts (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    created_at BIGINT NOT NULL,
    request_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL,
    opened_at  BIGINT NOT NULL,
    length     BIGINT NOT NULL,
    PRIMARY KEY (account_id, created_at, request_id, message_id)
);
CREATE INDEX response_facts_request ON response_facts (account_id, request_id, opened_at, message_id);

-- A text as it is compared without regard to case, which only the program knows.
-- Those of old are folded with the facts.
ALTER TABLE custom_field_values ADD COLUMN value_folded TEXT;

-- The facts of requests that are here already.
INSERT INTO jobs (kind, args, args_id, unique_key, run_at, owner, attempt, failures, last_error, created_at)
    SELECT 'insights.rebuild', CAST('{"Account":' || id || '}' AS JSON), 0, CAST(id AS TEXT), 0, '', 0, 0, '', 0 FROM accounts;

-- The four quantiles of numbers, as the text of a JSON array; null for none. SQLite
-- has the same from the program.
CREATE FUNCTION quantiles_of(BIGINT[]) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CAST(array_to_json(percentile_cont(ARRAY[0.5, 0.75, 0.9, 0.95]) WITHIN GROUP (ORDER BY v)) AS TEXT) FROM unnest($1) v
$$;
CREATE AGGREGATE quantiles(BIGINT) (SFUNC = array_append, STYPE = BIGINT[], FINALFUNC = quantiles_of);
