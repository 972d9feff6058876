package service

import (
	"context"
	"errors"
	"slices"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
)

// RequestParts are the parts of a request that are shown only if asked for.
type RequestParts struct{ Messages, Family bool }

// Requests returns a page of the conversations that the caller may see.
func (s *Service) Requests(ctx context.Context, c Caller, f desk.RequestFilter, p desk.Page, withMessages bool) (desk.List[desk.Request], error) {
	f.Reach = c.reach(desk.ListRequests)
	return read(ctx, s, c, desk.ListRequests, func(tx *store.Tx) (l desk.List[desk.Request], err error) {
		f := f
		if f.Reader, err = readerOf(tx, c, f); err != nil || !forMe(&f) {
			return l, err
		}
		if l, err = tx.Requests(f, p); err != nil {
			return l, err
		}
		if withMessages {
			err = tx.AddMessages(l.Items)
		}
		return l, err
	})
}

// readerOf returns the caller as a reader. It reads more than their id only if the
// list is narrowed by who reads it.
func readerOf(tx *store.Tx, c Caller, f desk.RequestFilter) (desk.Reader, error) {
	if !f.Mine && !f.Unread {
		return desk.Reader{Member: c.Actor.ID}, nil
	}
	return tx.Reader(c.Actor.ID)
}

// forMe replaces "me" in a filter with the reader. It returns false if nothing can
// match: the reader is not in the chat system, and nobody else's requests are asked
// for.
func forMe(f *desk.RequestFilter) bool {
	if !f.Mine {
		return true
	}
	if user := f.Reader.User; user != "" {
		f.Assignees = append(slices.Clone(f.Assignees), user)
	}
	return len(f.Assignees) > 0 || f.Unassigned
}

// Request returns a conversation that the caller may see, otherwise NotFound.
func (s *Service) Request(ctx context.Context, c Caller, id desk.RequestID, parts RequestParts) (desk.Request, error) {
	reach := c.reach(desk.GetRequest)
	if parts == (RequestParts{}) {
		r, kept, err := s.keptRow(ctx, c, id, reach)
		if err != nil || kept {
			return r, err
		}
	}
	return read(ctx, s, c, desk.GetRequest, func(tx *store.Tx) (desk.Request, error) { return rowWith(tx, c, id, reach, parts) })
}

// RequestKeyed returns the conversation that people call by a key, as Request does. A
// key of nobody is NotFound, like that of one that the caller may not see.
func (s *Service) RequestKeyed(ctx context.Context, c Caller, key desk.Key, parts RequestParts) (desk.Request, error) {
	return read(ctx, s, c, desk.GetRequest, func(tx *store.Tx) (desk.Request, error) {
		id, err := tx.RequestKeyed(key)
		if err == nil && id == 0 {
			err = desk.Missing("Request")
		}
		if err != nil {
			return desk.Request{}, err
		}
		return rowWith(tx, c, id, c.reach(desk.GetRequest), parts)
	})
}

// keptRow returns a cached request after reading only what may have changed. kept
// is false if more has to be read.
func (s *Service) keptRow(ctx context.Context, c Caller, id desk.RequestID, reach desk.Reach) (r desk.Request, kept bool, err error) {
	r, err = look(ctx, s, c, desk.GetRequest, func(tx *store.Tx) (r desk.Request, err error) {
		r, kept, err = tx.KeptRow(id, reach, c.Actor.ID)
		return r, err
	})
	return r, kept, err
}

// rowWith returns a request with what lists show the caller of it, and with the
// parts asked for.
func rowWith(tx *store.Tx, c Caller, id desk.RequestID, reach desk.Reach, parts RequestParts) (r desk.Request, err error) {
	one, err := tx.Rows([]desk.RequestID{id}, reach, c.Actor.ID)
	if err == nil && len(one) == 0 {
		err = desk.Missing("Request")
	}
	if err != nil {
		return r, err
	}
	if parts.Messages {
		if err := tx.AddMessages(one); err != nil {
			return r, err
		}
	}
	if parts.Family {
		if one[0].Children, err = tx.Children(id, reach); err != nil {
			return r, err
		}
		if err := hideParents(tx, reach, &one[0].Parent); err != nil {
			return r, err
		}
	}
	return one[0], nil
}

// hideParents clears parents that are out of reach. Callers who may not see a
// request do not learn its number either.
func hideParents(tx *store.Tx, reach desk.Reach, parents ...**desk.RequestID) error {
	if reach.All {
		return nil
	}
	var ids []desk.RequestID
	for _, p := range parents {
		if *p != nil && !slices.Contains(ids, **p) {
			ids = append(ids, **p)
		}
	}
	seen, err := tx.RequestsSeen(ids, reach)
	if err != nil {
		return err
	}
	for _, p := range parents {
		if *p != nil && !seen[**p] {
			*p = nil
		}
	}
	return nil
}

