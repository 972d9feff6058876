package movein

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

// Source is an account that is exported.
type Source interface {
	// Requests returns a page of requests with their messages.
	Requests(ctx context.Context, p desk.Page) (desk.List[desk.Request], error)
	// Customers returns a page of customers.
	Customers(ctx context.Context, q desk.CustomerQuery) (desk.List[desk.Customer], error)
	// Users returns those of the given users who exist, by id.
	Users(ctx context.Context, ids []string) (map[string]desk.User, error)
}

// Format is how an export is written.
type Format string

const (
	JSONLines Format = "jsonl"
	CSV       Format = "csv"
)

// Export is what to export, and where to.
type Export struct {
	Source   Source
	Format   Format
	Folder   string                   // created if it does not exist
	After    time.Time                // only requests that were created at this time or later; zero for all
	Until    time.Time                // only things that were created before
	Progress func(what string, n int) // called after each page
}

// Exported counts what was written.
type Exported struct{ Requests, Messages, Customers int }

// mostExported is how many requests are in memory at a time.
const mostExported = 20

// Run writes the files. They have their names only when all of them are complete. It
// replaces no file.
func (e Export) Run(ctx context.Context) (done Exported, err error) {
	if err := os.MkdirAll(e.Folder, 0o700); err != nil {
		return done, err
	}
	files := &exportFiles{folder: e.Folder}
	defer func() { err = errors.Join(err, files.close(err == nil)) }()
	if e.Format == CSV {
		err = e.csv(ctx, files, &done)
	} else {
		err = e.jsonLines(ctx, files, &done)
	}
	return done, err
}

// jsonLines writes one file with a request on each line.
func (e Export) jsonLines(ctx context.Context, files *exportFiles, done *Exported) error {
	w, err := files.create("requests.jsonl")
	if err != nil {
		return err
	}
	return e.requests(ctx, done, func(r desk.Request, n names) error {
		line, err := wire.JSON(newWrittenRequest(r, n))
		if err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		return err
	})
}

// requests calls a function with each request, the oldest first.
func (e Export) requests(ctx context.Context, done *Exported, write func(desk.Request, names) error) error {
	p := desk.Page{Limit: mostExported, Ascending: true, Before: &e.Until}
	if !e.After.IsZero() {
		before := e.After.Add(-time.Millisecond) // a page begins after it
		p.After = &before
	}
	for {
		page, err := e.Source.Requests(ctx, p)
		if err != nil {
			return err
		}
		named, err := e.names(ctx, page.Items)
		if err != nil {
			return err
		}
		for _, r := range page.Items {
			if err := write(r, named); err != nil {
				return err
			}
			done.Requests++
			done.Messages += len(r.Messages)
		}
		e.tell("Requests", done.Requests)
		if p.From = page.Next; p.From == nil {
			return nil
		}
	}
}

func (e Export) tell(what string, n int) {
	if e.Progress != nil {
		e.Progress(what, n)
	}
}

// names looks up what a page of requests names by id.
func (e Export) names(ctx context.Context, all []desk.Request) (n names, err error) {
	var users []string
	var customers []desk.CustomerID
	for _, r := range all {
		if r.Assignee != nil && !slices.Contains(users, *r.Assignee) {
			users = append(users, *r.Assignee)
		}
		if r.Customer != nil && !slices.Contains(customers, *r.Customer) {
			customers = append(customers, *r.Customer)
		}
	}
	n.customers = map[desk.CustomerID]string{}
	if len(customers) > 0 {
		page, err := e.Source.Customers(ctx, desk.CustomerQuery{IDs: customers, Page: desk.Page{Limit: desk.MostLimit}})
		if err != nil {
			return n, err
		}
		for _, c := range page.Items {
			n.customers[c.ID] = c.Name
		}
	}
	if len(users) > 0 {
		n.users, err = e.Source.Users(ctx, users)
	}
	return n, err
}

// The columns of the CSV files. Programs refer to them: add new ones at the end.
var (
	requestColumns = []string{"id", "external_id", "title", "state", "not_a_request_state", "priority", "requester_id", "requester_name", "requester_email",
		"customer_id", "customer_name", "assignee_id", "assignee_name", "assignee_email", "team_id", "team_name", "collection_id", "collection_name", "channel_id",
		"parent_id", "merged_into", "source", "tags", "custom_field_values", "message_count", "created_at", "updated_at", "last_message_at", "first_response_at",
		"first_solved_at", "solved_at", "key"}
	messageColumns = []string{"id", "request_id", "author_id", "author_name", "author_email", "is_responder", "is_private", "is_bot", "source", "html_body", "text",
		"file_count", "created_at", "edited_at"}
	customerColumns = []string{"id", "name", "owner_id", "domains", "channel_ids", "collection_id", "external_system", "external_entity_id", "external_deal_id",
		"custom_field_values", "created_at", "updated_at"}
)

