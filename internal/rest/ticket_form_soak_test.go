//go:build soak

package rest

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// TestSoakTicketForm is FuzzTicketForm for a minute on both engines: bodies and
// fields that are cut, doubled, joined and overwritten at random.
func TestSoakTicketForm(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		m := mutation{rand.New(rand.NewPCG(seed, 0))}
		tried, made := 0, 0
		for until := time.Now().Add(30 * time.Second); time.Now().Before(until) && !t.Failed(); {
			c := newCounter(t, db) // a new account now and then, because every try counts all rows
			bodies, fields := c.ticketSeeds()
			for range 300 {
				c.try(m.of(bodies), m.of(fields))
				tried++
			}
			made += c.held().tickets
		}
		t.Logf("%d bodies and as many fields, %d tickets", tried, made)
		if made == 0 || made == 2*tried {
			t.Errorf("%d of %d made a ticket: nothing was tried", made, 2*tried)
		}
	})
}

// mutation changes texts at random.
type mutation struct{ *rand.Rand }

func (m mutation) of(seeds []string) string {
	text := seeds[m.IntN(len(seeds))]
	for range m.IntN(5) { // often unchanged
		text = m.once(text, seeds)
	}
	return text
}

func (m mutation) once(text string, seeds []string) string {
	from := m.IntN(len(text) + 1)
	to := from + m.IntN(min(len(text)-from, 40)+1)
	switch m.IntN(6) {
	case 0: // something is missing
		return text[:from] + text[to:]
	case 1: // something is doubled
		return text[:to] + text[from:]
	case 2: // something is replaced
		return text[:from] + m.word() + text[to:]
	case 3: // a byte is changed
		return text[:from] + string([]byte{byte(m.IntN(256))}) + text[min(from+1, len(text)):]
	case 4: // a part of another text
		other := seeds[m.IntN(len(seeds))]
		return text[:from] + other[m.IntN(len(other)+1):]
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}

var mutationWords = []string{`"`, `{`, `}`, `[]`, `null`, `\u0000`, `\ud800`, "\r\n--b\r\n", "\r\n--b--", "\n", `name="attachment"`, `filename="x"`, "0", "-1", "1e999", "é\x00", `"status":"open",`, `"title":"x",`, "form_id"}

func (m mutation) word() string { return mutationWords[m.IntN(len(mutationWords))] }
