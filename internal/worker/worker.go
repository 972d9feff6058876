// Package worker does what must happen beside the operations. It takes in events of
// chat systems and trackers, reads directories and histories, posts to chat systems
// and trackers, delivers to webhooks, watches SLA clocks, asks a model for
// suggestions, and removes what is no longer needed. Most of this is done by jobs.
package worker

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/index"
	"frontdesk/internal/insights"
	"frontdesk/internal/job"
	"frontdesk/internal/outside"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
	"frontdesk/internal/webhook"
)

// Config is the configuration of a Worker. Store is required.
type Config struct {
	Store *store.Store
	// Outside are the systems that accounts can be connected to. Defaults to none.
	Outside *outside.Systems
	// Suggestions suggests a title, a priority and more from the messages of a
	// request. Defaults to rules, which need no network.
	Suggestions suggest.Provider
	// Webhooks sends events. Defaults to one that calls only public addresses.
	Webhooks *webhook.Sender
	// Insights answers the questions of reports. Defaults to an engine of its own.
	Insights insights.Engine
	// Mail is how the server takes part in mail. Defaults to not at all.
	Mail change.Mail
	// PublicURL is where people reach the server, for links.
	PublicURL string
	// Bells knows who is at a request, and rings for notifications. Defaults to one
	// that knows nobody.
	Bells Bells
	// Log defaults to slog.Default().
	Log *slog.Logger
}

// Worker works in the background. It is safe for concurrent use.
type Worker struct {
	store         *store.Store
	outside       *outside.Systems
	change        change.Setup
	suggestions   suggest.Provider
	insights      insights.Engine
	webhooks      *webhook.Sender
	bells         Bells
	log           *slog.Logger
	indexer       *index.Indexer
	process       string // names this process as the holder of leases
	jobs          *job.Runner
	suggestRunner *job.Runner // only jobs that ask a model
	webhookRunner *job.Runner // only deliveries to webhooks
	mailRunner    *job.Runner // only mail out
	delivering    atWork[store.DeliverWebhook]
}

// New returns a worker. It handles events at once, but runs no jobs until Run is
// called.
func New(c Config) *Worker {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Outside == nil {
		c.Outside = outside.New(outside.Config{Store: c.Store})
	}
	if c.Suggestions == nil {
		c.Suggestions = suggest.Rules{}
	}
	if c.Insights == nil {
		c.Insights = insights.NewColumns(insights.ColumnsConfig{Now: c.Store.Now})
	}
	if c.Webhooks == nil {
		c.Webhooks = webhook.NewSender(nil)
	}
	if c.Bells == nil {
		c.Bells = noBells{}
	}
	w := &Worker{store: c.Store, bells: c.Bells, outside: c.Outside, change: change.NewSetup(c.Store, c.PublicURL, c.Suggestions, c.Mail),
		suggestions: c.Suggestions, insights: c.Insights, webhooks: c.Webhooks, log: c.Log, indexer: index.New(c.Store), process: rand.Text()}
	w.jobs, w.suggestRunner, w.webhookRunner, w.mailRunner = w.newRunner(), w.newSuggestRunner(), w.newWebhookRunner(), w.newMailRunner()
	return w
}

// Run reads the directories, numbers events, completes the search indexes and runs
// jobs until ctx ends. It claims no more jobs once claiming has ended, so that other
// processes take them. It returns when all of that has stopped.
func (w *Worker) Run(ctx, claiming context.Context) {
	if err := w.syncAtStart(ctx); err != nil {
		w.log.Warn("reading the directories could not be queued", "error", err) // the next tick tries again
	}
	var running sync.WaitGroup
	running.Go(func() { w.store.RunSequencer(ctx, w.log) })
	running.Go(func() { w.indexer.Run(ctx, w.log) })
	running.Go(func() { suggest.Judge("") }) // its first call loads word lists, which nobody should wait for
	for _, r := range w.runners() {
		running.Go(func() {
			if err := r.Run(claiming); err != nil {
				w.log.Warn("jobs did not stop cleanly", "error", err)
			}
		})
	}
	running.Wait()
}

// Settle does everything that follows from what has happened, one thing after the
// other, until no job is due within a time. It returns how many jobs it ran. It is
// for callers that must know when everything is done; a server calls Run.
func (w *Worker) Settle(ctx context.Context, within time.Duration) (jobs int, err error) {
	for {
		for more := true; more; {
			if more, err = w.store.Sequence(ctx); err != nil {
				return jobs, err
			}
		}
		worked := 0
		for _, r := range w.runners() {
			n, err := r.Work(ctx, within)
			worked += n
			if err != nil {
				return jobs + worked, err
			}
		}
		for some := true; some; {
			if some, err = w.indexer.Index(ctx, time.Hour); err != nil {
				return jobs, err
			}
		}
		if jobs += worked; worked == 0 {
			return jobs, nil
		}
	}
}

// Do runs a job at once, as if a runner had claimed j. It is for tests that decide
// when a job runs.
func (w *Worker) Do(ctx context.Context, j *job.Job, args job.Args) error {
	r := w.jobs
	if q, ok := args.(job.Queued); ok {
		r = map[string]*job.Runner{store.QueueWebhooks: w.webhookRunner, change.QueueSuggestions: w.suggestRunner, change.QueueMail: w.mailRunner}[q.Queue()]
	}
	return r.Do(ctx, j, args)
}

// runners returns the runners of this server. Without a relay, mail waits for one.
func (w *Worker) runners() []*job.Runner {
	all := []*job.Runner{w.jobs, w.suggestRunner, w.webhookRunner}
	if w.outside.Mail != nil {
		all = append(all, w.mailRunner)
	}
	return all
}
