package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/smtp"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"frontdesk/internal/chat/slack"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/sqldb"
)

// service is an HTTP server of the world outside that can be stopped and started again at the same address.
type service struct {
	address string
	handler http.Handler

	mu     sync.Mutex
	server *http.Server
}

func startService(h http.Handler) (*service, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &service{address: l.Addr().String(), handler: h}
	s.serve(l)
	return s, nil
}

func (s *service) serve(l net.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server = &http.Server{Handler: s.handler, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	go s.server.Serve(l)
}

// stop ends the server and its connections at once. What it has stored it keeps.
func (s *service) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server.Close()
}

func (s *service) start() error {
	l, err := net.Listen("tcp", s.address)
	if err == nil {
		s.serve(l)
	}
	return err
}

// bucket is a store for attachments that speaks S3's protocol.
type bucket struct {
	*service
	full atomic.Bool // refuses what it is to store
}

func startBucket() (*bucket, error) {
	backend := s3mem.New()
	if err := backend.CreateBucket("attachments"); err != nil {
		return nil, err
	}
	b := &bucket{}
	s3 := gofakes3.New(backend, gofakes3.WithTimeSkewLimit(0), gofakes3.WithLogger(nil)).Server()
	var err error
	b.service, err = startService(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b.full.Load() && (r.Method == http.MethodPut || r.Method == http.MethodPost) {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(http.StatusInsufficientStorage)
			io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>XMinioStorageFull</Code><Message>Storage backend has reached its minimum free drive threshold.</Message></Error>`)
			return
		}
		s3.ServeHTTP(w, r)
	}))
	return b, err
}

// settings are those of a node that stores attachments in the bucket.
func (b *bucket) settings() []string {
	return []string{"FRONTDESK_S3_ENDPOINT=" + b.address, "FRONTDESK_S3_BUCKET=attachments", "FRONTDESK_S3_REGION=us-east-1", "FRONTDESK_S3_ACCESS_KEY=access",
		"FRONTDESK_S3_SECRET_KEY=secret", "FRONTDESK_S3_PATH_STYLE=true", "FRONTDESK_S3_INSECURE=true"}
}

// endpoint is the endpoint of a webhook. Now and then it answers with an error.
type endpoint struct {
	*service
	mu     sync.Mutex
	r      *rand.Rand
	failed map[string]bool // the events that it has refused: each at most once, or they would come again only after minutes
	got    []event         // the events that it has accepted, in order
}

func startEndpoint(seed uint64) (*endpoint, error) {
	e := &endpoint{r: rand.New(rand.NewPCG(seed, 2)), failed: map[string]bool{}}
	var err error
	e.service, err = startService(e)
	return e, err
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // its sender was killed
	}
	got, err := parseEvent(raw)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	got.id = r.Header.Get("webhook-id")
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.failed[got.id] && e.r.IntN(100) < 2 {
		e.failed[got.id] = true
		http.Error(w, "not now", http.StatusInternalServerError)
		return
	}
	e.got = append(e.got, got)
}

func (e *endpoint) events() []event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]event(nil), e.got...)
}

// relay is the mail server that takes our mail. Now and then it breaks off, before or after it has stored a mail.
type relay struct {
	address  string
	listener net.Listener

	mu     sync.Mutex
	r      *rand.Rand
	stored map[string]int // by mark
	broken int
}

func startRelay(seed uint64) (*relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	y := &relay{address: l.Addr().String(), listener: l, r: rand.New(rand.NewPCG(seed, 3)), stored: map[string]int{}}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go y.talk(conn)
		}
	}()
	return y, nil
}

// talk speaks SMTP with a client until one of them breaks off.
func (y *relay) talk(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	say := func(line string) { io.WriteString(conn, line+"\r\n") }
	say("220 relay.example ESMTP")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " "); verb {
		case "DATA":
			say("354 Go ahead")
			var raw strings.Builder
			for line != ".\r\n" {
				if line, err = in.ReadString('\n'); err != nil {
					return
				}
				raw.WriteString(line)
			}
			answer := y.take(raw.String())
			if answer == "" {
				return
			}
			say(answer)
		case "QUIT":
			say("221 Goodbye")
			return
		default:
			say("250 OK")
		}
	}
}

// take stores a mail, or not. It returns what to answer: nothing if it breaks off.
func (y *relay) take(raw string) string {
	y.mu.Lock()
	defer y.mu.Unlock()
	chance := y.r.IntN(100)
	if chance < 4 {
		y.broken++
	}
	if chance < 2 {
		return ""
	}
	_, content, _ := strings.Cut(raw, "\r\n\r\n")
	for _, line := range strings.Split(content, "\n") {
		if kind, mark := findMark(line); kind == "message" {
			y.stored[mark]++
			break // what follows is quoted
		}
	}
	if chance < 4 {
		return ""
	}
	return "250 Stored"
}

// sender is a mail server that hands us mail. It sends each mail again until it is acknowledged, to any node that listens.
type sender struct {
	*load
	n int
	r *rand.Rand
}

func (s *sender) run(ctx, work context.Context) {
	for made := 0; work.Err() == nil; made++ {
		w := &write{kind: "mail", mark: fmt.Sprintf("mail-%d-%d", s.n, made)}
		s.mu.Lock()
		s.writes = append(s.writes, w)
		s.mu.Unlock()
		for ctx.Err() == nil {
			if err := s.send(w.mark); err == nil {
				s.mu.Lock()
				w.outcome = acknowledged
				s.mu.Unlock()
				break
			}
			pause(ctx, time.Duration(50+s.r.IntN(200))*time.Millisecond)
		}
		pause(work, time.Duration(s.r.IntN(600))*time.Millisecond)
	}
}

func (s *sender) send(mark string) error {
	conn, err := net.DialTimeout("tcp", s.w.nodes[s.r.IntN(len(s.w.nodes))].smtp, time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(callTimeout))
	c, err := smtp.NewClient(conn, "127.0.0.1")
	if err != nil {
		return err
	}
	if err := errors.Join(c.Mail("jo@customer.example"), c.Rcpt(support)); err != nil {
		return err
	}
	out, err := c.Data()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "From: Jo <jo@customer.example>\r\nTo: %s\r\nSubject: %s\r\nMessage-ID: <%s@customer.example>\r\n\r\nHow does it work?\r\n", support, mark, mark)
	return out.Close()
}

// support is the address of the desk.
const support = "help@reply.acme.example"

// town is the chat workspace. Now and then it loses an answer.
type town struct {
	box      *sandbox.Sandbox
	db       *sqldb.DB // its tables, to compare with
	api      string
	owner    string
	source   string // the channel in which announcements are written
	rooms    []string
	stop     context.CancelFunc
	finished chan error
}

// townApp is Frontdesk's app in the workspace.
var townApp = sandbox.AppConfig{ClientID: "1.2", ClientSecret: "client secret", SigningSecret: "signing secret"}

// startTown starts a workspace with some channels. publicURL is where it finds Frontdesk.
func startTown(ctx context.Context, folder, publicURL string, seed uint64) (_ *town, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	app := townApp
	app.Manifest = slack.Manifest(publicURL)
	path := filepath.Join(folder, "sandbox.db")
	t := &town{api: "http://" + l.Addr().String() + "/sandbox/", finished: make(chan error, 1)}
	config := sandbox.Config{Path: path, App: &app, Log: slog.New(slog.DiscardHandler), Workspace: &sandbox.WorkspaceConfig{Name: "Acme", OwnerEmail: "admin@acme.test"},
		RetryAfter: []time.Duration{0, time.Second, 5 * time.Second},
		Faults:     sandbox.FaultPlan{Seed: seed, Faults: []sandbox.Fault{{Kind: sandbox.DropAnswer, Method: "chat.postMessage", Probability: 0.01}}}}
	ctx, t.stop = context.WithCancel(context.WithoutCancel(ctx)) // the start has a deadline, the workspace has none
	ready := make(chan *sandbox.Sandbox, 1)
	go func() { t.finished <- sandbox.Serve(ctx, l, config, func(b *sandbox.Sandbox) { ready <- b }) }()
	select {
	case t.box = <-ready:
	case err := <-t.finished:
		return nil, err
	}
	if t.db, err = sqldb.Open(ctx, sqldb.Config{URL: path, Log: slog.New(slog.DiscardHandler)}); err != nil {
		return nil, err
	}
	return t, t.furnish(ctx)
}

const rooms = 4

func (t *town) furnish(ctx context.Context) error {
	workspaces, err := t.box.Workspaces(ctx)
	if err != nil {
		return err
	}
	users, err := t.box.Users(ctx, workspaces[0].ID)
	if err != nil {
		return err
	}
	t.owner = users[0].ID
	for n := range rooms + 1 {
		c, err := t.box.As(t.owner).CreateChannel(ctx, fmt.Sprintf("room-%d", n), false)
		if err != nil {
			return err
		}
		t.rooms = append(t.rooms, c.ID)
	}
	t.source, t.rooms = t.rooms[0], t.rooms[1:]
	return nil
}

// say posts a message that can be announced, and returns its time.
func (t *town) say(ctx context.Context, text string) (ts string, err error) {
	m, err := t.box.As(t.owner).Send(ctx, t.source, sandbox.Draft{Text: text})
	return m.TS, err
}

func (t *town) close() {
	t.db.Close()
	t.stop()
	<-t.finished
}

// settings are those of a node that uses the workspace as it would use Slack.
func (t *town) settings() []string {
	return []string{"FRONTDESK_SLACK_CLIENT_ID=" + townApp.ClientID, "FRONTDESK_SLACK_CLIENT_SECRET=" + townApp.ClientSecret, "FRONTDESK_SLACK_SIGNING_SECRET=" + townApp.SigningSecret,
		"FRONTDESK_SLACK_API=" + t.api + "api/", "FRONTDESK_SLACK_AUTHORIZE=" + t.api + "oauth/v2/authorize", "FRONTDESK_SLACK_UNLIMITED=true"}
}
