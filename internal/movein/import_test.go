package movein

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/desk"
)

// fakeDesk imports as the operation does, into a map.
type fakeDesk struct {
	requests map[string]desk.ImportedRequest
	calls    []int                                        // how many requests each call had
	check    func(desk.ImportedRequest) map[string]string // what is wrong, by field
	dry      bool
	fail     error // what the next call that would succeed returns
}

func (d *fakeDesk) take(_ context.Context, next func() (desk.ImportedRequest, error)) (made []desk.Imported, err error) {
	var all []desk.ImportedRequest
	wrong := &desk.Error{Kind: desk.Invalid}
	messages := 0
	for {
		n, err := next()
		if err == io.EOF {
			break
		}
		if d.check != nil {
			for field, message := range d.check(n) {
				wrong.Items = append(wrong.Items, desk.ItemError{Index: len(all), FieldError: desk.FieldError{Field: field, Message: message}})
			}
		}
		all, messages = append(all, n), messages+len(n.Messages)
	}
	d.calls = append(d.calls, len(all))
	switch {
	case len(all) == 0 || len(all) > desk.MostImported || messages > desk.MostImportedHistory:
		return nil, fmt.Errorf("a call with %d requests and %d messages", len(all), messages)
	case len(wrong.Items) > 0:
		return nil, wrong
	case d.fail != nil:
		return nil, d.fail
	}
	for _, n := range all {
		_, exists := d.requests[*n.ExternalID]
		made = append(made, desk.Imported{ExternalID: *n.ExternalID, Exists: exists})
		if !exists && !d.dry {
			d.requests[*n.ExternalID] = n
		}
	}
	return made, nil
}

func (d *fakeDesk) run(t *testing.T, i Import) (Report, error) {
	t.Helper()
	if d.requests == nil {
		d.requests = map[string]desk.ImportedRequest{}
	}
	i.Take, d.dry = d.take, i.DryRun
	if i.From == "" {
		i.From = Zendesk
	}
	return i.Run(context.Background())
}

