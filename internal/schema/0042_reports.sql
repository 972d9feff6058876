-- What members save of insights, for one member or for all: explorations, which are
-- questions with a way to draw them, and dashboards, which are lists of explorations.
-- removed_at is set for an hour
-- in which the removal can be undone; after that the row is deleted. A dashboard may
-- still name an exploration that is gone, and then does not show it: see decision 86.
CREATE TABLE explorations (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    member_id  BIGINT NOT NULL REFERENCES members (id),
    name       TEXT NOT NULL,
    query      @json NOT NULL,
    chart      TEXT NOT NULL,
    target     @json,
    is_shared  BOOLEAN NOT NULL,
    position   BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    removed_at BIGINT
);
CREATE INDEX explorations_member ON explorations (account_id, member_id, id) WHERE removed_at IS NULL;
CREATE INDEX explorations_shared ON explorations (account_id, id) WHERE is_shared AND removed_at IS NULL;
CREATE INDEX explorations_removed ON explorations (account_id, removed_at) WHERE removed_at IS NOT NULL;

CREATE TABLE dashboards (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    member_id  BIGINT NOT NULL REFERENCES members (id),
    name       TEXT NOT NULL,
    cards      @json NOT NULL,
    date_range @json NOT NULL,
    filters    @json NOT NULL,
    is_shared  BOOLEAN NOT NULL,
    position   BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    removed_at BIGINT
);
CREATE INDEX dashboards_member ON dashboards (account_id, member_id, id) WHERE removed_at IS NULL;
CREATE INDEX dashboards_shared ON dashboards (account_id, id) WHERE is_shared AND removed_at IS NULL;
CREATE INDEX dashboards_removed ON dashboards (account_id, removed_at) WHERE removed_at IS NOT NULL;
