-- Work after commit. owner is empty while a job waits. For a running job,
-- run_at is the end of its lease. So one index finds all due jobs, whether they
-- waited for their time or their runner is dead. attempt counts every claim and
-- only grows. Together with owner it identifies one run. failures counts the
-- attempts that failed or whose runner died. args_id orders arguments by when
-- they were added. It is the id that an addition would have had if it had not
-- merged into this job, or 0 if the arguments came with the job itself.
CREATE TABLE jobs (
    id         @id,
    kind       TEXT NOT NULL,
    args       @json NOT NULL,
    args_id    BIGINT NOT NULL,
    unique_key TEXT,
    run_at     BIGINT NOT NULL,
    owner      TEXT NOT NULL,
    attempt    BIGINT NOT NULL,
    failures   BIGINT NOT NULL,
    last_error TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    dead_at    BIGINT
);
-- Unique among the waiting jobs only. A claim gives up the key, so a change
-- during the run can ask for another run.
CREATE UNIQUE INDEX jobs_unique ON jobs (kind, unique_key) WHERE owner = '' AND dead_at IS NULL AND unique_key IS NOT NULL;
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE dead_at IS NULL;
-- Finds leases that end too far ahead because a wrong clock set them. It uses
-- length() instead of owner <> ''. PostgreSQL would use an index on the latter
-- to find the job of one owner, and read through all jobs that have run since
-- the last vacuum.
CREATE INDEX jobs_running ON jobs (run_at) WHERE length(owner) > 0;
CREATE INDEX jobs_dead ON jobs (dead_at, id) WHERE dead_at IS NOT NULL;

-- When each repeating job is due next.
CREATE TABLE schedules (
    name    TEXT NOT NULL PRIMARY KEY,
    next_at BIGINT NOT NULL
);
