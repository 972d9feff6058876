package service

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
)

// arrival is an imported request on its way in. Its messages are formatted as they
// arrive and not kept as they were sent, because an import may be large and should
// be in memory only once.
type arrival struct {
	desk.ImportedRequest
	description *desk.Message  // nil: none
	said        []desk.Message // in the given order, with the authors as given
	title       string         // found by rules, like the priority
	priority    desk.Priority
}

// ImportRequests imports requests of another system into the account's API
// collection, all of them or none. next returns them one by one, and io.EOF after
// the last. Only the feed reports them: nothing is posted or sent.
//
//  1. Check whether the caller may import, before anything is read.
//  2. Check each request by itself and format it, which takes time.
//  3. In one transaction, look up everything they name. If nothing is wrong with
//     any of them, save them. Requests whose external id exists stay unchanged.
func (s *Service) ImportRequests(ctx context.Context, c Caller, next func() (desk.ImportedRequest, error)) ([]desk.Imported, error) {
	c.Actor.Source = desk.SourceImport
	all, problems, err := s.arrivals(ctx, c, next)
	if err != nil {
		return nil, err
	}
	if desk.ImportError(problems) != nil {
		return s.checkArrivals(ctx, c, all, problems)
	}
	return write(ctx, s, c, desk.ImportRequests, func(tx *store.Tx) ([]desk.Imported, error) {
		problems := make([]desk.Problems, len(all)) // this may run again
		found, err := whatIsNamed(tx, c, all, problems)
		if err != nil {
			return nil, err
		}
		if err := desk.ImportError(problems); err != nil {
			return nil, err
		}
		return s.keepImported(tx, c, all, found)
	})
}

// CheckImport returns what ImportRequests would, and changes nothing. Requests that
// would be created have no id yet.
func (s *Service) CheckImport(ctx context.Context, c Caller, next func() (desk.ImportedRequest, error)) ([]desk.Imported, error) {
	all, problems, err := s.arrivals(ctx, c, next)
	if err != nil {
		return nil, err
	}
	return s.checkArrivals(ctx, c, all, problems)
}

// arrivals reads requests if the caller may import, and checks each by itself.
func (s *Service) arrivals(ctx context.Context, c Caller, next func() (desk.ImportedRequest, error)) ([]arrival, []desk.Problems, error) {
	account, err := read(ctx, s, c, desk.ImportRequests, func(tx *store.Tx) (desk.Account, error) {
		account, _, err := importTarget(tx, c)
		return account, err
	})
	if err != nil {
		return nil, nil, err
	}
	return s.collect(ctx, c, account, next)
}

// checkArrivals adds what is wrong with what the requests name, and says which of them
// exist.
func (s *Service) checkArrivals(ctx context.Context, c Caller, all []arrival, problems []desk.Problems) ([]desk.Imported, error) {
	return read(ctx, s, c, desk.ImportRequests, func(tx *store.Tx) ([]desk.Imported, error) {
		problems := slices.Clone(problems) // this may run again
		found, err := whatIsNamed(tx, c, all, problems)
		if err != nil {
			return nil, err
		}
		results := make([]desk.Imported, len(all))
		for i, a := range all {
			if a.ExternalID != nil {
				results[i].ExternalID = *a.ExternalID
				results[i].Request, results[i].Exists = found.exist[*a.ExternalID]
			}
		}
		return results, desk.ImportError(problems)
	})
}

// importTarget returns the collection that requests are imported into.
func importTarget(tx *store.Tx, c Caller) (account desk.Account, col desk.Collection, err error) {
	if account, err = tx.ThisAccount(); err != nil {
		return account, col, err
	}
	if account.APICollection == 0 {
		return account, col, errNoAPICollection
	}
	if !c.reach(desk.ImportRequests).Has(account.APICollection) {
		return account, col, errNoCollection
	}
	col, err = tx.Collection(account.APICollection)
	return account, col, err
}

var errNoAPICollection = desk.Errorf(desk.Invalid, "The account has no API collection yet. Create one first: POST /v1/rest/collections with the kind api.")

