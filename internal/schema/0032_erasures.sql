-- The people whose data was erased: a keyed digest of each address and chat user,
-- never the address itself. A restored backup is compared with this list.
CREATE TABLE erasures (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    digest     @blob NOT NULL,
    at         BIGINT NOT NULL,
    PRIMARY KEY (account_id, digest)
);

-- When a person's data was erased from an entry, and the keyed mark that says that
-- Frontdesk did it. mac stays what it was, so the entries behind it stay chained.
ALTER TABLE audit_logs ADD COLUMN erased_at BIGINT;
ALTER TABLE audit_logs ADD COLUMN erased_mac @blob;
