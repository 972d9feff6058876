package worker

import (
	"testing"

	"frontdesk/internal/desk"
)

// A job that comes while another works for the same account leaves the work to that
// one. A job that fails leaves all work to its next attempt.
func TestOneIsAtWork(t *testing.T) {
	var w atWork[desk.AccountID]
	if !w.begin(1) || w.begin(1) || !w.begin(2) {
		t.Error("two are at work for one account, or none for another")
	}
	if !w.end(1, false) || w.begin(1) || !w.end(1, false) || w.end(1, false) {
		t.Error("what came meanwhile is not looked at once more")
	}
	if w.begin(2) || w.end(2, true) || !w.begin(2) {
		t.Error("who fails is not free")
	}
}
