package store_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// A request that was read is shown again with one statement and is never outdated:
// neither the request, nor any name, nor what is new to somebody.
func TestRequestsAreKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, admin := newAccount(t, s, "Acme")
		var col desk.Collection
		var one desk.Request
		write(t, s, a.ID, func(tx *store.Tx) error {
			id, err := addAPICollection(tx, "API")
			if err != nil {
				return err
			}
			if col, err = tx.Collection(id); err != nil {
				return err
			}
			one, err = addRequest(tx, id, nil)
			return err
		})
		// shows reads it with one statement if that must be enough, otherwise with
		// several.
		shows := func(what string, want bool) (r desk.Request) {
			t.Helper()
			before := s.DB().Stats().Statements
			var kept bool
			must(t, s.Look(ctx, a.ID, func(tx *store.Tx) (err error) {
				r, kept, err = tx.KeptRow(one.ID, desk.Everything, admin.ID)
				return err
			}))
			if n := s.DB().Stats().Statements - before; kept != want || n != 1 {
				t.Errorf("%s: kept %v after %d statements, want %v", what, kept, n, want)
			}
			read(t, s, a.ID, func(tx *store.Tx) error {
				rows, err := tx.Rows([]desk.RequestID{one.ID}, desk.Everything, admin.ID)
				if err == nil {
					r = rows[0]
				}
				return err
			})
			must(t, s.CheckKept(ctx))
			return r
		}
		change := func(fn func(tx *store.Tx) error) {
			t.Helper()
			write(t, s, a.ID, fn)
		}
		shows("new", false)
		shows("read", true)

		change(func(tx *store.Tx) error {
			before := one
			one.Title, one.Tags = "Another", []string{"new"}
			return tx.SaveRequest(before, &one)
		})
		if r := shows("changed", false); r.Title != "Another" || fmt.Sprint(r.Tags) != "[new]" {
			t.Errorf("it is %+v", r)
		}
		change(func(tx *store.Tx) error {
			_, err := tx.SaveSuggested(one.ID, desk.AIFields{}, desk.AIFields{Emotion: &desk.Suggested[string]{Value: "positive", By: desk.ByRules}})
			return err
		})
		if r := shows("suggested", false); r.AI.Emotion == nil {
			t.Errorf("it is %+v", r.AI)
		}
		var said desk.Message
		change(func(tx *store.Tx) error {
			said = desk.Message{Request: one.ID, Author: desk.Requester{Email: "jo@acme.example"}, Text: "first", Source: desk.SourceAPI, CreatedAt: tx.Now}
			return tx.AddMessage(&said)
		})
		if r := shows("said", false); !r.Row.Unread || r.Row.Last.Text != "first" {
			t.Errorf("it is %+v", r.Row)
		}
		change(func(tx *store.Tx) error {
			said.Text = "edited"
			return tx.EditMessage(said)
		})
		if r := shows("edited", false); r.Row.Last.Text != "edited" {
			t.Errorf("it is %+v", r.Row)
		}
		change(func(tx *store.Tx) error { return tx.SetRead(admin.ID, one.ID, true) })
		if r := shows("read by somebody", true); r.Row.Unread {
			t.Error("what was read is unread")
		}
		change(func(tx *store.Tx) error { return tx.SetRead(admin.ID, one.ID, false) })
		if r := shows("wanted unread", true); !r.Row.Unread {
			t.Error("what is wanted unread is read")
		}
		change(func(tx *store.Tx) error {
			col.Name = "Called otherwise"
			return tx.SaveCollection(col)
		})
		if r := shows("renamed", false); r.Collection.Name != "Called otherwise" {
			t.Errorf("it is in %q", r.Collection.Name)
		}

		// A change that was rolled back is never read.
		if err := s.Write(ctx, a.ID, func(tx *store.Tx) error {
			before := one
			one.Title = "Never"
			if err := tx.SaveRequest(before, &one); err != nil {
				return err
			}
			rows, err := tx.Rows([]desk.RequestID{one.ID}, desk.Everything, admin.ID)
			if err != nil || rows[0].Title != "Never" {
				return fmt.Errorf("who writes reads %+v, %v", rows, err)
			}
			return errUndone
		}); err != errUndone {
			t.Error(err)
		}
		if r := shows("undone", true); r.Title != "Another" {
			t.Errorf("it is %q", r.Title)
		}
	})
}

var errUndone = fmt.Errorf("on second thoughts")

// The cache is bounded, and the most recently used requests stay.
func TestKeptIsBounded(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		const most, n = 30_000, 40
		store.KeepAtMost(s, most)
		var ids []desk.RequestID
		write(t, s, a.ID, func(tx *store.Tx) error {
			ids = nil
			col, err := addAPICollection(tx, "API")
			for range n {
				if err == nil {
					var r desk.Request
					r, err = addRequest(tx, col, nil)
					ids = append(ids, r.ID)
				}
			}
			return err
		})
		look := func(id desk.RequestID) (kept bool) {
			t.Helper()
			read(t, s, a.ID, func(tx *store.Tx) (err error) {
				if _, kept, err = tx.KeptRow(id, desk.Everything, 0); err == nil && !kept {
					_, err = tx.Rows([]desk.RequestID{id}, desk.Everything, 0)
				}
				return err
			})
			return kept
		}
		for _, id := range ids {
			look(id)
			look(ids[0]) // which is used all the time
			if _, bytes := store.Kept(s); bytes > most {
				t.Fatalf("%d bytes are kept", bytes)
			}
		}
		requests, _ := store.Kept(s)
		if requests < 5 || requests >= n || !look(ids[0]) || !look(ids[n-1]) || look(ids[1]) {
			t.Errorf("%d requests are kept, or others than were used last", requests)
		}
	})
}

