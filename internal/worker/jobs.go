package worker

import (
	"context"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
)

// neverGivenUp is the number of attempts of jobs that must finish, no matter how
// often a process dies while running them.
const neverGivenUp = 1 << 30

// jobLease is how soon another process takes over the jobs of a process that died.
const jobLease = 15 * time.Second

// newRunner returns the runner of all kinds of jobs except those of other queues.
// It also knows when the recurring ones are due.
func (w *Worker) newRunner() *job.Runner {
	r := job.New(job.Config{DB: w.store.DB(), Lease: jobLease, Clock: w.store.Now, Log: w.log})
	job.Handle(r, w.sweepKeys)
	r.Every("idempotency.sweep", time.Hour, sweepKeys{})
	job.Handle(r, w.sweepFiles)
	r.Every("attachment.sweep", sweepEvery, SweepFiles{})
	job.Handle(r, w.sweepRetention)
	r.Every("retention.sweep", RetentionEvery, change.SweepRetention{})
	job.Handle(r, w.forgetDeleted, job.Timeout(forgetTime))
	job.Handle(r, w.syncAll)
	r.Every("chat.sync", SyncEvery, syncAll{})
	job.Handle(r, w.syncDirectory)
	job.Handle(r, w.checkConnection)
	job.Handle(r, w.joinChannel)
	job.Handle(r, w.readChannels)
	r.Every("channel.read", readEvery, change.ReadChannels{})
	job.Handle(r, w.readChannel)
	job.Handle(r, w.postRequest)
	job.Handle(r, w.sendWaitingMessage)
	job.Handle(r, w.sweepWaiting)
	r.Every("message.sweep", time.Hour, SweepWaiting{})
	job.Handle(r, w.sweepMail)
	r.Every("mail.sweep", time.Hour, SweepMail{})
	job.Handle(r, w.sendSurvey)
	job.Handle(r, w.notifyInChannel)
	job.Handle(r, w.makeTicket)
	job.Handle(r, w.numberRequests)
	r.Every("request.number", numberEvery, NumberRequests{})
	job.Handle(r, w.syncLink)
	job.Handle(r, w.readLinks)
	r.Every("link.read", LinkEvery, change.ReadLinks{})
	job.Handle(r, w.watchTracker)
	job.Handle(r, w.deliverAnnouncement, job.MaxAttempts(neverGivenUp))
	job.Handle(r, w.readSent)
	r.Every("announcement.read", readEvery, ReadSent{})
	job.Handle(r, w.readCopies)
	job.Handle(r, w.notifyUser)
	job.Handle(r, w.replayEvents)
	job.Handle(r, w.watchSLA)
	job.Handle(r, w.wakeRequest)
	job.Handle(r, w.notifyMembers)
	job.Handle(r, w.sendNotices)
	job.Handle(r, w.postNotice)
	job.Handle(r, w.sweepNotifications)
	r.Every("notification.sweep", notificationSweepEvery, SweepNotifications{})
	job.Handle(r, w.recomputeSLA)
	job.Handle(r, w.rebuildInsights)
	job.Handle(r, w.runReport, job.MaxAttempts(neverGivenUp))
	job.Handle(r, w.sendDashboard)
	job.Handle(r, w.postLetter, job.MaxAttempts(neverGivenUp))
	job.Handle(r, w.recordSignInFailure)
	job.Handle(r, w.sweepTries)
	r.Every("sign_in.sweep", time.Hour, sweepTries{})
	job.Handle(r, w.sweepDeliveries)
	r.Every("webhook.sweep", time.Hour, sweepDeliveries{})
	return r
}

// newSuggestRunner returns the runner of jobs that ask a model. They have their
// own, so that nothing else waits for a model.
func (w *Worker) newSuggestRunner() *job.Runner {
	r := job.New(job.Config{DB: w.store.DB(), Queue: change.QueueSuggestions, Workers: suggestWorkers, Lease: jobLease, Clock: w.store.Now, Log: w.log})
	job.Handle(r, w.suggest)
	return r
}

// JobStats returns how many jobs this process has run, for metrics.
func (w *Worker) JobStats() job.Stats {
	var all job.Stats
	for _, r := range w.runners() {
		one := r.Stats()
		all = job.Stats{Worked: all.Worked + one.Worked, Failed: all.Failed + one.Failed, Dead: all.Dead + one.Dead, Lost: all.Lost + one.Lost}
	}
	return all
}

// JobEffort returns what it took this process to find and finish jobs, for metrics.
func (w *Worker) JobEffort() (all job.Effort) {
	for _, r := range w.runners() {
		one := r.Effort()
		all.Turns, all.Looks = all.Turns+one.Turns, all.Looks+one.Looks
	}
	return all
}

// sweepKeys is a job that removes idempotency keys whose replies are no longer
// repeated.
type sweepKeys struct{}

func (sweepKeys) Kind() string { return "idempotency.sweep" }

func (w *Worker) sweepKeys(ctx context.Context, _ *job.Job, _ sweepKeys) error {
	return w.eachAccount(ctx, func(a desk.AccountID) error { return w.store.SweepKeys(ctx, a) })
}

// sweepTries is a job that removes sign-in attempts that no longer count.
type sweepTries struct{}

func (sweepTries) Kind() string { return "sign_in.sweep" }

func (w *Worker) sweepTries(ctx context.Context, _ *job.Job, _ sweepTries) error {
	return w.store.SweepTries(ctx)
}
