-- Whether and how a collection asks what people think of its answers. Nothing is
-- ever found by it.
ALTER TABLE collections ADD COLUMN csat @json NOT NULL
    DEFAULT '{"enabled":false,"trigger":"solved","scope":"all","survey_type":"five_point_rating","comment":true,"delay_minutes":0}';

-- The question what somebody thinks of how their request was answered, and their
-- answer. asked_id is the request that it was asked about, in whose thread it
-- stands; request_id the one that shows it, which is another where the first was
-- merged into it. nonce makes the link to its page one that no other survey has,
-- also none that gets the same id after a backup was brought back. answered_at is
-- the first time, changed_at the last.
CREATE TABLE surveys (
    id           @id,
    account_id   BIGINT NOT NULL REFERENCES accounts (id),
    request_id   BIGINT NOT NULL REFERENCES requests (id),
    asked_id     BIGINT NOT NULL REFERENCES requests (id),
    type         TEXT NOT NULL CHECK (type IN ('five_point_rating', 'two_point_rating')),
    has_comment  BOOLEAN NOT NULL,
    nonce        TEXT NOT NULL,
    triggered_at BIGINT NOT NULL,
    answered_at  BIGINT,
    changed_at   BIGINT,
    value        BIGINT CHECK (value BETWEEN 1 AND 5),
    comment      TEXT NOT NULL,
    answered_by  TEXT NOT NULL,
    channel      TEXT CHECK (channel IN ('chat', 'page')),
    CHECK ((answered_at IS NULL) = (value IS NULL))
);
CREATE UNIQUE INDEX surveys_request ON surveys (account_id, request_id);
CREATE UNIQUE INDEX surveys_asked ON surveys (account_id, asked_id);

-- A conversation that the virtual agent took part in, and how often what happened
-- in it. An answer is a response, too. external_id is the agent's own for it.
CREATE TABLE agent_sessions (
    id                @id,
    account_id        BIGINT NOT NULL REFERENCES accounts (id),
    request_id        BIGINT NOT NULL REFERENCES requests (id),
    external_id       TEXT,
    started_at        BIGINT NOT NULL,
    ended_at          BIGINT,
    triggers          BIGINT NOT NULL,
    responses         BIGINT NOT NULL,
    answers           BIGINT NOT NULL,
    positive_feedback BIGINT NOT NULL,
    negative_feedback BIGINT NOT NULL,
    created_at        BIGINT NOT NULL,
    updated_at        BIGINT NOT NULL
);
CREATE INDEX agent_sessions_started ON agent_sessions (account_id, started_at, id);
CREATE INDEX agent_sessions_request ON agent_sessions (account_id, request_id, started_at, id);
CREATE UNIQUE INDEX agent_sessions_external ON agent_sessions (account_id, external_id) WHERE external_id IS NOT NULL;

-- What happened in it.
CREATE TABLE agent_session_events (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    session_id BIGINT NOT NULL REFERENCES agent_sessions (id),
    type       TEXT NOT NULL CHECK (type IN ('trigger', 'response', 'answer', 'positive_feedback', 'negative_feedback')),
    at         BIGINT NOT NULL,
    text       TEXT NOT NULL
);
CREATE INDEX agent_session_events_session ON agent_session_events (account_id, session_id, at, id);
