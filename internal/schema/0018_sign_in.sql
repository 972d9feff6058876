-- A session is a token that a browser has in a cookie. It expires if it is not
-- used, and is on no list of tokens. browser and ip are those of the sign-in.
ALTER TABLE tokens ADD COLUMN session BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE tokens ADD COLUMN browser TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN ip TEXT NOT NULL DEFAULT '';

-- How a member signs in. password is an argon2id hash with its parameters.
-- invitation is the digest of a link for choosing a password, once. Either may
-- be missing.
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

-- The identity of a member at an OpenID provider.
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

-- How often somebody tried to sign in within a period, by email and by address.
-- The key is a keyed digest, because these may be emails of people who have
-- nothing to do with us.
CREATE TABLE sign_in_tries (
    digest  TEXT NOT NULL PRIMARY KEY,
    tries   BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
);
CREATE INDEX sign_in_tries_end ON sign_in_tries (ends_at);