// collect reads the requests and checks each by itself.
func (s *Service) collect(ctx context.Context, c Caller, a desk.Account, next func() (desk.ImportedRequest, error)) (all []arrival, problems []desk.Problems, err error) {
	rules := desk.RequestRules{OnHoldAllowed: a.OnHoldAllowed}
	requests, messages := 0, 0
	for {
		n, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		requests++
		messages += len(n.Messages)
		if requests > desk.MostImported || messages > desk.MostImportedHistory {
			all = nil // refused; the rest is only counted
			continue
		}
		var p desk.Problems
		if err := p.Under("", n.Check(rules, s.store.Now())); err != nil {
			return nil, nil, err
		}
		problems = append(problems, p)
		if p.Err() != nil {
			all = append(all, arrival{}) // refused
			continue
		}
		all = append(all, arrive(ctx, c, n))
	}
	var p desk.Problems
	switch {
	case requests == 0 || requests > desk.MostImported:
		p.Add("requests", "must have 1 to %d items; there are %d", desk.MostImported, requests)
	case messages > desk.MostImportedHistory:
		p.Add("requests", "must have at most %d messages together; there are %d", desk.MostImportedHistory, messages)
	}
	return all, problems, p.Err()
}

// arrive formats the texts of a request that has passed its Check.
func arrive(ctx context.Context, c Caller, n desk.ImportedRequest) arrival {
	a := arrival{ImportedRequest: n, said: make([]desk.Message, len(n.Messages))}
	a.Messages = nil
	if n.Description != nil {
		a.description = &desk.Message{HTML: change.FormatHTML(*n.Description), Source: desk.SourceImport}
		a.description.Text, a.description.CreatedAt = markup.PlainText(a.description.HTML), *n.CreatedAt
	}
	for i, m := range n.Messages {
		said := desk.Message{Author: m.Author, Responder: *m.Responder, Private: m.Private, Source: desk.SourceImport, CreatedAt: *m.CreatedAt}
		if m.HTML != nil {
			said.HTML = change.FormatHTML(*m.HTML)
		} else {
			said.HTML = markup.FromText(*m.Text)
		}
		said.Text = markup.PlainText(said.HTML)
		a.said[i] = said
	}
	if n.Title == nil || n.Priority == nil {
		a.title, a.priority = change.TitleAndPriority(c.Account, a.asks())
	}
	return a
}

// asks returns the text that says what the requester wants: the description, or
// else the first thing the requester said in public, or else the first thing
// anybody said.
func (a arrival) asks() string {
	history := a.History(a.description, slices.Clone(a.said))
	i := slices.IndexFunc(history, func(m desk.Message) bool { return !m.Private && !m.Responder })
	if i < 0 && len(history) == 0 {
		return ""
	}
	return history[max(i, 0)].HTML
}

// namedThings are the things that imported requests name, as far as they exist.
type namedThings struct {
	users     map[string]desk.User // by id
	byEmail   map[string]desk.User // by folded email
	customers map[desk.CustomerID]desk.Customer
	byDomain  map[string]desk.CustomerID // by the requester's email
	values    []desk.FieldValues         // one for each request
	exist     map[string]desk.RequestID  // by external id
}

// whatIsNamed looks up what requests name and adds the problems with it. It skips
// requests that already have problems.
func whatIsNamed(tx *store.Tx, c Caller, all []arrival, problems []desk.Problems) (found namedThings, err error) {
	if err := found.lookUp(tx, all); err != nil {
		return found, err
	}
	var fields map[desk.CustomFieldID]desk.CustomField
	reach := c.reach(desk.ImportRequests)
	for i, a := range all {
		p := &problems[i]
		if p.Err() != nil {
			continue
		}
		found.check(p, a, reach)
		if len(a.Values) == 0 {
			continue
		}
		if fields == nil {
			if fields, err = requestFields(tx); err != nil {
				return found, err
			}
		}
		found.values[i] = desk.FieldValues(nil).Apply(p, "custom_field_values", desk.EntityRequest, fields, a.Values)
		if err := change.CheckFieldUsers(tx, p, "custom_field_values", nil, found.values[i]); err != nil {
			return found, err
		}
	}
	return found, nil
}

// requestFields returns all custom fields of requests.
func requestFields(tx *store.Tx) (map[desk.CustomFieldID]desk.CustomField, error) {
	list, err := tx.CustomFields(desk.EntityRequest)
	fields := make(map[desk.CustomFieldID]desk.CustomField, len(list))
	for _, f := range list {
		fields[f.ID] = f
	}
	return fields, err
}

