package rest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// What the API shows of a request, as far as the model covers it.
type (
	shownRequest struct {
		ID           int64          `json:"id"`
		Title        any            `json:"title"`
		State        any            `json:"state"`
		Mark         any            `json:"not_a_request_state"`
		Priority     any            `json:"priority"`
		Author       any            `json:"author"` // an object in a single request, otherwise a text
		Email        any            `json:"author_email"`
		Assignee     *shownID       `json:"assignee"`
		Team         *shownID       `json:"assigned_team"`
		Collection   shownID        `json:"collection"`
		Tags         []string       `json:"tags"`
		Contributors []string       `json:"contributors"`
		Values       map[string]any `json:"custom_field_values"`
		Tickets      []struct {
			ID int64 `json:"id"`
		} `json:"tickets"`
		Created  string                              `json:"created_at"`
		Updated  string                              `json:"updated_at"`
		Active   string                              `json:"last_message_time"`
		Metrics  map[string]*struct{ Value float64 } `json:"sla_metrics"`
		Messages *[]shownMessage                     `json:"messages"`
		Parent   *json.RawMessage                    `json:"parent_request"`
		Children *[]int64                            `json:"child_requests"`
		Merged   any                                 `json:"merged_into"`
	}
	shownID struct {
		ID any `json:"id"`
	}
	shownMessage struct {
		ID          int64  `json:"id"`
		Text        string `json:"text"`
		Author      any    `json:"author"`
		Responder   bool   `json:"is_responder"`
		Private     bool   `json:"is_private"`
		Created     string `json:"created_at"`
		Attachments []struct{ Name string }
	}
	shownChange struct {
		ID      *int64 `json:"id"`
		Action  string `json:"action"`
		Changes []struct {
			Field    string
			From, To any
		}
		Undoes any `json:"undoes"`
		Undone any `json:"undone_at"`
	}
)

// differences collects what differs from the model.
type differences []string

func (d *differences) check(what string, got, want any) {
	if g, w := asJSON(got), asJSON(want); g != w {
		*d = append(*d, fmt.Sprintf("%s is %s, want %s", what, g, w))
	}
}

func shownTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func (s *shownID) id() any {
	if s == nil {
		return nil
	}
	return s.ID
}

// compare reports where the API differs from the model. It takes over what the
// model cannot know: the numbers of messages and tickets. sees reports which
// requests the caller may see.
func (r *modelRequest) compare(a *modelAccount, got shownRequest, sees func(id int64) bool) (d differences) {
	d.check("title", got.Title, r.is["title"])
	d.check("state", got.State, r.is["state"])
	d.check("not_a_request_state", got.Mark, r.is["not_a_request_state"])
	d.check("priority", got.Priority, r.is["priority"])
	author := got.Author
	if object, whole := author.(map[string]any); whole {
		author = object["id"]
	}
	d.check("author", author, orNull(r.user))
	d.check("author_email", got.Email, r.email)
	d.check("assignee", got.Assignee.id(), r.is["assignee"])
	d.check("assigned_team", got.Team.id(), r.is["assigned_team"])
	d.check("collection", got.Collection.ID, r.collection)
	d.check("tags", got.Tags, r.is["tags"])
	d.check("contributors", got.Contributors, r.is["contributors"])
	values := map[string]any{}
	for name, v := range r.is {
		if id, is := strings.CutPrefix(name, "custom_field_values."); is && v != nil {
			values[id] = v
		}
	}
	d.check("custom_field_values", got.Values, values)
	d.check("created_at", got.Created, shownTime(r.created))
	d.check("updated_at", got.Updated, shownTime(r.updated))
	d.check("last_message_time", got.Active, shownTime(r.active))
	d.check("merged_into", got.Merged, r.is["merged_into"])
	for name, at := range map[string]time.Time{"first_response_time": r.answered, "resolution_time": r.solved, "first_resolution_time": r.firstSolved} {
		d.check(name, minutesShown(got, name), minutesBetween(r.created, at))
	}
	r.compareTickets(&d, got)
	if got.Messages != nil {
		r.compareMessages(&d, *got.Messages)
	}
	if got.Parent != nil || got.Children != nil {
		parent := r.is["parent_request"]
		if id := r.number("parent_request"); id != 0 && !sees(id) {
			parent = nil
		}
		d.check("parent_request", got.Parent, parent)
		d.check("child_requests", got.Children, slices.DeleteFunc(a.children(r.id), func(id int64) bool { return !sees(id) }))
	}
	return d
}

func minutesShown(got shownRequest, name string) any {
	if got.Metrics[name] == nil {
		return nil
	}
	return got.Metrics[name].Value
}

func minutesBetween(made, at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return math.Round(max(at.Sub(made), 0).Minutes()*100) / 100
}

func (r *modelRequest) compareTickets(d *differences, got shownRequest) {
	var shown []int64
	for _, t := range got.Tickets {
		shown = append(shown, t.ID)
	}
	unknown := slices.DeleteFunc(slices.Clone(shown), func(id int64) bool { return slices.Contains(r.tickets, id) })
	if i := slices.Index(r.tickets, 0); i >= 0 && len(unknown) == 1 {
		r.tickets[i] = unknown[0]
	}
	slices.Sort(shown)
	d.check("tickets", shown, slices.Sorted(slices.Values(r.tickets)))
}

func (r *modelRequest) compareMessages(d *differences, shown []shownMessage) {
	for i, s := range r.messages {
		if s.id == 0 {
			if at := slices.IndexFunc(shown, func(got shownMessage) bool { return got.Text == s.text }); at >= 0 {
				r.messages[i].id = shown[at].ID
			}
		}
	}
	slices.SortFunc(r.messages, func(a, b modelMessage) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) })
	want, got := []string{}, []string{}
	for _, s := range r.messages {
		want = append(want, fmt.Sprint(s.id, " ", s.text, " ", orNull(s.user), " ", s.responder, " ", s.private, " ", shownTime(s.at), s.files))
	}
	for _, s := range shown {
		files := []string(nil)
		for _, f := range s.Attachments {
			files = append(files, f.Name)
		}
		got = append(got, fmt.Sprint(s.ID, " ", s.Text, " ", s.Author, " ", s.Responder, " ", s.Private, " ", s.Created, files))
	}
	d.check("messages", got, want)
}

// compareHistory does the same for the history of a request, which ends with its
// creation.
func (r *modelRequest) compareHistory(shown []shownChange) (d differences) {
	want, got := []string{}, []string{}
	for i, e := range slices.Backward(r.history) {
		if at := len(r.history) - 1 - i; at < len(shown) && shown[at].ID != nil {
			r.history[i].id = *shown[at].ID
		}
		lines := []string{}
		for name, to := range e.to {
			lines = append(lines, fmt.Sprint(name, asJSON(e.from[name]), asJSON(to)))
		}
		for name, l := range e.links {
			lines = append(lines, fmt.Sprint(name, asJSON(l[0]), asJSON(l[1])))
		}
		slices.Sort(lines)
		want = append(want, fmt.Sprint(e.action, lines, e.undoes, e.undone))
	}
	want = append(want, fmt.Sprint("request.created", []string{}, false, false))
	for _, e := range shown {
		lines := []string{}
		for _, ch := range e.Changes {
			lines = append(lines, fmt.Sprint(ch.Field, asJSON(ch.From), asJSON(ch.To)))
		}
		slices.Sort(lines)
		got = append(got, fmt.Sprint(e.Action, lines, e.Undoes != nil, e.Undone != nil))
	}
	d.check("history", got, want)
	return d
}
