-- A session is a token that a browser carries in a cookie: it expires when it is
-- not used, and is on no list of tokens. browser and ip are those of signing in.
ALTER TABLE tokens ADD COLUMN session BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE tokens ADD COLUMN browser TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN ip TEXT NOT NULL DEFAULT '';

-- How a member signs in. password is a hash by argon2id with its parameters, and
-- invitation the digest of a link with which one is chosen, once; either may be
-- missing.
CREATE TABLE member_credentials (
    id                    @id,
    account_id            BIGINT NOT NULL REFERENCES accounts (id),
    member_id             BIGINT NOT NULL REFERENCES members (id),
    password              TEXT,
    password_set_at       BIGINT,
    invitation            @blob,
    invitation_expires_at BIGINT
);
CREATE UNIQUE INDEX member_credentials_member ON member_credentials (account_id, member_id);

-- Who a member is to an OpenID provider.
CREATE TABLE member_identities (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    member_id  BIGINT NOT NULL REFERENCES members (id),
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX member_identities_subject ON member_identities (account_id, issuer, subject);
CREATE UNIQUE INDEX member_identities_member ON member_identities (account_id, member_id, issuer);

-- How often somebody tried to sign in within a stretch of time, counted for an
-- email and for an address. What is counted for is a keyed digest: these may be
-- emails of people whom we have nothing to do with.
CREATE TABLE sign_in_tries (
    digest  TEXT NOT NULL PRIMARY KEY,
    tries   BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
);
CREATE INDEX sign_in_tries_end ON sign_in_tries (ends_at);
