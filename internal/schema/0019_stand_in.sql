-- Keeps the place of a migration that is on its way.
CREATE TABLE stand_in_19 (account_id BIGINT NOT NULL REFERENCES accounts (id));
