-- An outside system that an account is connected to: its chat system, and later
-- also trackers. external_id is the system's own name for what is connected,
-- such as a chat workspace. state_nonce is set while somebody is on the way to
-- allow our access.
CREATE TABLE integrations (
    id          @id,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    kind        TEXT NOT NULL,
    status      TEXT NOT NULL CHECK (status IN ('pending', 'connected', 'lost')),
    external_id TEXT NOT NULL,
    name        TEXT NOT NULL,
    url         TEXT NOT NULL,
    bot_user_id TEXT NOT NULL,
    state_nonce TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    synced_at   BIGINT,
    removed_at  BIGINT
);
CREATE UNIQUE INDEX integrations_kind ON integrations (account_id, kind) WHERE removed_at IS NULL;
CREATE INDEX integrations_created ON integrations (account_id, created_at, id) WHERE removed_at IS NULL;
-- Does not begin with account_id, because the events of a workspace lead to the
-- account. A workspace belongs to one account at a time.
CREATE UNIQUE INDEX integrations_external ON integrations (kind, external_id) WHERE removed_at IS NULL AND status = 'connected';

-- Our credentials, sealed: as the bot (user_id is empty), or as a person.
CREATE TABLE credentials (
    id             @id,
    account_id     BIGINT NOT NULL REFERENCES accounts (id),
    integration_id BIGINT NOT NULL REFERENCES integrations (id),
    user_id        TEXT NOT NULL,
    secret         @blob NOT NULL,
    created_at     BIGINT NOT NULL
);
CREATE UNIQUE INDEX credentials_user ON credentials (account_id, integration_id, user_id);

-- The directory of the chat system. user_id, team_id and channel_id are its own
-- ids. revision shows which of two notifications is newer.
CREATE TABLE users (
    id           @id,
    account_id   BIGINT NOT NULL REFERENCES accounts (id),
    user_id      TEXT NOT NULL,
    name         TEXT NOT NULL,
    email        TEXT NOT NULL,
    email_folded TEXT NOT NULL,
    avatar       TEXT NOT NULL,
    deleted      BOOLEAN NOT NULL,
    is_bot       BOOLEAN NOT NULL,
    revision     BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE UNIQUE INDEX users_user ON users (account_id, user_id);
CREATE INDEX users_all ON users (account_id, id);
CREATE INDEX users_email ON users (account_id, email_folded, id) WHERE NOT deleted AND NOT is_bot;
CREATE INDEX users_present ON users (account_id, id) WHERE NOT deleted;

-- The words that a user is found by: the folded words of the name and of the
-- email. They are bytes, because the engines sort text differently.
CREATE TABLE user_words (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    word       @blob NOT NULL,
    user_ref   BIGINT NOT NULL REFERENCES users (id),
    PRIMARY KEY (account_id, word, user_ref)
);
CREATE INDEX user_words_user ON user_words (account_id, user_ref);

CREATE TABLE teams (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    name       TEXT NOT NULL,
    is_active  BOOLEAN NOT NULL,
    source     TEXT NOT NULL,
    source_id  TEXT NOT NULL,
    revision   BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX teams_source ON teams (account_id, source, source_id);
CREATE INDEX teams_created ON teams (account_id, created_at, id);

CREATE TABLE team_members (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    team_id    BIGINT NOT NULL REFERENCES teams (id),
    user_id    TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, team_id, user_id)
);
CREATE INDEX team_members_user ON team_members (account_id, user_id);

-- A removed collection keeps the row, so that history can name it.
CREATE TABLE collections (
    id                 @id,
    account_id         BIGINT NOT NULL REFERENCES accounts (id),
    name               TEXT NOT NULL,
    kind               TEXT NOT NULL CHECK (kind IN ('chat', 'api', 'email', 'portal', 'web_chat')),
    owner              TEXT,
    created_by         TEXT,
    request_channel_id TEXT,
    triage_channel_id  TEXT,
    created_at         BIGINT NOT NULL,
    updated_at         BIGINT NOT NULL,
    removed_at         BIGINT
);
CREATE INDEX collections_created ON collections (account_id, created_at, id) WHERE removed_at IS NULL;
CREATE INDEX collections_kind ON collections (account_id, kind, id) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX collections_request_channel ON collections (account_id, request_channel_id) WHERE removed_at IS NULL AND request_channel_id IS NOT NULL;
CREATE INDEX collections_triage_channel ON collections (account_id, triage_channel_id) WHERE removed_at IS NULL AND triage_channel_id IS NOT NULL;

-- The responders of a collection. One of user_id, team_id and email_domain is
-- not null. n keeps the order in which they were given.
CREATE TABLE responders (
    account_id    BIGINT NOT NULL REFERENCES accounts (id),
    collection_id BIGINT NOT NULL REFERENCES collections (id),
    n             BIGINT NOT NULL,
    user_id       TEXT,
    team_id       BIGINT REFERENCES teams (id),
    email_domain  TEXT,
    PRIMARY KEY (account_id, collection_id, n)
);

-- The channels that we can see. Those of a collection have collection_id.
-- is_gone means that the chat system no longer shows the channel to us.
CREATE TABLE channels (
    id            @id,
    account_id    BIGINT NOT NULL REFERENCES accounts (id),
    channel_id    TEXT NOT NULL,
    name          TEXT NOT NULL,
    is_private    BOOLEAN NOT NULL,
    is_archived   BOOLEAN NOT NULL,
    is_member     BOOLEAN NOT NULL,
    is_gone       BOOLEAN NOT NULL,
    revision      BIGINT NOT NULL,
    collection_id BIGINT REFERENCES collections (id),
    owner         TEXT,
    is_active     BOOLEAN NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);
CREATE UNIQUE INDEX channels_channel ON channels (account_id, channel_id);
CREATE INDEX channels_created ON channels (account_id, created_at, id);
CREATE INDEX channels_collection ON channels (account_id, collection_id, created_at, id) WHERE collection_id IS NOT NULL;

-- The collections of members who do not have all of them.
CREATE TABLE member_collections (
    account_id    BIGINT NOT NULL REFERENCES accounts (id),
    member_id     BIGINT NOT NULL REFERENCES members (id),
    collection_id BIGINT NOT NULL REFERENCES collections (id),
    PRIMARY KEY (account_id, member_id, collection_id)
);
CREATE INDEX member_collections_collection ON member_collections (account_id, collection_id);

ALTER TABLE members ADD COLUMN all_collections BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE accounts ADD COLUMN api_collection_id BIGINT REFERENCES collections (id);
