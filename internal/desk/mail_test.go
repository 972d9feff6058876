package desk

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A mail has the worst status of its copies, and the first error.
func TestMessageEmailSet(t *testing.T) {
	const jo, kim, x = "jo@customer.example", "kim@customer.example", "x@elsewhere.example"
	type copies map[string]EmailRecipient
	is := func(s EmailStatus, failure string) EmailRecipient { return EmailRecipient{Status: s, Error: failure} }
	for _, c := range []struct {
		name   string
		set    []EmailRecipient
		want   copies
		status EmailStatus
		first  string
	}{
		{"nothing yet", nil, copies{}, EmailWaiting, ""},
		{"one is sent", []EmailRecipient{{jo, EmailSent, ""}}, copies{jo: is(EmailSent, "")}, EmailWaiting, ""},
		{"all are sent", []EmailRecipient{{jo, EmailSent, ""}, {kim, EmailSent, ""}, {x, EmailSent, ""}},
			copies{jo: is(EmailSent, ""), kim: is(EmailSent, ""), x: is(EmailSent, "")}, EmailSent, ""},
		{"perhaps is worse than waiting", []EmailRecipient{{kim, EmailPerhapsSent, ""}}, copies{kim: is(EmailPerhapsSent, "")}, EmailPerhapsSent, ""},
		{"failed is worse than perhaps", []EmailRecipient{{jo, EmailPerhapsSent, ""}, {kim, EmailFailed, "no"}, {x, EmailSent, ""}},
			copies{jo: is(EmailPerhapsSent, ""), kim: is(EmailFailed, "no"), x: is(EmailSent, "")}, EmailFailed, "no"},
		{"the first error, whichever came first", []EmailRecipient{{x, EmailFailed, "of x"}, {jo, EmailFailed, "of jo"}},
			copies{x: is(EmailFailed, "of x"), jo: is(EmailFailed, "of jo")}, EmailFailed, "of jo"},
		{"sent at last", []EmailRecipient{{jo, EmailFailed, "no"}, {jo, EmailWaiting, ""}, {jo, EmailSent, ""}, {kim, EmailSent, ""}, {x, EmailSent, ""}},
			copies{jo: is(EmailSent, ""), kim: is(EmailSent, ""), x: is(EmailSent, "")}, EmailSent, ""},
		{"in any case", []EmailRecipient{{"KIM@customer.example", EmailFailed, "no"}}, copies{kim: is(EmailFailed, "no")}, EmailFailed, "no"},
		{"of somebody else", []EmailRecipient{{"eve@elsewhere.example", EmailFailed, "no"}}, copies{}, EmailWaiting, ""},
	} {
		e := NewMessageEmail("help@acme.example", "Re: The door", []string{jo}, []string{kim, x})
		before, shared := e, slices.Clone(e.Recipients)
		for _, r := range c.set {
			e.Set(r)
		}
		if e.Status != c.status || e.Error != c.first || len(e.Recipients) != 3 {
			t.Errorf("%s: %+v", c.name, e)
		}
		for _, r := range e.Recipients {
			want, known := c.want[FoldEmail(r.Email)]
			if !known {
				want = is(EmailWaiting, "")
			}
			if r.Status != want.Status || r.Error != want.Error {
				t.Errorf("%s: %+v, want %+v", c.name, r, want)
			}
		}
		if !reflect.DeepEqual(before.Recipients, shared) {
			t.Errorf("%s: what others share was changed", c.name)
		}
	}
}

func TestNewMessageEmail(t *testing.T) {
	e := NewMessageEmail("help@acme.example", "Re: The door", []string{"jo@customer.example"}, []string{"kim@customer.example"})
	want := MessageEmail{Direction: EmailOut, Status: EmailWaiting, From: "help@acme.example", Subject: "Re: The door", To: []string{"jo@customer.example"}, Cc: []string{"kim@customer.example"},
		Recipients: []EmailRecipient{{Email: "jo@customer.example", Status: EmailWaiting}, {Email: "kim@customer.example", Status: EmailWaiting}}}
	if !reflect.DeepEqual(e, want) {
		t.Errorf("got %+v, want %+v", e, want)
	}
	if (Message{}).Unproven() || (Message{Email: &e}).Unproven() || !(Message{Email: &MessageEmail{Status: EmailUnverified}}).Unproven() {
		t.Error("only an unverified mail is unproven")
	}
}

