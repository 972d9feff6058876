-- An emoji of the workspace's own: a picture, or another name of one.
CREATE TABLE emoji (
    n          @id,
    team_id    TEXT NOT NULL,
    name       TEXT NOT NULL,
    value      TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (team_id, name)
);
