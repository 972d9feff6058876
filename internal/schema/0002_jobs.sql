-- Work after commit. owner is empty while a job waits. run_at of a job that
-- runs is the end of its lease, so one index finds what is due, whether it
-- waited for its time or its runner is dead. attempt counts every claim and
-- only grows: with owner it tells one run from another. failures counts the
-- attempts that failed, or whose runner died. args_id orders arguments by when
-- they were added: it is the id that an addition merged into this job would
-- have had, or 0 when the arguments came with the job itself.
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
-- Unique among those that wait: a claim gives the key up by itself, so what
-- changes while the job runs can ask for another run.
CREATE UNIQUE INDEX jobs_unique ON jobs (kind, unique_key) WHERE owner = '' AND dead_at IS NULL AND unique_key IS NOT NULL;
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE dead_at IS NULL;
-- Finds leases that end too far ahead, given by a wrong clock. length() and not
-- owner <> '', which PostgreSQL would take for a way to find a job of one owner
-- and wade through all that have run since the last vacuum.
CREATE INDEX jobs_running ON jobs (run_at) WHERE length(owner) > 0;
CREATE INDEX jobs_dead ON jobs (dead_at, id) WHERE dead_at IS NOT NULL;

-- When each repeating job is due next.
CREATE TABLE schedules (
    name    TEXT NOT NULL PRIMARY KEY,
    next_at BIGINT NOT NULL
);
