package lineartest

import (
	"fmt"
	"strings"
	"time"
)

// object is something that a query selects fields of. A field is nil, a string, a
// number, a bool, a time, a list of strings, an object or a list of objects.
type object interface {
	field(c *call, name string, args map[string]any) (any, error)
}

// node is an object with an id that can be on a page.
type node interface {
	object
	base() entity
}

func (e entity) base() entity { return e }

// common returns the fields that every node has.
func (e entity) common(name string) any {
	switch name {
	case "id":
		return e.id
	case "createdAt":
		return e.createdAt
	case "updatedAt":
		return e.updatedAt
	}
	return nil // such as archivedAt: nothing is archived here
}

type organization struct {
	entity
	name, urlKey string
}

func (o *organization) field(c *call, name string, args map[string]any) (any, error) {
	switch name {
	case "name":
		return o.name, nil
	case "urlKey":
		return o.urlKey, nil
	case "teams":
		return c.page(c.s.allTeams(), args)
	}
	return o.common(name), nil
}

type user struct {
	entity
	name, email string
	admin       bool
	quota       quota
}

func (u *user) field(c *call, name string, _ map[string]any) (any, error) {
	switch name {
	case "name":
		return u.name, nil
	case "displayName":
		return u.displayName(), nil
	case "email":
		return u.email, nil
	case "admin":
		return u.admin, nil
	case "active":
		return true, nil
	case "app", "guest":
		return false, nil
	case "isMe":
		return u == c.who, nil
	case "organization":
		return c.s.org, nil
	case "url":
		return c.s.address("profiles", u.displayName()), nil
	}
	return u.common(name), nil
}

func (u *user) displayName() string {
	before, _, _ := strings.Cut(u.email, "@")
	return before
}

type team struct {
	entity
	key, name string
	private   bool
	numbers   int // of issues
}

func (t *team) field(c *call, name string, args map[string]any) (any, error) {
	switch name {
	case "key":
		return t.key, nil
	case "name", "displayName":
		return t.name, nil
	case "private":
		return t.private, nil
	case "organization":
		return c.s.org, nil
	case "defaultIssueState":
		return optionalObject(c.s.begin(t)), nil
	case "states":
		return c.page(nodes(c.s.states, func(st *state) bool { return st.team == t }), args)
	case "issues":
		return c.page(nodes(c.s.issues, func(i *issue) bool { return i.team == t }), args)
	case "webhooks":
		if err := c.admin(); err != nil {
			return nil, err
		}
		return c.page(nodes(c.s.webhooks, func(w *webhook) bool { return w.team == t }), args)
	}
	return t.common(name), nil
}

type state struct {
	entity
	team     *team
	name     string
	kind     string // Linear's name for its type
	position float64
}

func (st *state) field(_ *call, name string, _ map[string]any) (any, error) {
	switch name {
	case "name":
		return st.name, nil
	case "type":
		return st.kind, nil
	case "position":
		return st.position, nil
	case "color":
		return st.color(), nil
	case "team":
		return st.team, nil
	}
	return st.common(name), nil
}

func (st *state) color() string {
	return map[string]string{"started": "#f2c94c", "completed": "#5e6ad2", "canceled": "#95a2b3"}[st.kind]
}

type issue struct {
	entity
	team        *team
	number      int
	title       string
	description string
	state       *state
	creator     *user
	priority    float64

	startedAt, completedAt, canceledAt *time.Time
}

func (i *issue) identifier() string { return fmt.Sprintf("%s-%d", i.team.key, i.number) }

func (i *issue) slug() string {
	words := strings.FieldsFunc(strings.ToLower(i.title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

var priorities = []string{"No priority", "Urgent", "High", "Medium", "Low"}

func (i *issue) field(c *call, name string, args map[string]any) (any, error) {
	switch name {
	case "identifier":
		return i.identifier(), nil
	case "number":
		return float64(i.number), nil
	case "title":
		return i.title, nil
	case "description":
		return optional(i.description), nil
	case "state":
		return i.state, nil
	case "team":
		return i.team, nil
	case "creator":
		return optionalObject(i.creator), nil
	case "priority":
		return i.priority, nil
	case "priorityLabel":
		return priorities[int(i.priority)], nil
	case "previousIdentifiers":
		return []string{}, nil
	case "branchName":
		return strings.ToLower(i.identifier()) + "-" + i.slug(), nil
	case "startedAt":
		return i.startedAt, nil
	case "completedAt":
		return i.completedAt, nil
	case "canceledAt":
		return i.canceledAt, nil
	case "url":
		return c.s.issueURL(i), nil
	case "comments":
		return c.page(nodes(c.s.comments, func(co *comment) bool { return co.issue == i }), args)
	}
	return i.common(name), nil
}

func (s *Server) issueURL(i *issue) string { return s.address("issue", i.identifier(), i.slug()) }

type comment struct {
	entity
	issue      *issue
	parent     *comment
	user       *user  // nil if an app wrote it
	app        string // the app's name
	body       string
	quotedText string
	editedAt   *time.Time
}

func (co *comment) field(c *call, name string, args map[string]any) (any, error) {
	switch name {
	case "body":
		return co.body, nil
	case "quotedText":
		return optional(co.quotedText), nil
	case "editedAt":
		return co.editedAt, nil
	case "issue":
		return co.issue, nil
	case "parent":
		return optionalObject(co.parent), nil
	case "user":
		return optionalObject(co.user), nil
	case "botActor":
		if co.user != nil {
			return nil, nil
		}
		return bot{co.app}, nil
	case "children":
		return c.page(nodes(c.s.comments, func(child *comment) bool { return child.parent == co }), args)
	case "url":
		return c.s.commentURL(co), nil
	}
	return co.common(name), nil
}

func (s *Server) commentURL(co *comment) string {
	return s.issueURL(co.issue) + "#comment-" + co.id[:8]
}

// bot is an app that wrote a comment.
type bot struct{ name string }

func (b bot) field(_ *call, name string, _ map[string]any) (any, error) {
	switch name {
	case "name":
		return b.name, nil
	case "type":
		return "oauthClient", nil
	}
	return nil, nil
}

type webhook struct {
	entity
	url            string
	label          string
	secret         string
	resourceTypes  []string
	team           *team
	allPublicTeams bool
	enabled        bool
	creator        *user
}

func (w *webhook) field(_ *call, name string, _ map[string]any) (any, error) {
	switch name {
	case "url":
		return w.url, nil
	case "label":
		return optional(w.label), nil
	case "secret":
		return w.secret, nil
	case "resourceTypes":
		return w.resourceTypes, nil
	case "team":
		return optionalObject(w.team), nil
	case "allPublicTeams":
		return w.allPublicTeams, nil
	case "enabled":
		return w.enabled, nil
	case "creator":
		return optionalObject(w.creator), nil
	}
	return w.common(name), nil
}

// fields is an object with some values, such as the answer of a mutation or an
// edge.
type fields map[string]any

func (f fields) field(_ *call, name string, _ map[string]any) (any, error) { return f[name], nil }

// optional returns a string, or nil if it is empty.
func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// optionalObject returns an object, or nil if the pointer is nil.
func optionalObject[T any, P interface {
	*T
	object
}](p P) any {
	if p == nil {
		return nil
	}
	return p
}

// nodes returns the wanted ones as nodes.
func nodes[N node](all []N, wanted func(N) bool) (some []node) {
	for _, n := range all {
		if wanted(n) {
			some = append(some, n)
		}
	}
	return some
}

func every[N node](N) bool { return true }

func (s *Server) allTeams() []node { return nodes(s.teams, every[*team]) }
