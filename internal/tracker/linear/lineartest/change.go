package lineartest

import (
	"slices"
	"time"
)

// issueChange is a change to an issue.
type issueChange struct {
	title, description *string
	state              *state
	priority           *float64
}

// changeIssue changes an issue. It returns nil if nothing is different.
func (s *Server) changeIssue(who *user, i *issue, ch issueChange) *event {
	from := fields{}
	if ch.title != nil && *ch.title != i.title {
		from["title"], i.title = i.title, *ch.title
	}
	if ch.description != nil && *ch.description != i.description {
		from["description"], i.description = optional(i.description), *ch.description
	}
	if ch.priority != nil && *ch.priority != i.priority {
		from["priority"], i.priority = i.priority, *ch.priority
	}
	now := s.now()
	if ch.state != nil && ch.state != i.state {
		from["stateId"] = i.state.id
		i.state = ch.state
		mark(from, "startedAt", &i.startedAt, slices.Contains([]string{"started", "completed", "canceled"}, i.state.kind), i.state.kind == "started", now)
		mark(from, "completedAt", &i.completedAt, i.state.kind == "completed", true, now)
		mark(from, "canceledAt", &i.canceledAt, i.state.kind == "canceled", true, now)
	}
	if len(from) == 0 {
		return nil
	}
	from["updatedAt"] = i.updatedAt.Format(millis)
	i.updatedAt = now
	return s.happened("Issue", "update", who, i.team, i.shown(s), s.issueURL(i), from)
}

// mark records when an issue entered a kind of state. It clears the time if stands
// is false, and sets it to now if set is true.
func mark(from fields, name string, at **time.Time, stands, set bool, now time.Time) {
	was := *at
	switch {
	case !stands:
		*at = nil
	case set && was == nil:
		*at = &now
	}
	if was != *at {
		from[name] = stamp(was)
	}
}

func (s *Server) addComment(co *comment, id string) *event {
	co.entity = s.born()
	if id != "" {
		co.id = id
	}
	s.used[co.id] = true
	s.comments = append(s.comments, co)
	return s.happened("Comment", "create", co.user, co.issue.team, co.shown(s), s.commentURL(co), nil)
}

func (s *Server) editComment(who *user, co *comment, body string) *event {
	if body == co.body {
		return nil
	}
	now := s.now()
	from := fields{"updatedAt": co.updatedAt.Format(millis), "body": co.body, "editedAt": stamp(co.editedAt)}
	co.body, co.updatedAt, co.editedAt = body, now, &now
	return s.happened("Comment", "update", who, co.issue.team, co.shown(s), s.commentURL(co), from)
}

// removeComment removes a comment and its replies.
func (s *Server) removeComment(who *user, co *comment) *event {
	s.comments = slices.DeleteFunc(s.comments, func(o *comment) bool { return o == co || o.parent == co })
	return s.happened("Comment", "remove", who, co.issue.team, co.shown(s), s.commentURL(co), nil)
}

// removeIssue removes an issue for good, with all of its comments.
func (s *Server) removeIssue(who *user, i *issue) *event {
	s.issues = slices.DeleteFunc(s.issues, func(o *issue) bool { return o == i })
	s.comments = slices.DeleteFunc(s.comments, func(co *comment) bool { return co.issue == i })
	return s.happened("Issue", "remove", who, i.team, i.shown(s), s.issueURL(i), nil)
}

// stamp returns a time in Linear's format, or nil if there is none.
func stamp(at *time.Time) any {
	if at == nil {
		return nil
	}
	return at.Format(millis)
}
