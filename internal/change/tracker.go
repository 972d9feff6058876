package change

import (
	"fmt"
	"strconv"

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

// IntegrationChange returns the change to record when an integration is created,
// changed or removed. before is nil for a new one, after for a removed one.
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
