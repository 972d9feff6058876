-- What an event tells of: "request 17". Those of one subject are told in order.
ALTER TABLE events ADD COLUMN subject TEXT NOT NULL DEFAULT '';
-- Events are told again by when they happened.
CREATE INDEX events_at ON events (account_id, at, id);

-- An address that is told of events. secret is sealed; previous_secret signs
-- beside it until previous_until. taken_to is how far in the feed its events
-- have been taken up: behind that there is nothing of it elsewhere. held_by works
-- for it until held_until. failing_since is when the first of the tries failed
-- that nothing has got through since. event_types is empty for all.
CREATE TABLE webhooks (
    id              @id,
    account_id      BIGINT NOT NULL REFERENCES accounts (id),
    url             TEXT NOT NULL,
    event_types     @json NOT NULL,
    is_enabled      BOOLEAN NOT NULL,
    secret          @blob NOT NULL,
    previous_secret @blob,
    previous_until  BIGINT,
    taken_to        BIGINT NOT NULL,
    held_by         TEXT NOT NULL,
    held_until      BIGINT NOT NULL,
    failing_since   BIGINT,
    disabled_at     BIGINT,
    disabled_reason TEXT NOT NULL,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    removed_at      BIGINT
);
CREATE INDEX webhooks_created ON webhooks (account_id, created_at, id) WHERE removed_at IS NULL;

-- An event on its way to a webhook, or what came of it. An event that arrives at
-- the first try has its row only afterwards. Of those that wait for the same
-- subject only the first has a try_at; the others stand in line behind it.
-- event_seq is 0 for a test, which no event stands for: its payload is here.
CREATE TABLE deliveries (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    webhook_id BIGINT NOT NULL REFERENCES webhooks (id),
    event_seq  BIGINT NOT NULL,
    type       TEXT NOT NULL,
    subject    TEXT NOT NULL,
    cause      TEXT NOT NULL CHECK (cause IN ('event', 'replay', 'test')),
    status     TEXT NOT NULL CHECK (status IN ('waiting', 'delivered', 'failed')),
    try_at     BIGINT,
    tries      BIGINT NOT NULL,
    attempts   @json NOT NULL,
    payload    @json,
    created_at BIGINT NOT NULL,
    ended_at   BIGINT
);
CREATE INDEX deliveries_due ON deliveries (account_id, webhook_id, try_at, id) WHERE try_at IS NOT NULL;
CREATE INDEX deliveries_waiting ON deliveries (account_id, webhook_id, subject, id) WHERE status = 'waiting';
CREATE INDEX deliveries_created ON deliveries (account_id, webhook_id, created_at, id);
CREATE INDEX deliveries_status ON deliveries (account_id, webhook_id, status, created_at, id);
