package demo

import (
	"time"

	"frontdesk/internal/desk"
)

// ownDomain is that of the account's own people.
const ownDomain = "acme.test"

// The people of every sandbox workspace.
const (
	mira  = "mira@acme.test"
	maya  = "maya@acme.test"
	tomas = "tomas@acme.test"
	priya = "priya@acme.test"

	ines  = "ines@harborpine.test"
	oskar = "oskar@harborpine.test"
	leila = "leila@harborpine.test"

	jonas = "jonas@fernhill.test"
	amara = "amara@fernhill.test"
)

var support = []string{maya, tomas, priya}

// members of the account, beside its owner.
var members = []desk.NewMember{
	{Email: maya, Name: text("Maya Lindqvist"), Role: role(desk.Agent)},
	{Email: tomas, Name: text("Tomás Herrera"), Role: role(desk.Agent)},
	{Email: priya, Name: text("Priya Raman"), Role: role(desk.Viewer)},
}

func text(s string) *string          { return &s }
func role(r desk.Role) *desk.Role    { return &r }
func everybody(p ...string) []string { return append([]string{mira, maya, tomas, priya}, p...) }

// collections of the account. Channels go by their names.
var collections = []struct {
	name             string
	kind             desk.CollectionKind
	channels         []string
	requests, triage string
}{
	{name: "Customer channels", kind: desk.ChatCollection, channels: []string{"harbor-and-pine", "fernhill-labs"}, triage: "support-triage"},
	{name: "API tickets", kind: desk.APICollection, requests: "tickets", triage: "support-triage"},
	{name: "Email", kind: desk.EmailCollection, requests: "email-inbox", triage: "support-triage"},
}

// room is a channel of the workspace.
type room struct {
	name    string
	private bool
	people  []string
	talk    []line
}

// line is something that somebody says, so long after the line before.
type line struct {
	after     time.Duration
	who, says string
	reactions []reaction
	answers   []line
}

type reaction struct{ who, emoji string }

var rooms = []room{
	{name: "harbor-and-pine", people: everybody(ines, oskar, leila), talk: []line{
		{after: 2 * time.Hour, who: mira, says: "Welcome, everyone from Harbor & Pine! This is your direct line to us. Ask anything here; we answer in the thread."},
		{after: time.Hour, who: oskar, says: "Since this morning the label printer in Porto prints every address twice. Anything changed on your side?",
			reactions: []reaction{{tomas, "eyes"}}, answers: []line{
				{after: 4 * time.Minute, who: tomas, says: "Looking. Which printer driver is it, and does it happen with a single label too?"},
				{after: 6 * time.Minute, who: oskar, says: "Zebra ZD421, and yes, also with one."},
				{after: 22 * time.Minute, who: tomas, says: "Found it: yesterday's release sends the job again when the printer is slow to answer. The fix is out; please try once more."},
				{after: 3 * time.Minute, who: oskar, says: "One label per parcel again. Thanks!", reactions: []reaction{{tomas, "tada"}}},
			}},
		{after: 19 * time.Hour, who: leila, says: "Invoice 2291 shows the old VAT number of our Spanish branch. Could you issue it again with `ESB66218470`?", answers: []line{
			{after: 11 * time.Minute, who: maya, says: "Of course. I have asked billing, you will have it today."},
		}},
		{after: 2 * time.Hour, who: ines, says: "How do we give our two new depot managers access? They should see reports and nothing else."},
	}},
	{name: "fernhill-labs", people: everybody(jonas, amara), talk: []line{
		{after: 40 * time.Minute, who: jonas, says: "Our nightly export to the data lake failed with `403 SignatureDoesNotMatch`. Nothing was changed here.", answers: []line{
			{after: 9 * time.Minute, who: priya, says: "The bucket's key was rotated on our side at 02:00 and one worker kept the old one. It has the new one now; the export runs again in ten minutes."},
			{after: 14 * time.Minute, who: jonas, says: "It went through. Could you tell us before the next rotation?", reactions: []reaction{{priya, "+1"}}},
		}},
		{after: 3 * time.Hour, who: amara, says: "Is there a way to import participants from a spreadsheet? We have about 1,800."},
		{after: 30 * time.Minute, who: amara, says: ":wave: One more: can the consent form have a second language?"},
	}},
	{name: "support-triage", private: false, people: everybody(), talk: []line{
		{after: 10 * time.Minute, who: maya, says: "I take the European morning, Tomás the afternoon, Priya the nights this week."},
	}},
	{name: "tickets", people: everybody()},
	{name: "email-inbox", people: everybody()},
	{name: "releases", people: everybody(ines, jonas), talk: []line{
		{after: 20 * time.Minute, who: mira, says: "*Release 4.2* is out: label printing no longer repeats a job, exports can be resumed, and reports open twice as fast."},
	}},
}
