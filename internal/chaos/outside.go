package main

import (
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
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

// endpoint is the endpoint of a webhook. Now and then it answers with an error. An event that fails twice comes again only
// after minutes, so it refuses none twice, and none around the time at which it is down.
type endpoint struct {
	*service
	mu      sync.Mutex
	r       *rand.Rand
	refused map[string]bool // the events that it has refused: whether it has accepted them since
	patient bool            // it refuses nothing
	got     []event         // the events that it has accepted, in order
}

func startEndpoint(seed uint64) (*endpoint, error) {
	e := &endpoint{r: rand.New(rand.NewPCG(seed, 2)), refused: map[string]bool{}}
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
	_, again := e.refused[got.id]
	if !again && !e.patient && e.r.IntN(100) < 2 {
		e.refused[got.id] = false
		http.Error(w, "not now", http.StatusInternalServerError)
		return
	}
	if again {
		e.refused[got.id] = true
	}
	e.got = append(e.got, got)
}

// setPatient makes the endpoint refuse nothing for a while, and says what it refused and does not have yet.
func (e *endpoint) setPatient(patient bool) (missing int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.patient = patient
	for _, accepted := range e.refused {
		if !accepted {
			missing++
		}
	}
	return missing
}

func (e *endpoint) events() []event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]event(nil), e.got...)
}
