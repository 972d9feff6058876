package lineartest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Person is a person in the workspace, with methods for what they do there.
type Person struct {
	s    *Server
	user *user
	ID   string
}

// Issue is the current state of an issue.
type Issue struct {
	ID, Identifier, URL, Title, Description string
	State                                   State
	UpdatedAt                               time.Time
}

// State is a state of a team's workflow. Type is one of triage, backlog, unstarted,
// started, completed, canceled.
type State struct {
	ID, Name, Type string
	Position       float64
}

// Comment is a comment. By is empty if an app wrote it.
type Comment struct {
	ID, By, App, Body, Parent string
	At                        time.Time
}

// Webhook is a webhook of Linear.
type Webhook struct {
	ID, URL, Label, Secret, Team string
	ResourceTypes                []string
	AllPublicTeams, Enabled      bool
}

// Team is a team and its workflow.
type Team struct {
	ID, Key string
	States  []State
}

// State returns a state of the team by its name.
func (t Team) State(name string) State {
	for _, st := range t.States {
		if st.Name == name {
			return st
		}
	}
	panic(fmt.Sprintf("lineartest: the team %s has no state %q", t.Key, name))
}

// workflow is the workflow of a new team in Linear.
var workflow = []State{{Name: "Backlog", Type: "backlog"}, {Name: "Todo", Type: "unstarted"}, {Name: "In Progress", Type: "started"},
	{Name: "In Review", Type: "started"}, {Name: "Done", Type: "completed"}, {Name: "Canceled", Type: "canceled"}, {Name: "Duplicate", Type: "canceled"}}

// Person adds a person, who is an admin if admin is set.
func (s *Server) Person(name, email string, admin bool) Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := &user{entity: s.born(), name: name, email: email, admin: admin, quota: s.newQuota()}
	s.users[u.id] = u
	return Person{s, u, u.id}
}

// Team adds a team with the given states, in the order of its workflow. Without
// states it gets Linear's defaults.
func (s *Server) Team(key, name string, states ...State) Team {
	return s.addTeam(key, name, false, states)
}

// PrivateTeam adds a team that is not public.
func (s *Server) PrivateTeam(key, name string, states ...State) Team {
	return s.addTeam(key, name, true, states)
}

func (s *Server) addTeam(key, name string, private bool, states []State) Team {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(states) == 0 {
		states = workflow
	}
	t := &team{entity: s.born(), key: key, name: name, private: private}
	s.teams = append(s.teams, t)
	made := Team{ID: t.id, Key: key}
	for i, want := range states {
		st := &state{entity: s.born(), team: t, name: want.Name, kind: want.Type, position: want.Position}
		if st.position == 0 {
			st.position = float64(i)
		}
		s.states = append(s.states, st)
		made.States = append(made.States, st.told())
	}
	return made
}

func (st *state) told() State {
	return State{ID: st.id, Name: st.name, Type: st.kind, Position: st.position}
}

// Key makes a personal API key. All keys of a person share one limit.
func (p Person) Key() string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	secret := "lin_api_" + strings.ReplaceAll(newID(), "-", "")
	p.s.keys[secret] = &key{user: p.user}
	return secret
}

// Revoke revokes all keys of a person.
func (p Person) Revoke() {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	for _, k := range p.s.keys {
		k.revoked = k.revoked || k.user == p.user
	}
}

// SetAdmin makes a person an admin, or no longer one.
func (p Person) SetAdmin(admin bool) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.user.admin = admin
}

// CreateIssue creates an issue in the first state of a team's workflow.
func (p Person) CreateIssue(teamID, title, description string) Issue {
	var made Issue
	p.act(func(s *Server) *event {
		t := must("team", s.team(teamID))
		t.numbers++
		i := &issue{entity: s.born(), team: t, number: t.numbers, title: title, description: description, creator: p.user, state: s.begin(t)}
		s.issues = append(s.issues, i)
		made = s.told(i)
		return s.happened("Issue", "create", p.user, t, i.shown(s), s.issueURL(i), nil)
	})
	return made
}

// Comment adds a comment to an issue.
func (p Person) Comment(issueID, body string) Comment { return p.say(issueID, "", body, p.user, "") }