func TestParticipantFrom(t *testing.T) {
	for _, c := range []struct {
		name, sender, email string
		passed, forward     bool
		want                ParticipantStatus
	}{
		{"the sender passed", "jo@customer.example", "x@elsewhere.example", true, true, ParticipantActive},
		{"the sender did not", "jo@customer.example", "x@elsewhere.example", false, true, ParticipantAsked},
		{"one organisation", "jo@customer.example", "kim@Customer.example", false, true, ParticipantActive},
		{"a part of it", "jo@customer.example", "kim@sales.customer.example", false, true, ParticipantAsked},
		{"free mail is no organisation", "jo@gmail.com", "kim@Gmail.com", false, true, ParticipantAsked},
		{"free mail that passed", "jo@gmail.com", "kim@gmail.com", true, true, ParticipantActive},
		{"nobody gets copies", "jo@customer.example", "kim@customer.example", true, false, ParticipantAsked},
		{"no domains", "jo", "kim", false, true, ParticipantAsked},
	} {
		if got := ParticipantFrom(c.sender, c.email, c.passed, c.forward); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestNewParticipant(t *testing.T) {
	good := NewParticipant{Email: " Kim@customer.example ", Name: ptr(" Kim ")}
	if err := good.Check(); err != nil || good.Email != "Kim@customer.example" || *good.Name != "Kim" {
		t.Errorf("%+v, %v", good, err)
	}
	if err := (&NewParticipant{Email: "kim@customer.example"}).Check(); err != nil {
		t.Error(err)
	}
	for name, n := range map[string]NewParticipant{
		"no email":         {},
		"with a name":      {Email: "Kim <kim@customer.example>"},
		"two":              {Email: "kim@customer.example, jo@customer.example"},
		"a second line":    {Email: "kim@customer.example\r\nBcc: x@elsewhere.example"},
		"too long":         {Email: strings.Repeat("k", 250) + "@customer.example"},
		"the name":         {Email: "kim@customer.example", Name: ptr(strings.Repeat("k", 201))},
		"a wrong body":     {Body: Body{Problem: Wrong("name", "must be a string")}, Email: "kim@customer.example"},
		"a name with NUL":  {Email: "kim@customer.example", Name: ptr("k\x00m")},
		"not even an @":    {Email: "kim"},
		"spaces, no email": {Email: "   "},
	} {
		if err := n.Check(); KindOf(err) != Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A mail begins a request that is open, or a conversation that is none yet.
func TestMailRequest(t *testing.T) {
	first := Message{Author: Requester{Name: "Jo", Email: "jo@customer.example"}}
	col := Collection{ID: 4, Name: "Help", RequestChannel: ptr("C1")}
	r := MailRequest(col, first, "The door", High, "Re: The door", true, later)
	if *r.State != Open || r.Title != "The door" || r.Priority != High || r.Author != first.Author || *r.MailSubject != "Re: The door" || r.Source != FromEmail ||
		r.Collection != (CollectionRef{ID: 4, Name: "Help"}) || r.Channel == nil || r.Channel.ID != "C1" {
		t.Errorf("%+v", r)
	}
	if r.CreatedAt != later || r.UpdatedAt != later || r.LastMessageAt != later || r.SolvedAt != nil {
		t.Errorf("its times are %+v", r)
	}
	if r.TitleBy != ByPerson || r.PriorityBy != ByRules {
		t.Errorf("a model could change the title that somebody wrote: %s, %s", r.TitleBy, r.PriorityBy)
	}
	r = MailRequest(Collection{ID: 4, Name: "Help"}, first, "The door", Normal, "Re: The door", false, later)
	if r.State != nil || r.NotARequest != nil || r.Channel != nil {
		t.Errorf("%+v", r)
	}
	if !r.Source.Posted() || !FromAPI.Posted() || FromChat.Posted() {
		t.Error("what comes by API and mail is posted, what is in the chat system is not")
	}
}
