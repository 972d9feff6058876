package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/limit"
	"frontdesk/internal/page"
	"frontdesk/internal/rest"
	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/telemetry"
	"frontdesk/internal/web"
	"frontdesk/internal/webapp"
)

// serverSettings are the settings of a running server.
type serverSettings struct {
	Addr            string         `placeholder:"ADDRESS" default:"127.0.0.1:8080" env:"FRONTDESK_ADDR" help:"The address to listen on."`
	OperationsAddr  string         `placeholder:"ADDRESS" default:"127.0.0.1:8081" env:"FRONTDESK_OPERATIONS_ADDR" help:"The address for metrics and profiles. Empty turns them off."`
	OperationsHosts []string       `placeholder:"NAME" env:"FRONTDESK_OPERATIONS_HOSTS" help:"Host names with a dot that may be used to call the operations address. IP addresses and names without a dot always work."`
	RateLimit       int            `placeholder:"N" default:"600" env:"FRONTDESK_RATE_LIMIT" help:"How many calls a member may make per minute at this node, with all of their tokens together. 0 means no limit."`
	RateBurst       int            `placeholder:"N" default:"100" env:"FRONTDESK_RATE_BURST" help:"How many of these calls a member may make at once."`
	RefusalLimit    int            `placeholder:"N" default:"120" env:"FRONTDESK_REFUSAL_LIMIT" help:"How many calls without a valid token an address may make per minute at this node, and at once. 0 means no limit."`
	TrustedProxies  []string       `placeholder:"ADDRESS" env:"FRONTDESK_TRUSTED_PROXIES" help:"Addresses or networks of the proxies in front of the server. The audit log and the limits by address trust their X-Forwarded-For headers."`
	ShutdownGrace   time.Duration  `placeholder:"DURATION" default:"30s" env:"FRONTDESK_SHUTDOWN_GRACE" help:"How long calls in flight may take to finish during a shutdown."`
	Drain           *time.Duration `placeholder:"DURATION" env:"FRONTDESK_DRAIN" help:"How long to go on answering calls after SIGTERM, while /readyz tells load balancers to go elsewhere. Default: 10s with PostgreSQL, otherwise 0"`
}

// nodeDrain is how long a node drains unless a setting says otherwise. A load balancer
// needs some checks to notice: HAProxy, as it comes, three of them in six seconds.
const nodeDrain = 10 * time.Second

// drainTime is how long a server drains. A server with SQLite is alone, so nobody else
// could take its calls, and to drain would only delay its next start.
func (c *serverSettings) drainTime(e sqldb.Engine) time.Duration {
	switch {
	case c.Drain != nil:
		return *c.Drain
	case e == sqldb.Postgres:
		return nodeDrain
	}
	return 0
}

// refusedBodyTimeout is how long the server reads the body of a call that it has
// refused.
const refusedBodyTimeout = 10 * time.Second

// unreadTimeout is how long a client may take to receive a piece of its answer.
const unreadTimeout = time.Minute

type serveCommand struct{}

func (serveCommand) Help() string {
	return "While there is no account, the log has a link. Open it in a browser to create the first account."
}

func (serveCommand) Run(ctx context.Context, s *settings) error {
	listener, err := net.Listen("tcp", s.Server.Addr)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --addr or FRONTDESK_ADDR", err)
	}
	return s.serve(ctx, listener, func(o *resources, url string) error {
		o.log.Info("frontdesk is up", "version", version, "address", url, "database", o.db.Engine())
		o.logFirstRunURL(ctx)
		return notifySystemd(ctx)
	})
}

