-- A runner finds what is due in its own queue without walking past what waits
-- for others. A process of before has its jobs wait in the queue without a name,
-- whence runners take what is theirs.
ALTER TABLE jobs ADD COLUMN queue TEXT NOT NULL DEFAULT '';
UPDATE jobs SET queue = 'webhook' WHERE kind = 'webhook.deliver';
UPDATE jobs SET queue = 'suggest' WHERE kind = 'request.suggest';
DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (queue, run_at, id) WHERE dead_at IS NULL;
