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

// requestFields are the columns of a request that can change, each with its value
// in the form the database takes.
var requestFields = []struct {
	column string
	of     func(desk.Request) any
}{
	{"collection_id", func(r desk.Request) any { return r.Collection.ID }},
	{"updated_at", func(r desk.Request) any { return ms(r.UpdatedAt) }},
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
	{"mail_subject", func(r desk.Request) any { return orNil(r.MailSubject) }},
	{"mail_status", func(r desk.Request) any { return orNil(unlessZero(r.MailStatus)) }},
	{"mails_requester", func(r desk.Request) any { return r.MailsRequester }},
	{"last_message_at", func(r desk.Request) any { return ms(r.LastMessageAt) }},
	{"first_response_at", func(r desk.Request) any { return orNil(OptionalMS(r.FirstResponseAt)) }},
	{"first_solved_at", func(r desk.Request) any { return orNil(OptionalMS(r.FirstSolvedAt)) }},
	{"solved_at", func(r desk.Request) any { return orNil(OptionalMS(r.SolvedAt)) }},
	{"snooze", ofSnooze(snoozeIs)},
	{"snoozed_at", ofSnooze(func(s desk.Snooze) any { return ms(s.At) })},
	{"snoozed_until", ofSnooze(func(s desk.Snooze) any { return orNil(OptionalMS(s.Until)) })},
	{"snoozed_by", ofSnooze(func(s desk.Snooze) any { return orNil(unlessZero(s.By)) })},
	{"back_at", ofBack(func(b desk.Back) any { return ms(b.At) })},
	{"back_by", ofBack(func(b desk.Back) any { return string(b.Reason) })},
}

// updatedField is the place of updated_at in requestFields.
const updatedField = 1

// orNil returns an optional value in a form that can be compared.
func orNil[T comparable](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

// fieldsOf returns the values of requestFields, in their order.
func fieldsOf(r desk.Request) []any {
	values := make([]any, len(requestFields))
	for i, m := range requestFields {
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
	tx.rows[r.ID] = fieldsOf(r)
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
		columns := "INSERT INTO requests (account_id, source, external_id, metadata, created_at, newest_by, newest_at, number, key"
		for _, m := range requestFields {
			columns += ", " + m.column
		}
		return columns + ") "
	}()
	requestRow    = "?" + strings.Repeat(", ?", 8+len(requestFields))
	insertRequest = func() string {
		var q query
		q.Add(insertRequests)
		q.Add("SELECT "+requestRow, make([]any, 9+len(requestFields))...)
		q.Add(" FROM collections WHERE account_id = $1 AND id = $10 RETURNING id, " + assignedNames + ", " + saidNames)
		return q.String()
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
	return append([]any{tx.Account, r.Source, unlessZero(r.ExternalID), jsonText(r.Metadata), ms(r.CreatedAt), by, at, r.Number, r.Key}, fieldsOf(r)...)
}

// AddRequest inserts a new request and sets its id, its key, the names of the people
// in it, its team and its channel. It returns NotFound if its collection does not
// belong to the account.
func (tx *Tx) AddRequest(r *desk.Request) error {
	key, err := tx.NextKeys(1)
	if err != nil {
		return err
	}
	r.Number, r.Key = key.Number, key.String()
	var assignee, team, author, avatar, channel, owner *string
	if err := tx.Row(insertRequest, tx.rowOf(*r)...).Scan(&r.ID, &assignee, &team, &author, &avatar, &channel, &owner); err != nil {
		return fmt.Errorf("add request: %w", Missing(err, "Collection"))
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
	r.CreatedAt, r.LastMessageAt = FromMS(ms(r.CreatedAt)), FromMS(ms(r.LastMessageAt))
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
		return fmt.Errorf("add requests: %w", Missing(err, "Collection"))
	}
	key, err := tx.NextKeys(len(all))
	if err != nil {
		return err
	}
	for some := range slices.Chunk(all, mostAdded) {
		var q query
		for i, r := range some {
			r.Number, r.Key = key.Number, key.String()
			key.Number++
			if r.Collection.ID != of {
				return fmt.Errorf("add requests: of collections %d and %d", of, r.Collection.ID)
			}
			if i == 0 {
				q.Add(insertRequests + "VALUES ")
			} else {
				q.Add(", ")
			}
			q.Add("("+requestRow+")", tx.rowOf(*r)...)
		}
		q.Add(" RETURNING id, " + assignedNames)
		type row struct {
			id             desk.RequestID
			assignee, team *string
		}
		rows, err := sqldb.Collect(tx.Tx, func(scan scanner) (w row, err error) {
			err = scan(&w.id, &w.assignee, &w.team)
			return w, err
		}, q.String(), q.Args()...)
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
	values, tags := tx.newValueRows(desk.EntityRequest), tx.newTagRows()
	if tx.made == nil {
		tx.made = map[desk.RequestID]bool{}
	}
	for _, r := range all {
		tx.made[r.ID] = true
		tx.remember(*r)
		tx.changedRow(r.ID)
		tx.touch(r.ID)
		values.add(int64(r.ID), nil, r.Values)
		tags.add(desk.Request{}, *r)
		if err := tx.saveList(r.ID, "request_contributors", "user_id", nil, r.Contributors); err != nil {
			return err
		}
	}
	if err := values.flush(); err != nil {
		return err
	}
	return tags.flush()
}

// SaveRequest saves what changed in a request and sets the names of its assignee
// and team. Where it came from stays. For a row that was read in this turn, the
// statement names only the columns that changed, because a database updates every
// index of the named columns, changed or not.
func (tx *Tx) SaveRequest(before desk.Request, r *desk.Request) error {
	var changed []string
	var args []any
	was, known := tx.rows[r.ID]
	for i, is := range fieldsOf(*r) {
		if !known || is != was[i] {
			args = append(args, is)
			changed = append(changed, fmt.Sprintf("%s = $%d", requestFields[i].column, len(args)))
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
	list := tx.insert("INSERT INTO " + table + " (account_id, request_id, n, " + column + ") VALUES ")
	for n, item := range after {
		list.Add(tx.Account, id, n, item)
	}
	return list.Flush()
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
