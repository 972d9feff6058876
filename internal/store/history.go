package store

import (
	"encoding/json"
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/wire"
)

const historyColumns = "id, request_id, at, actor, source, action, before, after, links, moved, undoes, undone_at"

// AddHistory inserts an entry of a request's history and sets its id.
func (tx *Tx) AddHistory(e *desk.HistoryEntry) error {
	texts, err := historyTexts(*e)
	if err != nil {
		return fmt.Errorf("add history: %w", err)
	}
	err = tx.Row(`INSERT INTO request_changes (account_id, request_id, at, actor, source, action, before, after, links, moved, undoes)
		SELECT $1, id, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM requests WHERE account_id = $1 AND id = $2
		RETURNING id`,
		tx.Account, e.Request, ms(e.At), texts[0], e.By.Source, e.Action, texts[1], texts[2], texts[3], texts[4], unlessZero(e.Undoes)).Scan(&e.ID)
	return wrap("add history", missing(err, "Request"))
}

// historyTexts returns an entry as JSON: its actor, before, after, links and moved.
// moved may be nil.
func historyTexts(e desk.HistoryEntry) (texts [5]*string, err error) {
	links := []historyLink{}
	for _, l := range e.Links {
		from, err := wire.JSON(l.From)
		if err != nil {
			return texts, err
		}
		to, err := wire.JSON(l.To)
		if err != nil {
			return texts, err
		}
		links = append(links, historyLink{l.Field, from, to})
	}
	for i, v := range []any{wire.NewActor(e.By), newPastRequest(e.Before), newPastRequest(e.After), links, newMovedRows(e.Moved)} {
		if i == 4 && e.Moved == nil {
			continue
		}
		b, err := wire.JSON(v)
		if err != nil {
			return texts, err
		}
		texts[i] = jsonText(b)
	}
	return texts, nil
}

func scanHistory(scan scanner) (e desk.HistoryEntry, err error) {
	var actor, before, after, links string
	var moved *string
	if err = scan(&e.ID, &e.Request, inMS(&e.At), &actor, &e.By.Source, &e.Action, &before, &after, &links, &moved, orZero(&e.Undoes), inMSOrNil(&e.UndoneAt)); err != nil {
		return e, err
	}
	if err = readActor(actor, &e.By); err != nil {
		return e, err
	}
	var past pastRequest
	if err = json.Unmarshal([]byte(before), &past); err != nil {
		return e, err
	}
	e.Before, past = past.request(), pastRequest{}
	if err = json.Unmarshal([]byte(after), &past); err != nil {
		return e, err
	}
	e.After = past.request()
	var list []historyLink
	if err = json.Unmarshal([]byte(links), &list); err != nil {
		return e, err
	}
	for _, l := range list {
		e.Links = append(e.Links, desk.FieldChange{Field: l.Field, From: l.From, To: l.To})
	}
	if moved != nil {
		var m movedRows
		err = json.Unmarshal([]byte(*moved), &m)
		e.Moved = m.moved()
	}
	return e, err
}

// History returns a page of what was done to a request, without its creation.
func (tx *Tx) History(id desk.RequestID, p desk.Page) (desk.List[desk.HistoryEntry], error) {
	var q query
	q.add("SELECT "+historyColumns+" FROM request_changes WHERE account_id = ? AND request_id = ?", tx.Account, id)
	return page(tx, &q, "at", p, scanHistory, func(e desk.HistoryEntry) desk.Position { return positionAt(e.At, e.ID) })
}

// LatestHistory returns the end of a request's history, newest first, without
// entries that only undo others.
func (tx *Tx) LatestHistory(id desk.RequestID, most int) ([]desk.HistoryEntry, error) {
	return sqldb.Collect(tx.Tx, scanHistory, "SELECT "+historyColumns+
		" FROM request_changes WHERE account_id = $1 AND request_id = $2 AND undoes IS NULL ORDER BY at DESC, id DESC LIMIT $3", tx.Account, id, most)
}

// SetUndone marks entries as undone.
func (tx *Tx) SetUndone(ids []desk.HistoryEntryID) error {
	var q query
	q.add("UPDATE request_changes SET undone_at = ? WHERE account_id = ? AND id IN ", ms(tx.Now), tx.Account)
	among(&q, ids)
	return tx.Do(q.text.String(), q.args...)
}

// Making returns the first entry of a request's history, its creation, from the
// audit log. It returns nil if the log does not have it.
func (tx *Tx) Making(id desk.RequestID) (*desk.HistoryEntry, error) {
	found, err := sqldb.Collect(tx.Tx, scanAuditLog, "SELECT "+auditColumns+` FROM audit_logs
		WHERE account_id = $1 AND resource_type = 'Request' AND resource_id = $2 AND action = $3 ORDER BY at, id LIMIT 1`,
		tx.Account, fmt.Sprint(int64(id)), desk.RequestCreated)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	by := found[0].Actor
	by.IP = "" // only admins may see it
	return &desk.HistoryEntry{Request: id, At: found[0].At, By: by, Action: found[0].Action}, nil
}

// These are the stored forms of a history. Their JSON names are in the database.
// Add to them, but do not change them.
type (
	historyLink struct {
		Field string          `json:"field"`
		From  json.RawMessage `json:"from"`
		To    json.RawMessage `json:"to"`
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
		LastMessageAt   int64                            `json:"last_message_at"`
		FirstResponseAt *int64                           `json:"first_response_at,omitempty"`
		FirstSolvedAt   *int64                           `json:"first_solved_at,omitempty"`
		SolvedAt        *int64                           `json:"solved_at,omitempty"`
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
		Tags: r.Tags, Contributors: r.Contributors, LastMessageAt: ms(r.LastMessageAt),
		FirstResponseAt: optionalMS(r.FirstResponseAt), FirstSolvedAt: optionalMS(r.FirstSolvedAt), SolvedAt: optionalMS(r.SolvedAt),
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
		Tags: p.Tags, Contributors: p.Contributors, LastMessageAt: fromMS(p.LastMessageAt),
		FirstResponseAt: fromOptionalMS(p.FirstResponseAt), FirstSolvedAt: fromOptionalMS(p.FirstSolvedAt), SolvedAt: fromOptionalMS(p.SolvedAt),
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
	if m == nil {
		return rows
	}
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
