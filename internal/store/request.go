package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
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

const requestColumns = `r.id, r.title, r.title_by, r.shelf, r.not_a_request_state, r.priority, r.priority_by,
	r.author_id, r.author_name, r.author_email, u.name, u.avatar, r.customer_id, r.assignee, a.name, r.team_id, t.name,
	r.collection_id, c.name, r.channel_id, h.name, h.owner, r.workspace, r.thread_id, r.thread_url, r.triage_channel_id, r.triage_thread_id, r.triage_url,
	r.parent_id, r.merged_into, r.source, r.external_id, r.metadata,
	r.created_at, r.updated_at, r.last_message_at, r.first_response_at, r.first_solved_at, r.solved_at`

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
	LEFT JOIN teams t ON t.account_id = r.account_id AND t.id = r.team_id`

// scanRequest reads a row of selectRequest, and adds what is beside it.
func (b *beside) scanRequest(scan scanner) (r desk.Request, err error) {
	var (
		shelf, workspace, threadURL, triageURL        string
		author, userName, avatar, assignee, team      *string
		channel, channelName, channelOwner            *string
		thread, triageChannel, triageThread, external *string
		metadata                                      *string
		created, updated, lastMessage                 int64
		firstResponse, firstSolved, solved            *int64
		has                                           [len(besideTables)]bool
	)
	if err = scan(&r.ID, &r.Title, &r.TitleBy, &shelf, &r.NotARequest, &r.Priority, &r.PriorityBy,
		&author, &r.Author.Name, &r.Author.Email, &userName, &avatar, &r.Customer, &r.Assignee, &assignee, &r.Team, &team,
		&r.Collection.ID, &r.Collection.Name, &channel, &channelName, &channelOwner, &workspace, &thread, &threadURL, &triageChannel, &triageThread, &triageURL,
		&r.Parent, &r.MergedInto, &r.Source, &external, &metadata,
		&created, &updated, &lastMessage, &firstResponse, &firstSolved, &solved, &has[0], &has[1], &has[2], &has[3], &has[4], &b.names); err != nil {
		return r, err
	}
	for i := range has {
		b.has[i] = b.has[i] || has[i]
	}
	r.State = stateOf(shelf)
	r.Author.User, r.Author.Avatar = value(author), value(avatar)
	r.AssigneeName, r.TeamName = value(assignee), value(team)
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
	r.ExternalID = value(external)
	r.CreatedAt, r.UpdatedAt, r.LastMessageAt = fromMS(created), fromMS(updated), fromMS(lastMessage)
	r.FirstResponseAt, r.FirstSolvedAt, r.SolvedAt = fromOptionalMS(firstResponse), fromOptionalMS(firstSolved), fromOptionalMS(solved)
	return r, nil
}

// Request returns one conversation within reach, whether it is a request or not.
func (tx *Tx) Request(id desk.RequestID, reach desk.Reach) (desk.Request, error) {
	if r, kept, err := tx.keptBefore(id, reach); kept || err != nil {
		return r, err
	}
	var q query
	var beside beside
	q.add(selectRequest+" WHERE r.account_id = ? AND r.id = ?", tx.Account, id)
	q.within("r.collection_id", reach)
	r, err := beside.scanRequest(tx.Row(q.text.String(), q.args...).Scan)
	if err != nil {
		return r, missing(err, "Request")
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
	q.add("SELECT id FROM requests WHERE account_id = ? AND parent_id = ? AND merged_into IS NULL", tx.Account, id)
	q.within("collection_id", reach)
	q.add(" ORDER BY id")
	ids, err := sqldb.Collect(tx.Tx, scanID[desk.RequestID], q.text.String(), q.args...)
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
	seen := map[desk.RequestID]bool{}
	if len(ids) == 0 {
		return seen, nil
	}
	var q query
	q.add("SELECT id FROM requests WHERE account_id = ? AND id IN ", tx.Account)
	among(&q, ids)
	q.within("collection_id", reach)
	found, err := sqldb.Collect(tx.Tx, scanID[desk.RequestID], q.text.String(), q.args...)
	for _, id := range found {
		seen[id] = true
	}
	return seen, err
}

// fillRequests reads what several requests have besides their rows: one statement
// for each kind of thing that one of them has, however many requests there are.
func (tx *Tx) fillRequests(requests []desk.Request, beside beside) error {
	if len(requests) == 0 {
		return nil
	}
	tx.learnEpoch(beside.names)
	ids, at := make([]desk.RequestID, len(requests)), make(map[desk.RequestID]*desk.Request, len(requests))
	for i := range requests {
		ids[i], at[requests[i].ID] = requests[i].ID, &requests[i]
	}
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
	numbers := make([]int64, len(ids))
	for i, id := range ids {
		numbers[i] = int64(id)
	}
	values, err := tx.fieldValues(desk.EntityRequest, numbers)
	for id, v := range values {
		at[desk.RequestID(id)].Values = v
	}
	return err
}

// scanText reads a row that holds only a text.
func scanText(scan scanner) (text string, err error) {
	err = scan(&text)
	return text, err
}

func scanTicket(scan scanner) (t desk.Ticket, err error) {
	var number *int64
	var created int64
	err = scan(&t.ID, &t.Type, &number, &t.Key, &t.URL, &t.Form, &created)
	if number != nil {
		t.ID = *number // a native ticket is known by its number
	}
	t.CreatedAt = fromMS(created)
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
	var q query
	q.add("SELECT request_id, "+what+" WHERE account_id = ? AND request_id IN ", tx.Account)
	among(&q, ids)
	direction := ""
	if strings.HasSuffix(order, " DESC") {
		direction = " DESC"
	}
	q.add(strings.Join(and, "") + " ORDER BY request_id" + direction + ", " + order)
	_, err := sqldb.Collect(tx.Tx, func(row scanner) (id desk.RequestID, err error) {
		item, err := scan(func(dest ...any) error { return row(append([]any{&id}, dest...)...) })
		if err == nil {
			take(id, item)
		}
		return id, err
	}, q.text.String(), q.args...)
	return err
}

// requestMembers are the columns of a request that can change, each with its value
// in the form the database takes.
var requestMembers = []struct {
	column string
	of     func(desk.Request) any
}{
	{"collection_id", func(r desk.Request) any { return r.Collection.ID }},
	{"title", func(r desk.Request) any { return r.Title }},
	{"title_by", func(r desk.Request) any { return r.TitleBy }},
	{"shelf", func(r desk.Request) any { return shelfOf(r) }},
	{"is_listed", func(r desk.Request) any { return shelfOf(r) != shelfNone }},
	{"not_a_request_state", func(r desk.Request) any { return orNil(r.NotARequest) }},
	{"priority", func(r desk.Request) any { return r.Priority }},
	{"priority_by", func(r desk.Request) any { return r.PriorityBy }},
	{"author_id", func(r desk.Request) any { return orNil(unlessZero(r.Author.User)) }},
	{"author_name", func(r desk.Request) any { return r.Author.Name }},
	{"author_email", func(r desk.Request) any { return r.Author.Email }},
	{"author_email_folded", func(r desk.Request) any { return desk.FoldEmail(r.Author.Email) }},
	{"customer_id", func(r desk.Request) any { return orNil(r.Customer) }},
	{"assignee", func(r desk.Request) any { return orNil(r.Assignee) }},
	{"team_id", func(r desk.Request) any { return orNil(r.Team) }},
	{"channel_id", func(r desk.Request) any { return orNil(channelOf(r)) }},
	{"workspace", func(r desk.Request) any { return workspaceOf(r) }},
	{"thread_id", func(r desk.Request) any { return orNil(messageOf(r.Thread)) }},
	{"thread_url", func(r desk.Request) any { return urlOf(r.Thread) }},
	{"triage_channel_id", func(r desk.Request) any { return orNil(threadChannel(r.Triage)) }},
	{"triage_thread_id", func(r desk.Request) any { return orNil(messageOf(r.Triage)) }},
	{"triage_url", func(r desk.Request) any { return urlOf(r.Triage) }},
	{"parent_id", func(r desk.Request) any { return orNil(r.Parent) }},
	{"merged_into", func(r desk.Request) any { return orNil(r.MergedInto) }},
	{"updated_at", func(r desk.Request) any { return ms(r.UpdatedAt) }},
	{"last_message_at", func(r desk.Request) any { return ms(r.LastMessageAt) }},
	{"first_response_at", func(r desk.Request) any { return orNil(optionalMS(r.FirstResponseAt)) }},
	{"first_solved_at", func(r desk.Request) any { return orNil(optionalMS(r.FirstSolvedAt)) }},
	{"solved_at", func(r desk.Request) any { return orNil(optionalMS(r.SolvedAt)) }},
}

// orNil returns an optional value in a form that can be compared.
func orNil[T comparable](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

// membersOf returns the values of requestMembers, in their order.
func membersOf(r desk.Request) []any {
	values := make([]any, len(requestMembers))
	for i, m := range requestMembers {
		values[i] = m.of(r)
	}
	return values
}

// remember stores the column values of a request for SaveRequest. Nothing else
// tells which of them a caller has changed.
func (tx *Tx) remember(r desk.Request) {
	if !tx.inTurn {
		return
	}
	if tx.rows == nil {
		tx.rows = map[desk.RequestID][]any{}
	}
	tx.rows[r.ID] = membersOf(r)
}

// knows returns NotFound if one of the ids is not a request of the account. It does
// not check requests that were read in this turn.
func (tx *Tx) knows(ids ...desk.RequestID) error {
	unread := slices.DeleteFunc(slices.Clone(ids), func(id desk.RequestID) bool {
		_, read := tx.rows[id]
		return read
	})
	slices.Sort(unread)
	unread = slices.Compact(unread)
	found, err := lookUp(tx, unread, scanID[desk.RequestID], "SELECT id FROM requests WHERE account_id = ? AND id IN ")
	if err == nil && len(found) < len(unread) {
		err = desk.Missing("Request")
	}
	return err
}

// Both inserts return the ids of new rows, and the names of their assignees and
// teams, because these may have changed since they were read. insertRequest also
// checks that the collection belongs to the account. For insertRequests the caller
// checks this first.
var (
	insertRequests = func() string {
		columns := "INSERT INTO requests (account_id, source, external_id, metadata, created_at, newest_by, newest_at"
		for _, m := range requestMembers {
			columns += ", " + m.column
		}
		return columns + ") "
	}()
	requestRow    = "?" + strings.Repeat(", ?", 6+len(requestMembers))
	insertRequest = func() string {
		var q query
		q.add(insertRequests)
		q.add("SELECT "+requestRow, make([]any, 7+len(requestMembers))...)
		q.add(" FROM collections WHERE account_id = $1 AND id = $8 RETURNING id, " + assignedNames + ", " + saidNames)
		return q.text.String()
	}()
)

const assignedNames = `(SELECT u.name FROM users u WHERE u.account_id = requests.account_id AND u.user_id = requests.assignee),
	(SELECT t.name FROM teams t WHERE t.account_id = requests.account_id AND t.id = requests.team_id)`

// saidNames selects the names of a request's author and channel.
const saidNames = `(SELECT u.name FROM users u WHERE u.account_id = requests.account_id AND u.user_id = requests.author_id),
	(SELECT u.avatar FROM users u WHERE u.account_id = requests.account_id AND u.user_id = requests.author_id),
	(SELECT h.name FROM channels h WHERE h.account_id = requests.account_id AND h.channel_id = requests.channel_id),
	(SELECT h.owner FROM channels h WHERE h.account_id = requests.account_id AND h.channel_id = requests.channel_id)`

// rowOf returns the columns of a new request for insertRequest. It sets the newest
// message to one by the author, now, because that is most likely what follows. If
// so, adding that message moves the row in no index.
func (tx *Tx) rowOf(r desk.Request) []any {
	by, at := whoSaid(r.Author), ms(tx.Now)
	if r.Source == desk.FromImport {
		by, at = "", 0
	}
	return append([]any{tx.Account, r.Source, unlessZero(r.ExternalID), jsonText(r.Metadata), ms(r.CreatedAt), by, at}, membersOf(r)...)
}

// AddRequest inserts a new request and sets its id, the names of the people in it,
// its team and its channel. It returns NotFound if its collection does not belong
// to the account.
func (tx *Tx) AddRequest(r *desk.Request) error {
	var assignee, team, author, avatar, channel, owner *string
	if err := tx.Row(insertRequest, tx.rowOf(*r)...).Scan(&r.ID, &assignee, &team, &author, &avatar, &channel, &owner); err != nil {
		return fmt.Errorf("add request: %w", missing(err, "Collection"))
	}
	r.AssigneeName, r.TeamName, r.Author.Avatar = value(assignee), value(team), value(avatar)
	if author != nil {
		r.Author.Name = *author
	}
	if r.Channel != nil {
		r.Channel = &desk.ChannelRef{ID: r.Channel.ID, Name: value(channel), Owner: value(owner)}
	}
	return tx.keepBeside(r)
}

// Made returns a request that AddRequest inserted in this transaction, as it will
// be read. Only its clocks and values have to be read, because the database has its
// own form of them.
func (tx *Tx) Made(r desk.Request) (desk.Request, error) {
	r.CreatedAt, r.LastMessageAt = fromMS(ms(r.CreatedAt)), fromMS(ms(r.LastMessageAt))
	r.SLAs, r.Values = nil, nil
	ids, at := []desk.RequestID{r.ID}, map[desk.RequestID]*desk.Request{r.ID: &r}
	err := tx.addClocks(ids, at)
	if err == nil {
		err = tx.addValues(ids, at)
	}
	return r, err
}

// mostAdded limits the number of requests that one statement adds.
const mostAdded = 100

// AddRequests is AddRequest for many requests of one collection, one table at a
// time.
func (tx *Tx) AddRequests(all []*desk.Request) error {
	if len(all) == 0 {
		return nil
	}
	of := all[0].Collection.ID
	if err := tx.Row("SELECT id FROM collections WHERE account_id = $1 AND id = $2", tx.Account, of).Scan(&of); err != nil {
		return fmt.Errorf("add requests: %w", missing(err, "Collection"))
	}
	for some := range slices.Chunk(all, mostAdded) {
		var q query
		for i, r := range some {
			if r.Collection.ID != of {
				return fmt.Errorf("add requests: of collections %d and %d", of, r.Collection.ID)
			}
			if i == 0 {
				q.add(insertRequests + "VALUES ")
			} else {
				q.add(", ")
			}
			q.add("("+requestRow+")", tx.rowOf(*r)...)
		}
		q.add(" RETURNING id, " + assignedNames)
		type row struct {
			id             desk.RequestID
			assignee, team *string
		}
		rows, err := sqldb.Collect(tx.Tx, func(scan scanner) (w row, err error) {
			err = scan(&w.id, &w.assignee, &w.team)
			return w, err
		}, q.text.String(), q.args...)
		if err != nil {
			return fmt.Errorf("add requests: %w", err)
		}
		// Ids are assigned in the order of the rows, but may be returned in any
		// order.
		slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.id, b.id) })
		for i, r := range some {
			r.ID, r.AssigneeName, r.TeamName = rows[i].id, value(rows[i].assignee), value(rows[i].team)
		}
	}
	return tx.keepBeside(all...)
}

// keepBeside inserts what new requests have besides their rows.
func (tx *Tx) keepBeside(all ...*desk.Request) error {
	values, tags := newValueRows(desk.EntityRequest), newTagRows()
	if tx.made == nil {
		tx.made = map[desk.RequestID]bool{}
	}
	for _, r := range all {
		tx.made[r.ID] = true
		tx.remember(*r)
		tx.changedRow(r.ID)
		tx.touch(r.ID)
		if err := values.add(tx, int64(r.ID), nil, r.Values); err != nil {
			return err
		}
		if err := tags.add(tx, desk.Request{}, *r); err != nil {
			return err
		}
		if err := tx.saveList(r.ID, "request_contributors", "user_id", nil, r.Contributors); err != nil {
			return err
		}
	}
	if err := values.flush(tx); err != nil {
		return err
	}
	return tags.flush(tx)
}

// SaveRequest saves what changed in a request and sets the names of its assignee
// and team. Where it came from stays. For a row that was read in this turn, the
// statement names only the columns that changed, because a database updates every
// index of the named columns, changed or not.
func (tx *Tx) SaveRequest(before desk.Request, r *desk.Request) error {
	var changed []string
	var args []any
	was, known := tx.rows[r.ID]
	for i, is := range membersOf(*r) {
		if !known || is != was[i] {
			args = append(args, is)
			changed = append(changed, fmt.Sprintf("%s = $%d", requestMembers[i].column, len(args)))
		}
	}
	tx.change(r.ID)
	if n := len(args); n > 0 {
		var assignee, team *string
		err := tx.Row("UPDATE requests SET version = version + 1, "+strings.Join(changed, ", ")+" WHERE account_id = $"+strconv.Itoa(n+1)+" AND id = $"+strconv.Itoa(n+2)+" RETURNING "+assignedNames,
			append(args, tx.Account, r.ID)...).Scan(&assignee, &team)
		if errors.Is(err, sqldb.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("save request: %w", err)
		}
		r.AssigneeName, r.TeamName = value(assignee), value(team)
		tx.remember(*r)
		tx.changedRow(r.ID)
	}
	if !countsAs(before, *r) {
		tx.touch(r.ID)
	}
	if err := tx.saveFieldValues(desk.EntityRequest, int64(r.ID), before.Values, r.Values); err != nil {
		return err
	}
	if err := tx.saveTags(before, *r); err != nil {
		return err
	}
	return tx.saveList(r.ID, "request_contributors", "user_id", before.Contributors, r.Contributors)
}

// saveList saves a list of a request if it has changed.
func (tx *Tx) saveList(id desk.RequestID, table, column string, before, after []string) error {
	if slices.Equal(before, after) {
		return nil
	}
	if len(before) > 0 {
		if _, err := tx.Exec("DELETE FROM "+table+" WHERE account_id = $1 AND request_id = $2", tx.Account, id); err != nil {
			return err
		}
	}
	list := newRows("INSERT INTO "+table+" (account_id, request_id, n, "+column+") VALUES ", "(?, ?, ?, ?)")
	for n, item := range after {
		if err := list.add(tx, tx.Account, id, n, item); err != nil {
			return err
		}
	}
	return list.flush(tx)
}

func channelOf(r desk.Request) *string {
	if r.Channel == nil {
		return nil
	}
	return &r.Channel.ID
}

// workspaceOf returns the chat workspace, which both threads share.
func workspaceOf(r desk.Request) string {
	for _, t := range []*desk.Thread{r.Thread, r.Triage} {
		if t != nil {
			return t.Workspace
		}
	}
	return ""
}

func messageOf(t *desk.Thread) *string {
	if t == nil {
		return nil
	}
	return &t.Message
}

func threadChannel(t *desk.Thread) *string {
	if t == nil {
		return nil
	}
	return &t.Channel
}

func urlOf(t *desk.Thread) string {
	if t == nil {
		return ""
	}
	return t.URL
}

// jsonText converts JSON for a column; nil becomes NULL.
func jsonText(b []byte) *string {
	if b == nil {
		return nil
	}
	text := string(b)
	return &text
}
