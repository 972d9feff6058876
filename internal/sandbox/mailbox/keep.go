package mailbox

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"frontdesk/internal/mail"
	"frontdesk/internal/markup"
	"frontdesk/internal/sqldb"
)

// changesTopic wakes the streams.
const changesTopic = "mailbox"

// box is where a copy of a mail lies.
type box string

const (
	inbox box = "inbox"
	sent  box = "sent"
)

// summary is what lists show of a mail.
type summary struct {
	From    []address `json:"from"`
	ReplyTo []address `json:"reply_to"`
	To      []address `json:"to"`
	Cc      []address `json:"cc"`
	Subject string    `json:"subject"`
	Date    time.Time `json:"date"`
	Snippet string    `json:"snippet"`
	Files   []file    `json:"files"`
}

type address struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// file is an attachment. Number is its place in the mail.
type file struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	Size   int    `json:"size"`
}

// mostSnippet is how many characters of a mail lists show.
const mostSnippet = 160

// summarize returns what lists show of a mail that came at a time.
func summarize(m mail.Mail, at time.Time) summary {
	s := summary{From: addresses(m.From), ReplyTo: addresses(m.ReplyTo), To: addresses(m.To), Cc: addresses(m.Cc), Subject: m.Subject, Date: m.Date, Files: []file{}}
	if s.Date.IsZero() {
		s.Date = at
	}
	s.Snippet = strings.Join(strings.Fields(markup.PlainText(m.Written(nil))), " ")
	if utf8.RuneCountInString(s.Snippet) > mostSnippet {
		s.Snippet = string([]rune(s.Snippet)[:mostSnippet]) + "…"
	}
	for i, f := range m.Files {
		if !f.Inline {
			s.Files = append(s.Files, file{Number: i, Name: f.Name, Type: f.Type, Size: len(f.Content)})
		}
	}
	return s
}

func addresses(list []mail.Address) []address {
	all := make([]address, len(list))
	for i, a := range list {
		all[i] = address(a)
	}
	return all
}

// keep stores a mail of a time for its sender, if one is given, and for the people whom
// it is for.
func (m *Mailbox) keep(ctx context.Context, at time.Time, source []byte, sender string, to []string) error {
	// A mail that cannot be read is kept, too: its source can be looked at.
	parsed, err := mail.Parse(source)
	if err != nil {
		parsed = mail.Mail{Subject: "This mail cannot be read"}
	}
	body, err := json.Marshal(summarize(parsed, at))
	if err != nil {
		return err
	}
	ids := parsed.Answers()
	if parsed.MessageID != "" {
		ids = append(ids, parsed.MessageID)
	}
	return m.db.Write(ctx, func(tx *sqldb.Tx) error {
		c := stored{ids: ids, at: at.UnixMicro(), body: string(body)}
		if err := tx.Row("INSERT INTO mails (size, source) VALUES ($1, $2) RETURNING id", len(source), source).Scan(&c.mail); err != nil {
			return err
		}
		if sender != "" {
			if err := m.addCopy(tx, c, sender, sent); err != nil {
				return err
			}
		}
		for _, owner := range to {
			if err := m.addCopy(tx, c, owner, inbox); err != nil {
				return err
			}
		}
		tx.Ring(changesTopic)
		return m.prune(tx)
	})
}

// stored is a mail of which people get copies.
type stored struct {
	mail int64
	ids  []string // its message id, and those that it refers to
	at   int64
	body string
}

// addCopy gives somebody a copy of a mail, in the thread that it belongs to.
func (m *Mailbox) addCopy(tx *sqldb.Tx, c stored, owner string, in box) error {
	thread, err := findThread(tx, owner, c.ids)
	if err != nil {
		return err
	}
	var id int64
	if err := tx.Row("INSERT INTO copies (owner, mail_id, box, thread, seen, at, body) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id",
		owner, c.mail, string(in), thread, in == sent, c.at, c.body).Scan(&id); err != nil {
		return err
	}
	if thread == 0 {
		thread = id
		if err := tx.Do("UPDATE copies SET thread = $2 WHERE id = $1", id, thread); err != nil {
			return err
		}
	}
	for _, ref := range c.ids {
		if err := tx.Do("INSERT INTO thread_ids (owner, message_id, thread) VALUES ($1, $2, $3) ON CONFLICT (owner, message_id) DO UPDATE SET thread = excluded.thread",
			owner, ref, thread); err != nil {
			return err
		}
	}
	return tx.Do("DELETE FROM copies WHERE owner = $1 AND id <= (SELECT id FROM copies WHERE owner = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)", owner, m.mostOfOne)
}

// findThread returns the thread that knows one of the message ids, or 0. If several do,
// this mail shows that they are one, and they become the oldest.
func findThread(tx *sqldb.Tx, owner string, ids []string) (int64, error) {
	var found []int64
	for _, id := range ids {
		threads, err := sqldb.Collect(tx, func(scan func(...any) error) (n int64, err error) { return n, scan(&n) },
			"SELECT thread FROM thread_ids WHERE owner = $1 AND message_id = $2", owner, id)
		if err != nil {
			return 0, err
		}
		found = append(found, threads...)
	}
	if len(found) == 0 {
		return 0, nil
	}
	first := slices.Min(found)
	for _, other := range found {
		if other == first {
			continue
		}
		for _, table := range []string{"copies", "thread_ids"} {
			if err := tx.Do("UPDATE "+table+" SET thread = $3 WHERE owner = $1 AND thread = $2", owner, other, first); err != nil {
				return 0, err
			}
		}
	}
	return first, nil
}

// prune deletes the oldest mails if all together are too large, and what nobody has a
// copy of.
func (m *Mailbox) prune(tx *sqldb.Tx) error {
	var total int64
	if err := tx.Row("SELECT coalesce(sum(size), 0) FROM mails").Scan(&total); err != nil {
		return err
	}
	for total > m.mostBytes {
		var id, size int64
		if err := tx.Row("SELECT id, size FROM mails ORDER BY id LIMIT 1").Scan(&id, &size); err != nil {
			return err
		}
		for _, statement := range []string{"DELETE FROM copies WHERE mail_id = $1", "DELETE FROM mails WHERE id = $1"} {
			if err := tx.Do(statement, id); err != nil {
				return err
			}
		}
		total -= size
	}
	if err := tx.Do("DELETE FROM mails WHERE NOT EXISTS (SELECT 1 FROM copies WHERE copies.mail_id = mails.id)"); err != nil {
		return err
	}
	return tx.Do("DELETE FROM thread_ids WHERE NOT EXISTS (SELECT 1 FROM copies WHERE copies.owner = thread_ids.owner AND copies.thread = thread_ids.thread)")
}
