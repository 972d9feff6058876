package worker

import (
	"html"
	"strconv"
	"strings"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
	"frontdesk/internal/outside"
	"frontdesk/internal/store"
)

// compose sets what the chat system is to show of a posting, where, and as whom.
// The content stays nil if the posting is to be removed.
func (p poster) compose(tx *store.Tx, n *draft) (err error) {
	var col desk.Collection
	if n.request, col, err = requestOf(tx, n.Request); err != nil {
		return err
	}
	switch n.Kind {
	case desk.PostedRoot:
		return p.composeRoot(tx, n, col)
	case desk.PostedCard:
		if n.External == "" && col.TriageChannel == nil {
			n.failure = "the collection no longer has a triage channel"
			return nil
		}
		if col.TriageChannel != nil {
			n.post.Channel = *col.TriageChannel
		}
		n.content, err = p.w.card(tx, col, n.request)
		return err
	case desk.PostedNotice:
		n.post.User, n.mention = n.User, []string{n.User}
		n.content = p.w.notice(n.request, "New request")
		n.content.Fields, err = p.w.mailFields(tx, col, n.request)
		return err
	case desk.PostedAlert:
		return p.composeAlert(n)
	case desk.PostedSurvey:
		return p.composeSurvey(tx, n)
	}
	return p.composeMessage(tx, n)
}

// composeAlert composes a post about something that happened to a request: in one of
// its threads, or to one person.
func (p poster) composeAlert(n *draft) error {
	n.content = &chat.Content{HTML: n.Text}
	thread := n.request.Thread
	switch n.Place {
	case desk.Directly:
		n.post.User, n.content.HTML = n.User, p.w.notice(n.request, "").HTML+n.Text
		return nil
	case desk.InTriage:
		thread = n.request.Triage
	}
	if thread == nil {
		n.failure = "there is no thread to post it in"
		return nil
	}
	n.post.Channel, n.post.Thread = thread.Channel, thread.Message
	return nil
}

// composeRoot composes the message that begins the thread of a request that came in
// elsewhere.
func (p poster) composeRoot(tx *store.Tx, n *draft, col desk.Collection) error {
	if n.request.Channel == nil {
		n.failure = "the collection had no request channel"
		return nil
	}
	n.post.Channel = n.request.Channel.ID
	m, err := tx.FirstMessage(n.Request)
	if err != nil {
		n.content = p.w.notice(n.request, "")
		return desk.IgnoreMissing(err)
	}
	n.Message, n.files = m.ID, m.Attachments
	content := p.w.notice(n.request, "")
	content.HTML += "<p>From " + html.EscapeString(change.RequesterName(n.request.Author)) + "</p>" + firstPart(m.HTML, change.MostPosted)
	fields, err := p.w.mailFields(tx, col, n.request)
	if err != nil {
		return err
	}
	if len(fields) > 0 {
		content.HTML += "<p><em>Answers in this thread go by mail to " + html.EscapeString(fields[0].Value) + ".</em></p>"
		content.Fields = fields
	}
	n.content = content
	if col.Notify == desk.NotifyMention {
		n.mention, err = change.UsersToNotify(tx, col, mostMentioned)
	}
	return err
}

// mostMentioned is how many people one message mentions at most.
const mostMentioned = 20

// composeMessage composes a message that was written elsewhere. A private note is
// never shown in the requester's thread, no matter who asked for that.
func (p poster) composeMessage(tx *store.Tx, n *draft) error {
	thread := n.request.Thread
	if n.Place == desk.InTriage {
		thread = n.request.Triage
	}
	if thread == nil && n.External == "" {
		n.failure = "there is no thread to post it in"
		return nil
	}
	if thread != nil {
		n.post.Channel, n.post.Thread = thread.Channel, thread.Message
	}
	// The author may write in this thread themselves, so we post as them if they
	// allowed it.
	if n.Place == desk.InThread && !n.AsBot {
		var err error
		if n.post.By, err = outside.UserCredential(tx, p.in.ID, n.User); err != nil {
			return err
		}
	}
	m, err := tx.Message(n.Message)
	if err != nil {
		return desk.IgnoreMissing(err) // the message was removed, so its post goes too
	}
	if m.Private && n.Place != desk.InTriage {
		return nil
	}
	parts := change.MessageParts(m)
	switch {
	case n.Part < len(parts):
		n.content = &chat.Content{HTML: parts[n.Part]}
	case n.Part == 0:
		n.content = &chat.Content{} // only files
	default:
		return nil // the message became shorter
	}
	if n.Part == 0 {
		n.files = m.Attachments
		if m.Private {
			n.content.HTML = "<p>🔒 <em>Private note:</em></p>" + n.content.HTML
		}
	}
	n.post.As = &chat.Persona{Name: change.RequesterName(m.Author), Avatar: m.Author.Avatar}
	return nil
}

