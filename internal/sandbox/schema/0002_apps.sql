CREATE TABLE apps (
    n                  @id,
    id                 TEXT NOT NULL UNIQUE,
    client_id          TEXT NOT NULL UNIQUE,
    client_secret      TEXT NOT NULL,
    signing_secret     TEXT NOT NULL,
    verification_token TEXT NOT NULL,
    manifest           @json NOT NULL,
    verified_url       TEXT NOT NULL,
    created_at         BIGINT NOT NULL
);

-- A row without scopes is a bot that waits for its app to be installed.
CREATE TABLE installations (
    n           @id,
    team_id     TEXT NOT NULL,
    app_id      TEXT NOT NULL,
    bot_id      TEXT NOT NULL,
    bot_user_id TEXT NOT NULL,
    bot_scopes  TEXT NOT NULL,
    active      BOOLEAN NOT NULL,
    UNIQUE (team_id, app_id)
);

-- A token of no app is that of a member's own client. fate is what a token that works no more answers.
CREATE TABLE tokens (
    token      TEXT NOT NULL PRIMARY KEY,
    team_id    TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    app_id     TEXT NOT NULL,
    is_bot     BOOLEAN NOT NULL,
    scopes     TEXT NOT NULL,
    fate       TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX tokens_user ON tokens (user_id, app_id);

CREATE TABLE oauth_codes (
    code         TEXT NOT NULL PRIMARY KEY,
    app_id       TEXT NOT NULL,
    team_id      TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    bot_scopes   TEXT NOT NULL,
    user_scopes  TEXT NOT NULL,
    used         BOOLEAN NOT NULL,
    created_at   BIGINT NOT NULL
);

CREATE TABLE triggers (
    id         TEXT NOT NULL PRIMARY KEY,
    team_id    TEXT NOT NULL,
    app_id     TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    view_id    TEXT NOT NULL,
    used       BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE views (
    n           @id,
    id          TEXT NOT NULL UNIQUE,
    team_id     TEXT NOT NULL,
    app_id      TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    root_id     TEXT NOT NULL,
    previous_id TEXT NOT NULL,
    external_id TEXT NOT NULL,
    hash        TEXT NOT NULL,
    is_open     BOOLEAN NOT NULL,
    body        @json NOT NULL
);
CREATE INDEX views_user ON views (user_id, n);

CREATE TABLE response_urls (
    id              TEXT NOT NULL PRIMARY KEY,
    team_id         TEXT NOT NULL,
    app_id          TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    ts              BIGINT NOT NULL,
    ephemeral       BOOLEAN NOT NULL,
    uses            BIGINT NOT NULL,
    created_at      BIGINT NOT NULL
);

-- A callback to an app. lane is the conversation: callbacks of a lane go out one after another, lanes side by side.
CREATE TABLE deliveries (
    id         @id,
    event_id   TEXT NOT NULL,
    app_id     TEXT NOT NULL,
    team_id    TEXT NOT NULL,
    type       TEXT NOT NULL,
    lane       TEXT NOT NULL,
    body       @json NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('new', 'due', 'delivered', 'failed', 'lost')),
    retries    BIGINT NOT NULL,
    reason     TEXT NOT NULL,
    due_at     BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX deliveries_due ON deliveries (state, due_at, id);
CREATE INDEX deliveries_created ON deliveries (created_at);
