-- When a form was deleted. Its row stays: tickets that were made with it name it.
ALTER TABLE ticket_forms ADD COLUMN removed_at BIGINT;
