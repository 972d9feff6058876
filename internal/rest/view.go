package rest

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

func (s *Server) listViews(c *call) (any, error) {
	views, err := s.service.Views(c.ctx, c.caller)
	return list(c, "views", wire.NewShownView, desk.List[desk.View]{Items: views}, err)
}

// countViews counts the requests of the lists whose queries are given.
func (s *Server) countViews(c *call) (any, error) {
	var p desk.Problems
	given := c.query(&p)["query"]
	if len(given) == 0 || len(given) > desk.MostCounts {
		p.Add("query", "must be given 1 to %d times", desk.MostCounts)
		return nil, p.Err()
	}
	lists := make([]desk.RequestList, len(given))
	for i, query := range given {
		lists[i].RequestFilter, lists[i].Page = viewQuery(&p, "query", query)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return s.service.CountViews(c.ctx, c.caller, lists)
}

// givenView reads a view. Its query is parsed like that of the list of requests, so
// that every stored view can be shown.
func givenView(b object) desk.GivenView {
	g := desk.GivenView{Name: b.text("name"), Query: b.text("query"), Shared: member[bool](b, "shared", "a boolean"), Position: member[int64](b, "position", "a whole number")}
	if g.Query != nil {
		viewQuery(b.problems, b.at+"query", *g.Query)
	}
	return g
}

// viewParameters are the parameters that the query of a view may have: the filters
// of the list of requests, and its order.
var viewParameters = []string{"collection_id", "channel_id", "author_emails", "state", "assignee_id", "team_id", "customer_id", "priority", "tag", "unread", "following", "snoozed",
	"sla", "due_within", "source", "category", "sentiment", "emotion", "custom_field", "filter_by", "sort", "sort_order", "after", "before"}

// viewQuery reads the query of a view, which the field has.
func viewQuery(problems *desk.Problems, field, query string) (f desk.RequestFilter, pg desk.Page) {
	values, err := url.ParseQuery(query)
	if err != nil {
		problems.Add(field, "must be a query of the list of requests, such as state=open&assignee_id=me")
		return f, pg
	}
	var p desk.Problems
	for name := range values {
		if !slices.Contains(viewParameters, name) {
			p.Add(name, "is not a filter or an order of the list of requests")
		}
	}
	of := &call{values: values}
	f, pg = of.listFilter(&p), of.page(&p)
	var wrong *desk.Error
	if errors.As(p.Err(), &wrong) {
		problems.Add(field, "must be a query of the list of requests: %s", strings.TrimSuffix(wrong.Message, "."))
	}
	return f, pg
}
