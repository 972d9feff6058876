package demo

import (
	"time"

	"frontdesk/internal/desk"
)

// ownDomain is the domain of the account's own people.
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

// members of the account, besides its owner.
var members = []desk.NewMember{
	{Email: maya, Name: text("Maya Lindqvist"), Role: role(desk.Agent)},
	{Email: tomas, Name: text("Tomás Herrera"), Role: role(desk.Agent)},
	{Email: priya, Name: text("Priya Raman"), Role: role(desk.Viewer)},
}

func text(s string) *string          { return &s }
func role(r desk.Role) *desk.Role    { return &r }
func everybody(p ...string) []string { return append([]string{mira, maya, tomas, priya}, p...) }

// collections of the account. Channels are given by name.
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

// The custom fields of requests.
const (
	fieldArea  = "Area"
	fieldSeats = "Seats"
	fieldOrder = "Order no."
)

var areas = []string{"Access", "Billing", "Data", "Integrations", outage, "Product", "Reports", "Shipping"}

var customFields = []desk.NewCustomField{
	{Name: fieldArea, Type: desk.FieldSelect, Entity: desk.EntityRequest, Description: text("What it is about"), Config: desk.GivenConfig{Options: options(areas)}},
	{Name: fieldSeats, Type: desk.FieldNumber, Entity: desk.EntityRequest, Description: text("How many people it is for")},
	{Name: fieldOrder, Type: desk.FieldText, Entity: desk.EntityRequest, Description: text("The order that it is about")},
}

func options(values []string) *[]desk.GivenOption {
	given := make([]desk.GivenOption, len(values))
	for i, v := range values {
		given[i].Value = v
	}
	return &given
}

// form is a form for making tickets. A key that is the name of a custom field
// stands for that field.
type form struct {
	name, description string
	asks              []desk.FormField
}

var forms = []form{
	{"Something does not work", "For whatever broke. Say what you did and what happened.", []desk.FormField{
		{Key: desk.FormTitle, Audience: desk.ForAll, RequiredByNonResponder: true},
		{Key: desk.FormPriority, Audience: desk.ForAll},
		{Key: fieldArea, Audience: desk.ForAll, RequiredByResponder: true, RequiredByNonResponder: true},
		{Key: fieldOrder, Audience: desk.ForAll},
		{Key: desk.FormAssignee, Audience: desk.ForResponders},
	}},
	{"New people", "Accounts for people who are about to start.", []desk.FormField{
		{Key: fieldSeats, Audience: desk.ForAll, RequiredByResponder: true, RequiredByNonResponder: true},
		{Key: desk.FormContributors, Audience: desk.ForAll},
		{Key: desk.FormStatus, Audience: desk.ForResponders},
	}},
}

// tickets come in through the API, from customers' programs and forms.
var tickets = []desk.NewRequest{
	{Requester: text("monitoring@nordhafen.test"), Title: text("Yard gate 3: no scans for 30 minutes"), Tags: []string{"monitoring"}, Priority: priority(desk.High),
		Description: "Automatic alert. The scanner at gate 3 in Lübeck has sent nothing since the shift began. Last scan: container NHLU 204418."},
	{Requester: text("webshop@valmondre.test"), Tags: []string{"returns", "form"},
		Description: "From the contact form: my candle arrived broken and I want to send it back. Which address do I use, and who pays for the parcel? It was a present, so please be quick."},
	{Requester: text("frontoffice@solvera.test"), Title: text("Alta de tres usuarias nuevas en Elche"), Tags: []string{"onboarding"},
		Description: "Formulario interno: empiezan el lunes Carmen, Nuria y Aitana. Necesitan acceso a la agenda y a las fichas, sin facturación."},
	{Requester: text("roastery@bergamota.test"), Title: text("Scale in the roastery does not talk to the stock"), Tags: []string{"integration", "stock"},
		Description: "Hi! The new scale is online, but what we weigh never arrives in the stock of Aveiro. The log of the scale says <code>401</code>. Did we forget a key?"},
}

func priority(p desk.Priority) *desk.Priority { return &p }

// room is a channel of the workspace.
type room struct {
	name    string
	private bool
	people  []string
	begins  time.Duration // how long ago the conversation begins that the desk hears; 0: it hears none of it
	talk    []line
}

// line is something that a person says, and how long after the previous line.
type line struct {
	after     time.Duration
	who, says string
	reactions []reaction
	answers   []line
	deflected bool // the virtual agent has answered, and nobody else had to
}

type reaction struct{ who, emoji string }

const (
	taken  = "eyes"
	solved = "white_check_mark"
)

