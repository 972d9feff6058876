-- When a dashboard is sent, to whom and where: by mail to member_ids, which is JSON, and
-- to a channel. next_at is when; a job waits for it. stopped says why it is sent no more,
-- failure why the last could not be delivered.
CREATE TABLE reports (
    id           @id,
    account_id   BIGINT NOT NULL REFERENCES accounts (id),
    dashboard_id BIGINT NOT NULL REFERENCES dashboards (id),
    member_id    BIGINT NOT NULL REFERENCES members (id),
    every        TEXT NOT NULL CHECK (every IN ('day', 'week', 'month')),
    weekday      BIGINT NOT NULL,
    day          BIGINT NOT NULL,
    hour         BIGINT NOT NULL,
    member_ids   @json NOT NULL,
    channel_id   TEXT,
    next_at      BIGINT NOT NULL,
    sent_at      BIGINT,
    stopped      TEXT NOT NULL,
    failure      TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE INDEX reports_dashboard ON reports (account_id, dashboard_id, id);
CREATE INDEX reports_member ON reports (account_id, member_id, id);

-- What is sent of a dashboard: the text, and its copies, which are effects (see
-- migration 0029). report_id is null if somebody asked for it themselves. A copy goes to
-- an address, to a channel, or to a user as a direct message. due_at is when a mail is
-- tried next. A letter is deleted 30 days later.
CREATE TABLE report_letters (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    report_id  BIGINT,
    mark       TEXT NOT NULL,
    subject    TEXT NOT NULL,
    html       TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX report_letters_mark ON report_letters (account_id, mark);
CREATE INDEX report_letters_created ON report_letters (account_id, created_at);

CREATE TABLE report_copies (
    id          @id,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    letter_id   BIGINT NOT NULL REFERENCES report_letters (id),
    email       TEXT,
    user_id     TEXT,
    due_at      BIGINT NOT NULL,
    mark        TEXT NOT NULL,
    wanted      BIGINT NOT NULL,
    shown       BIGINT NOT NULL,
    tried_at    BIGINT,
    kept        TEXT NOT NULL,
    channel_id  TEXT,
    external_id TEXT,
    failure     TEXT NOT NULL
);
CREATE INDEX report_copies_letter ON report_copies (account_id, letter_id, id);
CREATE INDEX report_copies_due ON report_copies (account_id, letter_id, due_at, id) WHERE wanted > shown;
