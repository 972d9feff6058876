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
	{Email: maya, Name: new("Maya Lindqvist"), Role: new(desk.Agent)},
	{Email: tomas, Name: new("Tomás Herrera"), Role: new(desk.Agent)},
	{Email: priya, Name: new("Priya Raman"), Role: new(desk.Viewer)},
}

func everybody(p ...string) []string { return append([]string{mira, maya, tomas, priya}, p...) }

// collection is a collection of the account. Channels are given by name.
type collection struct {
	name             string
	kind             desk.CollectionKind
	channels         []string
	requests, triage string
}

var collections = []collection{
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
	{Name: fieldArea, Type: desk.FieldSelect, Entity: desk.EntityRequest, Description: new("What the request is about"), Config: desk.GivenConfig{Options: options(areas)}},
	{Name: fieldSeats, Type: desk.FieldNumber, Entity: desk.EntityRequest, Description: new("How many people need access")},
	{Name: fieldOrder, Type: desk.FieldText, Entity: desk.EntityRequest, Description: new("The order number, if there is one")},
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
	{"Something is not working", "For anything that broke. Tell us what you did and what happened.", []desk.FormField{
		{Key: desk.FormTitle, Audience: desk.ForAll, RequiredByNonResponder: true},
		{Key: desk.FormPriority, Audience: desk.ForAll},
		{Key: fieldArea, Audience: desk.ForAll, RequiredByResponder: true, RequiredByNonResponder: true},
		{Key: fieldOrder, Audience: desk.ForAll},
		{Key: desk.FormAssignee, Audience: desk.ForResponders},
	}},
	{"New starters", "Accounts for people who start soon.", []desk.FormField{
		{Key: fieldSeats, Audience: desk.ForAll, RequiredByResponder: true, RequiredByNonResponder: true},
		{Key: desk.FormContributors, Audience: desk.ForAll},
		{Key: desk.FormStatus, Audience: desk.ForResponders},
	}},
}

