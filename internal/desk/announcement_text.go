package desk

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// MostAnnouncementText is how many characters the text of an announcement that is
// written here may have: as many as a message of ours in the chat system.
const MostAnnouncementText = 4000

// Variable is a name in braces, as in {customer}, that stands for something else in
// each channel of a written announcement.
type Variable string

const (
	CustomerVariable Variable = "customer" // the name of the channel's customer
	ChannelVariable  Variable = "channel"  // the name of the channel
	SenderVariable   Variable = "sender"   // the name under which it is sent
)

// Variables lists every value.
var Variables = []Variable{CustomerVariable, ChannelVariable, SenderVariable}

// AnnouncementText is the HTML of an announcement that is written here, in the
// product's subset. A variable may say what stands there if a channel has nothing for
// it: {customer|everyone}. Other braces are text.
type AnnouncementText string

var (
	tag      = regexp.MustCompile(`<[^>]*>`)
	variable = regexp.MustCompile(`\{(\w+)(?:\|([^{}]*))?\}`)
)

// HasVariables reports whether the text differs between channels.
func (t AnnouncementText) HasVariables() bool { return variable.MatchString(string(t)) }

// check adds what is wrong with the text to p. plain is the text without its markup.
func (t AnnouncementText) check(p *Problems, plain string) {
	switch {
	case t == "":
		p.Add("html_body", "must contain text: nothing is left of it after HTML that is not allowed is removed")
	case utf8.RuneCountInString(plain) > MostAnnouncementText:
		p.Add("html_body", "must have at most %d characters; there are %d", MostAnnouncementText, utf8.RuneCountInString(plain))
	}
	for _, found := range variable.FindAllStringSubmatch(plain, -1) {
		if !slices.Contains(Variables, Variable(found[1])) {
			p.Add("html_body", "has %s in braces, which is no variable; there are {customer}, {channel} and {sender}", quote(found[1]))
		}
	}
}

// Fill puts values in the places of variables. Only text is filled in, so a link leads
// to the same place in every channel. missing lists the variables that have neither a
// value nor words to stand there instead.
func (t AnnouncementText) Fill(values map[Variable]string) (filled string, missing []Variable) {
	in := func(text string) string {
		return variable.ReplaceAllStringFunc(text, func(found string) string {
			part := variable.FindStringSubmatch(found)
			name := Variable(part[1])
			switch {
			case values[name] != "":
				return html.EscapeString(values[name])
			case strings.Contains(found, "|"):
				return strings.TrimSpace(part[2])
			case !slices.Contains(missing, name):
				missing = append(missing, name)
			}
			return found
		})
	}
	var b strings.Builder
	at := 0
	for _, place := range tag.FindAllStringIndex(string(t), -1) {
		b.WriteString(in(string(t[at:place[0]])))
		b.WriteString(string(t[place[0]:place[1]]))
		at = place[1]
	}
	b.WriteString(in(string(t[at:])))
	return b.String(), missing
}

// AnnouncementDraft is what a caller would announce in a channel, to see it or to get
// it as a test.
type AnnouncementDraft struct {
	Body
	Channel string            // a channel that it would be sent to
	Text    *AnnouncementText // nil for a message of the chat system, of which only the sender is asked for
	Plain   string            // Text without its markup
	Sender  Sender
}

// Check returns what is wrong with the draft. It does not check whether what it names
// exists. needsText says that there must be a text.
func (d AnnouncementDraft) Check(needsText bool) error {
	p := d.problems()
	p.Text("channel_id", &d.Channel, 1, 255)
	if d.Text != nil {
		d.Text.check(&p, d.Plain)
	} else if needsText {
		p.Add("html_body", "is required")
	}
	d.Sender.check(&p)
	return p.Err()
}

// AnnouncementCopyView is what an announcement looks like in one channel.
type AnnouncementCopyView struct {
	Channel     string
	ChannelName string
	HTML        string // empty for a message of the chat system
	Sender      *Face  // nil if nobody can send it there
	Problem     string // why it cannot be sent there; empty if it can
}

// ErrNoDirectMessage says that a test has nowhere to go.
var ErrNoDirectMessage = Errorf(Refused, "We do not know you in the chat system, so there is nobody to send the test to. Your address there must be that of your account here.")

// ErrWrittenHere says that an announcement has no message to be read again.
var ErrWrittenHere = Errorf(Refused, "This announcement was written in Frontdesk, so there is no chat message to take a new text from. Give html_body.")

// AnnouncementResync says what the copies of an announcement become.
type AnnouncementResync struct {
	Body
	Text  *AnnouncementText // of a written announcement; nil: what the message in the chat system says
	Plain string
}

// Check returns what is wrong with it for an announcement.
func (r AnnouncementResync) Check(a Announcement) error {
	p := r.problems()
	switch {
	case r.Text != nil && !a.Written():
		p.Add("html_body", "is only allowed for an announcement that was written here; this one copies a message of the chat system, so change that")
	case r.Text != nil:
		r.Text.check(&p, r.Plain)
	case p.Err() == nil && a.Written():
		return ErrWrittenHere
	}
	return p.Err()
}
