package change

import (
	"fmt"

	"frontdesk/internal/desk"
)

// WatchTracker is a job that asks a ticket system to send us changes. If it
// refuses, linked tickets are only read at intervals.
type WatchTracker struct {
	Account     desk.AccountID
	Integration desk.IntegrationID
}

func (WatchTracker) Kind() string { return "integration.watch" }

// TrackerHookURL returns the address to which a ticket system sends changes.
func (s Setup) TrackerHookURL(i desk.Integration) string {
	return fmt.Sprintf("%s/integrations/%s/%d/events", s.PublicURL, i.Kind, i.ID)
}