// lookUp reads everything that is named, one query for each kind of thing.
func (f *namedThings) lookUp(tx *store.Tx, all []arrival) (err error) {
	ids, emails := map[string]bool{}, map[string]bool{}
	person := func(who desk.Requester) { ids[who.User], emails[who.Email] = true, true }
	var external, requesters []string
	var customers []desk.CustomerID
	for _, a := range all {
		person(a.Requester)
		requesters = append(requesters, a.Requester.Email)
		for _, m := range a.said {
			person(m.Author)
		}
		if a.Assignee != nil {
			ids[*a.Assignee], emails[*a.Assignee] = true, true
		}
		if a.ExternalID != nil {
			external = append(external, *a.ExternalID)
		}
		if a.Customer != nil {
			customers = append(customers, *a.Customer)
		}
	}
	f.values = make([]desk.FieldValues, len(all))
	if f.users, err = tx.UsersNamed(storable(ids)); err != nil {
		return err
	}
	if f.byEmail, err = tx.UsersByEmail(storable(emails)); err != nil {
		return err
	}
	if f.customers, err = tx.CustomersNamed(customers); err != nil {
		return err
	}
	for _, a := range all { // somebody named by id may have an email
		requesters = append(requesters, f.users[a.Requester.User].Email)
	}
	if f.byDomain, err = tx.CustomersFor(requesters); err != nil {
		return err
	}
	f.exist, err = tx.RequestsImported(slices.DeleteFunc(external, func(id string) bool { return !desk.Storable(id) }))
	return err
}

// storable returns the texts that the database can be asked for, sorted.
func storable(texts map[string]bool) (list []string) {
	for text := range texts {
		if text != "" && desk.Storable(text) {
			list = append(list, text)
		}
	}
	slices.Sort(list)
	return list
}

// check adds a problem for each person and thing that a request names but that does
// not exist.
func (f namedThings) check(p *desk.Problems, a arrival, reach desk.Reach) {
	person := func(field string, who desk.Requester) {
		if _, known := f.users[who.User]; who.User != "" && !known {
			p.Add(field+".id", "must name a user of the chat system; %q does not", who.User)
		}
	}
	person("requester", a.Requester)
	for i, m := range a.said {
		if m.Author.User != "" {
			person(fmt.Sprintf("messages[%d].author", i), m.Author)
		}
	}
	if a.Assignee != nil {
		switch u, known := f.assignee(*a.Assignee); {
		case !known:
			p.Add("assignee", "must be the id of a user of the chat system, or the email of an active one; %q is not", *a.Assignee)
		case u.External:
			p.Add("assignee", desk.NotAssignable, *a.Assignee)
		}
	}
	if a.Customer != nil {
		if cust, known := f.customers[*a.Customer]; !known || !reach.HasCustomer(cust) {
			p.Add("customer_id", "must name a customer")
		}
	}
}

// assignee returns the user that an id or an email names; false if there is none.
// Deactivated users count, because they may have had the request. Bots do not.
func (f namedThings) assignee(name string) (desk.User, bool) {
	u, known := f.users[name]
	if !known {
		u, known = f.byEmail[desk.FoldEmail(name)]
	}
	return u, known && !u.IsBot
}

// person adds what we know about somebody to what was given.
func (f namedThings) person(given desk.Requester) (who desk.Requester, bot bool) {
	u, known := f.users[given.User]
	if !known && given.Email != "" {
		u, known = f.byEmail[desk.FoldEmail(given.Email)]
	}
	if !known {
		return given, false
	}
	who = desk.Requester{User: u.ID, Name: u.Name, Email: given.Email, Avatar: u.Avatar}
	if who.Email == "" {
		who.Email = u.Email
	}
	return who, u.IsBot
}

