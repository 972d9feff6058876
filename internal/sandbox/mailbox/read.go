package mailbox

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/mail"
	"frontdesk/internal/sqldb"
)

// errGone says that there is no such mail, or no longer.
const errGone Mistake = "This mail is not there any more."

// mailboxOf is somebody's mailbox.
type mailboxOf struct {
	Name    string `json:"name"`
	Email   string `json:"email"`
	Company string `json:"company"`
	Unread  int    `json:"unread"`
}

// mailboxes lists the people, and then everybody else who has mail.
func (m *Mailbox) mailboxes(ctx context.Context) (all []mailboxOf, err error) {
	for _, p := range m.cfg.People {
		all = append(all, mailboxOf{Name: p.Name, Email: ownerOf(p.Email), Company: p.Company})
	}
	err = m.db.Read(ctx, func(tx *sqldb.Tx) error {
		others := slices.Clone(all) // this may run more than once
		err := tx.Each(func(scan func(...any) error) error {
			var owner string
			var unread int
			if err := scan(&owner, &unread); err != nil {
				return err
			}
			i := slices.IndexFunc(others, func(p mailboxOf) bool { return p.Email == owner })
			if i < 0 {
				i = len(others)
				others = append(others, mailboxOf{Email: owner})
			}
			others[i].Unread = unread
			return nil
		}, "SELECT owner, count(CASE WHEN seen THEN NULL ELSE 1 END) FROM copies GROUP BY owner ORDER BY owner")
		all = others
		return err
	})
	return all, err
}

// copyOf is somebody's copy of a mail.
type copyOf struct {
	ID     int64 `json:"id"`
	Box    box   `json:"box"`
	Seen   bool  `json:"seen"`
	thread int64
	mail   int64
	at     time.Time
	summary
}

const copyColumns = "id, mail_id, box, thread, seen, at, body"

func scanCopy(scan func(...any) error) (c copyOf, err error) {
	var at int64
	var in, body string
	if err = scan(&c.ID, &c.mail, &in, &c.thread, &c.Seen, &at, &body); err != nil {
		return c, err
	}
	c.Box, c.at = box(in), time.UnixMicro(at).UTC()
	return c, json.Unmarshal([]byte(body), &c.summary)
}

// thread is a thread as a list shows it.
type thread struct {
	ID      int64     `json:"id"`
	Subject string    `json:"subject"`
	People  []address `json:"people"` // who wrote in it; in the list of what was sent, to whom
	Count   int       `json:"count"`
	Unread  int       `json:"unread"`
	Files   bool      `json:"files"`
	At      time.Time `json:"at"`
	Snippet string    `json:"snippet"`
}

// threads lists the threads of which somebody has a mail in a box, the newest first.
func (m *Mailbox) threads(ctx context.Context, owner string, in box) ([]thread, error) {
	var copies []copyOf
	err := m.db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		copies, err = sqldb.Collect(tx, scanCopy, "SELECT "+copyColumns+" FROM copies WHERE owner = $1 ORDER BY at, id", owner)
		return err
	})
	if err != nil {
		return nil, err
	}
	byID := map[int64]*thread{}
	shown := []*thread{}
	for _, c := range copies {
		t := byID[c.thread]
		if t == nil {
			t = &thread{ID: c.thread, Subject: c.Subject, People: []address{}}
			byID[c.thread] = t
		}
		t.Count++
		t.Files = t.Files || len(c.Files) > 0
		if !c.Seen {
			t.Unread++
		}
		people := c.From
		if in == sent {
			people = c.To
		}
		if in == inbox || c.Box == sent {
			for _, a := range people {
				if !slices.ContainsFunc(t.People, func(p address) bool { return ownerOf(p.Email) == ownerOf(a.Email) }) {
					t.People = append(t.People, a)
				}
			}
		}
		if c.Box != in {
			continue
		}
		if t.At.IsZero() {
			shown = append(shown, t)
		}
		t.At, t.Snippet = c.at, c.Snippet
	}
	slices.SortStableFunc(shown, func(a, b *thread) int { return b.At.Compare(a.At) })
	list := make([]thread, len(shown))
	for i, t := range shown {
		list[i] = *t
	}
	return list, nil
}

// thread returns the mails of a thread, the oldest first. A mail to oneself is shown
// once.
func (m *Mailbox) thread(ctx context.Context, owner string, id int64) (all []copyOf, err error) {
	err = m.db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		all, err = sqldb.Collect(tx, scanCopy, "SELECT "+copyColumns+" FROM copies WHERE owner = $1 AND thread = $2 ORDER BY at, id", owner, id)
		return err
	})
	if err == nil && len(all) == 0 {
		err = errGone
	}
	shown := all[:0]
	for _, c := range all {
		if len(shown) == 0 || shown[len(shown)-1].mail != c.mail {
			shown = append(shown, c)
		}
	}
	return shown, err
}

// markRead marks the mails of a thread as read.
func (m *Mailbox) markRead(ctx context.Context, owner string, id int64) error {
	return m.db.Write(ctx, func(tx *sqldb.Tx) error {
		n, err := tx.Exec("UPDATE copies SET seen = TRUE WHERE owner = $1 AND thread = $2 AND NOT seen", owner, id)
		if n > 0 {
			tx.Ring(changesTopic)
		}
		return err
	})
}

// source returns a mail as it was sent.
func (m *Mailbox) source(ctx context.Context, id int64) (source []byte, err error) {
	err = m.db.Read(ctx, func(tx *sqldb.Tx) error {
		return tx.Row("SELECT m.source FROM copies c JOIN mails m ON m.id = c.mail_id WHERE c.id = $1", id).Scan(&source)
	})
	if errors.Is(err, sqldb.ErrNoRows) {
		err = errGone
	}
	return source, err
}

// parsed returns a mail. What cannot be read is a text.
func (m *Mailbox) parsed(ctx context.Context, id int64) (mail.Mail, error) {
	source, err := m.source(ctx, id)
	if err != nil {
		return mail.Mail{}, err
	}
	p, err := mail.Parse(source)
	if err != nil {
		return mail.Mail{Text: strings.ToValidUTF8(string(source), "�")}, nil
	}
	return p, nil
}