// csv writes three flat files.
func (e Export) csv(ctx context.Context, files *exportFiles, done *Exported) error {
	var w [3]io.Writer
	for i, file := range []struct {
		name    string
		columns []string
	}{{"requests.csv", requestColumns}, {"messages.csv", messageColumns}, {"customers.csv", customerColumns}} {
		var err error
		if w[i], err = files.create(file.name); err != nil {
			return err
		}
		if err := wire.CSVRow(w[i], file.columns...); err != nil {
			return err
		}
	}
	err := e.requests(ctx, done, func(r desk.Request, n names) error {
		err := wire.CSVRow(w[0], requestRow(r, n)...)
		for _, m := range r.Messages {
			err = errors.Join(err, wire.CSVRow(w[1], messageRow(r.ID, m)...))
		}
		return err
	})
	if err != nil {
		return err
	}
	q := desk.CustomerQuery{Page: desk.Page{Limit: desk.MostLimit, Ascending: true, Before: &e.Until}}
	for {
		page, err := e.Source.Customers(ctx, q)
		if err != nil {
			return err
		}
		for _, c := range page.Items {
			if err := wire.CSVRow(w[2], customerRow(c)...); err != nil {
				return err
			}
		}
		done.Customers += len(page.Items)
		e.tell("Customers", done.Customers)
		if q.From = page.Next; q.From == nil {
			return nil
		}
	}
}

func requestRow(r desk.Request, n names) []string {
	w := newWrittenRequest(r, n)
	var email string
	if r.Assignee != nil {
		email = n.users[*r.Assignee].Email
	}
	return []string{cell(&w.ID), cell(w.ExternalID), w.Title, cell(w.State), cell(w.NotARequestState), string(w.Priority), cell(w.Requester.ID), cell(w.Requester.Name), cell(w.Requester.Email),
		cell(w.CustomerID), cell(w.CustomerName), cell(w.AssigneeID), cell(w.AssigneeName), email, cell(w.TeamID), cell(w.TeamName), cell(&w.CollectionID), w.CollectionName, cell(w.ChannelID),
		cell(w.ParentID), cell(w.MergedInto), string(w.Source), jsonCell(w.Tags), jsonCell(w.CustomFieldValues), strconv.Itoa(len(r.Messages)), string(w.CreatedAt), string(w.UpdatedAt), string(w.LastMessageAt),
		cell(w.FirstResponseAt), cell(w.FirstSolvedAt), cell(writtenTime(r.SolvedAt)), w.Key}
}

func messageRow(request desk.RequestID, m desk.Message) []string {
	w := newWrittenMessage(m)
	return []string{cell(&w.ID), cell(&request), cell(w.Author.ID), cell(w.Author.Name), cell(w.Author.Email), strconv.FormatBool(w.Responder), strconv.FormatBool(w.Private),
		strconv.FormatBool(w.Bot), string(w.Source), w.HTML, m.Text, strconv.Itoa(len(w.Files)), string(w.CreatedAt), cell(w.EditedAt)}
}

func customerRow(c desk.Customer) []string {
	created, updated := wire.NewTime(c.CreatedAt), wire.NewTime(c.UpdatedAt)
	return []string{cell(&c.ID), c.Name, cell(c.Owner), jsonCell(append([]string{}, c.Domains...)), jsonCell(append([]string{}, c.Channels...)), cell(c.Collection), cell(c.ExternalSystem), cell(c.ExternalEntity),
		cell(c.ExternalDeal), jsonCell(wire.NewFieldValues(c.Values)), string(created), string(updated)}
}

// cell returns a value as text, or nothing for null.
func cell[T any](v *T) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(*v)
}

// jsonCell returns a list or an object as JSON.
func jsonCell(v any) string {
	text, err := wire.JSON(v)
	if err != nil {
		return "" // cannot fail: it is made of texts and numbers
	}
	return string(text)
}

// exportFiles are files that are being written. Until all are complete, they have
// another name.
type exportFiles struct {
	folder string
	all    []*exportFile
}

type exportFile struct {
	*bufio.Writer
	file *os.File
	name string
}

const unfinished = ".part"

// create begins a file that must not exist.
func (x *exportFiles) create(name string) (io.Writer, error) {
	path := filepath.Join(x.folder, name)
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s exists already: choose another folder", path)
	}
	f, err := os.OpenFile(path+unfinished, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	file := &exportFile{bufio.NewWriterSize(f, 1<<16), f, path}
	x.all = append(x.all, file)
	return file, nil
}

// close completes the files, or removes them if something failed.
func (x *exportFiles) close(good bool) (err error) {
	for _, f := range x.all {
		if good {
			err = errors.Join(err, f.Flush(), f.file.Sync())
		}
		err = errors.Join(err, f.file.Close())
	}
	for _, f := range x.all {
		if good && err == nil {
			err = os.Rename(f.name+unfinished, f.name)
			continue
		}
		err = errors.Join(err, os.Remove(f.name+unfinished))
	}
	return err
}
