package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/limit"
	"frontdesk/internal/page"
	"frontdesk/internal/rest"
	"frontdesk/internal/schema"
	"frontdesk/internal/telemetry"
	"frontdesk/internal/web"
	"frontdesk/internal/webapp"
)

// serverSettings are those of a running service.
type serverSettings struct {
	Addr            string        `default:"127.0.0.1:8080" env:"FRONTDESK_ADDR" help:"The address to listen on."`
	OperationsAddr  string        `default:"127.0.0.1:8081" env:"FRONTDESK_OPERATIONS_ADDR" help:"The address for metrics and profiles; empty for none."`
	OperationsHosts []string      `placeholder:"NAME" env:"FRONTDESK_OPERATIONS_HOSTS" help:"Names with a dot by which the operations address may be called; addresses and names without one always may."`
	RateLimit       int           `default:"600" env:"FRONTDESK_RATE_LIMIT" help:"Calls a minute of one member, with all their tokens together; 0 is no limit."`
	RateBurst       int           `default:"100" env:"FRONTDESK_RATE_BURST" help:"Calls of one member that may come at once."`
	RefusalLimit    int           `default:"120" env:"FRONTDESK_REFUSAL_LIMIT" help:"Calls a minute, and at once, that one address may make without a valid token; 0 is no limit."`
	TrustedProxies  []string      `placeholder:"ADDRESS" env:"FRONTDESK_TRUSTED_PROXIES" help:"Addresses or networks of proxies whose X-Forwarded-For is believed, for the audit log and for limits by address."`
	ShutdownGrace   time.Duration `default:"30s" env:"FRONTDESK_SHUTDOWN_GRACE" help:"How long calls in flight may take to end at a shutdown."`
}

// bodyTime is how long a body may take that nobody wants: of a call that was
// refused.
const bodyTime = 10 * time.Second

type serveCommand struct{}

func (serveCommand) Run(ctx context.Context, s *settings) error {
	listener, err := net.Listen("tcp", s.Server.Addr)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --addr or FRONTDESK_ADDR", err)
	}
	return s.serve(ctx, listener, func(o *opened, url string) error {
		o.log.Info("frontdesk is up", "version", version, "address", url, "database", o.db.Engine())
		return o.sayFirstRun(ctx)
	})
}

// serve runs the service until ctx ends, then finishes what is in flight. up is
// called once it answers.
func (s *settings) serve(ctx context.Context, listener net.Listener, up func(o *opened, url string) error) error {
	defer listener.Close()
	trusted, err := parseProxies(s.Server.TrustedProxies)
	if err != nil {
		return err
	}
	if err := s.SignIn.check(); err != nil {
		return err
	}
	url := localURL(listener)
	offer := servesThisMachine(listener, s.URL)
	if s.URL == "" {
		s.URL = url
	}
	o, err := s.openAt(ctx, url, offer)
	if err != nil {
		return err
	}
	defer o.Close()
	tracing, err := telemetry.StartTracing(ctx, version)
	if err != nil {
		return err
	}
	metrics := telemetry.NewMetrics(version)
	o.count(metrics)

	// Background work outlives the last call, which may still ask for some.
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBackground()
	var running sync.WaitGroup
	running.Go(func() { boundMemory(background) })
	running.Go(func() { o.service.Run(background) })
	running.Go(func() {
		if err := o.chats.run(background); err != nil {
			o.log.Error("the sandbox has stopped", "error", err)
		}
	})

	var stopping atomic.Bool
	streams, endStreams := context.WithCancel(context.Background())
	defer endStreams()
	mux := http.NewServeMux()
	api := rest.New(rest.Config{
		Service: o.service, Key: o.key, PublicURL: s.URL, RateLimit: s.Server.RateLimit, RateBurst: s.Server.RateBurst, Log: o.log, Stopping: streams,
		Observe: func(seen rest.Observation) {
			metrics.Call(string(seen.Operation), seen.Method, seen.Status, seen.Took)
		},
	})
	for _, path := range []string{"/v1/", "/docs", "/docs/"} {
		mux.Handle(path, api)
	}
	app := webapp.New(webapp.Config{Service: o.service, Files: web.Files(), PublicURL: s.URL, Loopback: onLoopback(listener.Addr()), Provider: s.SignIn.provider(), Log: o.log})
	mux.Handle("/", app)
	mux.Handle("/sandbox", app) // a page; what is below it is the sandbox itself
	o.chats.handle(mux, o.service, desk.SessionCookie(strings.HasPrefix(s.URL, "https://")))
	mux.Handle("/survey/", page.New(o.service, o.log))
	handleTrackers(mux, o.trackers, o.service, o.log)
	health(mux, o, &stopping)
	server := &http.Server{
		Handler:           limit.Bodies(bodyTime, tracing.Wrap(trusted.wrap(sayHTTPS(s.URL, mux)))),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	server.RegisterOnShutdown(endStreams) // or they would be waited for
	server.RegisterOnShutdown(o.chats.endStreams)
	operations, err := s.Server.operations(metrics, o, &stopping)
	if err != nil {
		return err
	}

	failed := make(chan error, 1)
	running.Go(func() { failed <- server.Serve(listener) })
	o.chats.sayCode(o.log)
	err = up(o, url)
	if err == nil {
		select {
		case <-ctx.Done():
		case err = <-failed:
		}
	}

	stopping.Store(true) // load balancers look elsewhere from here on
	o.log.Info("stopping: finishing what is in flight")
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Server.ShutdownGrace)
	defer cancel()
	if e := server.Shutdown(grace); e != nil {
		err = errors.Join(err, fmt.Errorf("calls were still in flight after %s", s.Server.ShutdownGrace))
		server.Close()
	}
	stopBackground()
	running.Wait()
	if operations != nil {
		operations.Close()
	}
	err = errors.Join(err, tracing.Stop(grace))
	o.log.Info("stopped")
	return err
}

