package movein

import (
	"context"
	"errors"
	"io"
	"strings"

	"frontdesk/internal/desk"
)

// Take imports requests, all of them or none. It reads them until io.EOF, and returns a
// result for each. If some are wrong, it returns a *desk.Error whose Items say which.
type Take func(ctx context.Context, next func() (desk.ImportedRequest, error)) ([]desk.Imported, error)

// Import is what to import, and how.
type Import struct {
	From      System
	Prefix    string // of external ids. Defaults to the name of the system
	Files     []string
	DryRun    bool // Take changes nothing
	Take      Take
	Customers map[string]desk.CustomerID // by folded name
	OnHold    bool                       // whether the account allows requests on hold
	Progress  func(Report)               // called after each batch
}

// Report says what an import did, or what it would do. Its form is documented in
// docs/import.md.
type Report struct {
	From     System `json:"from"`
	DryRun   bool   `json:"dry_run"`
	Complete bool   `json:"complete"` // whether the files were read to their end

	Read    int `json:"read"`
	Created int `json:"created"`
	Existed int `json:"existed"`
	Refused int `json:"refused"`

	LeftOut         map[string]int `json:"left_out"`         // requests that are not imported, such as deleted ones, by reason
	HistoriesCut    int            `json:"histories_cut"`    // requests with more messages than one may have
	MessagesCut     int            `json:"messages_cut"`     // messages that were left out of those
	TextsCut        int            `json:"texts_cut"`        // messages that were too long
	WithoutMessages int            `json:"without_messages"` // requests without any
	FilesLeft       int            `json:"files_left"`       // files, which are not imported
	OnHoldPending   int            `json:"on_hold_as_pending"`
	ValuesLeft      int            `json:"custom_fields_left_out"` // requests with values of custom fields, which are not imported

	Assignees     Names `json:"unknown_assignees"`              // people who are no users here, with their requests
	Organizations Names `json:"organizations_without_customer"` // with their requests

	Refusals []Refusal `json:"refusals"` // the first mostRefusals
}

// Refusal is a request that could not be imported, or a part of a file that could not be
// read.
type Refusal struct {
	File       string   `json:"file"`
	Line       int      `json:"line"`
	ExternalID string   `json:"external_id,omitempty"`
	Problems   []string `json:"problems"`
}

// Names counts requests by a name. Beyond mostNames, names are counted together.
type Names map[string]int

const (
	mostRefusals = 1000
	mostNames    = 1000
	otherNames   = "(others)"
)

func (n Names) add(name string) {
	if _, known := n[name]; !known && len(n) >= mostNames {
		name = otherNames
	}
	n[name]++
}

// mostBatch bounds the text of a batch, because a batch is in memory as a whole.
const mostBatch = 16 << 20

// run is an import that is under way.
type run struct {
	Import
	report   Report
	batch    []Item
	messages int // in the batch
	size     int
	seen     map[string]bool // external ids that a dry run would have created
	unknown  map[string]bool // assignees who are known to be no users here
}

// Run imports the requests in the files. Requests that were imported before are left as
// they are, so an import that was interrupted is simply run again. The report is
// returned with an error, too.
//
//  1. Read requests into a batch, as many as one call takes.
//  2. Import the batch. If that fails because of some requests, leave out assignees who
//     are no users here, refuse requests with other problems, and try again.
func (i Import) Run(ctx context.Context) (Report, error) {
	if i.Prefix == "" {
		i.Prefix = string(i.From)
	}
	r := &run{Import: i, seen: map[string]bool{}, unknown: map[string]bool{}, report: Report{From: i.From, DryRun: i.DryRun,
		LeftOut: map[string]int{}, Assignees: Names{}, Organizations: Names{}, Refusals: []Refusal{}}}
	for it, err := range Read(ctx, i.From, i.Files) {
		if err == nil {
			err = r.add(ctx, it)
		}
		if err != nil {
			return r.report, err
		}
	}
	if err := r.flush(ctx); err != nil {
		return r.report, err
	}
	r.report.Complete = true
	return r.report, nil
}

