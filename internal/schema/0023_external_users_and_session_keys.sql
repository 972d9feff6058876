-- Whether a user is a guest of the workspace or of another organisation, and so
-- cannot be given requests. Until the directory is read again, which happens when
-- the server starts, nobody is known to be.
ALTER TABLE users ADD COLUMN is_external BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX users_assignable ON users (account_id, id) WHERE NOT deleted AND NOT is_bot AND NOT is_external;
CREATE INDEX users_assignable_domain ON users (account_id, email_domain, user_id) WHERE NOT deleted AND NOT is_bot AND NOT is_external;

-- Who signs in again has another session, and tries again with the same key: the
-- keys of sessions are found by their member.
CREATE INDEX idempotency_keys_by_name ON idempotency_keys (account_id, name);
