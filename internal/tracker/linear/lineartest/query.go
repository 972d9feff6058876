package lineartest

import "strings"

// query has the fields of Query.
type query struct{}

func (query) field(c *call, name string, args map[string]any) (any, error) {
	s := c.s
	id, _ := args["id"].(string)
	switch name {
	case "viewer":
		return c.who, nil
	case "organization":
		return s.org, nil
	case "user":
		return found("User", s.users[id])
	case "team":
		return found("Team", s.team(id))
	case "teams":
		return c.page(s.allTeams(), args)
	case "issue":
		return found("Issue", s.issue(id))
	case "issues":
		return c.page(nodes(s.issues, every[*issue]), args)
	case "comment":
		if args["hash"] != nil || id == "" {
			return nil, invalid("id", "must be given")
		}
		return found("Comment", first(s.comments, id))
	case "comments":
		return c.page(nodes(s.comments, every[*comment]), args)
	case "workflowState":
		return found("WorkflowState", first(s.states, id))
	case "workflowStates":
		return c.page(nodes(s.states, every[*state]), args)
	}
	return c.webhookQuery(name, id, args)
}

// webhookQuery returns the fields that only admins may read.
func (c *call) webhookQuery(name, id string, args map[string]any) (any, error) {
	if err := c.admin(); err != nil {
		return nil, err
	}
	if name == "webhook" {
		return found("Webhook", first(c.s.webhooks, id))
	}
	return c.page(nodes(c.s.webhooks, every[*webhook]), args)
}

func (c *call) admin() error {
	if !c.who.admin {
		return adminOnly
	}
	return nil
}

// team returns a team by its id or key.
func (s *Server) team(name string) *team {
	for _, t := range s.teams {
		if t.id == name || t.key == name {
			return t
		}
	}
	return nil
}

// begin returns the state in which a team's issues begin.
func (s *Server) begin(t *team) (begin *state) {
	for _, st := range s.states {
		if st.team == t && (begin == nil || st.position < begin.position) {
			begin = st
		}
	}
	return begin
}

// issue returns an issue by its id, or by the name that people use, such as ENG-17.
func (s *Server) issue(name string) *issue {
	for _, i := range s.issues {
		if i.id == name || strings.EqualFold(i.identifier(), name) {
			return i
		}
	}
	return nil
}

// first returns the node with an id, or nil.
func first[N node](all []N, id string) (none N) {
	for _, n := range all {
		if n.base().id == id {
			return n
		}
	}
	return none
}

// found returns the object, or an error if it is missing.
func found[T any, P interface {
	*T
	object
}](kind string, p P) (any, error) {
	if p == nil {
		return nil, notFound(kind)
	}
	return p, nil
}
