package wire

import "frontdesk/internal/desk"

// Retention says for how long a collection keeps messages and files. null means for
// ever.
type Retention struct {
	MessagesDays *int `json:"messages_days"`
	FilesDays    *int `json:"files_days"`
}

// newRetention returns nil if everything is kept.
func newRetention(r desk.Retention) *Retention {
	if r == (desk.Retention{}) {
		return nil
	}
	return &Retention{r.MessagesDays, r.FilesDays}
}

// RetentionPreview says what a retention deletes.
type RetentionPreview struct {
	Retention
	Now  Expiring `json:"now"`
	Soon Expiring `json:"in_30_days"`
}

// Expiring is what a retention deletes by some time.
type Expiring struct {
	Requests Counted `json:"requests"`
	Messages Counted `json:"messages"`
	Files    Counted `json:"files"`
	Bytes    int64   `json:"bytes"`
	Oldest   *Time   `json:"oldest"`
	Newest   *Time   `json:"newest"`
}

// Counted is a number of things. IsMore says that there are more than were counted.
type Counted struct {
	Count  int  `json:"count"`
	IsMore bool `json:"is_more"`
}

// NewRetentionPreview returns the wire form of a preview.
func NewRetentionPreview(p desk.RetentionPreview) RetentionPreview {
	return RetentionPreview{Retention(p.Retention), newExpiring(p.Now), newExpiring(p.Soon)}
}

func newExpiring(e desk.Expiring) Expiring {
	return Expiring{newCounted(e.Requests), newCounted(e.Messages), newCounted(e.Files), e.Bytes, optional(e.Oldest), optional(e.Newest)}
}

func newCounted(c desk.Counted) Counted { return Counted{c.Count, c.More} }
