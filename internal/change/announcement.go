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

// SendAnnouncementSoon has an announcement sent at a moment.
func SendAnnouncementSoon(tx *store.Tx, id desk.AnnouncementID, at time.Time) error {
	return job.Add(tx.Tx, SendAnnouncement{tx.Account, id}, tx.Now, job.At(at), job.Key(announcementKey(tx.Account, id)))
}

// ResyncAnnouncementSoon has its copies brought up to date.
func ResyncAnnouncementSoon(tx *store.Tx, id desk.AnnouncementID) error {
	return job.Add(tx.Tx, ResyncAnnouncement{tx.Account, id}, tx.Now, job.Key(announcementKey(tx.Account, id)))
}

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

// MostAnnouncedFiles is how large the files of an announcement may be together, in
// bytes.
const MostAnnouncedFiles = 100 << 20

// SendAnnouncement sends an announcement whose time has come to those who have
// not got it yet.
type SendAnnouncement struct {
	Account      desk.AccountID
	Announcement desk.AnnouncementID
}

func (SendAnnouncement) Kind() string { return "announcement.send" }

// ResyncAnnouncement makes its copies what the message says.
type ResyncAnnouncement struct {
	Account      desk.AccountID
	Announcement desk.AnnouncementID
}

func (ResyncAnnouncement) Kind() string { return "announcement.resync" }

func announcementKey(account desk.AccountID, id desk.AnnouncementID) string {
	return fmt.Sprintf("%d %d", account, id)
}

// TooLarge reports whether files are more than a message may take along.
func TooLarge(files []chat.File) bool {
	var size int64
	for _, f := range files {
		size += f.Size
	}
	return size > MostAnnouncedFiles
}