// serve runs the server until ctx ends. Then it drains, and finishes the calls in
// flight. It calls ready once the server answers. When it returns, everything that it
// started has ended.
func (s *settings) serve(ctx context.Context, listener net.Listener, ready func(o *resources, url string) error) error {
	defer listener.Close()
	trusted, err := parseProxies(s.Server.TrustedProxies)
	if err != nil {
		return err
	}
	if err := s.SignIn.check(); err != nil {
		return err
	}
	unlock, err := s.lockData()
	if err != nil {
		return err
	}
	defer unlock()
	o, url, err := s.openBehind(ctx, listener)
	if err != nil {
		return err
	}
	defer o.Close()
	tracing, err := telemetry.StartTracing(ctx, version)
	if err != nil {
		return err
	}
	metrics := telemetry.NewMetrics(version)
	o.registerMetrics(metrics)

	var running sync.WaitGroup
	defer running.Wait()
	// Background work ends after the last call, because that call may still add some.
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBackground()
	// Other nodes can take jobs and mailboxes, so those end when the server drains.
	draining, beginDrain := context.WithCancel(background)
	defer beginDrain()
	operations, err := s.Server.serveOperations(&running, metrics, o, draining)
	if err != nil {
		return errors.Join(err, tracing.Stop(background))
	}
	defer operations.Close()
	doors, err := s.openMailDoors(o)
	if err != nil {
		return errors.Join(err, tracing.Stop(background))
	}
	defer doors.close()
	o.runBackground(background, draining, &running)
	doors.serve(&running, o.log)
	s.serveMailbox(&running, o)
	s.readMailboxes(draining, &running, o)

	server := s.newServer(listener, o, metrics, draining)
	server.Handler = limit.Bodies(refusedBodyTimeout, limit.Readers(unreadTimeout, tracing.Wrap(trusted.setClientAddress(closeInDrain(draining, requireHTTPS(s.URL, server.Handler))))))
	failed := make(chan error, 1)
	running.Go(func() { failed <- server.Serve(listener) })
	o.logSandbox()
	err = ready(o, url)
	if err == nil {
		select {
		case <-ctx.Done():
		case err = <-failed:
		}
	}

	if err == nil {
		s.drain(ctx, o, func() { beginDrain(); doors.turnAway() })
	}
	beginDrain()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Server.ShutdownGrace)
	defer cancel()
	err = errors.Join(err, s.shutDown(grace, o, server, doors))
	stopBackground()
	operations.Close()
	running.Wait()
	err = errors.Join(err, tracing.Stop(grace))
	o.log.Info("stopped")
	return err
}

// openBehind opens everything for a server that listens there, and returns its address
// on this machine.
func (s *settings) openBehind(ctx context.Context, listener net.Listener) (*resources, string, error) {
	url := localURL(listener)
	offerSandbox := servesThisMachine(listener, s.URL)
	s.URL = cmp.Or(s.URL, url)
	o, err := s.openAt(ctx, url, offerSandbox)
	if err != nil {
		return nil, "", err
	}
	if err := o.outside.FollowSandbox(ctx); err != nil {
		o.Close()
		return nil, "", err
	}
	return o, url, nil
}

// shutDown ends the listening, and waits until ctx ends for the calls and mails in
// flight.
func (s *settings) shutDown(ctx context.Context, o *resources, server *http.Server, doors mailDoors) (err error) {
	o.log.Info("stopping: finishing the calls in flight")
	if server.Shutdown(ctx) != nil {
		err = fmt.Errorf("calls were still in flight after %s", s.Server.ShutdownGrace)
		server.Close()
	}
	err = errors.Join(err, doors.shutdown(ctx))
	if o.mailbox != nil {
		err = errors.Join(err, o.mailbox.SMTP.Shutdown(ctx))
	}
	return err
}

