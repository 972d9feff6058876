// Package saved keeps what members saved to look at again: views of lists of requests,
// and explorations and dashboards of insights. Each is a member's own or shared with
// everybody. It does not know what they show.
package saved

import (
	"errors"
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// missing turns the lack of a row into NotFound.
func missing(err error, what string) error {
	if errors.Is(err, sqldb.ErrNoRows) {
		return desk.Missing(what)
	}
	return err
}

// addError says what could not be added, if there is an error. Without a row the
// account has no such member.
func addError(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("add %s: %w", what, missing(err, "Member"))
}
