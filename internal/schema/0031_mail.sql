-- Mail: see decision 57.
--
-- email is the mail configuration of a collection of kind email. Its address is
-- also a row here, so that it belongs to one collection of the whole server, and so
-- that mail for it is found. Addresses are in lower case.
ALTER TABLE collections ADD COLUMN email @json;
CREATE TABLE email_addresses (
    address       TEXT NOT NULL PRIMARY KEY,
    account_id    BIGINT NOT NULL REFERENCES accounts (id),
    collection_id BIGINT NOT NULL REFERENCES collections (id)
);
CREATE INDEX email_addresses_collection ON email_addresses (account_id, collection_id);

-- The collection as which all other collections of the account write mail.
ALTER TABLE accounts ADD COLUMN email_collection_id BIGINT REFERENCES collections (id);

-- The IMAP folder that a collection reads: its password, sealed, and the last mail
-- that was read. uid is null until the folder was looked at: what is there then is
-- the past.
CREATE TABLE mailboxes (
    account_id    BIGINT NOT NULL REFERENCES accounts (id),
    collection_id BIGINT NOT NULL REFERENCES collections (id),
    password      @blob NOT NULL,
    uid_validity  BIGINT NOT NULL,
    uid           BIGINT,
    failure       TEXT NOT NULL,
    PRIMARY KEY (account_id, collection_id)
);

-- Mails that were sent to an address of a collection to see whether they come back.
CREATE TABLE mail_tests (
    account_id    BIGINT NOT NULL REFERENCES accounts (id),
    id            TEXT NOT NULL,
    collection_id BIGINT NOT NULL REFERENCES collections (id),
    address       TEXT NOT NULL,
    sent_at       BIGINT NOT NULL,
    came_back_at  BIGINT,
    PRIMARY KEY (account_id, id)
);

-- The subject of a request's mails. Null means that its answers are not mailed, and
-- an empty one that no mail was written yet. mails_requester says that the requester
-- gets them; otherwise only participants do, and those of requests that were merged
-- into it.
ALTER TABLE requests ADD COLUMN mail_subject TEXT;
ALTER TABLE requests ADD COLUMN mails_requester BOOLEAN NOT NULL DEFAULT FALSE;
-- mail_status is failed or perhaps_sent while a mail of the request is.
ALTER TABLE requests ADD COLUMN mail_status TEXT;
CREATE INDEX requests_merged_mail ON requests (account_id, merged_into, id) WHERE merged_into IS NOT NULL AND mail_subject IS NOT NULL;

-- What a message shows of its mail: who wrote it to whom, and what became of it.
ALTER TABLE messages ADD COLUMN email @json;

-- The mails of requests. message_id is null for a mail that is no message, as an
-- automatic answer; then body is what it says. external_id is the Message-ID. digest
-- is the same for the same mail that comes in twice; source names the blob with its
-- bytes.
CREATE TABLE mails (
    id          @id,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    request_id  BIGINT NOT NULL REFERENCES requests (id),
    message_id  BIGINT REFERENCES messages (id),
    direction   TEXT NOT NULL CHECK (direction IN ('in', 'out')),
    external_id TEXT NOT NULL,
    body        TEXT NOT NULL,
    digest      TEXT,
    source      TEXT,
    created_at  BIGINT NOT NULL
);
CREATE UNIQUE INDEX mails_digest ON mails (account_id, digest) WHERE digest IS NOT NULL;
CREATE INDEX mails_source ON mails (account_id, source) WHERE source IS NOT NULL;
CREATE INDEX mails_external ON mails (account_id, external_id);
CREATE INDEX mails_request ON mails (account_id, request_id, id);
CREATE INDEX mails_message ON mails (account_id, message_id) WHERE message_id IS NOT NULL;

-- The copies of mails that go out, one for each recipient. A copy is an effect: see
-- migration 0029. due_at is when it is tried next. kept is how it ended: sent or
-- perhaps_sent; a copy with a failure has failed.
CREATE TABLE mail_copies (
    id          @id,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    mail_id     BIGINT NOT NULL REFERENCES mails (id),
    email       TEXT NOT NULL,
    role        TEXT NOT NULL CHECK (role IN ('to', 'cc')),
    due_at      BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    mark        TEXT NOT NULL,
    wanted      BIGINT NOT NULL,
    shown       BIGINT NOT NULL,
    tried_at    BIGINT,
    kept        TEXT NOT NULL,
    channel_id  TEXT,
    external_id TEXT,
    failure     TEXT NOT NULL
);
CREATE INDEX mail_copies_due ON mail_copies (account_id, mail_id, due_at, id) WHERE wanted > shown;
CREATE INDEX mail_copies_mail ON mail_copies (account_id, mail_id, id);

-- Who takes part in a request by mail, besides its requester.
CREATE TABLE participants (
    account_id   BIGINT NOT NULL REFERENCES accounts (id),
    request_id   BIGINT NOT NULL REFERENCES requests (id),
    email_folded TEXT NOT NULL,
    email        TEXT NOT NULL,
    name         TEXT NOT NULL,
    status       TEXT NOT NULL CHECK (status IN ('active', 'asked', 'removed')),
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (account_id, request_id, email_folded)
);

-- When an address last got an automatic answer.
CREATE TABLE auto_replies (
    account_id   BIGINT NOT NULL REFERENCES accounts (id),
    email_folded TEXT NOT NULL,
    sent_at      BIGINT NOT NULL,
    PRIMARY KEY (account_id, email_folded)
);

-- Mail for the server's postmaster, which belongs to no account.
CREATE TABLE postmaster_mails (
    id          @id,
    recipient   TEXT NOT NULL,
    sender      TEXT NOT NULL,
    subject     TEXT NOT NULL,
    raw         @blob NOT NULL,
    received_at BIGINT NOT NULL
);