// notice returns a line that names a request. If saying is not empty, it comes
// first, and a link to the thread comes last.
func (w *Worker) notice(r desk.Request, saying string) *chat.Content {
	name := `<a href="` + html.EscapeString(w.change.RequestURL(r)) + `">` + html.EscapeString(r.Key) + "</a> " + html.EscapeString(r.Title)
	if saying != "" {
		name = html.EscapeString(saying) + ": " + name
	}
	if r.Thread != nil && saying != "" && r.Thread.URL != "" {
		name += ` <a href="` + html.EscapeString(r.Thread.URL) + `">in its thread</a>`
	}
	return &chat.Content{HTML: markup.Sanitize("<p><b>" + name + "</b></p>")}
}

// The ids of the buttons of a card. Cards in chat hold them.
const (
	ButtonTake  = "take"
	ButtonSolve = "solve"
	ButtonNone  = "not_a_request"
	ButtonEdit  = "edit"
)

// Colours are the colours of the bar beside a card, by state.
var Colours = map[desk.State]string{
	desk.Open: "#e01e5a", desk.InProgress: "#1264a3", desk.Pending: "#ecb22e", desk.OnHold: "#9b8e7e", desk.Solved: "#2eb67d", desk.Closed: "#868686",
}

// NoColour is the colour of a card whose conversation is not a request.
const NoColour = "#c8c8c8"

// card returns the card of a request, as the triage channel shows it.
func (w *Worker) card(tx *store.Tx, col desk.Collection, r desk.Request) (*chat.Content, error) {
	c := w.notice(r, "")
	if m, err := tx.FirstMessage(r.ID); err == nil {
		c.HTML += quoted(m.HTML)
	} else if desk.KindOf(err) != desk.NotFound {
		return nil, err
	}
	state, assignee, customer := "not a request", "nobody", "–"
	c.Colour = NoColour
	if r.State != nil {
		state, c.Colour = strings.ReplaceAll(string(*r.State), "_", " "), Colours[*r.State]
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
	c.Fields = []chat.Field{{Name: "Customer", Value: customer}, {Name: "From", Value: change.RequesterName(r.Author)}, {Name: "State", Value: state},
		{Name: "Priority", Value: string(r.Priority)}, {Name: "Assignee", Value: assignee}}
	mailed, err := w.mailFields(tx, col, r)
	if err != nil {
		return nil, err
	}
	c.Fields = append(c.Fields, mailed...)
	if r.Closed() {
		return c, nil // a closed request cannot be changed, so it has no buttons
	}
	value := strconv.FormatInt(int64(r.ID), 10)
	c.Buttons = []chat.Button{
		{ID: ButtonTake, Label: "Take it", Value: value, Style: chat.Primary},
		{ID: ButtonSolve, Label: "Solve", Value: value},
		{ID: ButtonNone, Label: "Not a request", Value: value},
		{ID: ButtonEdit, Label: "Edit", Value: value},
	}
	return c, nil
}

// mailFields returns who reads the answers of a request by mail. There is nobody if its
// answers are not mailed.
func (w *Worker) mailFields(tx *store.Tx, col desk.Collection, r desk.Request) (fields []chat.Field, err error) {
	if r.MailSubject == nil || !w.change.Mail.Sends {
		return nil, nil
	}
	if sender, err := w.change.SenderOf(tx, col); err != nil || sender == nil {
		return nil, err
	}
	all, err := tx.Participants(r.ID)
	if err != nil {
		return nil, err
	}
	var cc []string
	for _, p := range all {
		switch p.Status {
		case desk.ParticipantActive:
			cc = append(cc, p.Email)
		case desk.ParticipantAsked:
			cc = append(cc, p.Email+" (gets no mail)")
		}
	}
	if r.Author.Email != "" && r.MailsRequester {
		fields = append(fields, chat.Field{Name: "To", Value: r.Author.Email})
	}
	if len(cc) > 0 {
		fields = append(fields, chat.Field{Name: "CC", Value: strings.Join(cc, ", ")})
	}
	return fields, nil
}

// quoted returns the beginning of a text as a quotation.
func quoted(body string) string {
	const most = 500
	return markup.Sanitize("<blockquote>" + firstPart(body, most) + "</blockquote>")
}

// firstPart returns as much of a text as fits. Its mentions notify nobody.
func firstPart(body string, most int) string {
	parts := markup.Split(markup.Quiet(body), most)
	if len(parts) == 0 {
		return ""
	}
	return parts[0]
}

// userName returns the name of a chat user, or the id if the user is unknown.
func userName(tx *store.Tx, user string) (string, error) {
	found, err := tx.Users(desk.UserQuery{IDs: []string{user}})
	if err != nil || len(found.Items) == 0 {
		return user, err
	}
	return found.Items[0].Name, nil
}
