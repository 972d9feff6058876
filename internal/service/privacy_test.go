package service

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/blob"
	"frontdesk/internal/desk"
	"frontdesk/internal/index"
	"frontdesk/internal/privacy"
	"frontdesk/internal/schema"
)

// Behind each of these tests the cached requests are compared with the database, so a
// cache that still has what was erased fails it.

// erases erases a person and checks that no row has any of the words, but had all of
// them before.
func (c *company) erases(p privacy.Subject, words ...string) privacy.Erased {
	c.t.Helper()
	before := c.everyRow()
	for _, w := range words {
		if before.around(w) == "" {
			c.t.Errorf("%q was not there before", w)
		}
	}
	d := privacy.Desk{Store: c.store, Blobs: c.blobs, Key: key}
	done, err := d.Erase(ctx, c.account.ID, p, func([]privacy.Listed) error { return nil })
	must(c.t, err)
	must(c.t, index.Update(ctx, c.store, c.account.ID))
	must(c.t, c.store.DB().Vacuum(ctx, "search_index"))
	after := c.everyRow()
	for _, w := range words {
		if at := after.around(w); at != "" {
			c.t.Errorf("%q is still there: %s", w, at)
		}
	}
	if _, err := c.store.VerifyAuditLog(ctx, c.account.ID); err != nil {
		c.t.Error(err)
	}
	return done
}

// rows is every row of a database at one moment, in lower case.
type rows []byte

// everyRow reads them from a backup. One takes long on PostgreSQL: look for many words in the same rows.
func (c *company) everyRow() rows {
	c.t.Helper()
	file := filepath.Join(c.t.TempDir(), "rows.db")
	must(c.t, c.store.DB().Backup(ctx, schema.Files, file))
	b, err := os.ReadFile(file)
	must(c.t, err)
	return bytes.ToLower(b)
}

// around returns what is around a word, and nothing if no row has it.
func (r rows) around(word string) string {
	at := bytes.Index(r, []byte(strings.ToLower(word)))
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("%q", r[max(0, at-200):min(len(r), at+200)])
}

// A person who writes mails is gone with the mails, also as they came, and others in
// the conversation are not.
func TestErasePersonOfMail(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		o.receives(letter{from: "Jo Wildhagen <jo@customer.example>", to: "support@" + mailDomain, cc: "Kim <kim@customer.example>", subject: "The kumquatdoor",
			header: "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b",
			body:   "--b\nContent-Type: text/plain\n\nThe kumquatdoor does not open.\n--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=marmotplan.txt\n\nhere\n--b--\n"})
		r := o.only()
		o.answers(r.ID, "<p>Dear Jo Wildhagen, push it.</p>")
		mails := o.post.take()
		o.receives(letter{from: "kim@customer.example", to: mails[0].ReplyTo[0].Email, subject: "Re: The kumquatdoor", body: "I pulled it.\n\n> The kumquatdoor does not open."})
		_, err := o.Request(ctx, o.caller(), r.ID, RequestParts{})
		must(t, err)
		done := o.erases(privacy.Person{Emails: []string{"jo@customer.example"}}, "jo@customer.example", "Wildhagen", "kumquatdoor", "marmotplan")
		if done.Requests != 1 || done.Messages != 1 || done.Files < 2 {
			t.Errorf("%+v", done)
		}
		keys, err := o.blobs.Keys(ctx, o.clock.Now().AddDate(100, 0, 0), blob.Key{}, 100)
		if err != nil || len(keys) != 0 {
			t.Errorf("%d files are left: %v", len(keys), err)
		}
		r = o.only()
		if r.Title != privacy.ErasedTitle || r.Author.Name != privacy.ErasedName || r.Author.Email != "" || r.Messages[0].Text != privacy.ErasedText {
			t.Errorf("%+v", r)
		}
		if text := r.Messages[1].Text; text != "Dear Erased person, push it." {
			t.Error(text)
		}
		if text := r.Messages[2].Text; !strings.HasPrefix(text, "I pulled it.") {
			t.Error(text)
		}
		// The conversation goes on with whoever is left.
		o.answers(r.ID, "<p>Pull it.</p>")
		for _, m := range o.post.take() {
			if m.to != "kim@customer.example" {
				t.Errorf("a mail to %q", m.to)
			}
		}
	})
}

// A person of the chat system is gone from the directory, from conversations, and
// from what others see of them.
func TestErasePersonOfChat(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, nil)
		first := h.says(h.oskar, h.help, "The kumquatscanner is broken")
		h.become("open <The kumquatscanner is broken")
		h.card(0)
		h.replies(h.maya, h.help, first.TS, "Thank you <@"+h.oskar+">")
		h.replies(h.oskar, h.help, first.TS, "It blinks marmotred")
		h.reacts(h.oskar, h.help, first.TS, "rotating_light")
		become(t, "the urgency", h.requests, func(all []desk.Request) bool { return all[0].Priority == desk.Urgent && len(all[0].Messages) == 3 })
		h.rests()
		h.close()
		done := h.erases(privacy.Person{Users: []string{h.oskar}}, h.oskar, "oskar@harborpine.example", "kumquatscanner", "marmotred")
		if done.Requests != 1 || done.Messages != 2 {
			t.Errorf("%+v", done)
		}
		r := h.requests()[0]
		if r.Title != privacy.ErasedTitle || r.Author.User != done.Person || r.Author.Name != privacy.ErasedName || r.Messages[0].Text != privacy.ErasedText {
			t.Errorf("%+v", r)
		}
		if u, err := h.Users(ctx, h.caller(), desk.UserQuery{IDs: []string{h.oskar}, IncludeDeleted: true, Page: desk.Page{Limit: 10}}); err != nil || len(u.Items) > 0 {
			t.Errorf("the directory has %+v %v", u.Items, err)
		}
	})
}
