-- Working hours. (The table schedules belongs to the repeating jobs.) The
-- content of a schedule is also stored in versions, which never change. A
-- request that was measured by a version stays measured by it. version_id is
-- the version with the current content.
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

-- The schedule that measures a collection's requests. null means calendar time.
ALTER TABLE collections ADD COLUMN schedule_id BIGINT REFERENCES sla_schedules (id);

-- The SLA policies. collection_id is null for all collections. target_minutes
-- is null for one_touch, which has max_replies instead. schedule_id is null for
-- the collection's schedule.
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

-- The properties of a request when its clocks started. since is null if that
-- was at its creation.
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

-- A clock of a request: what applied to it at the time, and how far it has run.
-- policy_id is null if only a schedule applies, and schedule_version_id is null
-- for calendar time. The clock is breached if due_at is before ended_at, or
-- before now while it runs. A one_touch clock is breached if it has ended with
-- more than max_replies. told_at is when the breach was added to the feed.
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

-- How far the last change of policies and schedules has been applied to
-- requests: to all up to last_at and last_id. finished_at is null while this
-- goes on.
CREATE TABLE sla_recomputations (
    account_id  BIGINT NOT NULL PRIMARY KEY REFERENCES accounts (id),
    scope       TEXT NOT NULL CHECK (scope IN ('open', 'all')),
    last_at     BIGINT NOT NULL,
    last_id     BIGINT NOT NULL,
    recomputed  BIGINT NOT NULL,
    started_at  BIGINT NOT NULL,
    finished_at BIGINT
);