// sayHTTPS has browsers come by https alone from their first visit on, where
// people reach the service by https.
func sayHTTPS(publicURL string, h http.Handler) http.Handler {
	if !strings.HasPrefix(publicURL, "https://") {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		h.ServeHTTP(w, r)
	})
}

// operations serves metrics and profiles on an address of their own.
func (c *serverSettings) operations(m *telemetry.Metrics, o *opened, stopping *atomic.Bool) (*http.Server, error) {
	if c.OperationsAddr == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", c.OperationsAddr)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with --operations-addr or FRONTDESK_OPERATIONS_ADDR", err)
	}
	mux := telemetry.Operations(m)
	health(mux, o, stopping)
	server := &http.Server{Handler: limit.Bodies(bodyTime, checkHost(c.OperationsHosts, mux)), ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(l) // until Close
	return server, nil
}

// health answers whether the process is up, and whether calls make sense.
func health(mux *http.ServeMux, o *opened, stopping *atomic.Bool) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		switch migrated, err := o.db.Migrated(ctx, schema.Files); {
		case stopping.Load():
			http.Error(w, "stopping", http.StatusServiceUnavailable)
		case err != nil:
			http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
		case !migrated:
			http.Error(w, "the tables are not up to date", http.StatusServiceUnavailable)
		default:
			fmt.Fprintln(w, "ok")
		}
	})
}

// count makes metrics of what the parts count themselves.
func (o *opened) count(m *telemetry.Metrics) {
	m.Counter("frontdesk_db_statements_total", "Statements, not counting those that begin and end transactions.", func() uint64 { return o.db.Stats().Statements })
	m.Counter("frontdesk_db_transactions_total", "Transactions of readers and writers, each try counted.", func() uint64 { return o.db.Stats().Transactions })
	m.Counter("frontdesk_db_writes_total", "Transactions that were committed.", func() uint64 { return o.db.Stats().Writes })
	m.Counter("frontdesk_db_commits_total", "Commits made for them; fewer where writers share one.", func() uint64 { return o.db.Stats().Commits })
	m.Counter("frontdesk_db_retries_total", "Transactions run again after a conflict.", func() uint64 { return o.db.Stats().Retries })
	m.Counter("frontdesk_db_void_groups_total", "Shared commits that had to be taken apart.", func() uint64 { return o.db.Stats().VoidGroups })
	m.Counter("frontdesk_db_slow_writers_total", "Transactions that held SQLite's writer for over 20 ms.", func() uint64 { return o.db.Stats().SlowWriters })
	m.Counter("frontdesk_jobs_worked_total", "Jobs done.", func() uint64 { return o.service.JobStats().Worked })
	m.Counter("frontdesk_jobs_failed_total", "Runs of jobs that failed and will be tried again.", func() uint64 { return o.service.JobStats().Failed })
	m.Counter("frontdesk_jobs_dead_total", "Jobs given up.", func() uint64 { return o.service.JobStats().Dead })
	m.Counter("frontdesk_jobs_lost_total", "Jobs taken by another process in mid-run.", func() uint64 { return o.service.JobStats().Lost })
}
