package change

import (
	"fmt"
	"strconv"

	"frontdesk/internal/desk"
)

// WatchTracker has a ticket system tell us of changes. Where it will not, links are read
// by the clock alone.
type WatchTracker struct {
	Account     desk.AccountID
	Integration desk.IntegrationID
}

func (WatchTracker) Kind() string { return "integration.watch" }

// TrackerHookURL is where a ticket system tells us of changes.
func (s Setup) TrackerHookURL(i desk.Integration) string {
	return fmt.Sprintf("%s/integrations/%s/%d/events", s.PublicURL, i.Kind, i.ID)
}

func IntegrationChange(by desk.Actor, action string, before, after *desk.Integration) desk.Change {
	ch := desk.Change{By: by, Action: action, Resource: "Integration"}
	if before != nil {
		ch.Before, ch.ID = *before, strconv.FormatInt(int64(before.ID), 10)
	}
	if after != nil {
		ch.After, ch.ID = *after, strconv.FormatInt(int64(after.ID), 10)
	}
	return ch
}
