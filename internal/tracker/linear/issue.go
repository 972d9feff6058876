package linear

import (
	"context"
	"regexp"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// issue has the fields that we query.
type issue struct {
	ID, Identifier, URL, Title string
	UpdatedAt                  time.Time
	State                      state
}

const issueQuery = `query Issue($id: String!) {
  issue(id: $id) { id identifier url title updatedAt state { id name type } }
}`

// Ticket returns an issue by its name, such as ENG-17, or its id.
func (w *workspace) Ticket(ctx context.Context, name string) (tracker.Ticket, error) {
	id, err := issueName(name)
	if err != nil {
		return tracker.Ticket{}, err
	}
	var told struct{ Issue issue }
	if err := w.call(ctx, "Issue", issueQuery, object{"id": id}, &told); err != nil {
		return tracker.Ticket{}, err
	}
	i := told.Issue
	return tracker.Ticket{ID: i.ID, Key: i.Identifier, URL: i.URL, Title: i.Title, Status: i.State.status(), UpdatedAt: i.UpdatedAt}, nil
}

var (
	identifiers = regexp.MustCompile(`^[A-Z][A-Z0-9]{0,19}-[0-9]{1,9}$`)
	uuids       = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
)

// issueName normalizes a name for Linear. It returns an error for a name that no
// issue can have.
func issueName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if upper := strings.ToUpper(name); identifiers.MatchString(upper) {
		return upper, nil
	}
	if lower := strings.ToLower(name); uuids.MatchString(lower) {
		return lower, nil
	}
	return "", desk.Errorf(desk.NotFound, "There is no such issue in Linear. Issues have names like ENG-17.")
}
