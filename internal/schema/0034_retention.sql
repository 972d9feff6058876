-- How long after a request is done a collection keeps what was said in it, and its
-- files, in days. null means for ever.
ALTER TABLE collections ADD COLUMN retention_messages_days BIGINT;
ALTER TABLE collections ADD COLUMN retention_files_days BIGINT;
-- The collections of all accounts that keep something for a time only.
CREATE INDEX collections_retention ON collections (account_id, id) WHERE retention_messages_days IS NOT NULL OR retention_files_days IS NOT NULL;

-- Up to which moment the texts and the files of a request are deleted. The moment of
-- a request is the last time that it was solved or closed or that anything was said
-- in it. So a request to which something was added afterwards is due again, and one
-- from which everything is deleted is in neither index.
ALTER TABLE requests ADD COLUMN texts_deleted_to BIGINT NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN files_deleted_to BIGINT NOT NULL DEFAULT 0;
CREATE INDEX requests_texts_due ON requests (account_id, collection_id, (CASE
        WHEN newest_at >= last_message_at AND newest_at >= coalesce(solved_at, 0) THEN newest_at
        WHEN last_message_at >= coalesce(solved_at, 0) THEN last_message_at ELSE solved_at END), id)
    WHERE shelf IN ('solved', 'closed') AND merged_into IS NULL AND texts_deleted_to < (CASE
        WHEN newest_at >= last_message_at AND newest_at >= coalesce(solved_at, 0) THEN newest_at
        WHEN last_message_at >= coalesce(solved_at, 0) THEN last_message_at ELSE solved_at END);
CREATE INDEX requests_files_due ON requests (account_id, collection_id, (CASE
        WHEN newest_at >= last_message_at AND newest_at >= coalesce(solved_at, 0) THEN newest_at
        WHEN last_message_at >= coalesce(solved_at, 0) THEN last_message_at ELSE solved_at END), id)
    WHERE shelf IN ('solved', 'closed') AND merged_into IS NULL AND files_deleted_to < (CASE
        WHEN newest_at >= last_message_at AND newest_at >= coalesce(solved_at, 0) THEN newest_at
        WHEN last_message_at >= coalesce(solved_at, 0) THEN last_message_at ELSE solved_at END);

-- What else has the texts of a request: requests that were merged into it, events
-- with messages, answers of webhooks, and messages that could not be sent.
CREATE INDEX requests_merged ON requests (account_id, merged_into, id) WHERE merged_into IS NOT NULL;
CREATE INDEX events_said ON events (account_id, subject, id) WHERE type IN ('message.created', 'email.sent', 'email.failed');
CREATE INDEX deliveries_subject ON deliveries (account_id, subject, id);
CREATE INDEX waiting_messages_request ON waiting_messages (account_id, request_id, id);
