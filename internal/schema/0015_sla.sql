-- When people are at work (schedules is the table of repeating jobs). What a schedule says is kept in versions, too, which
-- never change: a request that was measured by one stays so. version_id is the
-- one that says what the schedule says.
CREATE TABLE sla_schedules (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    name       TEXT NOT NULL,
    time_zone  TEXT NOT NULL,
    hours      @json NOT NULL,
    holidays   @json NOT NULL,
    version_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    removed_at BIGINT
);
CREATE INDEX sla_schedules_created ON sla_schedules (account_id, created_at, id) WHERE removed_at IS NULL;

CREATE TABLE sla_schedule_versions (
    id          @id,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    schedule_id BIGINT NOT NULL REFERENCES sla_schedules (id),
    time_zone   TEXT NOT NULL,
    hours       @json NOT NULL,
    holidays    @json NOT NULL,
    created_at  BIGINT NOT NULL
);
CREATE INDEX sla_schedule_versions_schedule ON sla_schedule_versions (account_id, schedule_id, id);

-- By which schedule a collection's requests are measured; null for calendar time.
ALTER TABLE collections ADD COLUMN schedule_id BIGINT REFERENCES sla_schedules (id);

-- What is promised. collection_id is null for all; target_minutes is null for
-- one_touch, which has max_replies; schedule_id is null for the collection's.
CREATE TABLE sla_policies (
    id             @id,
    account_id     BIGINT NOT NULL REFERENCES accounts (id),
    name           TEXT NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('first_response', 'resolution', 'one_touch')),
    collection_id  BIGINT REFERENCES collections (id),
    conditions     @json NOT NULL,
    target_minutes BIGINT,
    max_replies    BIGINT,
    schedule_id    BIGINT REFERENCES sla_schedules (id),
    is_enabled     BOOLEAN NOT NULL,
    position       BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    removed_at     BIGINT
);
CREATE INDEX sla_policies_created ON sla_policies (account_id, created_at, id) WHERE removed_at IS NULL;

-- What was true of a request when its clocks started. since is null where that
-- was when it was made.
CREATE TABLE sla_starts (
    account_id    BIGINT NOT NULL REFERENCES accounts (id),
    request_id    BIGINT NOT NULL REFERENCES requests (id),
    since         BIGINT,
    collection_id BIGINT NOT NULL,
    priority      TEXT NOT NULL,
    customer_id   BIGINT,
    has_ticket    BOOLEAN NOT NULL,
    PRIMARY KEY (account_id, request_id)
);

-- A clock of a request: what applied to it, as it was then, and how far it has
-- run. policy_id is null where only a schedule applies, schedule_version_id for
-- calendar time. The clock is breached when due_at is before ended_at, or before
-- now while there is none; of one_touch when it has ended with more than
-- max_replies. told_at is when the feed was told.
CREATE TABLE request_slas (
    account_id          BIGINT NOT NULL REFERENCES accounts (id),
    request_id          BIGINT NOT NULL REFERENCES requests (id),
    kind                TEXT NOT NULL CHECK (kind IN ('first_response', 'resolution', 'one_touch')),
    policy_id           BIGINT REFERENCES sla_policies (id),
    target_ms           BIGINT NOT NULL,
    max_replies         BIGINT,
    schedule_version_id BIGINT REFERENCES sla_schedule_versions (id),
    started_at          BIGINT NOT NULL,
    spent_ms            BIGINT NOT NULL,
    running_since       BIGINT,
    ended_at            BIGINT,
    due_at              BIGINT,
    is_first_breached   BOOLEAN,
    replies             BIGINT NOT NULL,
    told_at             BIGINT,
    PRIMARY KEY (account_id, request_id, kind)
);

-- How far requests have followed the last change of policies and schedules: all
-- up to last_at and last_id. finished_at is null while they do.
CREATE TABLE sla_recomputations (
    account_id  BIGINT NOT NULL PRIMARY KEY REFERENCES accounts (id),
    scope       TEXT NOT NULL CHECK (scope IN ('open', 'all')),
    last_at     BIGINT NOT NULL,
    last_id     BIGINT NOT NULL,
    recomputed  BIGINT NOT NULL,
    started_at  BIGINT NOT NULL,
    finished_at BIGINT
);
