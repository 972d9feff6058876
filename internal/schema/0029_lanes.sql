-- What happens in other systems goes one way out: see decision 51.
--
-- A lane is one thing about which only one process at a time may talk to another
-- system: until held_until, only held_by. A row exists only while the lane is held.
CREATE TABLE lanes (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    kind       TEXT NOT NULL,
    id         BIGINT NOT NULL,
    held_by    TEXT NOT NULL,
    held_until BIGINT NOT NULL,
    PRIMARY KEY (account_id, kind, id)
);
INSERT INTO lanes (account_id, kind, id, held_by, held_until) SELECT account_id, 'request', request_id, held_by, held_until FROM tellings;
INSERT INTO lanes (account_id, kind, id, held_by, held_until) SELECT account_id, 'copy', id, held_by, held_until FROM announcement_recipients WHERE held_by <> '';
INSERT INTO lanes (account_id, kind, id, held_by, held_until) SELECT account_id, 'link', id, held_by, held_until FROM ticket_links WHERE held_by <> '';
INSERT INTO lanes (account_id, kind, id, held_by, held_until) SELECT account_id, 'webhook', id, held_by, held_until FROM webhooks WHERE held_by <> '';
DROP TABLE tellings;
ALTER TABLE announcement_recipients DROP COLUMN held_by;
ALTER TABLE announcement_recipients DROP COLUMN held_until;
ALTER TABLE ticket_links DROP COLUMN held_by;
ALTER TABLE ticket_links DROP COLUMN held_until;
ALTER TABLE webhooks DROP COLUMN held_by;
ALTER TABLE webhooks DROP COLUMN held_until;

-- An effect is a row about something that another system is to show. It is pending
-- while wanted > shown. mark names it there; tried_at is when the first attempt
-- began, and kept is what an attempt left for the next. channel_id and external_id
-- say where it is shown. failure says why it is not, and then nobody tries again.
-- posts has these columns already.
DROP INDEX announcement_recipients_due;
ALTER TABLE announcement_recipients ADD COLUMN wanted BIGINT NOT NULL DEFAULT 1;
UPDATE announcement_recipients SET
    wanted = CASE WHEN status = 'success' THEN (SELECT a.wanted FROM announcements a WHERE a.id = announcement_recipients.announcement_id) ELSE 1 END,
    shown = CASE WHEN status IS NULL THEN 0 WHEN status = 'fail' THEN 1 ELSE shown END;
ALTER TABLE announcement_recipients DROP COLUMN status;
ALTER TABLE announcement_recipients RENAME COLUMN error TO failure;
CREATE INDEX announcement_recipients_due ON announcement_recipients (account_id, announcement_id, id) WHERE wanted > shown;

DROP INDEX link_comments_key;
DROP INDEX link_comments_unsaid;
ALTER TABLE link_comments RENAME COLUMN key TO mark;
ALTER TABLE link_comments ADD COLUMN wanted BIGINT NOT NULL DEFAULT 1;
ALTER TABLE link_comments ADD COLUMN shown BIGINT NOT NULL DEFAULT 0;
ALTER TABLE link_comments ADD COLUMN tried_at BIGINT;
ALTER TABLE link_comments ADD COLUMN kept TEXT NOT NULL DEFAULT '';
ALTER TABLE link_comments ADD COLUMN channel_id TEXT;
UPDATE link_comments SET shown = 1 WHERE external_id IS NOT NULL OR failure <> '';
UPDATE link_comments SET tried_at = 1 WHERE tried;
ALTER TABLE link_comments DROP COLUMN tried;
CREATE UNIQUE INDEX link_comments_mark ON link_comments (account_id, link_id, mark) WHERE mark <> '';
CREATE INDEX link_comments_due ON link_comments (account_id, link_id, id) WHERE wanted > shown;

-- One job sends an announcement and updates its copies.
UPDATE jobs SET kind = 'announcement.send' WHERE kind = 'announcement.resync'
    AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = 'announcement.send' AND j.unique_key = jobs.unique_key AND j.owner = '' AND j.dead_at IS NULL);
DELETE FROM jobs WHERE kind = 'announcement.resync';
