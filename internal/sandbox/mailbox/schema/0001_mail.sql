-- Times are microseconds since 1970, UTC.

-- A mail as it was sent. Several people can have a copy of it. size stands before source, so that adding up sizes reads no
-- mail.
CREATE TABLE mails (
    id     @id,
    size   BIGINT NOT NULL,
    source @blob NOT NULL
);

-- owner is an address in lower case. thread is the id of the thread's first copy. body is what lists show of the mail.
CREATE TABLE copies (
    id      @id,
    owner   TEXT NOT NULL,
    mail_id BIGINT NOT NULL,
    box     TEXT NOT NULL CHECK (box IN ('inbox', 'sent')),
    thread  BIGINT NOT NULL,
    seen    BOOLEAN NOT NULL,
    at      BIGINT NOT NULL,
    body    @json NOT NULL
);
CREATE INDEX copies_owner ON copies (owner, thread);
CREATE INDEX copies_mail ON copies (mail_id);

-- The message ids that the mails of a thread have or refer to.
CREATE TABLE thread_ids (
    owner      TEXT NOT NULL,
    message_id TEXT NOT NULL,
    thread     BIGINT NOT NULL,
    PRIMARY KEY (owner, message_id)
);
