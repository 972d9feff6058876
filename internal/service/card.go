package service

import (
	"crypto/rand"
	"html"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
)

// addCard has a request shown in its collection's triage channel, if it has one.
func addCard(tx *store.Tx, col desk.Collection, id desk.RequestID) error {
	if col.TriageChannel == nil {
		return nil
	}
	if has, err := tx.HasCard(id); err != nil || has {
		return err
	}
	if err := tx.AddPosting(desk.Posting{Request: id, Kind: desk.PostedCard, Place: desk.InTriage, AsBot: true}, rand.Text()); err != nil {
		return err
	}
	return tellSoon(tx, id)
}

// compose makes of a posting what the chat system is to show, where, and as
// whom. Content is nil for what is to be taken away.
func (t telling) compose(tx *store.Tx, n *display) (err error) {
	var col desk.Collection
	if n.request, col, err = requestOf(tx, n.Request); err != nil {
		return err
	}
	switch n.Kind {
	case desk.PostedRoot:
		return t.composeRoot(tx, n, col)
	case desk.PostedCard:
		if n.External == "" && col.TriageChannel == nil {
			n.failure = "the collection has no triage channel any more"
			return nil
		}
		if col.TriageChannel != nil {
			n.post.Channel = *col.TriageChannel
		}
		n.content, err = card(tx, n.request)
		return err
	case desk.PostedNotice:
		n.post.User, n.present = n.User, []string{n.User}
		n.content = notice(n.request, "There is a new request")
		return nil
	case desk.PostedAlert:
		return composeAlert(n)
	case desk.PostedSurvey:
		return t.composeSurvey(tx, n)
	}
	return t.composeMessage(tx, n)
}

// composeAlert is what happened to a request, in its thread.
func composeAlert(n *display) error {
	if n.request.Thread == nil {
		n.failure = "there is no thread to show it in"
		return nil
	}
	n.post.Channel, n.post.Thread = n.request.Thread.Channel, n.request.Thread.Message
	n.content = &chat.Content{HTML: n.Text}
	return nil
}

// composeRoot is a request that came in elsewhere, where its thread begins.
func (t telling) composeRoot(tx *store.Tx, n *display, col desk.Collection) error {
	if n.request.Channel == nil {
		n.failure = "the collection had no request channel"
		return nil
	}
	n.post.Channel = n.request.Channel.ID
	m, err := tx.FirstMessage(n.Request)
	if err != nil {
		n.content = notice(n.request, "")
		return desk.IgnoreMissing(err)
	}
	n.Message, n.files = m.ID, m.Attachments
	content := notice(n.request, "")
	content.HTML += "<p>From " + html.EscapeString(nameOf(n.request.Author)) + "</p>" + firstPart(m.HTML, mostPosted)
	n.content = content
	if col.Notify == desk.NotifyMention {
		n.present, err = notified(tx, col, mostMentioned)
	}
	return err
}

const (
	// mostMentioned is how many people one message calls, mostNotified how many
	// are told one by one.
	mostMentioned = 20
	mostNotified  = 50
)

// notified are those who are to hear of a new request: who answers in its
// collection and has not muted it. Whether they are there, the chat system knows.
func notified(tx *store.Tx, col desk.Collection, most int) ([]string, error) {
	users, err := tx.ResponderIDs(col)
	if err != nil {
		return nil, err
	}
	muted, err := tx.MutedUsers(col.ID)
	users = slices.DeleteFunc(users, func(u string) bool { return muted[u] })
	return users[:min(len(users), most)], err
}

// composeMessage is what somebody said, elsewhere. A private note is never shown
// in the requester's thread, whoever asked for that.
func (t telling) composeMessage(tx *store.Tx, n *display) error {
	thread := n.request.Thread
	if n.Place == desk.InTriage {
		thread = n.request.Triage
	}
	if thread == nil && n.External == "" {
		n.failure = "there is no thread to show it in"
		return nil
	}
	if thread != nil {
		n.post.Channel, n.post.Thread = thread.Channel, thread.Message
	}
	// Who said it can do so in the thread themselves, and may have.
	if n.Place == desk.InThread && !n.AsBot {
		var err error
		if n.post.By, err = credentialOf(tx, t.in.ID, n.User); err != nil {
			return err
		}
	}
	m, err := tx.Message(n.Message)
	if err != nil {
		return desk.IgnoreMissing(err) // it was removed: so is this
	}
	if m.Private && n.Place != desk.InTriage {
		return nil
	}
	parts := partsOf(m)
	switch {
	case n.Part < len(parts):
		n.content = &chat.Content{HTML: parts[n.Part]}
	case n.Part == 0:
		n.content = &chat.Content{} // files alone
	default:
		return nil // it has become shorter
	}
	if n.Part == 0 {
		n.files = m.Attachments
		if m.Private {
			n.content.HTML = "<p>🔒 <em>Only here:</em></p>" + n.content.HTML
		}
	}
	n.post.As = &chat.Persona{Name: nameOf(m.Author), Avatar: m.Author.Avatar}
	return nil
}