// keepImported saves the requests that are new, in order and one table at a time.
func (s *Service) keepImported(tx *store.Tx, c Caller, all []arrival, found namedThings) ([]desk.Imported, error) {
	account, col, err := importTarget(tx, c)
	if err != nil {
		return nil, err
	}
	results := make([]desk.Imported, len(all))
	first := map[string]int{} // where an external id came first; it may come again
	var added []*desk.Request
	var pasts []store.Past
	var at []int // their indexes in all
	for i, a := range all {
		if a.ExternalID != nil {
			name := *a.ExternalID
			results[i].ExternalID = name
			results[i].Request, results[i].Exists = found.exist[name]
			if _, again := first[name]; results[i].Exists || again {
				continue
			}
			first[name] = i
		}
		r, history := a.request(col, found, found.values[i])
		added, pasts, at = append(added, &r), append(pasts, store.Past{Messages: history}), append(at, i)
	}
	if err := tx.AddRequests(added); err != nil {
		return nil, err
	}
	if err := s.keepPasts(tx, account, added, pasts); err != nil {
		return nil, err
	}
	ids := make([]desk.RequestID, len(added))
	for i, r := range added {
		ids[i], results[at[i]].Request = r.ID, r.ID
	}
	for i, r := range results {
		if r.Request == 0 {
			results[i].Request, results[i].Exists = results[first[r.ExternalID]].Request, true
		}
	}
	return results, tellImported(tx, c, ids)
}

// tellImported records new requests, in the order of their ids.
func tellImported(tx *store.Tx, c Caller, ids []desk.RequestID) error {
	requests, err := tx.RequestsNamed(ids, desk.Everything)
	if err != nil {
		return err
	}
	for _, r := range requests {
		if err := change.Record(tx, c.Actor, desk.RequestCreated, nil, r); err != nil {
			return err
		}
	}
	return nil
}

// keepPasts saves what comes with new requests: tickets, suggestions by rules, and
// clocks. The given pasts hold their messages.
func (s *Service) keepPasts(tx *store.Tx, account desk.Account, requests []*desk.Request, pasts []store.Past) error {
	if len(requests) == 0 {
		return nil
	}
	terms, err := change.SLATerms(tx)
	if err != nil {
		return err
	}
	for i, r := range requests {
		p := &pasts[i]
		p.Request, p.Ticket = r.ID, s.change.NativeTicket(tx, *r)
		// Use rules. A model would spend its budget on old requests and have
		// nothing left for people who ask now.
		if said := public(p.Messages); r.State != nil && len(said) > 0 {
			p.AI = change.SuggestByRules(tx, account, r.AI, said)
		}
		r.Tickets = []desk.Ticket{p.Ticket}
		p.Start = r.SLAStart(true, tx.Now)
		if p.Clocks, err = terms.Clocks(tx, *r, p.Start, nil, repliesAmong(p.Messages)); err != nil {
			return err
		}
		change.MarkBreachesAlerted(p.Clocks, tx.Now)
	}
	if err := tx.KeepPasts(pasts); err != nil {
		return err
	}
	for _, p := range pasts {
		if err := change.WatchClocks(tx, p.Request, nil, p.Clocks); err != nil {
			return err
		}
	}
	return nil
}

// repliesAmong counts replies among all messages of a request.
func repliesAmong(all []desk.Message) change.ReplyCount {
	return func(until time.Time) (n int, err error) {
		for _, m := range all {
			if m.Responder && !m.Private && !m.CreatedAt.After(until) {
				n++
			}
		}
		return n, nil
	}
}

// public returns the messages that a requester may read.
func public(all []desk.Message) (list []desk.Message) {
	for _, m := range all {
		if !m.Private {
			list = append(list, m)
		}
	}
	return list
}

// request returns what an imported request becomes here, with its history.
func (a arrival) request(col desk.Collection, found namedThings, values desk.FieldValues) (desk.Request, []desk.Message) {
	from, _ := found.person(a.Requester)
	said := slices.Clone(a.said)
	for i := range said {
		if said[i].Author == (desk.Requester{}) {
			said[i].Author = a.Requester
		}
		said[i].Author, said[i].Bot = found.person(said[i].Author)
	}
	description := a.description
	if description != nil {
		first := *description
		first.Author = from
		description = &first
	}
	history := a.History(description, said)
	r := a.Request(desk.CollectionRef{ID: col.ID, Name: col.Name}, history, a.title, a.priority)
	r.Author, r.Values, r.Customer = from, values, a.Customer
	if a.Requester.Email != "" {
		r.MailSubject, r.MailsRequester = new(string), true
	}
	if id := found.byDomain[from.Email]; a.Customer == nil && id != 0 {
		r.Customer = &id
	}
	if a.Assignee != nil {
		u, _ := found.assignee(*a.Assignee)
		r.Assignee = &u.ID
	}
	return r, history
}
