package store

import (
	"slices"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// These shelves are not states; see the table requests.
const (
	shelfMarked = "marked" // somebody marked it as not a request
	shelfNone   = "none"   // it never was a request
)

func shelfOf(r desk.Request) string {
	switch {
	case r.State != nil:
		return string(*r.State)
	case r.NotARequest != nil:
		return shelfMarked
	}
	return shelfNone
}

// stateOf returns the state that a shelf stands for, or nil if it stands for none.
func stateOf(shelf string) *desk.State {
	if shelf == shelfMarked || shelf == shelfNone {
		return nil
	}
	s := desk.State(shelf)
	return &s
}

const requestColumns = `r.id, r.number, r.key, r.title, r.title_by, r.shelf, r.not_a_request_state, r.priority, r.priority_by,
	r.author_id, r.author_name, r.author_email, u.name, u.avatar, r.customer_id, r.assignee, a.name, r.team_id, t.name,
	r.collection_id, c.name, r.channel_id, h.name, h.owner, r.workspace, r.thread_id, r.thread_url, r.triage_channel_id, r.triage_thread_id, r.triage_url,
	r.parent_id, r.merged_into, r.source, r.external_id, r.metadata, r.mail_subject, r.mails_requester, r.mail_status,
	r.created_at, r.updated_at, r.last_message_at, r.first_response_at, r.first_solved_at, r.solved_at, ` + snoozeColumns

// besideTables are tables that have no rows for most requests. The statement that
// reads a request tells which of them have, so that the others need no statement.
// fillRequests has the same order.
var besideTables = [...]string{"request_tags", "request_contributors", "custom_field_values", "request_slas", "surveys"}

// beside is what the statement that reads requests tells besides them: which of the
// besideTables have rows for one of them, and the account's epoch of names.
type beside struct {
	has   [len(besideTables)]bool
	names int64
}

// selectRequest selects requests r with what beside.scanRequest reads.
var selectRequest = func() string {
	columns := "SELECT " + requestColumns
	for _, table := range besideTables {
		of := "x.request_id"
		if table == "custom_field_values" {
			of = "x.entity_type = 'request' AND x.entity_id"
		}
		columns += ", EXISTS (SELECT 1 FROM " + table + " x WHERE x.account_id = r.account_id AND " + of + " = r.id)"
	}
	columns += ", (SELECT coalesce(max(names), -1) FROM sequences WHERE account_id = r.account_id)"
	return columns + requestTables
}()

const requestTables = ` FROM requests r JOIN collections c ON c.account_id = r.account_id AND c.id = r.collection_id
	LEFT JOIN channels h ON h.account_id = r.account_id AND h.channel_id = r.channel_id
	LEFT JOIN users u ON u.account_id = r.account_id AND u.user_id = r.author_id
	LEFT JOIN users a ON a.account_id = r.account_id AND a.user_id = r.assignee
	LEFT JOIN teams t ON t.account_id = r.account_id AND t.id = r.team_id
	LEFT JOIN members s ON s.account_id = r.account_id AND s.id = r.snoozed_by`

// scanRequest reads a row of selectRequest, and adds what is beside it.
func (b *beside) scanRequest(scan scanner) (r desk.Request, err error) {
	var (
		shelf, workspace, threadURL, triageURL               string
		userName, channel, channelName, channelOwner, thread *string
		triageChannel, triageThread, metadata                *string
		has                                                  [len(besideTables)]bool
		asleep                                               snoozeRow
	)
	to := append([]any{&r.ID, orZero(&r.Number), orZero(&r.Key), &r.Title, &r.TitleBy, &shelf, &r.NotARequest, &r.Priority, &r.PriorityBy,
		orZero(&r.Author.User), &r.Author.Name, &r.Author.Email, &userName, orZero(&r.Author.Avatar), &r.Customer, &r.Assignee, orZero(&r.AssigneeName),
		&r.Team, orZero(&r.TeamName),
		&r.Collection.ID, &r.Collection.Name, &channel, &channelName, &channelOwner, &workspace, &thread, &threadURL, &triageChannel, &triageThread, &triageURL,
		&r.Parent, &r.MergedInto, &r.Source, orZero(&r.ExternalID), &metadata, &r.MailSubject, &r.MailsRequester, orZero(&r.MailStatus),
		inMS(&r.CreatedAt), inMS(&r.UpdatedAt), inMS(&r.LastMessageAt), inMSOrNil(&r.FirstResponseAt), inMSOrNil(&r.FirstSolvedAt), inMSOrNil(&r.SolvedAt)}, asleep.into()...)
	for i := range has {
		to = append(to, &has[i])
	}
	if err = scan(append(to, &b.names)...); err != nil {
		return r, err
	}
	for i := range has {
		b.has[i] = b.has[i] || has[i]
	}
	r.State, r.Snooze = stateOf(shelf), asleep.snooze()
	if userName != nil {
		r.Author.Name = *userName // their current name
	}
	if channel != nil {
		r.Channel = &desk.ChannelRef{ID: *channel, Name: value(channelName), Owner: value(channelOwner)}
	}
	if channel != nil && thread != nil {
		r.Thread = &desk.Thread{Workspace: workspace, Channel: *channel, Message: *thread, URL: threadURL}
	}
	if triageChannel != nil && triageThread != nil {
		r.Triage = &desk.Thread{Workspace: workspace, Channel: *triageChannel, Message: *triageThread, URL: triageURL}
	}
	if metadata != nil {
		r.Metadata = []byte(*metadata)
	}
	if r.Number == 0 {
		r.Key = desk.FormatID(r.ID) // addresses take an id, too; see NumberRequests
	}
	return r, nil
}

// Request returns one conversation within reach, whether it is a request or not.
func (tx *Tx) Request(id desk.RequestID, reach desk.Reach) (desk.Request, error) {
	if r, kept, err := tx.keptBefore(id, reach); kept || err != nil {
		return r, err
	}
	var q query
	var beside beside
	q.Add(selectRequest+" WHERE r.account_id = ? AND r.id = ?", tx.Account, id)
	q.within("r.collection_id", reach)
	r, err := beside.scanRequest(tx.Row(q.String(), q.Args()...).Scan)
	if err != nil {
		return r, Missing(err, "Request")
	}
	tx.remember(r)
	one := []desk.Request{r}
	err = tx.fillRequests(one, beside)
	return one[0], err
}

// Children returns the ids of a request's children within reach, oldest first,
// without those that were merged into others.
func (tx *Tx) Children(id desk.RequestID, reach desk.Reach) ([]desk.RequestID, error) {
	var q query
	q.Add("SELECT id FROM requests WHERE account_id = ? AND parent_id = ? AND merged_into IS NULL", tx.Account, id)
	q.within("collection_id", reach)
	q.Add(" ORDER BY id")
	ids, err := sqldb.Collect(tx.Tx, scanID[desk.RequestID], q.String(), q.Args()...)
	if ids == nil {
		ids = []desk.RequestID{}
	}
	return ids, err
}

// HasRequest returns NotFound if a request is not within reach.
func (tx *Tx) HasRequest(id desk.RequestID, reach desk.Reach) error {
	seen, err := tx.RequestsSeen([]desk.RequestID{id}, reach)
	if err == nil && !seen[id] {
		err = desk.Missing("Request")
	}
	return err
}

// RequestsSeen returns which of the requests are within reach.
func (tx *Tx) RequestsSeen(ids []desk.RequestID, reach desk.Reach) (map[desk.RequestID]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var q query
	q.Add("SELECT id FROM requests WHERE account_id = ? AND id IN ", tx.Account)
	sqldb.In(&q, ids)
	q.within("collection_id", reach)
	found, err := sqldb.Collect(tx.Tx, scanID[desk.RequestID], q.String(), q.Args()...)
	return setOf(found), err
}

// fillRequests reads what several requests have besides their rows: one statement
// for each kind of thing that one of them has, however many requests there are.
func (tx *Tx) fillRequests(requests []desk.Request, beside beside) error {
	if len(requests) == 0 {
		return nil
	}
	tx.learnEpoch(beside.names)
	ids, at := placesOf(requests, func(r *desk.Request) desk.RequestID { return r.ID })
	for i, read := range [len(besideTables)]func() error{
		func() error {
			return collectFor(tx, ids, "tag FROM request_tags", "n", scanText, func(id desk.RequestID, tag string) {
				at[id].Tags = append(at[id].Tags, tag)
			})
		},
		func() error {
			return collectFor(tx, ids, "user_id FROM request_contributors", "n", scanText, func(id desk.RequestID, user string) {
				at[id].Contributors = append(at[id].Contributors, user)
			})
		},
		func() error { return tx.addValues(ids, at) },
		func() error { return tx.addClocks(ids, at) },
		func() error {
			return collectFor(tx, ids, surveyColumns+" FROM surveys", "id", scanSurvey, func(id desk.RequestID, s desk.Survey) {
				s.Request = id
				at[id].Survey = &s
			})
		},
	} {
		if !beside.has[i] {
			continue
		}
		if err := read(); err != nil {
			return err
		}
	}
	if err := tx.addSuggestions(ids, at); err != nil {
		return err
	}
	return collectFor(tx, ids, "id, type, number, key, url, form_id, created_at FROM tickets", "id", scanTicket, func(id desk.RequestID, t desk.Ticket) {
		at[id].Tickets = append(at[id].Tickets, t)
	})
}

// addValues reads the custom field values of some requests.
func (tx *Tx) addValues(ids []desk.RequestID, at map[desk.RequestID]*desk.Request) error {
	if tx.madeWithout("custom_field_values", ids) {
		return nil
	}
	values, err := fieldValues(tx, desk.EntityRequest, ids)
	for id, v := range values {
		at[id].Values = v
	}
	return err
}

func scanTicket(scan scanner) (t desk.Ticket, err error) {
	var number *int64
	err = scan(&t.ID, &t.Type, &number, &t.Key, &t.URL, &t.Form, inMS(&t.CreatedAt))
	if number != nil {
		t.ID = *number // a native ticket is known by its number
	}
	return t, err
}

// madeWithout reports whether it is certain that none of the requests has a row in
// a table, because they were created in this transaction and it has not written to
// the table.
func (tx *Tx) madeWithout(table string, ids []desk.RequestID) bool {
	return !tx.Wrote(table) && !slices.ContainsFunc(ids, func(id desk.RequestID) bool { return !tx.made[id] })
}

// collectFor reads rows of several requests at once. what names the columns and the
// table, order sorts the rows of one request, and and adds conditions. The requests
// come in the direction of the order, because an index has only one.
func collectFor[T any](tx *Tx, ids []desk.RequestID, what, order string, scan func(scanner) (T, error), take func(desk.RequestID, T), and ...string) error {
	if _, table, _ := strings.Cut(what, "FROM "); tx.madeWithout(table, ids) {
		return nil
	}
	direction := ""
	if strings.HasSuffix(order, " DESC") {
		direction = " DESC"
	}
	return lookUpOf(tx, ids, "SELECT request_id, "+what+" WHERE account_id = ? AND request_id IN ",
		strings.Join(and, "")+" ORDER BY request_id"+direction+", "+order, scan, take)
}
