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

// givenView reads a view. Its query is parsed like that of the list of requests, so
// that every stored view can be shown.
func givenView(b object) desk.GivenView {
	g := desk.GivenView{Name: b.text("name"), Query: b.text("query"), Shared: member[bool](b, "shared", "a boolean"), Position: member[int64](b, "position", "a whole number")}
	if g.Query != nil {
		checkViewQuery(b, *g.Query)
	}
	return g
}

// viewParameters are the parameters that the query of a view may have: the filters
// of the list of requests, and its order.
var viewParameters = []string{"collection_id", "channel_id", "author_emails", "state", "assignee_id", "team_id", "customer_id", "priority", "tag", "unread", "following", "snoozed",
	"filter_by", "sort_order", "after", "before"}

func checkViewQuery(b object, query string) {
	values, err := url.ParseQuery(query)
	if err != nil {
		b.problems.Add(b.at+"query", "must be a query of the list of requests, such as state=open&assignee_id=me")
		return
	}
	var p desk.Problems
	for name := range values {
		if !slices.Contains(viewParameters, name) {
			p.Add(name, "is not a filter or an order of the list of requests")
		}
	}
	of := &call{values: values}
	of.listFilter(&p)
	of.page(&p)
	var wrong *desk.Error
	if errors.As(p.Err(), &wrong) {
		b.problems.Add(b.at+"query", "must be a query of the list of requests: %s", strings.TrimSuffix(wrong.Message, "."))
	}
}