// Whatever is renamed in an account, requests are shown with the new name.
func TestNamesAreNotKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, admin := newAccount(t, s, "Acme")
		var one desk.Request
		write(t, s, a.ID, func(tx *store.Tx) error {
			team, err := addDirectory(tx, "ACME")
			if err != nil {
				return err
			}
			col, err := addAPICollection(tx, "API")
			if err != nil {
				return err
			}
			customer := desk.Customer{Name: "Globex", CreatedAt: tx.Now, UpdatedAt: tx.Now}
			if err := tx.AddCustomer(&customer); err != nil {
				return err
			}
			field := desk.CustomField{Entity: desk.EntityRequest, Name: "Place", Type: desk.FieldText, Version: 1, Config: desk.FieldConfig{MaxLength: 10}, CreatedAt: tx.Now, UpdatedAt: tx.Now}
			if err := tx.AddCustomField(&field); err != nil {
				return err
			}
			one, err = addRequest(tx, col, func(r *desk.Request) {
				r.Author.User, r.Assignee, r.Team, r.Customer, r.Channel = "U_ACME", ptr("U_ACME"), &team, &customer.ID, &desk.ChannelRef{ID: "C_ACME"}
				r.Values = desk.FieldValues{field.ID: desk.FieldValue{Type: field.Type, Text: "here"}}
			})
			return err
		})
		for _, rename := range []string{
			"UPDATE users SET name = 'Other' WHERE account_id = $1",
			"UPDATE teams SET name = 'Other' WHERE account_id = $1",
			"UPDATE channels SET name = 'Other' WHERE account_id = $1",
			"UPDATE collections SET name = 'Other' WHERE account_id = $1",
			"UPDATE customers SET name = 'Other' WHERE account_id = $1",
			"UPDATE custom_fields SET removed_at = 1 WHERE account_id = $1",
			"UPDATE members SET email_folded = 'other@acme.example' WHERE account_id = $1",
		} {
			kept := func() (kept bool) {
				t.Helper()
				read(t, s, a.ID, func(tx *store.Tx) (err error) {
					if _, kept, err = tx.KeptRow(one.ID, desk.Everything, admin.ID); err == nil {
						_, err = tx.Rows([]desk.RequestID{one.ID}, desk.Everything, admin.ID)
					}
					return err
				})
				return kept
			}
			if kept(); !kept() {
				t.Fatal("nothing is kept")
			}
			write(t, s, a.ID, func(tx *store.Tx) error { _, err := tx.Exec(rename, a.ID); return err })
			if kept() {
				t.Errorf("after %s something is shown as it was", rename)
			}
			must(t, s.CheckKept(ctx))
		}
	})
}

// Every write to a table that a request is shown from gives the request a new
// version. The test reads the source: a function with such a statement does so
// itself, or is listed here with the reason why not.
func TestWhatChangesARequestSaysSo(t *testing.T) {
	elsewhere := map[string]string{
		"saveTags":          "SaveRequest does",
		"newTagRows":        "SaveRequest and keepBeside do",
		"newValueRows":      "SaveRequest and keepBeside do; of a customer it is none of a request",
		"removeFieldValues": "for saveFieldValues",
		"setVersions":       "it is what gives them",
		"newSuggestedRows":  "addSuggestedField does",
		"PlaceMessage":      "where a message stands is not shown",
		"foldTexts":         "what is folded is for filters",
	}
	writes := regexp.MustCompile(`(?:UPDATE|INSERT INTO|DELETE FROM) (requests|request_tags|request_contributors|custom_field_values|custom_field_choices|request_suggestions|request_slas|tickets|surveys|messages)\b`)
	says := regexp.MustCompile(`\btx\.(?:change|changedRow|changeMessage|touch|touchMessage|touchFrom|touchAdded)\(`)
	paths, err := filepath.Glob("*.go")
	must(t, err)
	found, excused := 0, map[string]bool{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		must(t, err)
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		must(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			body := string(text[fset.Position(f.Pos()).Offset:fset.Position(f.End()).Offset])
			if !writes.MatchString(body) {
				continue
			}
			found++
			if says.MatchString(body) {
				continue
			}
			if elsewhere[f.Name.Name] == "" {
				t.Errorf("%s: %s writes %q and gives no request another version", fset.Position(f.Pos()), f.Name.Name, writes.FindString(body))
			}
			excused[f.Name.Name] = true
		}
	}
	if found < 15 {
		t.Errorf("only %d functions were found", found)
	}
	for name := range elsewhere {
		if !excused[name] {
			t.Errorf("%s needs no reason", name)
		}
	}
}
