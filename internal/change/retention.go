package change

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// SweepRetention is a job that deletes what collections keep no longer.
type SweepRetention struct{}

func (SweepRetention) Kind() string { return "retention.sweep" }

// ApplyRetention adds a job that applies the retention of a collection if it has
// changed.
func ApplyRetention(tx *store.Tx, before, after desk.Collection) error {
	b, a := before.Retention, after.Retention
	if a == (desk.Retention{}) || desk.Same(b.MessagesDays, a.MessagesDays) && desk.Same(b.FilesDays, a.FilesDays) {
		return nil
	}
	return job.Add(tx.Tx, SweepRetention{}, tx.Now, job.Key("changed"))
}
