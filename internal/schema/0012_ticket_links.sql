-- Tickets of other systems that requests are linked to.
--
-- The settings of an integration are the defaults for links without settings of
-- their own.
ALTER TABLE integrations ADD COLUMN settings @json NOT NULL DEFAULT '{}';

-- What we know of a linked ticket, and how far each side knows the other: its
-- status there, the request's state, and the comments after a cursor. name is
-- the caller's name for it, and external_id is the system's own, once the
-- system has told us. Until held_until, only held_by may talk to the system
-- about it.
CREATE TABLE ticket_links (
    id             @id,
    account_id     BIGINT NOT NULL REFERENCES accounts (id),
    ticket_id      BIGINT NOT NULL REFERENCES tickets (id),
    system         TEXT NOT NULL,
    name           TEXT NOT NULL,
    external_id    TEXT,
    is_task        BOOLEAN NOT NULL,
    forward        BOOLEAN NOT NULL,
    backward       BOOLEAN NOT NULL,
    notify_status  BOOLEAN NOT NULL,
    status_id      TEXT NOT NULL,
    status_name    TEXT NOT NULL,
    state          TEXT NOT NULL,
    comment_cursor TEXT NOT NULL,
    read_at        BIGINT NOT NULL,
    held_by        TEXT NOT NULL,
    held_until     BIGINT NOT NULL,
    created_at     BIGINT NOT NULL
);
CREATE UNIQUE INDEX ticket_links_ticket ON ticket_links (account_id, ticket_id);
CREATE INDEX ticket_links_external ON ticket_links (account_id, system, external_id);
CREATE INDEX ticket_links_read ON ticket_links (account_id, system, read_at, id);

-- A message that is on both sides, or will be. key is our key for a message
-- that we send there. A message that was written there has none. failure says
-- why it could not be sent.
CREATE TABLE link_comments (
    id          @id,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    link_id     BIGINT NOT NULL REFERENCES ticket_links (id),
    message_id  BIGINT NOT NULL REFERENCES messages (id),
    key         TEXT NOT NULL,
    external_id TEXT,
    tried       BOOLEAN NOT NULL,
    failure     TEXT NOT NULL
);
CREATE UNIQUE INDEX link_comments_message ON link_comments (account_id, link_id, message_id);
CREATE UNIQUE INDEX link_comments_external ON link_comments (account_id, link_id, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX link_comments_key ON link_comments (account_id, link_id, key) WHERE key <> '';
CREATE INDEX link_comments_unsaid ON link_comments (account_id, link_id, id) WHERE external_id IS NULL AND failure = '';