// add takes an item into the batch. It imports the batch first if the item does not fit.
func (r *run) add(ctx context.Context, it Item) error {
	r.report.Read++
	if it.ID == "" && it.Request.ExternalID == nil && len(it.Problems) == 0 {
		it.Problems = []string{"id is required"}
	}
	switch {
	case len(it.Problems) > 0:
		r.refuse(it)
		return nil
	case it.LeftOut != "":
		r.report.LeftOut[it.LeftOut]++
		return nil
	}
	r.fit(&it)
	messages, size := len(it.Request.Messages), it.size()
	if len(r.batch) == desk.MostImported || r.messages+messages > desk.MostImportedHistory || len(r.batch) > 0 && r.size+size > mostBatch {
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	r.batch, r.messages, r.size = append(r.batch, it), r.messages+messages, r.size+size
	return nil
}

// fit makes a request one of this account, and counts what is lost.
func (r *run) fit(it *Item) {
	n := &it.Request
	if n.ExternalID == nil {
		id := r.Prefix + ":" + it.ID
		n.ExternalID = &id
	}
	if it.Organization != "" {
		if id, known := r.Customers[desk.Fold(it.Organization)]; known {
			n.Customer = &id
		} else {
			r.report.Organizations.add(it.Organization)
		}
	}
	if n.State != nil && *n.State == desk.OnHold && !r.OnHold {
		state := desk.Pending
		n.State = &state
		r.report.OnHoldPending++
	}
	if n.Assignee != nil && r.unknown[*n.Assignee] {
		r.dropAssignee(n)
	}
	if it.MessagesCut > 0 {
		r.report.HistoriesCut++
	}
	if len(n.Messages) == 0 {
		r.report.WithoutMessages++
	}
	if it.HasValues {
		r.report.ValuesLeft++
	}
	r.report.MessagesCut += it.MessagesCut
	r.report.TextsCut += it.TextsCut
	r.report.FilesLeft += it.Files
}

func (r *run) refuse(it Item) {
	r.report.Refused++
	if len(r.report.Refusals) < mostRefusals {
		refusal := Refusal{File: it.File, Line: it.Line, Problems: it.Problems}
		if it.ID != "" {
			refusal.ExternalID = r.Prefix + ":" + it.ID
		}
		r.report.Refusals = append(r.report.Refusals, refusal)
	}
}

// flush imports the batch.
func (r *run) flush(ctx context.Context) error {
	for len(r.batch) > 0 {
		at := 0
		results, err := r.Take(ctx, func() (n desk.ImportedRequest, err error) {
			if at == len(r.batch) {
				return n, io.EOF
			}
			at++
			return r.batch[at-1].Request, nil
		})
		if err == nil {
			r.count(results)
			break
		}
		var wrong *desk.Error
		if !errors.As(err, &wrong) || len(wrong.Items) == 0 {
			return err
		}
		r.mend(wrong.Items)
	}
	r.batch, r.messages, r.size = r.batch[:0], 0, 0
	if r.Progress != nil {
		r.Progress(r.report)
	}
	return nil
}

func (r *run) count(results []desk.Imported) {
	for _, made := range results {
		if made.Exists || r.seen[made.ExternalID] {
			r.report.Existed++
			continue
		}
		r.report.Created++
		if r.DryRun {
			r.seen[made.ExternalID] = true
		}
	}
}

// mend leaves out assignees who are no users here, and refuses requests with other
// problems. After it, the batch has at least one problem less.
func (r *run) mend(problems []desk.ItemError) {
	bad := map[int][]string{}
	for _, p := range problems {
		if p.Index >= len(r.batch) {
			continue
		}
		n := &r.batch[p.Index].Request
		if p.Field == "assignee" && n.Assignee != nil {
			r.unknown[*n.Assignee] = true
			r.dropAssignee(n)
		} else if texts := bad[p.Index]; len(texts) < mostProblems {
			bad[p.Index] = append(texts, strings.TrimSpace(p.Field+" "+p.Message))
		}
	}
	kept := r.batch[:0]
	for i, it := range r.batch {
		if it.Problems = bad[i]; it.Problems != nil {
			r.refuse(it)
			continue
		}
		kept = append(kept, it)
	}
	r.batch = kept
}

func (r *run) dropAssignee(n *desk.ImportedRequest) {
	r.report.Assignees.add(*n.Assignee)
	n.Assignee = nil
}