// tickets come in through the API, from customers' programs and forms.
var tickets = []desk.NewRequest{
	{Requester: new("monitoring@nordhafen.test"), Title: new("Yard gate 3: no scans for 30 minutes"), Tags: []string{"monitoring"}, Priority: new(desk.High),
		Description: "Automatic alert. The scanner at gate 3 in Lübeck has not sent anything since the shift started. Last scan: container NHLU 204418."},
	{Requester: new("webshop@valmondre.test"), Tags: []string{"returns", "form"},
		Description: "From the contact form: my candle arrived broken and I'd like to return it. Where do I send it, and who pays for shipping? It was a gift, so please be quick."},
	{Requester: new("frontoffice@solvera.test"), Title: new("Alta de tres usuarias nuevas en Elche"), Tags: []string{"onboarding"},
		Description: "Formulario interno: empiezan el lunes Carmen, Nuria y Aitana. Necesitan acceso a la agenda y a las fichas, sin facturación."},
	{Requester: new("roastery@bergamota.test"), Title: new("Roastery scale does not sync with stock"), Tags: []string{"integration", "stock"},
		Description: "Hi! The new scale is online, but what we weigh never shows up in the Aveiro stock. The scale's log says <code>401</code>. Did we forget to enter a key?"},
}

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
		{after: time.Hour, who: mira, says: "Welcome, everyone from Harbor & Pine! This is your direct line to us. Ask us anything here and we'll answer in the thread."},
		{after: 2 * time.Hour, who: oskar, says: "Since this morning the label printer in Porto has been printing every address twice. Did anything change on your side?",
			reactions: []reaction{{tomas, taken}}, answers: []line{
				{after: 4 * time.Minute, who: tomas, says: "Looking into it. Which printer is it, and does it happen with a single label too?"},
				{after: 6 * time.Minute, who: oskar, says: "The Tarn 420, and yes, with a single one too."},
				{after: 22 * time.Minute, who: tomas, says: "Found it: since yesterday's release we resend the job when the printer is slow to respond. The fix is out. Could you try again?"},
				{after: 3 * time.Minute, who: oskar, says: "One label per parcel again. Thanks!", reactions: []reaction{{tomas, "tada"}, {tomas, solved}}},
			}},
		{after: 19 * time.Hour, who: leila, says: "Invoice 2291 shows our Spanish branch's old VAT number. Could you reissue it with `ES-B-6621-84`?",
			reactions: []reaction{{maya, taken}}, answers: []line{
				{after: 11 * time.Minute, who: maya, says: "Of course. I've asked billing, and you'll have it today."},
			}},
		{after: 5 * time.Hour, who: oskar, says: "Thank you all, have a nice weekend! :wave:"},
		{after: 18 * time.Hour, who: ines, says: "Can we set different cut-off times for Porto and Turku? Turku's truck leaves two hours earlier and orders after noon go out a day late.", answers: []line{
			{after: 16 * time.Minute, who: maya, says: "Yes, under Settings, Places, Cut-off. Each place has its own. Would you like me to set Turku to 12:00 for you?"},
			{after: 9 * time.Minute, who: ines, says: "I found it, thank you.", reactions: []reaction{{maya, solved}}},
		}},
		{after: 24 * time.Hour, who: leila, says: "The export for our auditors stops at 10,000 lines. They need all of last year. How can I get the rest?",
			reactions: []reaction{{tomas, taken}}, answers: []line{
				{after: 25 * time.Minute, who: tomas, says: "The page is limited to that. I'm running the full export for you by hand, about 64,000 lines."},
				{after: 2 * time.Hour, who: leila, says: "Any news? They're only here until four.", reactions: []reaction{{leila, "rotating_light"}}},
			}},
		{after: 20 * time.Hour, who: oskar, says: "Since we moved the router, the hand scanners in Gdynia lose their connection every few minutes. Is there a list of ports that need to be open?", answers: []line{
			{after: 8 * time.Minute, who: tomas, says: "Just 443, but the router has to let outgoing connections stay open. Does it close idle ones after a minute or so?"},
		}},
		{after: 3 * time.Hour, who: ines, deflected: true, says: "How do we give our two new depot managers access? They should only see reports."},
	}},
	{name: "fernhill-labs", begins: 76 * time.Hour, people: everybody(jonas, amara), talk: []line{
		{after: time.Hour, who: jonas, says: "Our nightly export to the data lake failed with `403 signature mismatch`. We haven't changed anything.",
			reactions: []reaction{{priya, taken}}, answers: []line{
				{after: 9 * time.Minute, who: priya, says: "We rotated the bucket's key at 02:00, and one worker was still using the old one. It has the new key now, and the export will run again in ten minutes."},
				{after: 14 * time.Minute, who: jonas, says: "It went through. Thanks!", reactions: []reaction{{priya, "+1"}, {priya, solved}}},
			}},
		{after: 21 * time.Hour, who: amara, says: "Can we import participants from a spreadsheet? We have about 1,800.", answers: []line{
			{after: 13 * time.Minute, who: maya, says: "Yes, Participants, Import takes XLSX files. Please try it with ten people first."},
			{after: 3 * time.Hour, who: amara, says: "Ten worked. With the whole list it says line 412 has no email, but it does. What now?"},
		}},
		{after: 22 * time.Hour, who: amara, deflected: true, says: "Can the consent form have a second language? About a fifth of our visitors need it."},
		{after: 20 * time.Hour, who: jonas, says: "We'd like to rotate our API token without downtime. Can two be valid at the same time?",
			reactions: []reaction{{tomas, taken}}, answers: []line{
				{after: 7 * time.Minute, who: tomas, says: "Yes. Create the new one, switch over, then revoke the old one. Both work in the meantime."},
				{after: 4 * time.Minute, who: jonas, says: "Perfect, thank you."},
			}},
		{after: 5 * time.Hour, who: jonas, says: "The study office dashboard still shows yesterday's numbers. Is the refresh stuck?"},
	}},
	{name: "support-triage", people: everybody(), talk: []line{
		{after: 10 * time.Minute, who: maya, says: "This week I'm on mornings (European time), Tomás is on afternoons and Priya is on nights."},
	}},
	{name: "tickets", people: everybody()},
	{name: "email-inbox", people: everybody()},
	{name: "releases", people: everybody(ines, jonas), talk: []line{
		{after: 20 * time.Minute, who: mira, says: "*Release 4.2* is out: labels no longer print twice, exports can be resumed, and reports open twice as fast."},
	}},
}
