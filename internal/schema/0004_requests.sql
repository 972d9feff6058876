-- A conversation. It is a request while its shelf is a state. A conversation
-- that somebody marked as not a request is on the shelf marked, and one that
-- never was a request is on the shelf none. So each list that people ask for is
-- one range of one index. is_listed is false only on the shelf none. author_id
-- is a chat user. author_email is also set for a person who is not in the chat
-- system. The thread is the conversation's place in the chat system. The triage
-- thread is where the team discusses it.
CREATE TABLE requests (
    id                  @id,
    account_id          BIGINT NOT NULL REFERENCES accounts (id),
    collection_id       BIGINT NOT NULL REFERENCES collections (id),
    title               TEXT NOT NULL,
    title_by            TEXT NOT NULL,
    shelf               TEXT NOT NULL CHECK (shelf IN ('open', 'in_progress', 'pending', 'on_hold', 'solved', 'closed', 'marked', 'none')),
    is_listed           BOOLEAN NOT NULL,
    not_a_request_state TEXT CHECK (not_a_request_state IN ('temporary', 'permanent')),
    priority            TEXT NOT NULL CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
    priority_by         TEXT NOT NULL,
    author_id           TEXT,
    author_name         TEXT NOT NULL,
    author_email        TEXT NOT NULL,
    author_email_folded TEXT NOT NULL,
    customer_id         BIGINT,
    assignee            TEXT,
    team_id             BIGINT REFERENCES teams (id),
    channel_id          TEXT,
    workspace           TEXT NOT NULL,
    thread_id           TEXT,
    thread_url          TEXT NOT NULL,
    triage_channel_id   TEXT,
    triage_thread_id    TEXT,
    triage_url          TEXT NOT NULL,
    parent_id           BIGINT REFERENCES requests (id),
    merged_into         BIGINT REFERENCES requests (id),
    source              TEXT NOT NULL,
    external_id         TEXT,
    metadata            @json,
    created_at          BIGINT NOT NULL,
    updated_at          BIGINT NOT NULL,
    last_message_at     BIGINT NOT NULL,
    first_response_at   BIGINT,
    first_solved_at     BIGINT,
    solved_at           BIGINT
);
CREATE INDEX requests_created ON requests (account_id, is_listed, created_at, id);
CREATE INDEX requests_updated ON requests (account_id, is_listed, updated_at, id);
CREATE INDEX requests_shelf_created ON requests (account_id, shelf, created_at, id);
CREATE INDEX requests_shelf_updated ON requests (account_id, shelf, updated_at, id);
CREATE INDEX requests_collection_created ON requests (account_id, collection_id, shelf, created_at, id);
CREATE INDEX requests_collection_updated ON requests (account_id, collection_id, shelf, updated_at, id);
CREATE INDEX requests_channel ON requests (account_id, channel_id, created_at, id) WHERE channel_id IS NOT NULL;
CREATE INDEX requests_author ON requests (account_id, author_email_folded, created_at, id);
CREATE INDEX requests_parent ON requests (account_id, parent_id, id) WHERE parent_id IS NOT NULL;
CREATE UNIQUE INDEX requests_external ON requests (account_id, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE request_tags (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    request_id BIGINT NOT NULL REFERENCES requests (id),
    n          BIGINT NOT NULL,
    tag        TEXT NOT NULL,
    PRIMARY KEY (account_id, request_id, n)
);

CREATE TABLE request_contributors (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    request_id BIGINT NOT NULL REFERENCES requests (id),
    n          BIGINT NOT NULL,
    user_id    TEXT NOT NULL,
    PRIMARY KEY (account_id, request_id, n)
);

-- Messages. channel_id and external_id are the message's place in the chat
-- system. They are null for a message that is not there.
CREATE TABLE messages (
    id           @id,
    account_id   BIGINT NOT NULL REFERENCES accounts (id),
    request_id   BIGINT NOT NULL REFERENCES requests (id),
    author_id    TEXT,
    author_name  TEXT NOT NULL,
    author_email TEXT NOT NULL,
    html         TEXT NOT NULL,
    text         TEXT NOT NULL,
    is_responder BOOLEAN NOT NULL,
    is_private   BOOLEAN NOT NULL,
    is_bot       BOOLEAN NOT NULL,
    is_idle      BOOLEAN NOT NULL,
    source       TEXT NOT NULL,
    channel_id   TEXT,
    external_id  TEXT,
    thread_id    TEXT,
    created_at   BIGINT NOT NULL,
    edited_at    BIGINT,
    removed_at   BIGINT
);
CREATE INDEX messages_request ON messages (account_id, request_id, created_at, id) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX messages_external ON messages (account_id, channel_id, external_id) WHERE external_id IS NOT NULL;

-- A native ticket's number is unique within its account; gaps may occur.
CREATE TABLE tickets (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    request_id BIGINT NOT NULL REFERENCES requests (id),
    type       TEXT NOT NULL,
    number     BIGINT,
    key        TEXT NOT NULL,
    url        TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX tickets_request ON tickets (account_id, request_id, id);
CREATE UNIQUE INDEX tickets_number ON tickets (account_id, number) WHERE number IS NOT NULL;

-- The next native ticket number of an account.
CREATE TABLE ticket_numbers (
    account_id BIGINT NOT NULL PRIMARY KEY REFERENCES accounts (id),
    next       BIGINT NOT NULL
);

-- A file of a message. Its bytes are stored elsewhere, under blob_key. A sweep
-- removes bytes that no row refers to.
CREATE TABLE attachments (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    message_id BIGINT NOT NULL REFERENCES messages (id),
    request_id BIGINT NOT NULL REFERENCES requests (id),
    name       TEXT NOT NULL,
    type       TEXT NOT NULL,
    size       BIGINT NOT NULL,
    sum        @blob NOT NULL,
    blob_key   TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX attachments_request ON attachments (account_id, request_id, message_id, id);
CREATE UNIQUE INDEX attachments_blob ON attachments (account_id, blob_key);
