-- When a form was deleted. Its row stays, because tickets that were created
-- with it refer to it.
ALTER TABLE ticket_forms ADD COLUMN removed_at BIGINT;
