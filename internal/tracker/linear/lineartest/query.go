package lineartest

import "strings"

// query has the fields of Query.
type query struct{}

func (query) fields(c *call) fields {
	s := c.s
	return fields{
		"viewer":         c.who,
		"organization":   s.org,
		"user":           byID("User", func(id string) *user { return s.users[id] }),
		"team":           byID("Team", s.team),
		"teams":          listed(c, s.teams, every),
		"issue":          byID("Issue", s.issue),
		"issues":         listed(c, s.issues, every),
		"comment":        resolver(c.comment),
		"comments":       listed(c, s.comments, every),
		"workflowState":  byID("WorkflowState", func(id string) *state { return first(s.states, id) }),
		"workflowStates": listed(c, s.states, every),
		"webhook":        c.adminOnly(byID("Webhook", func(id string) *webhook { return first(s.webhooks, id) })),
		"webhooks":       c.adminOnly(listed(c, s.webhooks, every)),
	}
}

func (c *call) comment(args map[string]any) (any, error) {
	if args["hash"] != nil || args["id"] == nil || args["id"] == "" {
		return nil, invalid("id", "must be given")
	}
	return byID("Comment", func(id string) *comment { return first(c.s.comments, id) })(args)
}

// adminOnly is a field that only admins may use.
func (c *call) adminOnly(resolve resolver) resolver {
	if !c.who.admin {
		return func(map[string]any) (any, error) { return nil, adminOnly }
	}
	return resolve
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

// byID is a field with the object that its id names, or an error if it is missing.
func byID[T any, P interface {
	*T
	object
}](kind string, find func(id string) P) resolver {
	return func(args map[string]any) (any, error) {
		id, _ := args["id"].(string)
		if p := find(id); p != nil {
			return p, nil
		}
		return nil, notFound(kind)
	}
}
