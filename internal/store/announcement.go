package store

import (
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

const announcementColumns = `id, name, status, channel_id, message_id, sender, sender_id, as_user, unfurl_links, unfurl_media,
	scheduled_at, channels, delivered, failed, created_at, sent_at`

func scanAnnouncement(scan scanner, more ...any) (a desk.Announcement, err error) {
	err = scan(append([]any{&a.ID, &a.Name, &a.Status, &a.Source.Channel, &a.Source.Message, &a.Sender.Kind, orZero(&a.Sender.User), &a.Sender.AsUser, &a.Unfurl.Links, &a.Unfurl.Media,
		inMSOrNil(&a.ScheduledAt), &a.Channels, &a.Delivered, &a.Failed, inMS(&a.CreatedAt), inMSOrNil(&a.SentAt)}, more...)...)
	return a, err
}

// scanListed reads announcementColumns.
func scanListed(scan scanner) (desk.Announcement, error) { return scanAnnouncement(scan) }

// AnnouncementsWithin narrows a query of announcements to those whose collections are
// all within reach.
func AnnouncementsWithin(tx *Tx, q *sqldb.Query, r desk.Reach) {
	if r.All {
		return
	}
	q.Add(` AND NOT EXISTS (SELECT 1 FROM announcement_collections ac
		WHERE ac.account_id = ? AND ac.announcement_id = announcements.id AND ac.collection_id NOT IN `, tx.Account)
	sqldb.In(q, append([]desk.CollectionID{-1}, r.IDs...)) // never empty: NOT IN an empty list is never true, so everything would be within reach
	q.Add(")")
}

// Announcement returns one announcement within reach, with its recipients.
func (tx *Tx) Announcement(id desk.AnnouncementID, r desk.Reach) (desk.Announcement, error) {
	var q query
	q.Add("SELECT "+announcementColumns+", html FROM announcements WHERE account_id = ? AND id = ?", tx.Account, id)
	AnnouncementsWithin(tx, &q.Query, r)
	var text desk.AnnouncementText
	a, err := scanAnnouncement(tx.Row(q.String(), q.Args()...).Scan, &text)
	if err != nil {
		return a, Missing(err, "Announcement")
	}
	if a.Written() {
		a.Text = text
	}
	a.Recipients, err = sqldb.Collect(tx.Tx, func(scan scanner) (r desk.Recipient, err error) {
		var shown int64
		err = scan(&r.Channel, &r.Collection, &shown, orZero(&r.Message), &r.Error)
		switch {
		case r.Error != "":
			r.Status = desk.NotDelivered
		case shown > 0:
			r.Status = desk.Delivered
		}
		return r, err
	}, "SELECT channel_id, collection_id, shown, external_id, failure FROM announcement_recipients WHERE account_id = $1 AND announcement_id = $2 ORDER BY id", tx.Account, id)
	return a, err
}

// Announcements returns a page of the announcements within reach, without their
// recipients.
func (tx *Tx) Announcements(w desk.AnnouncementQuery) (desk.List[desk.Announcement], error) {
	var q query
	q.Add("SELECT "+announcementColumns+" FROM announcements WHERE account_id = ?", tx.Account)
	if w.Status != "" {
		q.Add(" AND status = ?", w.Status)
	}
	AnnouncementsWithin(tx, &q.Query, w.Reach)
	return page(tx, &q, "created_at", w.Page, scanListed, func(a desk.Announcement) desk.Position { return positionAt(a.CreatedAt, a.ID) })
}

// AddAnnouncement inserts a new announcement and sets its id. mark makes a name for
// each recipient's copy, unique among all copies. A written one counts as read: there
// is no message to read it from.
func (tx *Tx) AddAnnouncement(a *desk.Announcement, mark func() string) error {
	a.Channels = len(a.Recipients)
	read := 0
	if a.Written() {
		read = 1
	}
	err := tx.Row(`INSERT INTO announcements (account_id, name, status, channel_id, message_id, sender, sender_id, as_user, unfurl_links, unfurl_media,
			scheduled_at, html, wanted, read_for, synced, channels, delivered, failed, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $14, 1, $15, 0, $12, 0, 0, $13) RETURNING id`,
		tx.Account, a.Name, a.Status, a.Source.Channel, a.Source.Message, a.Sender.Kind, unlessZero(a.Sender.User), a.Sender.AsUser, a.Unfurl.Links, a.Unfurl.Media,
		OptionalMS(a.ScheduledAt), a.Channels, ms(a.CreatedAt), a.Text, read).Scan(&a.ID)
	if err != nil {
		return fmt.Errorf("add announcement: %w", err)
	}
	recipients := tx.insert("INSERT INTO announcement_recipients (account_id, announcement_id, channel_id, collection_id, mark, failure, kept, wanted, shown) VALUES ")
	for _, r := range a.Recipients {
		recipients.Add(tx.Account, a.ID, r.Channel, r.Collection, mark(), "", "", 1, 0)
	}
	collections := tx.insert("INSERT INTO announcement_collections (account_id, announcement_id, collection_id) VALUES ")
	for _, id := range a.Collections {
		collections.Add(tx.Account, a.ID, id)
	}
	return sqldb.Flush(recipients, collections)
}

// RemoveAnnouncement deletes an announcement that was not sent to anyone.
func (tx *Tx) RemoveAnnouncement(id desk.AnnouncementID) error {
	return wrap("remove announcement", tx.doAll(id,
		"DELETE FROM announcement_recipients WHERE account_id = $1 AND announcement_id = $2",
		"DELETE FROM announcement_collections WHERE account_id = $1 AND announcement_id = $2",
		"DELETE FROM announcements WHERE account_id = $1 AND id = $2"))
}

// SaveAnnouncementStatus saves the status of an announcement. If it is to be sent
// again, its failed recipients go back to waiting.
func (tx *Tx) SaveAnnouncementStatus(a desk.Announcement) error {
	if err := tx.Do("UPDATE announcements SET status = $1, failed = $2, sent_at = $3 WHERE account_id = $4 AND id = $5",
		a.Status, a.Failed, OptionalMS(a.SentAt), tx.Account, a.ID); err != nil {
		return err
	}
	if a.Status != desk.AnnouncementPending {
		return nil
	}
	return tx.Do("UPDATE announcement_recipients SET shown = 0, failure = '' WHERE account_id = $1 AND announcement_id = $2 AND failure <> ''", tx.Account, a.ID)
}

// WantResync asks for every copy of an announcement to be updated to what the
// message says now.
func (tx *Tx) WantResync(id desk.AnnouncementID) error {
	return tx.doAll(id,
		"UPDATE announcements SET wanted = wanted + 1 WHERE account_id = $1 AND id = $2",
		"UPDATE announcement_recipients SET wanted = wanted + 1 WHERE account_id = $1 AND announcement_id = $2 AND failure = ''")
}

// RewriteAnnouncement asks for every copy of a written announcement to be updated to a
// new text.
func (tx *Tx) RewriteAnnouncement(id desk.AnnouncementID, text desk.AnnouncementText) error {
	if err := tx.WantResync(id); err != nil {
		return err
	}
	return tx.Do("UPDATE announcements SET html = $1, read_for = wanted WHERE account_id = $2 AND id = $3", text, tx.Account, id)
}

// AnnouncementSource is the message that is copied, as far as it was read.
type AnnouncementSource struct {
	Wanted  int64 // number of the last sync asked for; the first send is 1
	ReadFor int64 // number of the sync it was last read for; 0: never
	HTML    string
	Files   []desk.Attachment
}

// AnnouncementSource returns what was read of the message that is copied.
func (tx *Tx) AnnouncementSource(id desk.AnnouncementID) (s AnnouncementSource, err error) {
	err = tx.Row("SELECT wanted, read_for, html FROM announcements WHERE account_id = $1 AND id = $2", tx.Account, id).Scan(&s.Wanted, &s.ReadFor, &s.HTML)
	if err != nil {
		return s, Missing(err, "Announcement")
	}
	s.Files, err = sqldb.Collect(tx.Tx, func(scan scanner) (f desk.Attachment, err error) {
		err = scan(&f.Name, &f.Size, &f.Key)
		return f, err
	}, "SELECT name, size, blob_key FROM announcement_files WHERE account_id = $1 AND announcement_id = $2 ORDER BY n", tx.Account, id)
	return s, err
}

// KeepSource saves what was read of the message for sync number readFor, unless it
// was already read for a later sync. The files are saved only at the first read.
func (tx *Tx) KeepSource(id desk.AnnouncementID, readFor int64, html string, files []desk.NewFile) error {
	first, err := tx.Exec("UPDATE announcements SET html = $1, read_for = $2 WHERE account_id = $3 AND id = $4 AND read_for = 0", html, readFor, tx.Account, id)
	if err != nil {
		return err
	}
	if first == 0 {
		return tx.Do("UPDATE announcements SET html = $1, read_for = $2 WHERE account_id = $3 AND id = $4 AND read_for <= $2", html, readFor, tx.Account, id)
	}
	for n, f := range files {
		if err := tx.Do("INSERT INTO announcement_files (account_id, announcement_id, n, name, size, blob_key) VALUES ($1, $2, $3, $4, $5, $6)",
			tx.Account, id, n, f.Name, f.Size, f.Key); err != nil {
			return err
		}
	}
	return nil
}

// AnnouncementCopy is what one recipient is to see of an announcement.
type AnnouncementCopy struct {
	Effect
	PostedBy string // the user it was posted as; empty for the bot
}

// Lane returns the lane of a copy. Each has its own, so that a copy whose fate is
// unknown delays no other.
func (c AnnouncementCopy) Lane() Lane { return Lane{CopyLane, c.ID} }

func scanCopy(scan scanner) (c AnnouncementCopy, err error) {
	c.Effect, err = scanEffect(effectsOfAnnouncements, scan, orZero(&c.PostedBy))
	return c, err
}

const selectCopy = "SELECT " + effectColumns + ", posted_by FROM announcement_recipients r WHERE account_id = $1 AND announcement_id = $2"

// Copies returns the copies of an announcement that are posted in the chat system,
// with an id above after.
func (tx *Tx) Copies(id desk.AnnouncementID, after int64, limit int) ([]AnnouncementCopy, error) {
	return sqldb.Collect(tx.Tx, scanCopy, selectCopy+" AND id > $3 AND external_id IS NOT NULL ORDER BY id LIMIT $4", tx.Account, id, after, limit)
}

// NextCopy returns the next copy of an announcement that is to be posted or updated
// and that nobody holds; ok is false if there is none.
func (tx *Tx) NextCopy(id desk.AnnouncementID) (c AnnouncementCopy, ok bool, err error) {
	return IfAny(scanCopy(tx.Row(selectCopy+` AND wanted > shown
		AND NOT EXISTS (SELECT 1 FROM lanes l WHERE l.account_id = $1 AND l.kind = 'copy' AND l.id = r.id AND l.held_until > $3)
		ORDER BY id LIMIT 1`, tx.Account, id, ms(tx.Now)).Scan))
}

// CountCopy counts a copy whose first result is known, and records as whom it was
// posted. failure says why it was not posted.
func (tx *Tx) CountCopy(id desk.AnnouncementID, c AnnouncementCopy, failure string) error {
	counter := "delivered"
	if failure != "" {
		counter = "failed"
	}
	if err := tx.Do("UPDATE announcements SET "+counter+" = "+counter+" + 1 WHERE account_id = $1 AND id = $2", tx.Account, id); err != nil {
		return err
	}
	if c.PostedBy == "" {
		return nil
	}
	return tx.Do("UPDATE announcement_recipients SET posted_by = $1 WHERE account_id = $2 AND id = $3", c.PostedBy, tx.Account, c.ID)
}

// FailRecipients marks every recipient without a result as failed.
func (tx *Tx) FailRecipients(id desk.AnnouncementID, failure string) error {
	n, err := tx.Exec("UPDATE announcement_recipients SET shown = wanted, failure = $1 WHERE account_id = $2 AND announcement_id = $3 AND wanted > shown AND shown = 0",
		failure, tx.Account, id)
	if err != nil {
		return err
	}
	return tx.Do("UPDATE announcements SET failed = failed + $1 WHERE account_id = $2 AND id = $3", n, tx.Account, id)
}

// FirstFree returns when the first pending copy of an announcement becomes free. It
// returns zero if none is pending.
func (tx *Tx) FirstFree(id desk.AnnouncementID) (time.Time, error) {
	var until *int64
	err := tx.Row(`SELECT min(COALESCE(l.held_until, 0)) FROM announcement_recipients r
		LEFT JOIN lanes l ON l.account_id = r.account_id AND l.kind = 'copy' AND l.id = r.id
		WHERE r.account_id = $1 AND r.announcement_id = $2 AND r.wanted > r.shown`, tx.Account, id).Scan(&until)
	if err != nil || until == nil {
		return time.Time{}, err
	}
	return FromMS(*until), nil
}

// SyncedTo records that all copies of an announcement show a sync.
func (tx *Tx) SyncedTo(id desk.AnnouncementID, sync int64) error {
	return tx.Do("UPDATE announcements SET synced = $1 WHERE account_id = $2 AND id = $3 AND synced < $1", sync, tx.Account, id)
}

// PendingAnnouncements returns announcements with an id above after that are due to be sent or
// whose copies need a sync.
func (tx *Tx) PendingAnnouncements(after desk.AnnouncementID, limit int) ([]desk.Announcement, error) {
	return sqldb.Collect(tx.Tx, scanListed, "SELECT "+announcementColumns+` FROM announcements
		WHERE account_id = $1 AND id > $2 AND (status <> 'sent' OR wanted > synced) AND (status <> 'scheduled' OR scheduled_at <= $3) ORDER BY id LIMIT $4`,
		tx.Account, after, ms(tx.Now), limit)
}
