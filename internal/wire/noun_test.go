package wire

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"frontdesk/internal/desk"
)

// Every noun that has a name in the audit log has a form there too, under the same
// name in JSON's spelling.
func TestEveryNounHasAForm(t *testing.T) {
	nouns := []desk.Noun{desk.Account{}, desk.AgentSession{}, desk.Announcement{}, desk.Channel{}, desk.Collection{}, desk.CustomField{}, desk.Customer{}, desk.CustomerErasure{}, desk.Erasure{}, desk.Integration{},
		desk.Member{}, desk.Message{}, desk.Participant{}, desk.QuickReply{}, desk.CustomerNote{}, desk.Request{}, desk.SLAPolicy{}, desk.Schedule{}, desk.Session{}, desk.Survey{}, desk.Ticket{}, desk.TicketForm{},
		desk.TicketLink{}, desk.Token{}, desk.View{}, desk.WaitingMessage{}, desk.Webhook{}}
	known := map[string]bool{}
	for _, n := range nouns {
		known[reflect.TypeOf(n).Name()] = true
		name, _ := Of(n)
		if _, link := n.(desk.TicketLink); link {
			continue // it is recorded as a ticket
		}
		if resource, _ := n.Named(); name != spelled(resource) {
			t.Errorf("%T is %s in the audit log and %s in JSON", n, resource, name)
		}
	}
	files, err := filepath.Glob("../desk/*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?m)^func \(\w+ (\w+)\) Named\(\)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllSubmatch(text, -1) {
			if !known[string(m[1])] {
				t.Errorf("%s: %s is not in the list of this test", file, m[1])
			}
		}
	}
}

var wordStart = regexp.MustCompile(`([a-z])([A-Z])|([A-Z])([A-Z][a-z])`)

// spelled returns a name such as SLAPolicy as sla_policy.
func spelled(name string) string {
	return strings.ToLower(wordStart.ReplaceAllString(name, "${1}${3}_${2}${4}"))
}
