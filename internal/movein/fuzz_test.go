package movein

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
)

func FuzzZendesk(f *testing.F) {
	fuzzSystem(f, Zendesk, "zendesk-tickets.jsonl", "zendesk-people.json")
}
func FuzzZammad(f *testing.F)   { fuzzSystem(f, Zammad, "zammad.json") }
func FuzzChatwoot(f *testing.F) { fuzzSystem(f, Chatwoot, "chatwoot.json") }

func FuzzFrontdesk(f *testing.F) { fuzzSystem(f, Frontdesk, "frontdesk.jsonl") }

// fuzzSystem reads anything as an export of a system. What is read is within the limits
// of an import, or there is a sentence about it, and it has a place.
func fuzzSystem(f *testing.F, s System, samples ...string) {
	for _, name := range samples {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		for line := range bytes.Lines(text) {
			f.Add(line)
		}
	}
	f.Add([]byte(zipped(`{"id":1,"subject":"S","requester_id":1}`)))
	now := time.Now()
	f.Fuzz(func(t *testing.T, text []byte) {
		fm := s.format()
		lines := bytes.Count(text, []byte("\n")) + 1
		if bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
			lines = 1 << 30
		}
		for _, learning := range []bool{true, false} {
			_ = readText(context.Background(), fm, "file", bytes.NewReader(text), func(r record) bool {
				if r.line < 1 || r.line > lines {
					t.Errorf("line %d of %d", r.line, lines)
				}
				if o := newObject(r.fields); learning {
					if k := r.kindFor(fm, o); r.problem == "" && (k == user || k == organization) {
						fm.learn(k, o)
					}
					return true
				}
				if it, is := readItem(fm, r); is {
					checkItem(t, it, now)
				}
				return true
			})
		}
	})
}

// mayBeWrong are the fields of a request that is as the file has it although an import
// refuses it.
var mayBeWrong = []string{"created_at", "updated_at", "solved_at", "closed_at", "first_response_at", "must have a title",
	"state", "priority", "external_id", "assignee"}

func checkItem(t *testing.T, it Item, now time.Time) {
	t.Helper()
	if len(it.Problems) > 0 || it.LeftOut != "" {
		return
	}
	n := it.Request
	if len(n.Messages) > desk.MostImportedMessages {
		t.Errorf("%d messages", len(n.Messages))
	}
	err := n.Check(desk.RequestRules{OnHoldAllowed: true}, now)
	if err == nil {
		return
	}
	for _, field := range mayBeWrong {
		if strings.Contains(err.Error(), field) {
			return
		}
	}
	t.Errorf("an import refuses it: %v", err)
}
