package lineartest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Person is somebody in the workspace, and what they do there.
type Person struct {
	s    *Server
	user *user
	ID   string
}

// Issue is an issue as it is now.
type Issue struct {
	ID, Identifier, URL, Title, Description string
	State                                   State
	UpdatedAt                               time.Time
}

// State is a state of a team's workflow. Type is one of triage, backlog,
// unstarted, started, completed, canceled.
type State struct {
	ID, Name, Type string
	Position       float64
}

// Comment is what somebody has said. By is empty where an app has.
type Comment struct {
	ID, By, App, Body, Parent string
	At                        time.Time
}

// Webhook is how Linear calls somebody.
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

// State is a state of the team by its name.
func (t Team) State(name string) State {
	for _, st := range t.States {
		if st.Name == name {
			return st
		}
	}
	panic(fmt.Sprintf("lineartest: the team %s has no state %q", t.Key, name))
}

// workflow is what Linear gives a new team.
var workflow = []State{{Name: "Backlog", Type: "backlog"}, {Name: "Todo", Type: "unstarted"}, {Name: "In Progress", Type: "started"},
	{Name: "In Review", Type: "started"}, {Name: "Done", Type: "completed"}, {Name: "Canceled", Type: "canceled"}, {Name: "Duplicate", Type: "canceled"}}

// Person makes somebody, who is an admin where admin is set.
func (s *Server) Person(name, email string, admin bool) Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := &user{entity: s.born(), name: name, email: email, admin: admin, quota: s.newQuota()}
	s.users[u.id] = u
	return Person{s, u, u.id}
}

// Team makes a team with some states, in the order of its workflow; or with those
// that Linear gives a new one.
func (s *Server) Team(key, name string, states ...State) Team {
	return s.addTeam(key, name, false, states)
}

// PrivateTeam makes a team that is not public.
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

// Key makes a personal API key. All of somebody's share their limits.
func (p Person) Key() string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	secret := "lin_api_" + strings.ReplaceAll(newID(), "-", "")
	p.s.keys[secret] = &key{user: p.user}
	return secret
}

// Revoke ends all keys of somebody.
func (p Person) Revoke() {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	for _, k := range p.s.keys {
		k.revoked = k.revoked || k.user == p.user
	}
}

// SetAdmin makes somebody an admin, or no longer one.
func (p Person) SetAdmin(admin bool) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.user.admin = admin
}

// CreateIssue makes an issue in the first state of a team's workflow.
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

// Comment says something about an issue.
func (p Person) Comment(issueID, body string) Comment { return p.say(issueID, "", body, p.user, "") }

// Reply says something below a comment.
func (p Person) Reply(issueID, commentID, body string) Comment {
	return p.say(issueID, commentID, body, p.user, "")
}

// CommentByApp says something as an app that somebody has installed: it has no
// user.
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

// EditComment changes what was said.
func (p Person) EditComment(id, body string) {
	p.act(func(s *Server) *event { return s.editComment(p.user, must("comment", first(s.comments, id)), body) })
}

// DeleteComment removes what was said.
func (p Person) DeleteComment(id string) {
	p.act(func(s *Server) *event { return s.removeComment(p.user, must("comment", first(s.comments, id))) })
}

// Move gives an issue a state.
func (p Person) Move(issueID, stateID string) {
	p.act(func(s *Server) *event {
		return s.changeIssue(p.user, must("issue", s.issue(issueID)), issueChange{state: must("state", first(s.states, stateID))})
	})
}

// Rename gives an issue a title.
func (p Person) Rename(issueID, title string) {
	p.act(func(s *Server) *event {
		return s.changeIssue(p.user, must("issue", s.issue(issueID)), issueChange{title: &title})
	})
}

// DeleteIssue removes an issue for good.
func (p Person) DeleteIssue(issueID string) {
	p.act(func(s *Server) *event { return s.removeIssue(p.user, must("issue", s.issue(issueID))) })
}

// act does something in the workspace, and has it told.
func (p Person) act(do func(*Server) *event) {
	p.s.mu.Lock()
	e := func() *event { defer p.s.mu.Unlock(); return do(p.s) }()
	p.s.announce(e)
}

// must is something that a test names, which has to be there.
func must[T any](kind string, p *T) *T {
	if p == nil {
		panic("lineartest: there is no such " + kind)
	}
	return p
}

// Issue is an issue as it is now, by its id or identifier.
func (s *Server) Issue(name string) Issue {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told(must("issue", s.issue(name)))
}

func (s *Server) told(i *issue) Issue {
	return Issue{ID: i.id, Identifier: i.identifier(), URL: s.issueURL(i), Title: i.title, Description: i.description, State: i.state.told(), UpdatedAt: i.updatedAt}
}

// Comments are what was said about an issue, the oldest first.
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

// Webhooks are those that there are.
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

// DisableWebhook stops a webhook, as an admin may, or Linear itself when nobody
// takes what it brings.
func (s *Server) DisableWebhook(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	must("webhook", first(s.webhooks, id)).enabled = false
}

// Requests are how many calls came, also those that were refused or failed.
func (s *Server) Requests() int { return int(s.requests.Load()) }

// Calls are how often each field of Query and Mutation was run.
func (s *Server) Calls() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.calls)
}
