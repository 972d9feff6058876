package change

import (
	"fmt"
	"strconv"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// SendAnnouncementAt queues a job that sends an announcement at a time.
func SendAnnouncementAt(tx *store.Tx, id desk.AnnouncementID, at time.Time) error {
	return job.Add(tx.Tx, SendAnnouncement{tx.Account, id}, tx.Now, job.At(at), job.Key(announcementKey(tx.Account, id)))
}

// ResyncAnnouncementSoon queues a job that brings the copies of an announcement up
// to date.
func ResyncAnnouncementSoon(tx *store.Tx, id desk.AnnouncementID) error {
	return job.Add(tx.Tx, ResyncAnnouncement{tx.Account, id}, tx.Now, job.Key(announcementKey(tx.Account, id)))
}

// AnnouncementChange returns the change to record for the announcement with an id.
// before is nil for a new one, after for a removed one.
func AnnouncementChange(by desk.Actor, action string, id desk.AnnouncementID, before, after *desk.Announcement) desk.Change {
	ch := desk.Change{By: by, Action: action, Resource: "Announcement", ID: strconv.FormatInt(int64(id), 10)}
	if before != nil {
		ch.Before = *before
	}
	if after != nil {
		ch.After = *after
	}
	return ch
}

// MostAnnouncedFiles is how large all files of an announcement may be together, in
// bytes.
const MostAnnouncedFiles = 100 << 20

// SendAnnouncement is a job that sends an announcement whose time has come to the
// channels that have not received it yet.
type SendAnnouncement struct {
	Account      desk.AccountID
	Announcement desk.AnnouncementID
}

func (SendAnnouncement) Kind() string { return "announcement.send" }

// ResyncAnnouncement is a job that updates the copies of an announcement to what
// its message says now.
type ResyncAnnouncement struct {
	Account      desk.AccountID
	Announcement desk.AnnouncementID
}

func (ResyncAnnouncement) Kind() string { return "announcement.resync" }

func announcementKey(account desk.AccountID, id desk.AnnouncementID) string {
	return fmt.Sprintf("%d %d", account, id)
}

// FilesTooLarge reports whether the files of a message are larger than
// MostAnnouncedFiles together.
func FilesTooLarge(files []chat.File) bool {
	var size int64
	for _, f := range files {
		size += f.Size
	}
	return size > MostAnnouncedFiles
}
