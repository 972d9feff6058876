-- A file that was deleted keeps its row, since messages still name it; deleted_at is 0 for all others.
ALTER TABLE files ADD COLUMN deleted_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX files_team ON files (team_id, created_at);
