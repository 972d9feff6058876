package desk

import (
	"slices"
	"unicode/utf8"
)

// MostAnnouncementText is how many characters the text of an announcement that is
// written here may have: as many as a message of ours in the chat system.
const MostAnnouncementText = 4000

// announcementVariables are the names in braces, as in {customer}, that stand for
// something else in each channel: the channel's customer, the channel, and who sends it.
var announcementVariables = []string{"customer", "channel", "sender"}

// AnnouncementText is the HTML of an announcement that is written here, in the
// product's subset. A variable may say what stands there if a channel has nothing for
// it: {customer|everyone}. Other braces are text.
type AnnouncementText string

// check adds what is wrong with the text to p. plain is the text without its markup, and
// variables are the names in braces in it.
func (t AnnouncementText) check(p *Problems, plain string, variables []string) {
	switch {
	case t == "":
		p.Add("html_body", "must contain text: nothing is left of it after HTML that is not allowed is removed")
	case utf8.RuneCountInString(plain) > MostAnnouncementText:
		p.Add("html_body", "must have at most %d characters; there are %d", MostAnnouncementText, utf8.RuneCountInString(plain))
	}
	for _, name := range variables {
		if !slices.Contains(announcementVariables, name) {
			p.Add("html_body", "has %s in braces, which is no variable; there are {customer}, {channel} and {sender}", quote(name))
		}
	}
}

// AnnouncementDraft is what a caller would announce in a channel, to see it or to get
// it as a test.
type AnnouncementDraft struct {
	Body
	Channel   string            // a channel that it would be sent to
	Text      *AnnouncementText // nil for a message of the chat system, of which only the sender is asked for
	Plain     string            // Text without its markup
	Variables []string          // in Text
	Sender    Sender
}

// Check returns what is wrong with the draft. It does not check whether what it names
// exists. needsText says that there must be a text.
func (d AnnouncementDraft) Check(needsText bool) error {
	p := d.problems()
	p.Text("channel_id", &d.Channel, 1, 255)
	if d.Text != nil {
		d.Text.check(&p, d.Plain, d.Variables)
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

// ErrWrittenHere says that an announcement has no message to be read again.
var ErrWrittenHere = Errorf(Refused, "This announcement was written in Frontdesk, so there is no chat message to take a new text from. Give html_body.")

// CheckResync returns what is wrong with the text as the new text of an announcement.
func (r AnnouncementDraft) CheckResync(a Announcement) error {
	p := r.problems()
	switch {
	case r.Text != nil && !a.Written():
		p.Add("html_body", "is only allowed for an announcement that was written here; this one copies a message of the chat system, so change that")
	case r.Text != nil:
		r.Text.check(&p, r.Plain, r.Variables)
	case p.Err() == nil && a.Written():
		return ErrWrittenHere
	}
	return p.Err()
}
