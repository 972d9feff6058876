-- The subject of an event, such as "request 17". Events of one subject are sent
-- in order.
ALTER TABLE events ADD COLUMN subject TEXT NOT NULL DEFAULT '';
-- Events can be sent again by the time when they happened.
CREATE INDEX events_at ON events (account_id, at, id);

-- An address that receives events. secret is sealed. previous_secret also signs
-- until previous_until. taken_to is how far in the feed its events have been
-- taken up. Nothing is stored elsewhere about later events. held_by works for
-- the webhook until held_until. failing_since is when the first attempt failed
-- after the last success. An empty event_types means all.
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

-- An event on its way to a webhook, or the result. An event that arrives at the
-- first attempt gets its row only afterwards. Of several events that wait for
-- the same subject, only the first has a try_at, and the others wait behind it.
-- event_seq is 0 for a test, which has no event. Its payload is here.
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
