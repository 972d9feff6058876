package lineartest

import (
	"fmt"
	"strings"
	"time"
)

// object is something that a query selects fields of.
type object interface {
	fields(c *call) fields
}

// fields are the values of an object by name: nil, a string, a number, a bool, a
// time, a list of strings, an object, a list of objects, or a resolver. A field that
// is not there is nil, such as archivedAt: nothing is archived here. Some objects
// are nothing else, such as the answer of a mutation or an edge.
type fields map[string]any

func (f fields) fields(*call) fields { return f }

// resolver is a field that depends on its arguments.
type resolver func(args map[string]any) (any, error)

func (f fields) value(name string, args map[string]any) (any, error) {
	if resolve, is := f[name].(resolver); is {
		return resolve(args)
	}
	return f[name], nil
}

// node is an object with an id that can be on a page.
type node interface {
	object
	base() entity
}

func (e entity) base() entity { return e }

// with returns the fields of a node, with those that every node has.
func (e entity) with(f fields) fields {
	f["id"], f["createdAt"], f["updatedAt"] = e.id, e.createdAt, e.updatedAt
	return f
}

type organization struct {
	entity
	name, urlKey string
}

func (o *organization) fields(c *call) fields {
	return o.with(fields{"name": o.name, "urlKey": o.urlKey, "teams": listed(c, c.s.teams, every)})
}

type user struct {
	entity
	name, email string
	admin       bool
	quota       quota
}

func (u *user) fields(c *call) fields {
	return u.with(fields{
		"name": u.name, "displayName": u.displayName(), "email": u.email, "url": c.s.address("profiles", u.displayName()),
		"admin": u.admin, "active": true, "app": false, "guest": false, "isMe": u == c.who, "organization": c.s.org,
	})
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

func (t *team) fields(c *call) fields {
	return t.with(fields{
		"key": t.key, "name": t.name, "displayName": t.name, "private": t.private, "organization": c.s.org,
		"defaultIssueState": optionalObject(c.s.begin(t)),
		"states":            listed(c, c.s.states, func(st *state) bool { return st.team == t }),
		"issues":            listed(c, c.s.issues, func(i *issue) bool { return i.team == t }),
		"webhooks":          c.adminOnly(listed(c, c.s.webhooks, func(w *webhook) bool { return w.team == t })),
	})
}

type state struct {
	entity
	team     *team
	name     string
	kind     string // Linear's name for its type
	position float64
}

func (st *state) fields(*call) fields {
	return st.with(fields{"name": st.name, "type": st.kind, "position": st.position, "color": st.color(), "team": st.team})
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

func (i *issue) fields(c *call) fields {
	return i.with(fields{
		"identifier": i.identifier(), "number": float64(i.number), "title": i.title, "description": optional(i.description),
		"state": i.state, "team": i.team, "creator": optionalObject(i.creator), "url": c.s.issueURL(i),
		"priority": i.priority, "priorityLabel": priorities[int(i.priority)], "previousIdentifiers": []string{},
		"branchName": strings.ToLower(i.identifier()) + "-" + i.slug(),
		"startedAt":  i.startedAt, "completedAt": i.completedAt, "canceledAt": i.canceledAt,
		"comments": listed(c, c.s.comments, func(co *comment) bool { return co.issue == i }),
	})
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

func (co *comment) fields(c *call) fields {
	f := co.with(fields{
		"body": co.body, "quotedText": optional(co.quotedText), "editedAt": co.editedAt, "url": c.s.commentURL(co),
		"issue": co.issue, "parent": optionalObject(co.parent), "user": optionalObject(co.user),
		"children": listed(c, c.s.comments, func(child *comment) bool { return child.parent == co }),
	})
	if co.user == nil {
		f["botActor"] = fields{"name": co.app, "type": "oauthClient"}
	}
	return f
}

func (s *Server) commentURL(co *comment) string {
	return s.issueURL(co.issue) + "#comment-" + co.id[:8]
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

func (w *webhook) fields(*call) fields {
	return w.with(fields{
		"url": w.url, "label": optional(w.label), "secret": w.secret, "resourceTypes": w.resourceTypes, "enabled": w.enabled,
		"team": optionalObject(w.team), "allPublicTeams": w.allPublicTeams, "creator": optionalObject(w.creator),
	})
}

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

// listed is a field with a page of the wanted nodes.
func listed[N node](c *call, all []N, wanted func(N) bool) resolver {
	return func(args map[string]any) (any, error) {
		var some []node
		for _, n := range all {
			if wanted(n) {
				some = append(some, n)
			}
		}
		return c.page(some, args)
	}
}

func every[N node](N) bool { return true }
