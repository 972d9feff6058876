package service

import (
	"slices"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/help"
	"frontdesk/internal/index"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// mostKeywords is how many words say what a request is about.
const mostKeywords = 6

// draftMaterial finds what a reply to a request can be drafted from.
func draftMaterial(tx *store.Tx, c Caller, r desk.Request) ([]help.Material, error) {
	said := r.Title
	if i := slices.IndexFunc(r.Messages, func(m desk.Message) bool { return !m.Private && !m.Responder }); i >= 0 {
		said += "\n" + r.Messages[i].Text
	}
	words := suggest.Keywords(said, mostKeywords)
	replies, err := tx.QuickReplies(c.Actor.ID, desk.Page{Limit: 2 * desk.MostQuickReplies})
	if err != nil {
		return nil, err
	}
	solved, err := solvedLike(tx, c, r, words)
	return append(help.FromQuickReplies(replies.Items, words), solved...), err
}

// solvedLike finds solved requests that the caller can see and that are about the same,
// those that have most of the words first.
func solvedLike(tx *store.Tx, c Caller, r desk.Request, words []string) (all []help.Material, err error) {
	var found []desk.Request
	for _, query := range narrowFirst(words) {
		l, err := index.Search(tx, desk.RequestSearch{Query: query, OnlyPublic: true, Rank: true, RequestFilter: desk.RequestFilter{
			States: []desk.State{desk.Solved, desk.Closed}, Reach: c.reach(desk.DraftReply), Reader: desk.Reader{Member: c.Actor.ID},
		}}, desk.Page{Limit: help.MostRequests + 1})
		if err != nil {
			return nil, err
		}
		for _, f := range l.Items {
			if f.ID != r.ID && !slices.ContainsFunc(found, func(o desk.Request) bool { return o.ID == f.ID }) {
				found = append(found, f.Request)
			}
		}
		if len(found) >= help.MostRequests {
			break
		}
	}
	found = found[:min(len(found), help.MostRequests)]
	if err := tx.AddMessages(found); err != nil {
		return nil, err
	}
	names, err := namesIn(tx, found)
	if err != nil {
		return nil, err
	}
	for i, f := range found {
		if m, answered := help.FromSolved(f, names[i]); answered {
			all = append(all, m)
		}
	}
	return all, nil
}

// narrowFirst returns what to search for: words that stand together rarely find much,
// and few words find too much.
func narrowFirst(words []string) []string {
	some := func(at ...int) string {
		return strings.Join(desk.Each(at, func(i int) string { return words[i] }), " ")
	}
	switch len(words) {
	case 0:
		return nil
	case 1:
		return []string{some(0)}
	case 2:
		return []string{some(0, 1), some(0), some(1)}
	}
	return []string{some(0, 1, 2), some(0, 1), some(0, 2), some(1, 2)}
}

// namesIn returns the names of those whom requests are about, for each of them: the
// customer, everybody who wrote something, and who takes part.
func namesIn(tx *store.Tx, requests []desk.Request) ([][]string, error) {
	if len(requests) == 0 {
		return nil, nil
	}
	var customers []desk.CustomerID
	var users []string
	for _, r := range requests {
		if r.Customer != nil {
			customers = append(customers, *r.Customer)
		}
		users = append(users, usersIn(r)...)
	}
	named, err := tx.CustomersNamed(customers)
	if err != nil {
		return nil, err
	}
	slices.Sort(users)
	users = slices.Compact(users)
	known := map[string]desk.User{}
	for some := range slices.Chunk(users, desk.MostLimit) {
		l, err := tx.Users(desk.UserQuery{IDs: some, IncludeDeleted: true, Page: desk.Page{Limit: len(some)}})
		if err != nil {
			return nil, err
		}
		for _, u := range l.Items {
			known[u.ID] = u
		}
	}
	names := make([][]string, len(requests))
	for i, r := range requests {
		if r.Customer != nil {
			names[i] = append(names[i], named[*r.Customer].Name)
			for _, domain := range named[*r.Customer].Domains {
				names[i] = append(names[i], "@"+domain)
			}
		}
		if r.Channel != nil {
			names[i] = append(names[i], r.Channel.Name)
		}
		for _, id := range usersIn(r) {
			names[i] = append(names[i], known[id].Name, known[id].Email)
		}
		if r.MailSubject == nil {
			continue
		}
		all, err := tx.Participants(r.ID)
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			names[i] = append(names[i], p.Name, p.Email)
		}
	}
	return names, nil
}

// usersIn returns the users of the chat system who wrote in a request.
func usersIn(r desk.Request) (ids []string) {
	add := func(id string) {
		if id != "" {
			ids = append(ids, id)
		}
	}
	add(r.Author.User)
	for _, m := range r.Messages {
		add(m.Author.User)
	}
	return ids
}