func nameOf(r desk.Requester) string {
	for _, name := range []string{r.Name, r.Email, r.User} {
		if name != "" {
			return name
		}
	}
	return "somebody"
}

// notice is a line that names a request.
func notice(r desk.Request, saying string) *chat.Content {
	name := html.EscapeString(r.Title)
	if len(r.Tickets) > 0 {
		name = `<a href="` + html.EscapeString(r.Tickets[0].URL) + `">` + html.EscapeString(r.Tickets[0].Key) + "</a> " + name
	}
	if saying != "" {
		name = html.EscapeString(saying) + ": " + name
	}
	if r.Thread != nil && saying != "" && r.Thread.URL != "" {
		name += ` <a href="` + html.EscapeString(r.Thread.URL) + `">in its thread</a>`
	}
	return &chat.Content{HTML: markup.Sanitize("<p><b>" + name + "</b></p>")}
}

// The buttons of a card.
const (
	buttonTake  = "take"
	buttonSolve = "solve"
	buttonNone  = "not_a_request"
	buttonEdit  = "edit"
)

// colours are those of the bar at a card's side.
var colours = map[desk.State]string{
	desk.Open: "#e01e5a", desk.InProgress: "#1264a3", desk.Pending: "#ecb22e", desk.OnHold: "#9b8e7e", desk.Solved: "#2eb67d", desk.Closed: "#868686",
}

const noColour = "#c8c8c8"

// card is how a request looks in triage.
func card(tx *store.Tx, r desk.Request) (*chat.Content, error) {
	c := notice(r, "")
	if m, err := tx.FirstMessage(r.ID); err == nil {
		c.HTML += quoted(m.HTML)
	} else if desk.KindOf(err) != desk.NotFound {
		return nil, err
	}
	state, assignee, customer := "not a request", "nobody", "–"
	c.Colour = noColour
	if r.State != nil {
		state, c.Colour = strings.ReplaceAll(string(*r.State), "_", " "), colours[*r.State]
	}
	if r.Assignee != nil {
		name, err := userName(tx, *r.Assignee)
		if err != nil {
			return nil, err
		}
		assignee = name
	}
	if r.Customer != nil {
		known, err := tx.CustomersNamed([]desk.CustomerID{*r.Customer})
		if err != nil {
			return nil, err
		}
		customer = known[*r.Customer].Name
	}
	c.Fields = []chat.Field{{Name: "Customer", Value: customer}, {Name: "From", Value: nameOf(r.Author)}, {Name: "State", Value: state},
		{Name: "Priority", Value: string(r.Priority)}, {Name: "Assignee", Value: assignee}}
	if r.State != nil && *r.State == desk.Closed {
		return c, nil // nothing can be done about it any more
	}
	value := strconv.FormatInt(int64(r.ID), 10)
	c.Buttons = []chat.Button{
		{ID: buttonTake, Label: "Take it", Value: value, Style: chat.Primary},
		{ID: buttonSolve, Label: "Solve", Value: value},
		{ID: buttonNone, Label: "Not a request", Value: value},
		{ID: buttonEdit, Label: "Edit", Value: value},
	}
	return c, nil
}

// quoted is the beginning of a text, as a quotation.
func quoted(body string) string {
	const most = 500
	return markup.Sanitize("<blockquote>" + firstPart(body, most) + "</blockquote>")
}

// firstPart is a text as far as it fits, which calls nobody.
func firstPart(body string, most int) string {
	parts := markup.Split(markup.Quiet(body), most)
	if len(parts) == 0 {
		return ""
	}
	return parts[0]
}

// userName is what a chat user is called.
func userName(tx *store.Tx, user string) (string, error) {
	found, err := tx.Users(desk.UserQuery{IDs: []string{user}})
	if err != nil || len(found.Items) == 0 {
		return user, err
	}
	return found.Items[0].Name, nil
}

// postNew has a request that came in elsewhere shown in the chat system: where
// its thread begins, and in triage.
func postNew(tx *store.Tx, col desk.Collection, r desk.Request) error {
	shown := false
	show := func(p desk.Posting) error {
		p.Request, p.AsBot, shown = r.ID, true, true
		return tx.AddPosting(p, rand.Text())
	}
	if r.Channel != nil {
		if err := show(desk.Posting{Kind: desk.PostedRoot, Place: desk.InThread}); err != nil {
			return err
		}
	}
	if err := addCard(tx, col, r.ID); err != nil {
		return err
	}
	if col.Notify == desk.NotifyDirect {
		users, err := notified(tx, col, mostNotified)
		if err != nil {
			return err
		}
		for _, user := range users {
			if err := show(desk.Posting{Kind: desk.PostedNotice, Place: desk.Directly, User: user}); err != nil {
				return err
			}
		}
	}
	if !shown {
		return nil
	}
	return tellSoon(tx, r.ID)
}
