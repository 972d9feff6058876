-- Whether and how a collection asks people for their opinion. Nothing is looked
-- up by it.
ALTER TABLE collections ADD COLUMN csat @json NOT NULL
    DEFAULT '{"enabled":false,"trigger":"solved","scope":"all","survey_type":"five_point_rating","comment":true,"delay_minutes":0}';

-- A survey, which asks a person what they think of how their request was
-- answered, and the answer. asked_id is the request that it was about, in whose
-- thread it is. request_id is the request that shows it. This is another one if
-- the first was merged into it. nonce makes the link to its page unique, even
-- compared with a survey that gets the same id after a backup is restored.
-- answered_at is the first time, changed_at the last.
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

-- A conversation that the virtual agent took part in, and how often each kind
-- of event happened in it. An answer counts as a response too. external_id is
-- the agent's own id for it.
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

-- The events of the conversation.
CREATE TABLE agent_session_events (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    session_id BIGINT NOT NULL REFERENCES agent_sessions (id),
    type       TEXT NOT NULL CHECK (type IN ('trigger', 'response', 'answer', 'positive_feedback', 'negative_feedback')),
    at         BIGINT NOT NULL,
    text       TEXT NOT NULL
);
CREATE INDEX agent_session_events_session ON agent_session_events (account_id, session_id, at, id);
