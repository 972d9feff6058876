-- When a message was sent, in microseconds, to order messages of the same
-- millisecond. created_at is what people see.
ALTER TABLE messages ADD COLUMN said_at BIGINT NOT NULL DEFAULT 0;
UPDATE messages SET said_at = created_at * 1000 /* every account: a new column */;
DROP INDEX messages_request;
CREATE INDEX messages_request ON messages (account_id, request_id, said_at, id) WHERE removed_at IS NULL;

-- A reply in the chat system finds its request by its thread, or by its triage
-- thread. A request that continues a closed one has the same thread, and the
-- newest one wins. The last request of a person in a channel is the one that
-- they may still be adding to.
CREATE INDEX requests_thread ON requests (account_id, channel_id, thread_id, id) WHERE thread_id IS NOT NULL;
CREATE INDEX requests_triage ON requests (account_id, triage_channel_id, triage_thread_id) WHERE triage_thread_id IS NOT NULL;
CREATE INDEX requests_triage_created ON requests (account_id, triage_channel_id, created_at, id) WHERE triage_channel_id IS NOT NULL;
CREATE INDEX requests_said ON requests (account_id, channel_id, author_id, created_at, id) WHERE author_id IS NOT NULL;

-- Messages of the chat system that were removed before we received them. If one
-- arrives late, it must not come back.
CREATE TABLE removed_messages (
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    channel_id  TEXT NOT NULL,
    external_id TEXT NOT NULL,
    removed_at  BIGINT NOT NULL,
    PRIMARY KEY (account_id, channel_id, external_id)
);

-- The newest state of a reaction that we know, on or off. A repeated
-- notification does nothing.
CREATE TABLE reactions (
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    channel_id  TEXT NOT NULL,
    external_id TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    emoji       TEXT NOT NULL,
    is_on       BOOLEAN NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (account_id, channel_id, external_id, user_id, emoji)
);

-- Files of chat messages that still have to be fetched.
CREATE TABLE incoming_files (
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    message_id  BIGINT NOT NULL REFERENCES messages (id),
    request_id  BIGINT NOT NULL REFERENCES requests (id),
    external_id TEXT NOT NULL,
    name        TEXT NOT NULL,
    type        TEXT NOT NULL,
    PRIMARY KEY (account_id, request_id, message_id, external_id)
);

-- How far each channel's history has been read. Messages from before the
-- channel was given to a collection are not ours.
CREATE TABLE channel_readings (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    channel_id TEXT NOT NULL,
    since      BIGINT NOT NULL,
    read_to    BIGINT NOT NULL,
    PRIMARY KEY (account_id, channel_id)
);

-- What we show of a request in the chat system. A row is one message of ours
-- there, which exists or will exist. root is the request itself, posted into
-- the request channel. card is the one in triage. message is a message of a
-- person, in parts if it is long. notice notifies one person. survey asks the
-- requester. wanted counts the versions that it should have had by now, and
-- shown is the version that it has. mark, tried_at and kept let a later attempt
-- find what an earlier one did.
CREATE TABLE posts (
    id          @id,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    request_id  BIGINT NOT NULL REFERENCES requests (id),
    kind        TEXT NOT NULL CHECK (kind IN ('root', 'card', 'message', 'notice', 'alert', 'survey')),
    place       TEXT NOT NULL CHECK (place IN ('thread', 'triage', 'direct')),
    message_id  BIGINT REFERENCES messages (id),
    part        BIGINT NOT NULL,
    user_id     TEXT,
    text        TEXT NOT NULL,
    as_bot      BOOLEAN NOT NULL,
    mark        TEXT NOT NULL,
    wanted      BIGINT NOT NULL,
    shown       BIGINT NOT NULL,
    tried_at    BIGINT,
    kept        TEXT NOT NULL,
    channel_id  TEXT,
    external_id TEXT,
    failure     TEXT NOT NULL
);
CREATE INDEX posts_due ON posts (account_id, request_id, id) WHERE wanted > shown;
CREATE INDEX posts_request ON posts (account_id, request_id, kind);
CREATE INDEX posts_message ON posts (account_id, message_id, place, part) WHERE message_id IS NOT NULL;
CREATE UNIQUE INDEX posts_external ON posts (account_id, channel_id, external_id) WHERE external_id IS NOT NULL;

-- Which process is posting for a request, and until when no other may. Two at
-- once would post in any order.
CREATE TABLE tellings (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    request_id BIGINT NOT NULL REFERENCES requests (id),
    held_by    TEXT NOT NULL,
    held_until BIGINT NOT NULL,
    PRIMARY KEY (account_id, request_id)
);
