-- A request that is put aside until a time, or until its requester writes: see
-- decision 82. snooze is snoozed, then back until somebody does something with the
-- request, and null otherwise. It is not a shelf, because the lists by state have
-- these requests, too.
ALTER TABLE requests ADD COLUMN snooze TEXT;
ALTER TABLE requests ADD COLUMN snoozed_at BIGINT;
ALTER TABLE requests ADD COLUMN snoozed_until BIGINT;
ALTER TABLE requests ADD COLUMN snoozed_by BIGINT REFERENCES members (id);
ALTER TABLE requests ADD COLUMN back_at BIGINT;
ALTER TABLE requests ADD COLUMN back_by TEXT;
CREATE INDEX requests_snooze_created ON requests (account_id, snooze, created_at, id) WHERE snooze IS NOT NULL AND merged_into IS NULL;
CREATE INDEX requests_snooze_updated ON requests (account_id, snooze, updated_at, id) WHERE snooze IS NOT NULL AND merged_into IS NULL;

-- What a member has of a request besides what they have read: since when they follow
-- it. message_id is 0 for a member who follows it and has never read it.
ALTER TABLE request_reads ADD COLUMN followed_at BIGINT;
CREATE INDEX request_reads_followed ON request_reads (account_id, member_id, request_id) WHERE followed_at IS NOT NULL;
CREATE INDEX request_reads_followers ON request_reads (account_id, request_id, member_id) WHERE followed_at IS NOT NULL;
