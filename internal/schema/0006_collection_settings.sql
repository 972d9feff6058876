-- How requests come into a collection and who is notified. emoji has the names
-- of emoji by rule. Nothing is looked up by it.
ALTER TABLE collections ADD COLUMN auto_assign TEXT NOT NULL DEFAULT 'first_responder';
ALTER TABLE collections ADD COLUMN assign_team_id BIGINT REFERENCES teams (id);
ALTER TABLE collections ADD COLUMN grouping_minutes BIGINT NOT NULL DEFAULT 5;
ALTER TABLE collections ADD COLUMN allow_bots BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE collections ADD COLUMN notify TEXT NOT NULL DEFAULT 'mention';
ALTER TABLE collections ADD COLUMN emoji @json NOT NULL
    DEFAULT '{"take":["eyes"],"solve":["white_check_mark"],"urgent":["rotating_light"],"ticket":["admission_tickets","ticket"],"request":["pushpin"]}';

-- The last assignee, for collections that assign requests round robin.
CREATE TABLE collection_turns (
    account_id    BIGINT NOT NULL REFERENCES accounts (id),
    collection_id BIGINT NOT NULL REFERENCES collections (id),
    user_id       TEXT NOT NULL,
    at            BIGINT NOT NULL,
    PRIMARY KEY (account_id, collection_id)
);

-- The members who have muted a collection.
CREATE TABLE collection_mutes (
    account_id    BIGINT NOT NULL REFERENCES accounts (id),
    collection_id BIGINT NOT NULL REFERENCES collections (id),
    member_id     BIGINT NOT NULL REFERENCES members (id),
    PRIMARY KEY (account_id, collection_id, member_id)
);

-- The part after the last @ of an email, in lower case. Responders are found by
-- it. A domain with letters outside ASCII matches nobody.
ALTER TABLE users ADD COLUMN email_domain TEXT NOT NULL DEFAULT '';
UPDATE users SET email_domain = lower(substr(email, length(rtrim(email, replace(email, '@', ''))) + 1))
    WHERE email LIKE '%@%' AND octet_length(email) = length(email);
CREATE INDEX users_domain ON users (account_id, email_domain, user_id) WHERE NOT deleted AND NOT is_bot;