func numbers(n int) (all []int) {
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

// What is imported twice is created once, in batches, and a dry run says the same as
// the real one.
func TestRepeated(t *testing.T) {
	lines := tickets(append(numbers(120), 7)...)
	file := write(t, "file", strings.Join(lines, "\n"))
	var d fakeDesk
	dry, err := d.run(t, Import{Files: []string{file}, DryRun: true})
	if err != nil || len(d.requests) > 0 {
		t.Fatal(err, len(d.requests))
	}
	d.calls = nil
	steps := 0
	real, err := d.run(t, Import{Files: []string{file}, Progress: func(r Report) { steps++ }})
	if err != nil || len(d.requests) != 120 || !slices.Equal(d.calls, []int{50, 50, 21}) || steps != 3 {
		t.Fatal(err, len(d.requests), d.calls, steps)
	}
	for _, r := range []Report{dry, real} {
		if r.Read != 121 || r.Created != 120 || r.Existed != 1 || r.Refused != 0 || !r.Complete || r.WithoutMessages != 121 {
			t.Errorf("%+v", r)
		}
	}
	again, err := d.run(t, Import{Files: []string{file}})
	if err != nil || again.Created != 0 || again.Existed != 121 {
		t.Errorf("%v %+v", err, again)
	}
	if other, err := d.run(t, Import{Files: []string{file}, Prefix: "harbor"}); err != nil || other.Created != 120 || d.requests["harbor:7"].Title == nil {
		t.Errorf("%v %+v", err, other)
	}
}

// An import that fails in the middle goes on where it was.
func TestInterrupted(t *testing.T) {
	file := write(t, "file", strings.Join(tickets(numbers(120)...), "\n"))
	var d fakeDesk
	down := errors.New("the database is gone")
	r, err := d.run(t, Import{Files: []string{file}, Progress: func(r Report) {
		if r.Created == 50 {
			d.fail = down
		}
	}})
	if !errors.Is(err, down) || r.Created != 50 || r.Complete {
		t.Fatalf("%v %+v", err, r)
	}
	d.fail = nil
	if r, err = d.run(t, Import{Files: []string{file}}); err != nil || r.Existed != 50 || r.Created != 70 {
		t.Errorf("%v %+v", err, r)
	}
}

// An import that is stopped says nothing about what it did not read.
func TestStopped(t *testing.T) {
	for _, text := range []string{strings.Join(tickets(numbers(20_000)...), "\n"), "[" + strings.Join(tickets(numbers(20_000)...), ",\n") + "]"} {
		ctx, stop := context.WithCancel(context.Background())
		d := fakeDesk{requests: map[string]desk.ImportedRequest{}}
		i := Import{From: Zendesk, Files: []string{write(t, "file", text)}, Take: d.take, Progress: func(Report) { stop() }}
		r, err := i.Run(ctx)
		if !errors.Is(err, context.Canceled) || r.Created != 50 || r.Refused != 0 || r.Complete {
			t.Errorf("%v %+v", err, r)
		}
	}
}

// A request that is wrong does not keep the others out.
func TestRefused(t *testing.T) {
	lines := tickets(numbers(10)...)
	lines[3] = `{"id":4,"subject":5,"requester_id":1}`
	lines[5] = `{"subject":"no id","requester_id":1,"created_at":"2024-01-01T00:00:00Z"}`
	d := fakeDesk{check: func(n desk.ImportedRequest) map[string]string {
		if *n.ExternalID == "zendesk:9" {
			return map[string]string{"created_at": "must not be in the future"}
		}
		return nil
	}}
	r, err := d.run(t, Import{Files: []string{write(t, "file", strings.Join(lines, "\n"))}})
	if err != nil || r.Created != 7 || r.Refused != 3 || r.Read != 10 {
		t.Fatalf("%v %+v", err, r)
	}
	var got []string
	for _, bad := range r.Refusals {
		got = append(got, fmt.Sprintf("%d %s %s", bad.Line, bad.ExternalID, strings.Join(bad.Problems, "; ")))
	}
	want := []string{"4 zendesk:4 subject must be a string", "6  id is required", "9 zendesk:9 created_at must not be in the future"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// What requests name and what does not exist here is left out and counted.
func TestUnknownNames(t *testing.T) {
	line := `{"id":%d,"subject":"S","requester_id":1,"created_at":"2024-01-01T00:00:00Z","status":"hold","assignee":{"email":"%s@x.example"},"organization":{"name":"%s"}}`
	var lines []string
	for i := range 60 {
		who, org := "noor", "Quay Ltd"
		if i%2 == 1 {
			who, org = "gone", "Pier"
		}
		lines = append(lines, fmt.Sprintf(line, i, who, org))
	}
	file := write(t, "file", strings.Join(lines, "\n"))
	d := fakeDesk{check: func(n desk.ImportedRequest) map[string]string {
		if n.Assignee != nil && *n.Assignee == "gone@x.example" {
			return map[string]string{"assignee": "must be a user"}
		}
		return nil
	}}
	r, err := d.run(t, Import{Files: []string{file}, Customers: map[string]desk.CustomerID{desk.Fold("QUAY LTD"): 8}})
	if err != nil || r.Created != 60 || r.Refused != 0 || r.Assignees["gone@x.example"] != 30 || r.Organizations["Pier"] != 30 || len(r.Organizations) != 1 || r.OnHoldPending != 60 {
		t.Fatalf("%v %+v", err, r)
	}
	if even := d.requests["zendesk:0"]; *even.Customer != 8 || *even.Assignee != "noor@x.example" || *even.State != desk.Pending {
		t.Errorf("%+v", even)
	}
	if odd := d.requests["zendesk:1"]; odd.Customer != nil || odd.Assignee != nil {
		t.Errorf("%+v", odd)
	}
	// The first batch finds out who is gone; the second knows.
	if !slices.Equal(d.calls, []int{50, 50, 10}) {
		t.Errorf("calls with %d requests", d.calls)
	}
}
