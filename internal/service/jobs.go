package service

import (
	"context"
	"time"

	"frontdesk/internal/job"
)

// neverGivenUp is for what must come to an end, however often a process dies
// over it.
const neverGivenUp = 1 << 30

// jobLease is how soon the jobs of a process that died are taken up by another.
const jobLease = 15 * time.Second

// The queues of what must not hold up the rest: what calls others' servers.
const (
	queueWebhooks    = "webhook"
	queueSuggestions = "suggest"
)

// newRunner knows every kind of job but those of other queues, and when the repeating ones are due.
func (s *Service) newRunner() *job.Runner {
	r := job.New(job.Config{DB: s.store.DB(), Lease: jobLease, Clock: s.store.Now, Log: s.log})
	job.Handle(r, s.sweepKeys)
	r.Every("idempotency.sweep", time.Hour, sweepKeys{})
	job.Handle(r, s.sweepFiles)
	r.Every("attachment.sweep", sweepEvery, sweepFiles{})
	job.Handle(r, s.syncAll)
	r.Every("chat.sync", syncEvery, syncAll{})
	job.Handle(r, s.syncDirectory)
	job.Handle(r, s.checkConnection)
	job.Handle(r, s.becomeMember)
	job.Handle(r, s.readAll)
	r.Every("channel.read", readEvery, readAll{})
	job.Handle(r, s.readChannel)
	job.Handle(r, s.tell)
	job.Handle(r, s.sendWaiting)
	job.Handle(r, s.sweepWaiting)
	r.Every("message.sweep", time.Hour, sweepWaiting{})
	job.Handle(r, s.sendSurvey)
	job.Handle(r, s.whisper)
	job.Handle(r, s.makeTicket)
	job.Handle(r, s.syncLink)
	job.Handle(r, s.readLinks)
	r.Every("link.read", linkEvery, readLinks{})
	job.Handle(r, s.watch)
	job.Handle(r, s.sendAnnouncement, job.MaxAttempts(neverGivenUp))
	job.Handle(r, s.resyncAnnouncement, job.MaxAttempts(neverGivenUp))
	job.Handle(r, s.readSent)
	r.Every("announcement.read", readEvery, readSent{})
	job.Handle(r, s.readCopies)
	job.Handle(r, s.noticeTo)
	job.Handle(r, s.replayEvents)
	job.Handle(r, s.watchSLA)
	job.Handle(r, s.recomputeSLA)
	job.Handle(r, s.rebuildInsights)
	job.Handle(r, s.tellFailure)
	job.Handle(r, s.sweepTries)
	r.Every("sign_in.sweep", time.Hour, sweepTries{})
	job.Handle(r, s.sweepDeliveries)
	r.Every("webhook.sweep", time.Hour, sweepDeliveries{})
	return r
}

// newAsker works what may wait for a model, apart from the rest, which must not
// wait for it.
func (s *Service) newAsker() *job.Runner {
	r := job.New(job.Config{DB: s.store.DB(), Queue: queueSuggestions, Workers: suggestWorkers, Lease: jobLease, Clock: s.store.Now, Log: s.log})
	job.Handle(r, s.suggest)
	return r
}

// JobStats counts the work of this process, for metrics.
func (s *Service) JobStats() job.Stats {
	var all job.Stats
	for _, r := range s.runners() {
		one := r.Stats()
		all = job.Stats{Worked: all.Worked + one.Worked, Failed: all.Failed + one.Failed, Dead: all.Dead + one.Dead, Lost: all.Lost + one.Lost}
	}
	return all
}

// sweepKeys forgets the answers of idempotency keys that are no longer given
// again.
type sweepKeys struct{}

func (sweepKeys) Kind() string { return "idempotency.sweep" }

func (s *Service) sweepKeys(ctx context.Context, _ *job.Job, _ sweepKeys) error {
	accounts, err := s.store.Accounts(ctx)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if err := s.store.SweepKeys(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// sweepTries forgets tries to sign in that count no more.
type sweepTries struct{}

func (sweepTries) Kind() string { return "sign_in.sweep" }

func (s *Service) sweepTries(ctx context.Context, _ *job.Job, _ sweepTries) error {
	return s.store.SweepTries(ctx)
}
