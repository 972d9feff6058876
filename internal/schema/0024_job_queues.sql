-- A runner finds the due jobs of its own queue without reading past the jobs of
-- others. Processes of older versions add their jobs to the queue without a
-- name, and runners take theirs from there.
ALTER TABLE jobs ADD COLUMN queue TEXT NOT NULL DEFAULT '';
UPDATE jobs SET queue = 'webhook' WHERE kind = 'webhook.deliver';
UPDATE jobs SET queue = 'suggest' WHERE kind = 'request.suggest';
DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (queue, run_at, id) WHERE dead_at IS NULL;