// FindRequest returns the request of a message in the chat system: the first of its
// thread, or any other in it that is not private. It returns NotFound, with
// different texts, if the channel is not an active request channel, and if the
// message belongs to no request that the caller may see.
func (s *Service) FindRequest(ctx context.Context, c Caller, workspace, channel, message string, parts RequestParts) (desk.Request, error) {
	return read(ctx, s, c, desk.FindRequest, func(tx *store.Tx) (desk.Request, error) {
		i, err := tx.Chat()
		if errors.Is(err, desk.ErrNotConnected) || err == nil && i.ExternalID != workspace || !desk.Storable(channel) || !desk.Storable(message) {
			return desk.Request{}, errNoChannel
		}
		if err != nil {
			return desk.Request{}, err
		}
		id, err := requestAt(tx, channel, message)
		if err != nil {
			return desk.Request{}, err
		}
		return rowWith(tx, c, id, c.reach(desk.FindRequest), parts)
	})
}

// requestAt returns the request of a public message in an active request channel.
func requestAt(tx *store.Tx, channel, message string) (desk.RequestID, error) {
	uses, err := tx.ChannelUses([]string{channel})
	if err != nil {
		return 0, err
	}
	if !slices.ContainsFunc(uses, func(u desk.ChannelUse) bool { return u.Purpose != desk.ForTriage }) {
		return 0, errNoChannel
	}
	return tx.PublicRequestAt(channel, message)
}

var errNoChannel = desk.Errorf(desk.NotFound, "Channel not found: it is not an active request channel of the account.")

// CreateRequest creates a request with its first message and a native ticket. It
// returns Forbidden if the caller does not have the collection.
func (s *Service) CreateRequest(ctx context.Context, c Caller, n desk.NewRequest) (desk.CreatedRequest, error) {
	return write(ctx, s, c, desk.CreateRequest, func(tx *store.Tx) (made desk.CreatedRequest, err error) {
		n := n // Check trims it, and the transaction may run again
		account, err := tx.ThisAccount()
		if err != nil {
			return made, err
		}
		col, err := apiCollection(tx, c, account, &n)
		if err != nil {
			return made, err
		}
		r, _, err := s.makeRequest(tx, c, col, n)
		return desk.CreatedRequest{Request: r, Flat: n.Collection != nil}, err
	})
}

// makeRequest creates a request that comes through the API in any way, and
// everything that follows: it is posted, responders are notified, and it is
// recorded.
func (s *Service) makeRequest(tx *store.Tx, c Caller, col desk.Collection, n desk.NewRequest) (r desk.Request, t desk.Ticket, err error) {
	from, err := change.RequesterFor(tx, c.Actor, n.Requester)
	if err != nil {
		return r, t, err
	}
	body := change.FormatHTML(n.Description)
	title, priority := change.TitleAndPriority(c.Account, body)
	r = n.Request(col, from, title, priority, tx.Now)
	if r.Customer, err = change.CustomerFor(tx, r); err != nil {
		return r, t, err
	}
	if err := change.AssignByTurn(tx, col, &r); err != nil {
		return r, t, err
	}
	first := desk.Message{Author: from, HTML: body, Text: markup.PlainText(body), Source: desk.SourceAPI, CreatedAt: tx.Now}
	return s.change.BeginRequest(tx, c.Actor, col, r, &first, change.Beginning{Files: n.Files, Form: n.Form})
}

// targetOf returns the collection that a new request goes to: the named one, or
// else the account's API collection. If there is none, the result has no id. It
// returns Forbidden if the caller does not have the collection.
func targetOf(tx *store.Tx, c Caller, op desk.Operation, a desk.Account, named *desk.CollectionID) (desk.Collection, error) {
	id := a.APICollection
	if named != nil {
		id = *named
	}
	if id == 0 {
		return desk.Collection{}, nil
	}
	col, err := tx.Collection(id)
	switch {
	case desk.KindOf(err) == desk.NotFound:
		return desk.Collection{}, nil
	case err == nil && !c.reach(op).Has(id):
		err = errNoCollection
	}
	return col, err
}