// drain calls begin, and waits until load balancers have noticed or until the next
// signal, whichever is first. After that, another signal ends the process.
func (s *settings) drain(ctx context.Context, o *resources, begin func()) {
	d := s.Server.drainTime(o.db.Engine())
	if d <= 0 {
		return
	}
	o.log.Info("draining: calls are still answered, and load balancers are told to go elsewhere", "for", d.String())
	ctx, stop := signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt, syscall.SIGTERM)
	defer stop()
	begin() // only now: whoever sees the drain may send the next signal
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// closeInDrain makes clients open a new connection after each answer of a server that
// drains. It leads to another node as soon as the load balancer knows. To close idle
// connections instead would cut the call that is just being sent on one of them.
func closeInDrain(draining context.Context, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if draining.Err() != nil {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}

// runBackground starts what works beside the calls, until ctx ends. Jobs are claimed
// until claiming ends.
func (o *resources) runBackground(ctx, claiming context.Context, running *sync.WaitGroup) {
	running.Go(func() { limitMemory(ctx) })
	running.Go(func() { o.service.Run(ctx) })
	running.Go(func() { o.worker.Run(ctx, claiming) })
	running.Go(func() { o.backups.run(ctx) })
	running.Go(func() {
		if err := o.chats.run(ctx); err != nil {
			o.log.Error("the sandbox has stopped", "error", err)
		}
	})
}

// newServer returns the server of the API, the web app and what other systems call.
// Its streams end when it shuts down; otherwise the shutdown would wait for them. Those
// of the API end earlier, one after the other, while the server drains.
func (s *settings) newServer(listener net.Listener, o *resources, metrics *telemetry.Metrics, draining context.Context) *http.Server {
	streams, endStreams := context.WithCancel(context.Background())
	api := rest.New(rest.Config{
		Service: o.service, Key: o.key, PublicURL: s.URL, RateLimit: s.Server.RateLimit, RateBurst: s.Server.RateBurst, Log: o.log,
		Stopping: streams, Draining: draining, DrainTime: s.Server.drainTime(o.db.Engine()) / 2,
		Observe: func(seen rest.Observation) {
			metrics.Call(string(seen.Operation), seen.Method, seen.Status, seen.Took)
		},
	})
	mux := http.NewServeMux()
	for _, path := range []string{"/v1/", "/docs", "/docs/"} {
		mux.Handle(path, api)
	}
	app := webapp.New(webapp.Config{Service: o.service, Files: web.Files(), PublicURL: s.URL, Loopback: onLoopback(listener.Addr()), Provider: s.SignIn.provider(), Log: o.log})
	mux.Handle("/", app)
	mux.Handle("/sandbox", app) // the page in the web app; the sandbox itself serves the paths below it
	cookie := desk.SessionCookie(strings.HasPrefix(s.URL, "https://"))
	o.chats.handle(mux, o.service, o.worker, cookie)
	o.handleMailbox(mux, o.service, app, cookie)
	pages := page.New(o.service, o.log)
	mux.Handle("/survey/", pages)
	mux.Handle("/file/", pages)
	handleTrackers(mux, o.trackers, o.worker, o.log)
	handleHealth(mux, o, draining)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	server.RegisterOnShutdown(endStreams)
	server.RegisterOnShutdown(o.chats.endStreams)
	if o.mailbox != nil {
		server.RegisterOnShutdown(o.mailbox.EndStreams)
	}
	return server
}

// requireHTTPS tells browsers to use only https after their first visit, if the
// public address is an https address.
func requireHTTPS(publicURL string, h http.Handler) http.Handler {
	if !strings.HasPrefix(publicURL, "https://") {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		h.ServeHTTP(w, r)
	})
}

// serveOperations serves metrics and profiles on an address of their own until the
// server that it returns is closed. It serves nothing if the address is empty.
func (c *serverSettings) serveOperations(running *sync.WaitGroup, m *telemetry.Metrics, o *resources, draining context.Context) (*http.Server, error) {
	if c.OperationsAddr == "" {
		return &http.Server{}, nil
	}
	l, err := net.Listen("tcp", c.OperationsAddr)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with --operations-addr or FRONTDESK_OPERATIONS_ADDR", err)
	}
	mux := telemetry.Operations(m)
	handleHealth(mux, o, draining)
	server := &http.Server{Handler: limit.Bodies(refusedBodyTimeout, checkHost(c.OperationsHosts, mux)), ReadHeaderTimeout: 10 * time.Second}
	running.Go(func() { server.Serve(l) })
	return server, nil
}

// mostUnnumbered is how long events may wait for their numbers. Without numbers, feeds,
// streams, webhooks and audit logs of all accounts stand still. PostgreSQL ends what a
// frozen node holds after ten seconds, and the next node goes on. Calls still work
// meanwhile, and so they must not be taken away before it is sure that nothing heals by
// itself.
const mostUnnumbered = 2 * time.Minute

