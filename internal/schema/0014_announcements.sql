-- Announcements: a message of the chat system, copied into many channels.
--
-- channel_id and message_id are the place of the message that is copied. It is
-- read when sending begins, and again for each resync. html is the text that
-- was read. wanted counts the syncs that were asked for, read_for is the sync
-- that html was read for, and synced is the last sync for which every copy is
-- up to date. channels, delivered and failed count recipients. copies_read_at
-- is when the copies were last looked at.
CREATE TABLE announcements (
    id             @id,
    account_id     BIGINT NOT NULL REFERENCES accounts (id),
    name           TEXT NOT NULL,
    status         TEXT NOT NULL CHECK (status IN ('pending', 'scheduled', 'sent')),
    channel_id     TEXT NOT NULL,
    message_id     TEXT NOT NULL,
    sender         TEXT NOT NULL CHECK (sender IN ('native', 'user', 'topicOwner', 'customerOwner')),
    sender_id      TEXT,
    as_user        BOOLEAN NOT NULL,
    unfurl_links   BOOLEAN NOT NULL,
    unfurl_media   BOOLEAN NOT NULL,
    scheduled_at   BIGINT,
    html           TEXT NOT NULL,
    wanted         BIGINT NOT NULL,
    read_for       BIGINT NOT NULL,
    synced         BIGINT NOT NULL,
    channels       BIGINT NOT NULL,
    delivered      BIGINT NOT NULL,
    failed         BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    sent_at        BIGINT,
    copies_read_at BIGINT
);
CREATE INDEX announcements_created ON announcements (account_id, created_at, id);
CREATE INDEX announcements_status ON announcements (account_id, status, created_at, id);
CREATE INDEX announcements_undone ON announcements (account_id, id) WHERE status <> 'sent' OR wanted > synced;
CREATE INDEX announcements_sent ON announcements (account_id, sent_at, id) WHERE sent_at IS NOT NULL;

-- One row per channel. status is null until the result is known. mark, tried_at
-- and kept let a later attempt find what an earlier one did. Until held_until,
-- only held_by may talk to the chat system about it. shown is the sync that the
-- copy shows. posted_by is the person it was posted as, if not the bot.
CREATE TABLE announcement_recipients (
    id              @id,
    account_id      BIGINT NOT NULL REFERENCES accounts (id),
    announcement_id BIGINT NOT NULL REFERENCES announcements (id),
    channel_id      TEXT NOT NULL,
    collection_id   BIGINT REFERENCES collections (id),
    status          TEXT CHECK (status IN ('success', 'fail')),
    error           TEXT NOT NULL,
    mark            TEXT NOT NULL,
    tried_at        BIGINT,
    kept            TEXT NOT NULL,
    external_id     TEXT,
    posted_by       TEXT,
    shown           BIGINT NOT NULL,
    held_by         TEXT NOT NULL,
    held_until      BIGINT NOT NULL
);
CREATE INDEX announcement_recipients_announcement ON announcement_recipients (account_id, announcement_id, id);
CREATE INDEX announcement_recipients_due ON announcement_recipients (account_id, announcement_id, id) WHERE status IS NULL;
CREATE UNIQUE INDEX announcement_recipients_channel ON announcement_recipients (account_id, announcement_id, channel_id);
CREATE UNIQUE INDEX announcement_recipients_external ON announcement_recipients (account_id, channel_id, external_id) WHERE external_id IS NOT NULL;

-- The collections of its channels at the time of creation, 0 for none. A member
-- who has all of them may see it.
CREATE TABLE announcement_collections (
    account_id      BIGINT NOT NULL REFERENCES accounts (id),
    announcement_id BIGINT NOT NULL REFERENCES announcements (id),
    collection_id   BIGINT NOT NULL,
    PRIMARY KEY (account_id, announcement_id, collection_id)
);

-- The files of the message. Their bytes are stored elsewhere, under blob_key.
CREATE TABLE announcement_files (
    account_id      BIGINT NOT NULL REFERENCES accounts (id),
    announcement_id BIGINT NOT NULL REFERENCES announcements (id),
    n               BIGINT NOT NULL,
    name            TEXT NOT NULL,
    size            BIGINT NOT NULL,
    blob_key        TEXT NOT NULL,
    PRIMARY KEY (account_id, announcement_id, n)
);
CREATE INDEX announcement_files_blob ON announcement_files (account_id, blob_key);

-- The replies in the threads of the copies. A removed one must not come back
-- when it arrives late.
CREATE TABLE announcement_replies (
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    channel_id  TEXT NOT NULL,
    thread_id   TEXT NOT NULL,
    external_id TEXT NOT NULL,
    said_at     BIGINT NOT NULL,
    is_removed  BOOLEAN NOT NULL,
    PRIMARY KEY (account_id, channel_id, thread_id, external_id)
);
