package change

import (
	"cmp"
	"html"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// CustomerFor returns the customer of a request: that of its channel, or else that
// of its author's email. It returns nil if there is none.
func CustomerFor(tx *store.Tx, r desk.Request) (*desk.CustomerID, error) {
	channel := ""
	if r.Channel != nil {
		channel = r.Channel.ID
	}
	id, err := tx.CustomerFor(channel, r.Author.Email)
	if err != nil || id == 0 {
		return nil, err
	}
	return &id, nil
}

// TitleAndPriority derives a title and a priority by rules, for a request that was
// given none. A model may refine them later.
func TitleAndPriority(account desk.AccountID, body string) (string, desk.Priority) {
	s := suggest.ByRules(suggest.Discussion{Account: account, Messages: []suggest.Message{{HTML: body}}})
	return cmp.Or(s.Title.Value, "Request"), desk.Priority(s.Priority.Value)
}

// FormatHTML returns a text that was sent to us in the product's HTML. A text
// without tags may be plain text, so its line breaks count.
func FormatHTML(sent string) string {
	if strings.Contains(sent, "<") {
		return markup.Sanitize(sent)
	}
	return markup.FromText(html.UnescapeString(sent))
}

// CheckAssignee adds a problem with field to p unless id names an active user who
// can be assigned requests.
func CheckAssignee(tx *store.Tx, p *desk.Problems, field, id string) error {
	found, err := tx.Users(desk.UserQuery{IDs: []string{id}})
	if err != nil {
		return err
	}
	switch {
	case len(found.Items) == 0 || found.Items[0].Deleted || found.Items[0].IsBot:
		p.Add(field, "must name an active user of the chat system; %q does not", id)
	case !found.Items[0].Assignable():
		p.Add(field, desk.NotAssignable, id)
	}
	return nil
}

// RequesterFor returns the author of a new request: the person with the email, or
// the caller if email is nil. If a user of the chat system has the email, it fills
// in their id and name.
func RequesterFor(tx *store.Tx, by desk.Actor, email *string) (desk.Requester, error) {
	from := desk.Requester{Name: by.Name, Email: by.Email}
	if email != nil {
		from = desk.Requester{Email: *email}
	}
	id, err := tx.UserIDByEmail(from.Email)
	if err != nil || id == nil {
		return from, err
	}
	found, err := tx.Users(desk.UserQuery{IDs: []string{*id}})
	for _, u := range found.Items {
		from.User, from.Name = u.ID, u.Name
	}
	return from, err
}

// SaveRequest saves a changed request and records the change in its history, in the
// audit log and in the feed. Every change to a request's own fields goes through
// here, whoever makes it. So every one of them can be undone.
func (s Setup) SaveRequest(tx *store.Tx, by desk.Actor, before desk.Request, after *desk.Request) error {
	if before.State == nil {
		if err := s.Suggest(tx, after); err != nil {
			return err
		}
	}
	e := desk.NewHistoryEntry(by, string(desk.RequestUpdated), before, *after, tx.Now)
	return SaveChange(tx, &e, before, after)
}

// RenameByRules derives the title and the priority of a request again from what it
// asks now. It leaves alone what a person or a model has set, and closed requests.
func RenameByRules(tx *store.Tx, r *desk.Request) error {
	if r.Closed() {
		return nil
	}
	asked, err := tx.Asked(r.ID)
	if err != nil && desk.KindOf(err) != desk.NotFound {
		return err
	}
	title, priority := TitleAndPriority(tx.Account, asked.HTML)
	if r.TitleBy == desk.ByRules {
		r.Title = title
	}
	if r.PriorityBy == desk.ByRules {
		r.Priority = priority
	}
	return nil
}

// CollectionOf returns the collection of a request. For a removed collection it
// returns one with only an id and a name, because its rules no longer apply.
func CollectionOf(tx *store.Tx, r desk.Request) (col desk.Collection, err error) {
	if col, err = tx.Collection(r.Collection.ID); desk.KindOf(err) == desk.NotFound {
		return desk.Collection{ID: r.Collection.ID, Name: r.Collection.Name}, nil
	}
	return col, err
}

// BecomeRequest does what follows when a conversation becomes a request: it may be
// assigned to somebody, and the triage channel gets a card.
func BecomeRequest(tx *store.Tx, col desk.Collection, r *desk.Request) error {
	if err := AssignByTurn(tx, col, r); err != nil {
		return err
	}
	return AddCard(tx, col, r.ID)
}

// AssignByTurn assigns a request to the next person in turn if its collection uses
// round robin and nobody has the request. It does nothing if there are no
// candidates.
func AssignByTurn(tx *store.Tx, col desk.Collection, r *desk.Request) error {
	if col.AutoAssign != desk.AssignRoundRobin || r.Assignee != nil {
		return nil
	}
	candidates, err := tx.Candidates(col)
	if err != nil || len(candidates) == 0 {
		return err
	}
	last, err := tx.Turn(col.ID)
	if err != nil {
		return err
	}
	next := desk.Next(candidates, last)
	r.Assignee = &next
	return tx.TakeTurn(col.ID, next)
}

// assignResponder assigns a request to a user who answered it, if requests can be
// assigned to them. A guest may answer, but is not responsible for a request.
func assignResponder(tx *store.Tx, r *desk.Request, user string) error {
	found, err := tx.Users(desk.UserQuery{IDs: []string{user}})
	if err == nil && len(found.Items) > 0 && found.Items[0].Assignable() {
		r.Assignee = &user
	}
	return err
}
