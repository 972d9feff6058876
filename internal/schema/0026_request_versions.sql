-- A request is cached in memory for as long as its version is the same, and so
-- are the names of the account's people and places: see decision 36.
ALTER TABLE requests ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sequences ADD COLUMN names BIGINT NOT NULL DEFAULT 0;
