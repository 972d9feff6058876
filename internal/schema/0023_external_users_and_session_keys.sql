-- Whether a user is a guest of the workspace or belongs to another
-- organisation, and so cannot be given requests. Until the directory is read
-- again, which happens when the server starts, nobody counts as external.
ALTER TABLE users ADD COLUMN is_external BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX users_assignable ON users (account_id, id) WHERE NOT deleted AND NOT is_bot AND NOT is_external;
CREATE INDEX users_assignable_domain ON users (account_id, email_domain, user_id) WHERE NOT deleted AND NOT is_bot AND NOT is_external;

-- After signing in again, a member has another session and may retry with the
-- same Idempotency-Key. So the keys of sessions are found by their member.
CREATE INDEX idempotency_keys_by_name ON idempotency_keys (account_id, name);
