-- What members are told of: see decision 80. mark names the fact, so that nobody is
-- told of it twice. message_id is 0 for a fact that is about no message. by_name is
-- who did it, if it was not the author of the message. sla and due_at belong to
-- facts about an SLA. goes_out says that it may leave the web app, and told_at when
-- that was decided; then chat_notice_id and email_notice_id name what went out.
CREATE TABLE notifications (
    id              @id,
    account_id      BIGINT NOT NULL REFERENCES accounts (id),
    member_id       BIGINT NOT NULL REFERENCES members (id),
    request_id      BIGINT NOT NULL REFERENCES requests (id),
    kind            TEXT NOT NULL,
    message_id      BIGINT NOT NULL,
    by_name         TEXT NOT NULL,
    sla             TEXT,
    due_at          BIGINT,
    mark            TEXT NOT NULL,
    created_at      BIGINT NOT NULL,
    read_at         BIGINT,
    goes_out        BOOLEAN NOT NULL,
    told_at         BIGINT,
    chat_notice_id  BIGINT,
    email_notice_id BIGINT
);
CREATE UNIQUE INDEX notifications_mark ON notifications (account_id, member_id, request_id, mark);
CREATE INDEX notifications_member ON notifications (account_id, member_id, created_at, id);
CREATE INDEX notifications_unread ON notifications (account_id, member_id, request_id) WHERE read_at IS NULL;
CREATE INDEX notifications_going ON notifications (account_id, member_id, id) WHERE goes_out AND told_at IS NULL;
CREATE INDEX notifications_chat ON notifications (account_id, chat_notice_id, id) WHERE chat_notice_id IS NOT NULL;
CREATE INDEX notifications_email ON notifications (account_id, email_notice_id, id) WHERE email_notice_id IS NOT NULL;
CREATE INDEX notifications_old ON notifications (account_id, created_at, id);

-- A message to a member about some of their notifications, or a test with none. It is
-- an effect: see migration 0029. It has no text, which is written when it is sent.
CREATE TABLE notices (
    id          @id,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    member_id   BIGINT NOT NULL REFERENCES members (id),
    way         TEXT NOT NULL CHECK (way IN ('chat', 'email')),
    is_test     BOOLEAN NOT NULL,
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
CREATE INDEX notices_old ON notices (account_id, created_at, id);
