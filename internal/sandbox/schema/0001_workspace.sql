-- Times are milliseconds since 1970, UTC; the ts of a message is microseconds.
-- n gives every list an order that does not change, for cursors.

CREATE TABLE teams (
    n          @id,
    id         TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    domain     TEXT NOT NULL UNIQUE,
    owner_id   TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- body holds what is only shown: names, title, time zone, presence.
CREATE TABLE users (
    n            @id,
    id           TEXT NOT NULL UNIQUE,
    team_id      TEXT NOT NULL,
    email_folded TEXT NOT NULL,
    is_bot       BOOLEAN NOT NULL,
    deleted      BOOLEAN NOT NULL,
    body         @json NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE INDEX users_team ON users (team_id, n);
CREATE INDEX users_email ON users (team_id, email_folded);

CREATE TABLE usergroups (
    n          @id,
    id         TEXT NOT NULL UNIQUE,
    team_id    TEXT NOT NULL,
    handle     TEXT NOT NULL,
    body       @json NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT NOT NULL,
    UNIQUE (team_id, handle)
);

CREATE TABLE usergroup_members (
    n            @id,
    usergroup_id TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    UNIQUE (usergroup_id, user_id)
);

-- people is empty but for direct messages, which it keeps to one for the same people.
CREATE TABLE conversations (
    n          @id,
    id         TEXT NOT NULL UNIQUE,
    team_id    TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('public', 'private', 'im', 'mpim')),
    name       TEXT NOT NULL,
    people     TEXT NOT NULL,
    archived   BOOLEAN NOT NULL,
    last_ts    BIGINT NOT NULL,
    body       @json NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX conversations_team ON conversations (team_id, n);
CREATE UNIQUE INDEX conversations_name ON conversations (team_id, name) WHERE kind IN ('public', 'private');
CREATE UNIQUE INDEX conversations_people ON conversations (team_id, people) WHERE people <> '';

CREATE TABLE conversation_members (
    n               @id,
    conversation_id TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    UNIQUE (conversation_id, user_id)
);
CREATE INDEX conversation_members_user ON conversation_members (user_id, conversation_id);

-- thread_ts is 0 for what is not a reply. body is the message as it is shown, without what other tables know.
CREATE TABLE messages (
    conversation_id TEXT NOT NULL,
    ts              BIGINT NOT NULL,
    thread_ts       BIGINT NOT NULL,
    broadcast       BOOLEAN NOT NULL,
    user_id         TEXT NOT NULL,
    app_id          TEXT NOT NULL,
    file_ids        @json NOT NULL,
    body            @json NOT NULL,
    PRIMARY KEY (conversation_id, ts)
);
CREATE INDEX messages_thread ON messages (conversation_id, thread_ts, ts);

CREATE TABLE reactions (
    n               @id,
    conversation_id TEXT NOT NULL,
    ts              BIGINT NOT NULL,
    name            TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    UNIQUE (conversation_id, ts, name, user_id)
);

-- What only one person sees; it is in no history.
CREATE TABLE ephemerals (
    n               @id,
    conversation_id TEXT NOT NULL,
    ts              BIGINT NOT NULL,
    thread_ts       BIGINT NOT NULL,
    user_id         TEXT NOT NULL,
    app_id          TEXT NOT NULL,
    body            @json NOT NULL
);
CREATE INDEX ephemerals_user ON ephemerals (conversation_id, user_id, ts);

-- upload_key is the secret part of the address that takes the bytes, empty once the file is complete.
CREATE TABLE files (
    n          @id,
    id         TEXT NOT NULL UNIQUE,
    team_id    TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    app_id     TEXT NOT NULL,
    upload_key TEXT NOT NULL,
    name       TEXT NOT NULL,
    title      TEXT NOT NULL,
    alt_text   TEXT NOT NULL,
    size       BIGINT NOT NULL,
    content    @blob,
    complete   BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX files_upload ON files (upload_key) WHERE upload_key <> '';

CREATE TABLE file_shares (
    n               @id,
    file_id         TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    ts              BIGINT NOT NULL,
    UNIQUE (file_id, conversation_id, ts)
);
CREATE INDEX file_shares_message ON file_shares (conversation_id, ts);