var rooms = []room{
	{name: "harbor-and-pine", begins: 99 * time.Hour, people: everybody(ines, oskar, leila), talk: []line{
		{after: time.Hour, who: mira, says: "Welcome, everyone from Harbor & Pine! This is your direct line to us. Ask anything here; we answer in the thread."},
		{after: 2 * time.Hour, who: oskar, says: "Since this morning the label printer in Porto prints every address twice. Anything changed on your side?",
			reactions: []reaction{{tomas, taken}}, answers: []line{
				{after: 4 * time.Minute, who: tomas, says: "Looking. Which printer driver is it, and does it happen with a single label too?"},
				{after: 6 * time.Minute, who: oskar, says: "The Tarn 420, and yes, also with one."},
				{after: 22 * time.Minute, who: tomas, says: "Found it: yesterday's release sends the job again when the printer is slow to answer. The fix is out; please try once more."},
				{after: 3 * time.Minute, who: oskar, says: "One label per parcel again. Thanks!", reactions: []reaction{{tomas, "tada"}, {tomas, solved}}},
			}},
		{after: 19 * time.Hour, who: leila, says: "Invoice 2291 shows the old VAT number of our Spanish branch. Could you issue it again with `ES-B-6621-84`?",
			reactions: []reaction{{maya, taken}}, answers: []line{
				{after: 11 * time.Minute, who: maya, says: "Of course. I have asked billing, you will have it today."},
			}},
		{after: 5 * time.Hour, who: oskar, says: "Thank you all, have a nice weekend! :wave:"},
		{after: 18 * time.Hour, who: ines, says: "Can we set different cut-off times for Porto and Turku? Turku's truck leaves two hours earlier and orders after noon go out a day late.", answers: []line{
			{after: 16 * time.Minute, who: maya, says: "You can: Settings, Places, then Cut-off for each of them. Do you want me to set Turku to 12:00 for you?"},
			{after: 9 * time.Minute, who: ines, says: "I found it, thank you.", reactions: []reaction{{maya, solved}}},
		}},
		{after: 24 * time.Hour, who: leila, says: "The export for our auditors stops at 10,000 lines. They need all of last year. How can I get the rest?",
			reactions: []reaction{{tomas, taken}}, answers: []line{
				{after: 25 * time.Minute, who: tomas, says: "That is the limit of the page. I am running the full one for you by hand, about 64,000 lines."},
				{after: 2 * time.Hour, who: leila, says: "Any news? They are here until four.", reactions: []reaction{{leila, "rotating_light"}}},
			}},
		{after: 20 * time.Hour, who: oskar, says: "The hand scanners in Gdynia lose the connection every few minutes since we moved the router. Is there a list of ports that have to be open?", answers: []line{
			{after: 8 * time.Minute, who: tomas, says: "There is: 443 only, but outgoing connections must be allowed to stay open. Does the router close idle ones after a minute or so?"},
		}},
		{after: 3 * time.Hour, who: ines, deflected: true, says: "How do we give our two new depot managers access? They should see reports and nothing else."},
	}},
	{name: "fernhill-labs", begins: 76 * time.Hour, people: everybody(jonas, amara), talk: []line{
		{after: time.Hour, who: jonas, says: "Our nightly export to the data lake failed with `403 signature mismatch`. Nothing was changed here.",
			reactions: []reaction{{priya, taken}}, answers: []line{
				{after: 9 * time.Minute, who: priya, says: "The bucket's key was rotated on our side at 02:00 and one worker kept the old one. It has the new one now; the export runs again in ten minutes."},
				{after: 14 * time.Minute, who: jonas, says: "It went through. Thanks!", reactions: []reaction{{priya, "+1"}, {priya, solved}}},
			}},
		{after: 21 * time.Hour, who: amara, says: "Is there a way to import participants from a spreadsheet? We have about 1,800.", answers: []line{
			{after: 13 * time.Minute, who: maya, says: "Yes: Participants, Import takes XLSX. Please try with ten first, then all."},
			{after: 3 * time.Hour, who: amara, says: "Ten worked. With all of them it says that line 412 has no email, but it has one. What now?"},
		}},
		{after: 22 * time.Hour, who: amara, deflected: true, says: "Can the consent form have a second language? About a fifth of our visitors would need it."},
		{after: 20 * time.Hour, who: jonas, says: "We would like to rotate our API token without a gap. Can two be valid at the same time?",
			reactions: []reaction{{tomas, taken}}, answers: []line{
				{after: 7 * time.Minute, who: tomas, says: "Yes. Make the new one, change over, then revoke the old one: both work in between."},
				{after: 4 * time.Minute, who: jonas, says: "Perfect, thank you."},
			}},
		{after: 5 * time.Hour, who: jonas, says: "The dashboard of the study office shows yesterday's numbers only. Is the refresh stuck?"},
	}},
	{name: "support-triage", people: everybody(), talk: []line{
		{after: 10 * time.Minute, who: maya, says: "I take the European morning, Tomás the afternoon, Priya the nights this week."},
	}},
	{name: "tickets", people: everybody()},
	{name: "email-inbox", people: everybody()},
	{name: "releases", people: everybody(ines, jonas), talk: []line{
		{after: 20 * time.Minute, who: mira, says: "*Release 4.2* is out: label printing no longer repeats a job, exports can be resumed, and reports open twice as fast."},
	}},
}
