-- A message that waits for its time. post_at is seconds, as apps give it; token is by whom it is posted then.
CREATE TABLE scheduled_messages (
    n               @id,
    id              TEXT NOT NULL UNIQUE,
    team_id         TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    app_id          TEXT NOT NULL,
    token           TEXT NOT NULL,
    post_at         BIGINT NOT NULL,
    body            @json NOT NULL,
    created_at      BIGINT NOT NULL
);
CREATE INDEX scheduled_messages_due ON scheduled_messages (post_at, n);
CREATE INDEX scheduled_messages_channel ON scheduled_messages (conversation_id, post_at);
CREATE INDEX scheduled_messages_user ON scheduled_messages (user_id, app_id, post_at, n);