// handleHealth serves /healthz, which says that the process is up, and /readyz,
// which says whether it can answer calls.
func handleHealth(mux *http.ServeMux, o *resources, draining context.Context) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		// A node that drains says so at once, also while the database does not answer.
		ctx, cancel := context.WithTimeout(draining, 2*time.Second)
		defer cancel()
		switch migrated, err := o.db.Migrated(ctx, schema.Files); {
		case draining.Err() != nil:
			http.Error(w, "stopping", http.StatusServiceUnavailable)
		case err != nil:
			http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
		case !migrated:
			http.Error(w, "the database schema is not up to date", http.StatusServiceUnavailable)
		case o.store.Unnumbered() > mostUnnumbered:
			http.Error(w, "events are not numbered", http.StatusServiceUnavailable)
		default:
			fmt.Fprintln(w, "ok")
		}
	})
}

// registerMetrics exports the counters of the database, insights and the jobs.
func (o *resources) registerMetrics(m *telemetry.Metrics) {
	o.registerGauges(m)
	m.Counter("frontdesk_db_statements_total", "Statements, without those that begin and end transactions.", func() uint64 { return o.db.Stats().Statements })
	m.Counter("frontdesk_db_transactions_total", "Transactions of readers and writers. Each attempt counts.", func() uint64 { return o.db.Stats().Transactions })
	m.Counter("frontdesk_db_writes_total", "Committed transactions.", func() uint64 { return o.db.Stats().Writes })
	m.Counter("frontdesk_db_commits_total", "Commits. Fewer than the committed transactions when writers share a commit.", func() uint64 { return o.db.Stats().Commits })
	m.Counter("frontdesk_db_retries_total", "Transactions retried after a conflict.", func() uint64 { return o.db.Stats().Retries })
	m.Counter("frontdesk_db_void_groups_total", "Shared commits that failed and were retried one transaction at a time.", func() uint64 { return o.db.Stats().VoidGroups })
	m.Counter("frontdesk_db_slow_writers_total", "Transactions that held SQLite's writer for over 20 ms.", func() uint64 { return o.db.Stats().SlowWriters })
	m.Counter("frontdesk_db_replica_reads_total", "Reads that the replica answered.", func() uint64 { return o.db.Stats().ReplicaReads })
	m.Counter("frontdesk_db_replica_misses_total", "Times that the replica was away or behind. Then the primary answers for two seconds.", func() uint64 { return o.db.Stats().ReplicaMisses })
	m.Gauge("frontdesk_events_unnumbered_seconds", "How long the oldest event or audit log entry has waited for its number.", func() float64 { return o.store.Unnumbered().Seconds() })
	m.Counter("frontdesk_insights_columns_total", "Insights questions answered from columns in memory.", func() uint64 { n, _ := o.service.InsightsAnswered(); return n })
	m.Counter("frontdesk_insights_sql_total", "Insights questions answered by SQL.", func() uint64 { _, n := o.service.InsightsAnswered(); return n })
	o.backups.registerMetrics(m)
	m.Counter("frontdesk_jobs_worked_total", "Completed jobs.", func() uint64 { return o.worker.JobStats().Worked })
	m.Counter("frontdesk_jobs_failed_total", "Failed runs of jobs that will be retried.", func() uint64 { return o.worker.JobStats().Failed })
	m.Counter("frontdesk_jobs_dead_total", "Jobs that failed for good.", func() uint64 { return o.worker.JobStats().Dead })
	m.Counter("frontdesk_jobs_lost_total", "Jobs that another process took over during a run.", func() uint64 { return o.worker.JobStats().Lost })
	m.Counter("frontdesk_jobs_turns_total", "Transactions that claim and finish jobs.", func() uint64 { return o.worker.JobEffort().Turns })
	m.Counter("frontdesk_jobs_looks_total", "Reads that ask whether a job is due.", func() uint64 { return o.worker.JobEffort().Looks })
}
