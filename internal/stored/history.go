package stored

import (
	"encoding/json"
	"time"

	"frontdesk/internal/desk"
)

// Past is a request in an entry of its history.
func Past(r *desk.Request) Column {
	return column("a past request", func() any { return newPastRequest(*r) }, func(p pastRequest) error {
		*r = p.request()
		return nil
	})
}

// PastState is Past for readers who want only the state and when it was solved.
func PastState(r *desk.Request) Column {
	type pastState struct {
		State    *desk.State `json:"state"`
		SolvedAt *millis     `json:"solved_at"`
	}
	return column("a past state", nil, func(p pastState) error {
		r.State, r.SolvedAt = p.State, (*time.Time)(p.SolvedAt)
		return nil
	})
}

// Links are the changes of links in an entry of a history.
func Links(all *[]desk.FieldChange) Column {
	return column("links of a history", func() any {
		return desk.Each(*all, func(c desk.FieldChange) historyLink[any] { return historyLink[any](c) })
	}, func(stored []historyLink[json.RawMessage]) error {
		for _, l := range stored {
			*all = append(*all, desk.FieldChange{Field: l.Field, From: l.From, To: l.To})
		}
		return nil
	})
}

// Moved is what a merge moved; nil if the entry of the history is no merge.
func Moved(m **desk.Moved) Column {
	return column("what a merge moved", func() any {
		if *m == nil {
			return nil
		}
		return newMovedRows(*m)
	}, func(rows movedRows) error {
		*m = rows.moved()
		return nil
	})
}

type (
	historyLink[V any] struct {
		Field string `json:"field"`
		From  V      `json:"from"`
		To    V      `json:"to"`
	}
	pastRequest struct {
		Title           string                           `json:"title"`
		TitleBy         desk.Origin                      `json:"title_by"`
		State           *desk.State                      `json:"state,omitempty"`
		NotARequest     *desk.NotARequest                `json:"not_a_request_state,omitempty"`
		Priority        desk.Priority                    `json:"priority"`
		PriorityBy      desk.Origin                      `json:"priority_by"`
		Customer        *desk.CustomerID                 `json:"customer_id,omitempty"`
		Assignee        *string                          `json:"assignee,omitempty"`
		Team            *desk.TeamID                     `json:"team_id,omitempty"`
		Collection      desk.CollectionID                `json:"collection_id"`
		Parent          *desk.RequestID                  `json:"parent_id,omitempty"`
		MergedInto      *desk.RequestID                  `json:"merged_into,omitempty"`
		Tags            []string                         `json:"tags,omitempty"`
		Contributors    []string                         `json:"contributors,omitempty"`
		Values          map[desk.CustomFieldID]pastValue `json:"values,omitempty"`
		LastMessageAt   millis                           `json:"last_message_at"`
		FirstResponseAt *millis                          `json:"first_response_at,omitempty"`
		FirstSolvedAt   *millis                          `json:"first_solved_at,omitempty"`
		SolvedAt        *millis                          `json:"solved_at,omitempty"`
		Snooze          *pastSnooze                      `json:"snooze,omitempty"`
	}
	pastSnooze struct {
		At    millis        `json:"at"`
		Until *millis       `json:"until,omitempty"`
		By    desk.MemberID `json:"by"`
	}
	pastValue struct {
		Type    desk.FieldType  `json:"type"`
		Text    string          `json:"text,omitempty"`
		Options []desk.OptionID `json:"options,omitempty"`
	}
	movedRows struct {
		Requests []movedRequest        `json:"requests"`
		Children []movedChild          `json:"children,omitempty"`
		Last     desk.MessageID        `json:"last_message"`
		Entries  []desk.HistoryEntryID `json:"entries,omitempty"`
	}
	movedRequest struct {
		Request  desk.RequestID        `json:"request"`
		Messages []desk.MessageID      `json:"messages,omitempty"`
		Tickets  []int64               `json:"tickets,omitempty"`
		Surveys  []desk.SurveyID       `json:"surveys,omitempty"`
		Sessions []desk.AgentSessionID `json:"sessions,omitempty"`
	}
	movedChild struct {
		Request desk.RequestID `json:"request"`
		Parent  desk.RequestID `json:"parent"`
	}
)

func newPastRequest(r desk.Request) pastRequest {
	p := pastRequest{
		Title: r.Title, TitleBy: r.TitleBy, State: r.State, NotARequest: r.NotARequest, Priority: r.Priority, PriorityBy: r.PriorityBy,
		Customer: r.Customer, Assignee: r.Assignee, Team: r.Team, Collection: r.Collection.ID, Parent: r.Parent, MergedInto: r.MergedInto,
		Tags: r.Tags, Contributors: r.Contributors, LastMessageAt: millis(r.LastMessageAt),
		FirstResponseAt: (*millis)(r.FirstResponseAt), FirstSolvedAt: (*millis)(r.FirstSolvedAt), SolvedAt: (*millis)(r.SolvedAt),
	}
	if s := r.Snooze; s != nil {
		p.Snooze = &pastSnooze{At: millis(s.At), Until: (*millis)(s.Until), By: s.By}
	}
	for id, v := range r.Values {
		if p.Values == nil {
			p.Values = map[desk.CustomFieldID]pastValue{}
		}
		p.Values[id] = pastValue(v)
	}
	return p
}

func (p pastRequest) request() desk.Request {
	r := desk.Request{
		Title: p.Title, TitleBy: p.TitleBy, State: p.State, NotARequest: p.NotARequest, Priority: p.Priority, PriorityBy: p.PriorityBy,
		Customer: p.Customer, Assignee: p.Assignee, Team: p.Team, Collection: desk.CollectionRef{ID: p.Collection}, Parent: p.Parent, MergedInto: p.MergedInto,
		Tags: p.Tags, Contributors: p.Contributors, LastMessageAt: time.Time(p.LastMessageAt),
		FirstResponseAt: (*time.Time)(p.FirstResponseAt), FirstSolvedAt: (*time.Time)(p.FirstSolvedAt), SolvedAt: (*time.Time)(p.SolvedAt),
	}
	if s := p.Snooze; s != nil {
		r.Snooze = &desk.Snooze{At: time.Time(s.At), Until: (*time.Time)(s.Until), By: s.By}
	}
	for id, v := range p.Values {
		if r.Values == nil {
			r.Values = desk.FieldValues{}
		}
		r.Values[id] = desk.FieldValue(v)
	}
	return r
}

func newMovedRows(m *desk.Moved) (rows movedRows) {
	rows.Last, rows.Entries = m.Last, m.Entries
	for _, r := range m.Requests {
		rows.Requests = append(rows.Requests, movedRequest(r))
	}
	for _, c := range m.Children {
		rows.Children = append(rows.Children, movedChild(c))
	}
	return rows
}

func (rows movedRows) moved() *desk.Moved {
	m := &desk.Moved{Last: rows.Last, Entries: rows.Entries}
	for _, r := range rows.Requests {
		m.Requests = append(m.Requests, desk.MovedRequest(r))
	}
	for _, c := range rows.Children {
		m.Children = append(m.Children, desk.MovedChild(c))
	}
	return m
}
