CREATE TABLE pins (
    n               @id,
    conversation_id TEXT NOT NULL,
    ts              BIGINT NOT NULL,
    user_id         TEXT NOT NULL,
    created_at      BIGINT NOT NULL,
    UNIQUE (conversation_id, ts)
);
