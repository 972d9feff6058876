// Package saved keeps what members saved to look at again: views of lists of requests,
// and explorations and dashboards of insights. Each is a member's own or shared with
// everybody. It does not know what they show.
package saved

import (
	"fmt"

	"frontdesk/internal/store"
)

// addError says what could not be added, if there is an error. Without a row the
// account has no such member.
func addError(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("add %s: %w", what, store.Missing(err, "Member"))
}