// Reply adds a reply to a comment.
func (p Person) Reply(issueID, commentID, body string) Comment {
	return p.say(issueID, commentID, body, p.user, "")
}

// CommentByApp adds a comment as an installed app, which has no user.
func (p Person) CommentByApp(issueID, app, body string) Comment {
	return p.say(issueID, "", body, nil, app)
}

func (p Person) say(issueID, parentID, body string, who *user, app string) Comment {
	co := &comment{user: who, app: app, body: body}
	p.act(func(s *Server) *event {
		co.issue = must("issue", s.issue(issueID))
		if parentID != "" {
			co.parent = must("comment", first(s.comments, parentID))
		}
		return s.addComment(co, "")
	})
	return co.told()
}

// EditComment changes a comment.
func (p Person) EditComment(id, body string) {
	p.act(func(s *Server) *event { return s.editComment(p.user, must("comment", first(s.comments, id)), body) })
}

// DeleteComment deletes a comment.
func (p Person) DeleteComment(id string) {
	p.act(func(s *Server) *event { return s.removeComment(p.user, must("comment", first(s.comments, id))) })
}

// Move moves an issue to a state.
func (p Person) Move(issueID, stateID string) {
	p.act(func(s *Server) *event {
		return s.changeIssue(p.user, must("issue", s.issue(issueID)), issueChange{state: must("state", first(s.states, stateID))})
	})
}

// Rename changes the title of an issue.
func (p Person) Rename(issueID, title string) {
	p.act(func(s *Server) *event {
		return s.changeIssue(p.user, must("issue", s.issue(issueID)), issueChange{title: &title})
	})
}

// DeleteIssue deletes an issue for good.
func (p Person) DeleteIssue(issueID string) {
	p.act(func(s *Server) *event { return s.removeIssue(p.user, must("issue", s.issue(issueID))) })
}

// act changes the workspace and sends the event.
func (p Person) act(do func(*Server) *event) {
	p.s.mu.Lock()
	e := func() *event { defer p.s.mu.Unlock(); return do(p.s) }()
	p.s.announce(e)
}

// must panics if something that a test names does not exist.
func must[T any](kind string, p *T) *T {
	if p == nil {
		panic("lineartest: there is no such " + kind)
	}
	return p
}

// Issue returns the current state of an issue, by its id or identifier.
func (s *Server) Issue(name string) Issue {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told(must("issue", s.issue(name)))
}

func (s *Server) told(i *issue) Issue {
	return Issue{ID: i.id, Identifier: i.identifier(), URL: s.issueURL(i), Title: i.title, Description: i.description, State: i.state.told(), UpdatedAt: i.updatedAt}
}

// Comments returns the comments on an issue, oldest first.
func (s *Server) Comments(issueName string) (all []Comment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := must("issue", s.issue(issueName))
	for _, co := range s.comments {
		if co.issue == i {
			all = append(all, co.told())
		}
	}
	return all
}

func (co *comment) told() Comment {
	c := Comment{ID: co.id, App: co.app, Body: co.body, At: co.createdAt}
	if co.user != nil {
		c.By = co.user.id
	}
	if co.parent != nil {
		c.Parent = co.parent.id
	}
	return c
}

// Webhooks returns all webhooks.
func (s *Server) Webhooks() (all []Webhook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.webhooks {
		told := Webhook{ID: w.id, URL: w.url, Label: w.label, Secret: w.secret, ResourceTypes: slices.Clone(w.resourceTypes), AllPublicTeams: w.allPublicTeams, Enabled: w.enabled}
		if w.team != nil {
			told.Team = w.team.id
		}
		all = append(all, told)
	}
	return all
}

// DisableWebhook disables a webhook, as an admin may, or Linear itself if
// deliveries are not accepted.
func (s *Server) DisableWebhook(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	must("webhook", first(s.webhooks, id)).enabled = false
}

// Requests returns how many calls arrived, including those that were refused or
// failed.
func (s *Server) Requests() int { return int(s.requests.Load()) }

// Calls returns how often each field of Query and Mutation was run.
func (s *Server) Calls() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.calls)
}
