package change

import (
	"fmt"
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