// apiCollection checks a new request, trims it, and finds its collection.
func apiCollection(tx *store.Tx, c Caller, a desk.Account, n *desk.NewRequest) (desk.Collection, error) {
	col, err := targetOf(tx, c, desk.CreateRequest, a, n.Collection)
	if err != nil {
		return col, err
	}
	if err := n.Check(); err != nil {
		return col, err
	}
	var p desk.Problems
	switch {
	case col.ID == 0 && n.Collection == nil:
		return col, errNoAPICollection
	case col.ID == 0:
		p.Add("collection_id", "must name a collection of the account")
	case col.Kind != desk.APICollection:
		p.Add("collection_id", "must name an API collection; %q is of the kind %s", col.Name, col.Kind)
	}
	if n.Assignee != nil {
		if err := change.CheckAssignee(tx, &p, "assignee_id", *n.Assignee); err != nil {
			return col, err
		}
	}
	return col, p.Err()
}

var errNoCollection = desk.Errorf(desk.Forbidden, "You do not have access to this collection.")

// checkUsers adds a problem for each id that does not name an active user.
func checkUsers(tx *store.Tx, p *desk.Problems, field string, ids ...string) error {
	known, err := tx.KnownUsers(ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if present, ok := known[id]; !ok || !present {
			p.Add(field, "must name an active user of the chat system; %q does not", id)
		}
	}
	return nil
}

// UpdateRequest changes a request that the caller may see.
func (s *Service) UpdateRequest(ctx context.Context, c Caller, id desk.RequestID, ch desk.RequestChange) (desk.Request, error) {
	return write(ctx, s, c, desk.UpdateRequest, func(tx *store.Tx) (desk.Request, error) {
		r, err := tx.Request(id, c.reach(desk.UpdateRequest))
		if err != nil {
			return r, err
		}
		account, err := tx.ThisAccount()
		if err != nil {
			return r, err
		}
		if ch.Fields, err = change.CustomFieldsIn(tx, ch.Values); err != nil {
			return r, err
		}
		before := r.Clone()
		ch.By = c.Actor
		if err := r.Apply(ch, desk.RequestRules{OnHoldAllowed: account.OnHoldAllowed}, tx.Now); err != nil {
			return r, err
		}
		if err := checkChange(tx, c, before, r, ch); err != nil {
			return r, err
		}
		err = s.change.SaveRequest(tx, c.Actor, before, &r)
		return r, err
	})
}

// checkChange checks that everything a change names exists.
func checkChange(tx *store.Tx, c Caller, before, after desk.Request, ch desk.RequestChange) error {
	var p desk.Problems
	// The current assignee can stay, even if the request could not be assigned to
	// them now.
	if ch.Assignee.Value != nil && !desk.Same(before.Assignee, ch.Assignee.Value) {
		if err := change.CheckAssignee(tx, &p, "assignee", *ch.Assignee.Value); err != nil {
			return err
		}
	}
	if ch.Contributors != nil {
		if err := checkUsers(tx, &p, "contributors", *ch.Contributors...); err != nil {
			return err
		}
	}
	if ch.Team.Value != nil {
		known, err := tx.KnownTeams([]desk.TeamID{*ch.Team.Value})
		if err != nil {
			return err
		}
		if !known[*ch.Team.Value] {
			p.Add("assigned_team", "must name a team")
		}
	}
	if ch.Parent.Value != nil {
		if err := checkParent(tx, c, &p, before.ID, *ch.Parent.Value); err != nil {
			return err
		}
	}
	if ch.Customer.Value != nil {
		switch _, err := change.CustomerInReach(tx, c.reach(desk.UpdateRequest), *ch.Customer.Value); {
		case desk.KindOf(err) == desk.NotFound:
			p.Add("customer_id", "must name a customer")
		case err != nil:
			return err
		}
	}
	if err := change.CheckFieldUsers(tx, &p, "custom_field_values", before.Values, after.Values); err != nil {
		return err
	}
	if before.Snooze == nil && after.Snooze != nil {
		if err := tx.CheckRoom(*after.Snooze); err != nil {
			return err
		}
	}
	return p.Err()
}

// checkParent checks that the parent exists, and that no request becomes its own
// ancestor, even through requests that the caller may not see.
func checkParent(tx *store.Tx, c Caller, p *desk.Problems, id, parent desk.RequestID) error {
	r, err := tx.Request(parent, c.reach(desk.UpdateRequest))
	if desk.KindOf(err) == desk.NotFound {
		p.Add("parent_request", "must name a request")
		return nil
	}
	if err != nil {
		return err
	}
	above, err := tx.Ancestors(parent)
	if err != nil {
		return err
	}
	switch _, below := above[id]; {
	case parent == id || below:
		p.Add("parent_request", "must not be the request itself or one of its children")
	case r.MergedInto != nil:
		p.Add("parent_request", "must not be merged into another request, as %d was into %d", parent, *r.MergedInto)
	}
	return nil
}
