package change

import (
	"cmp"
	"html"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// CustomerFor is whose request it is: by its channel, else by who asks.
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

// TitleAndPriority are the title and the priority of a request that was given none, by
// rules: a model may refine them later.
func TitleAndPriority(account desk.AccountID, body string) (string, desk.Priority) {
	s := suggest.ByRules(suggest.Discussion{Account: account, Messages: []suggest.Message{{HTML: body}}})
	return cmp.Or(s.Title.Value, "Request"), desk.Priority(s.Priority.Value)
}

// FormatHTML is a text that was sent, in the product's HTML. One without a tag
// may be plain text as well, whose lines then count.
func FormatHTML(sent string) string {
	if strings.Contains(sent, "<") {
		return markup.Sanitize(sent)
	}
	return markup.FromText(html.UnescapeString(sent))
}

// CheckAssignee looks whether an id names a user whom requests can be given to.
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

// RequesterFor is who a new request is from: whom an email names, or who calls.
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

// SaveRequest keeps what changed of a request and writes it down: in its
// history, in the audit log and in the feed. Every change of a request's own
// members goes through here, whoever makes it, and so can be undone.
func (s Setup) SaveRequest(tx *store.Tx, by desk.Actor, before desk.Request, after *desk.Request) error {
	if before.State == nil {
		if err := s.Suggest(tx, after); err != nil {
			return err
		}
	}
	e := desk.NewHistoryEntry(by, string(desk.RequestUpdated), before, *after, tx.Now)
	return SaveChange(tx, &e, before, after)
}

func RequestChange(by desk.Actor, e desk.EventType, before, after *desk.Request) desk.Change {
	ch := desk.Change{By: by, Action: string(e), Event: e, Resource: "Request"}
	if before != nil {
		ch.Before, ch.ID = *before, strconv.FormatInt(int64(before.ID), 10)
	}
	if after != nil {
		ch.After, ch.ID = *after, strconv.FormatInt(int64(after.ID), 10)
	}
	return ch
}

// RenameByRules names a request after what is asked in it now, and finds out anew how
// urgent it is, as far as only rules have decided that.
func RenameByRules(tx *store.Tx, r *desk.Request) error {
	if r.State != nil && *r.State == desk.Closed {
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

// CollectionOf is a request's collection. One that was removed has no rules any
// more.
func CollectionOf(tx *store.Tx, r desk.Request) (col desk.Collection, err error) {
	if col, err = tx.Collection(r.Collection.ID); desk.KindOf(err) == desk.NotFound {
		return desk.Collection{ID: r.Collection.ID, Name: r.Collection.Name}, nil
	}
	return col, err
}

// BecomeRequest is what happens to a conversation that is a request from now
// on: somebody may get it, and the team sees it.
func BecomeRequest(tx *store.Tx, col desk.Collection, r *desk.Request) error {
	if err := Assign(tx, col, r); err != nil {
		return err
	}
	return AddCard(tx, col, r.ID)
}

// Assign gives a request to whose turn it is, where that is the collection's
// way.
func Assign(tx *store.Tx, col desk.Collection, r *desk.Request) error {
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

// assignTo gives a request to somebody who answered it, if requests can be given
// to them: a guest may answer, and is not who takes care.
func assignTo(tx *store.Tx, r *desk.Request, user string) error {
	found, err := tx.Users(desk.UserQuery{IDs: []string{user}})
	if err == nil && len(found.Items) > 0 && found.Items[0].Assignable() {
		r.Assignee = &user
	}
	return err
}
