-- What a client that is open has to look at again. Those of a user are for them alone; those of a conversation for
-- who may know of it; others for the whole workspace. Kept for a day, like deliveries.
CREATE TABLE changes (
    n               @id,
    team_id         TEXT NOT NULL,
    kind            TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    ts              TEXT NOT NULL,
    thread_ts       TEXT NOT NULL,
    created_at      BIGINT NOT NULL
);
CREATE INDEX changes_team ON changes (team_id, n);
