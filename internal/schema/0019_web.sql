-- Indexes for the filters of request lists. coalesce makes missing values a
-- range of the index like any other. Neither engine can do this with IS NULL
-- and an order.
CREATE INDEX requests_assignee_created ON requests (account_id, coalesce(assignee, ''), shelf, created_at, id) WHERE merged_into IS NULL;
CREATE INDEX requests_assignee_updated ON requests (account_id, coalesce(assignee, ''), shelf, updated_at, id) WHERE merged_into IS NULL;
CREATE INDEX requests_team_created ON requests (account_id, coalesce(team_id, 0), shelf, created_at, id) WHERE merged_into IS NULL;
CREATE INDEX requests_team_updated ON requests (account_id, coalesce(team_id, 0), shelf, updated_at, id) WHERE merged_into IS NULL;
CREATE INDEX requests_customer_created ON requests (account_id, coalesce(customer_id, 0), shelf, created_at, id) WHERE merged_into IS NULL;
CREATE INDEX requests_customer_updated ON requests (account_id, coalesce(customer_id, 0), shelf, updated_at, id) WHERE merged_into IS NULL;
CREATE INDEX requests_priority_created ON requests (account_id, priority, shelf, created_at, id) WHERE merged_into IS NULL;
CREATE INDEX requests_priority_updated ON requests (account_id, priority, shelf, updated_at, id) WHERE merged_into IS NULL;

-- made_at is when the request was created. It never changes.
ALTER TABLE request_tags ADD COLUMN made_at BIGINT NOT NULL DEFAULT 0;
UPDATE request_tags SET made_at = (SELECT r.created_at FROM requests r WHERE r.account_id = request_tags.account_id AND r.id = request_tags.request_id);
CREATE INDEX request_tags_tag ON request_tags (account_id, tag, made_at, request_id);

-- The tags that requests of a collection have had, to choose from. folded is
-- for searching. request_tags knows whether a tag is still in use.
CREATE TABLE tags (
    account_id    BIGINT NOT NULL REFERENCES accounts (id),
    collection_id BIGINT NOT NULL REFERENCES collections (id),
    name          TEXT NOT NULL,
    folded        @blob NOT NULL,
    PRIMARY KEY (account_id, collection_id, name)
);
CREATE INDEX tags_folded ON tags (account_id, folded, name);

-- A saved view of requests, for one member or for all. query is the query of a
-- request list.
CREATE TABLE views (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    member_id  BIGINT NOT NULL REFERENCES members (id),
    name       TEXT NOT NULL,
    query      TEXT NOT NULL,
    is_shared  BOOLEAN NOT NULL,
    position   BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX views_member ON views (account_id, member_id, id);
CREATE INDEX views_shared ON views (account_id, id) WHERE is_shared;

-- Quick replies, also for one member or for all.
CREATE TABLE quick_replies (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    member_id  BIGINT NOT NULL REFERENCES members (id),
    name       TEXT NOT NULL,
    html       TEXT NOT NULL,
    is_shared  BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX quick_replies_member ON quick_replies (account_id, member_id, created_at, id);
CREATE INDEX quick_replies_shared ON quick_replies (account_id, created_at, id) WHERE is_shared;

-- The newest message of a request, in the order in which we received them: its
-- id, its author, and when it came. newest_by is a chat user, or an email with
-- a leading @ for a person who is not one. Messages from before this column
-- existed, and imported ones, are not new to anybody: newest_at is 0.
ALTER TABLE requests ADD COLUMN newest_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN newest_by TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN newest_at BIGINT NOT NULL DEFAULT 0;
UPDATE requests SET newest_id = coalesce((SELECT max(m.id) FROM messages m
    WHERE m.account_id = requests.account_id AND m.request_id = requests.id AND m.removed_at IS NULL), 0);
CREATE INDEX requests_newest ON requests (account_id, newest_at, id) WHERE newest_at > 0 AND merged_into IS NULL;

-- Up to which message a member has read a request. -1 means that they have
-- marked it as unread.
CREATE TABLE request_reads (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    member_id  BIGINT NOT NULL REFERENCES members (id),
    request_id BIGINT NOT NULL REFERENCES requests (id),
    message_id BIGINT NOT NULL,
    PRIMARY KEY (account_id, member_id, request_id)
);
CREATE INDEX request_reads_marked ON request_reads (account_id, member_id, request_id) WHERE message_id = -1;

-- A message that will be sent at send_at, as its author wrote it. sent_as is
-- the resulting message. failure says why it could not be sent. Once it is
-- taken back, only its files are left.
CREATE TABLE waiting_messages (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    request_id BIGINT NOT NULL REFERENCES requests (id),
    member_id  BIGINT NOT NULL REFERENCES members (id),
    html       TEXT,
    thread_id  TEXT NOT NULL,
    is_private BOOLEAN NOT NULL,
    as_bot     BOOLEAN NOT NULL,
    state      TEXT,
    source     TEXT NOT NULL,
    ip         TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    send_at    BIGINT NOT NULL,
    failure    TEXT NOT NULL,
    sent_as    BIGINT REFERENCES messages (id),
    taken_at   BIGINT
);
CREATE INDEX waiting_messages_member ON waiting_messages (account_id, member_id, request_id, id) WHERE sent_as IS NULL AND taken_at IS NULL;
CREATE INDEX waiting_messages_done ON waiting_messages (account_id, send_at, id) WHERE sent_as IS NOT NULL OR taken_at IS NOT NULL;

-- Its files, until they belong to a message. The files of a message that was
-- taken back can be sent with another.
CREATE TABLE waiting_files (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    waiting_id BIGINT NOT NULL REFERENCES waiting_messages (id),
    name       TEXT NOT NULL,
    type       TEXT NOT NULL,
    size       BIGINT NOT NULL,
    sum        @blob NOT NULL,
    blob_key   TEXT NOT NULL
);
CREATE INDEX waiting_files_waiting ON waiting_files (account_id, waiting_id, id);
CREATE UNIQUE INDEX waiting_files_blob ON waiting_files (account_id, blob_key);
