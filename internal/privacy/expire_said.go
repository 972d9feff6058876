package privacy

import (
	"encoding/json"
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// What was said in a request is recorded again in events of the feed, under the
// request that the message was in at that time. Since then, that one may have been
// merged into this one, or this one split off from it.

// family is some requests whose texts or files go, with what else has these.
type family struct {
	requests []int64  // they, and those that were merged into them
	messages []int64  // of all these, sorted
	subjects []string // of the events in which the messages may be; those of the requests come first
}

// familyOf finds the family of some requests.
func (x *expirer) familyOf(ids []int64) (f family, err error) {
	f.requests = slices.Clone(ids)
	if err := x.addMerged(&f.requests, 0); err != nil {
		return f, err
	}
	q := withIDs(f.requests, "SELECT id FROM messages WHERE account_id = ? AND request_id IN {} ORDER BY id", x.Account)
	if f.messages, err = sqldb.Collect(x.Tx.Tx, scanNumber, q.String(), q.Args()...); err != nil {
		return f, err
	}
	said := slices.Clone(f.requests)
	for from := 0; from < len(said); { // also those that they were split off from, and so on
		next := len(said)
		if err := x.addSplitFrom(&said, from); err != nil {
			return f, err
		}
		if err := x.addMerged(&said, next); err != nil {
			return f, err
		}
		from = next
	}
	for _, id := range said {
		f.subjects = append(f.subjects, desk.RequestSubject+fmt.Sprint(id))
	}
	return f, nil
}

// addMerged adds the requests that were merged into those from a place on, and into
// these in turn.
func (x *expirer) addMerged(ids *[]int64, from int) error {
	for from < len(*ids) {
		q := withIDs((*ids)[from:], "SELECT id FROM requests WHERE account_id = ? AND merged_into IN {}", x.Account)
		more, err := sqldb.Collect(x.Tx.Tx, scanNumber, q.String(), q.Args()...)
		if err != nil {
			return fmt.Errorf("find merged requests: %w", err)
		}
		from = len(*ids)
		addNew(ids, more)
	}
	return nil
}

// addSplitFrom adds the requests that those from a place on were split off from.
func (x *expirer) addSplitFrom(ids *[]int64, from int) error {
	q := withIDs((*ids)[from:], "SELECT CAST(links AS TEXT) FROM request_changes WHERE account_id = ? AND action = '"+desk.RequestSplit+"' AND request_id IN {}", x.Account)
	var more []int64
	err := x.Each(func(scan func(...any) error) error {
		var text string
		if err := scan(&text); err != nil {
			return err
		}
		var links []struct {
			Field string
			To    json.Number
		}
		if json.Unmarshal([]byte(text), &links) != nil {
			return nil
		}
		for _, l := range links {
			if l.Field == "split_from" {
				more = append(more, number(l.To))
			}
		}
		return nil
	}, q.String(), q.Args()...)
	if err != nil {
		return fmt.Errorf("find split requests: %w", err)
	}
	addNew(ids, more)
	return nil
}

func addNew(ids *[]int64, more []int64) {
	for _, id := range more {
		if !slices.Contains(*ids, id) {
			*ids = append(*ids, id)
		}
	}
}

// DeletedFile takes the place of the name of a deleted file where it was recorded.
const DeletedFile = "Deleted file"

// said is what takes the place of what was said; empty if the texts stay.
type said struct{ text, html string }

// rewriteEvents takes the messages of a family out of the events that told of them.
// The types are those that carry messages; migration 34 has an index of them.
func (x *expirer) rewriteEvents(f family, is said) error {
	type event struct {
		id   int64
		data string
	}
	q := withIDs(f.subjects, "SELECT id, CAST(data AS TEXT) FROM events WHERE account_id = ? AND type IN ('message.created', 'email.sent', 'email.failed') AND subject IN {} ORDER BY id", x.Account)
	events, err := sqldb.Collect(x.Tx.Tx, func(scan func(...any) error) (e event, err error) {
		err = scan(&e.id, &e.data)
		return e, err
	}, q.String(), q.Args()...)
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	for _, e := range events {
		data := rewriteObjects(e.data, func(o map[string]any) bool { return is.replaceMessage(o, f.messages) })
		if data == e.data {
			continue
		}
		if err := x.Later("UPDATE events SET data = $1 WHERE account_id = $2 AND id = $3", data, x.Account, e.id); err != nil {
			return err
		}
	}
	return nil
}

// replaceMessage changes an object if it is one of the messages.
func (is said) replaceMessage(o map[string]any, messages []int64) (changed bool) {
	if _, isMessage := o["is_responder"]; !isMessage || !has(messages, number(o["id"])) {
		return false
	}
	set := func(o map[string]any, key, to string) {
		if was, ok := o[key].(string); ok && was != "" && was != to {
			o[key], changed = to, true
		}
	}
	if is.text != "" {
		set(o, "text", is.text)
		set(o, "html_body", is.html)
	}
	files, _ := o["attachments"].([]any)
	for _, f := range files {
		if file, ok := f.(map[string]any); ok {
			set(file, "name", DeletedFile)
		}
	}
	return changed
}

// emptyAnswers deletes what webhooks answered to events of a family's requests,
// because an answer may repeat what it was sent.
func (x *expirer) emptyAnswers(f family) error {
	type delivery struct {
		id       int64
		attempts string
	}
	q := withIDs(f.subjects[:len(f.requests)], "SELECT id, CAST(attempts AS TEXT) FROM deliveries WHERE account_id = ? AND subject IN {} ORDER BY id", x.Account)
	all, err := sqldb.Collect(x.Tx.Tx, func(scan func(...any) error) (d delivery, err error) {
		err = scan(&d.id, &d.attempts)
		return d, err
	}, q.String(), q.Args()...)
	if err != nil {
		return fmt.Errorf("read deliveries: %w", err)
	}
	for _, d := range all {
		attempts := rewriteObjects(d.attempts, func(o map[string]any) bool {
			_, isAttempt := o["took"]
			had := isAttempt && (o["body"] != nil || o["header"] != nil)
			if had {
				delete(o, "body")
				delete(o, "header")
			}
			return had
		})
		if attempts == d.attempts {
			continue
		}
		if err := x.Later("UPDATE deliveries SET attempts = $1 WHERE account_id = $2 AND id = $3", attempts, x.Account, d.id); err != nil {
			return err
		}
	}
	return nil
}

// rewriteObjects changes the objects in a JSON text. It returns the text as it was if
// nothing in it changed.
func rewriteObjects(text string, change func(map[string]any) bool) string {
	text, _ = rewriteJSON(text, func(v any) (any, bool) { return v, changeObjects(v, change) })
	return text
}

func changeObjects(v any, change func(map[string]any) bool) (changed bool) {
	switch v := v.(type) {
	case []any:
		for _, o := range v {
			changed = changeObjects(o, change) || changed
		}
	case map[string]any:
		changed = change(v)
		for _, o := range v {
			changed = changeObjects(o, change) || changed
		}
	}
	return changed
}
