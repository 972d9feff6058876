-- Times are milliseconds since 1970, UTC.

CREATE TABLE accounts (
    id              @id,
    name            TEXT NOT NULL,
    key_prefix      TEXT NOT NULL,
    time_zone       TEXT NOT NULL,
    on_hold_allowed BOOLEAN NOT NULL,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL
);

-- A removed member keeps the row, so that history can name them.
CREATE TABLE members (
    id           @id,
    account_id   BIGINT NOT NULL REFERENCES accounts (id),
    email        TEXT NOT NULL,
    email_folded TEXT NOT NULL,
    name         TEXT NOT NULL,
    role         TEXT NOT NULL CHECK (role IN ('admin', 'agent', 'viewer')),
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    removed_at   BIGINT
);
CREATE UNIQUE INDEX members_email ON members (account_id, email_folded) WHERE removed_at IS NULL;
CREATE INDEX members_created ON members (account_id, created_at, id) WHERE removed_at IS NULL;
CREATE INDEX members_role ON members (account_id, role) WHERE removed_at IS NULL;

-- The secret is not stored, only its SHA-256 digest.
CREATE TABLE tokens (
    id           @id,
    account_id   BIGINT NOT NULL REFERENCES accounts (id),
    member_id    BIGINT NOT NULL REFERENCES members (id),
    name         TEXT NOT NULL,
    scope        TEXT NOT NULL CHECK (scope IN ('read_only', 'read_write')),
    prefix       TEXT NOT NULL,
    digest       @blob NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT,
    last_used_at BIGINT,
    revoked_at   BIGINT
);
-- The only index that does not begin with account_id, because the token leads
-- to the account.
CREATE UNIQUE INDEX tokens_prefix ON tokens (prefix);
CREATE INDEX tokens_member ON tokens (account_id, member_id, created_at, id) WHERE revoked_at IS NULL;

-- One row for each Idempotency-Key that is in flight (answer empty, lease
-- running) or answered. The answer is sealed, because it may contain a secret
-- that is shown only once.
CREATE TABLE idempotency_keys (
    id          @id,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    token_id    BIGINT NOT NULL REFERENCES tokens (id),
    name        TEXT NOT NULL,
    owner       TEXT NOT NULL,
    lease_until BIGINT NOT NULL,
    fingerprint @blob,
    answer      @blob,
    created_at  BIGINT NOT NULL
);
CREATE UNIQUE INDEX idempotency_keys_name ON idempotency_keys (account_id, token_id, name);
CREATE INDEX idempotency_keys_created ON idempotency_keys (account_id, created_at);

-- seq is empty at commit. The sequencer numbers the committed events of an
-- account without gaps, so a reader who follows seq misses none.
CREATE TABLE events (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    seq        BIGINT,
    type       TEXT NOT NULL,
    source     TEXT NOT NULL,
    at         BIGINT NOT NULL,
    data       @json NOT NULL
);
CREATE UNIQUE INDEX events_seq ON events (account_id, seq) WHERE seq IS NOT NULL;
-- The events of all accounts that the sequencer still has to number.
CREATE INDEX events_unnumbered ON events (id) WHERE seq IS NULL;

-- The sequencer chains the rows: mac covers the row and the previous mac.
CREATE TABLE audit_logs (
    id            @id,
    account_id    BIGINT NOT NULL REFERENCES accounts (id),
    seq           BIGINT,
    at            BIGINT NOT NULL,
    actor_id      BIGINT,
    actor         @json NOT NULL,
    action        TEXT NOT NULL,
    resource_type TEXT NOT NULL,
    resource_id   TEXT NOT NULL,
    source        TEXT NOT NULL,
    ip            TEXT NOT NULL,
    before        @json,
    after         @json,
    mac           @blob
);
CREATE INDEX audit_logs_at ON audit_logs (account_id, at, id);
CREATE INDEX audit_logs_resource ON audit_logs (account_id, resource_type, resource_id, at, id);
CREATE INDEX audit_logs_actor ON audit_logs (account_id, actor_id, at, id);
CREATE UNIQUE INDEX audit_logs_seq ON audit_logs (account_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX audit_logs_unnumbered ON audit_logs (id) WHERE seq IS NULL;

-- How far the sequencer has come in each account.
CREATE TABLE sequences (
    account_id BIGINT NOT NULL PRIMARY KEY REFERENCES accounts (id),
    event_seq  BIGINT NOT NULL,
    audit_seq  BIGINT NOT NULL,
    audit_mac  @blob NOT NULL
);

-- Which process holds a task that only one process may do at a time.
CREATE TABLE leases (
    name  TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    until BIGINT NOT NULL
);
