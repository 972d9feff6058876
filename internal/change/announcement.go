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

// DeliverAnnouncementAt queues a job that sends an announcement and updates its
// copies at a time.
func DeliverAnnouncementAt(tx *store.Tx, id desk.AnnouncementID, at time.Time) error {
	return job.Add(tx.Tx, DeliverAnnouncement{tx.Account, id}, tx.Now, job.At(at), job.Key(fmt.Sprintf("%d %d", tx.Account, id)))
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

// DeliverAnnouncement is a job that sends an announcement whose time has come to
// the channels that have not received it yet, and updates the copies that show an
// older text.
type DeliverAnnouncement struct {
	Account      desk.AccountID
	Announcement desk.AnnouncementID
}

func (DeliverAnnouncement) Kind() string { return "announcement.send" }

// FilesTooLarge reports whether the files of a message are larger than
// MostAnnouncedFiles together.
func FilesTooLarge(files []chat.File) bool {
	var size int64
	for _, f := range files {
		size += f.Size
	}
	return size > MostAnnouncedFiles
}
