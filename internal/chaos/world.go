package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"frontdesk/internal/chaos/cluster"
)

// world is a desk of three nodes on a database cluster, and the systems outside that it talks to.
type world struct {
	cluster *cluster.Cluster
	binary  string // frontdesk's
	key     string
	nodes   []*node
	token   string // of the account's admin
	streams *http.Client

	town     *town
	bucket   *bucket
	endpoint *endpoint
	relay    *relay

	stops []func() // end what runs in this process
}

// node is a frontdesk serve.
type node struct {
	w          *world
	name       string
	address    string
	operations string
	smtp       string
	ways       proxies // to the database
	clock      clock
	env        []string
	process    *cluster.Process
}

// newKey returns a master key as FRONTDESK_KEY takes it.
func newKey() string {
	var key [32]byte
	rand.Read(key[:])
	return base64.StdEncoding.EncodeToString(key[:])
}

// newWorld starts everything but the nodes.
func newWorld(ctx context.Context, seed uint64) (_ *world, err error) {
	w := &world{key: newKey(), streams: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}}
	patience, cancel := context.WithTimeout(ctx, starting)
	defer cancel()
	if w.cluster, err = cluster.Start(patience); err != nil {
		return nil, err
	}
	if err := w.furnish(ctx, seed); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *world) furnish(ctx context.Context, seed uint64) (err error) {
	if w.bucket, err = startBucket(); err != nil {
		return err
	}
	w.stops = append(w.stops, w.bucket.stop)
	if w.endpoint, err = startEndpoint(seed); err != nil {
		return err
	}
	w.stops = append(w.stops, w.endpoint.stop)
	if w.relay, err = startRelay(seed); err != nil {
		return err
	}
	w.stops = append(w.stops, func() { w.relay.listener.Close() })
	if w.town, err = startTown(ctx, w.cluster.Folder, w.url(), seed); err != nil {
		return err
	}
	w.stops = append(w.stops, w.town.close)
	for n, address := range w.cluster.Nodes {
		var ways proxies
		w.stops = append(w.stops, func() { ways.close() })
		database, err := w.databaseURL(&ways, n)
		if err != nil {
			return err
		}
		replica, err := through(&ways, w.cluster.Replicas)
		if err != nil {
			return err
		}
		free, err := cluster.FreeAddresses(2)
		if err != nil {
			return err
		}
		o := &node{w: w, name: fmt.Sprintf("node%d", n+1), address: address, operations: free[0], smtp: free[1], ways: ways}
		o.clock = clock(filepath.Join(w.cluster.Folder, o.name+".clock"))
		if err := o.clock.set(0); err != nil {
			return err
		}
		o.env = append(w.settings(database), "FRONTDESK_ADDR="+address, "FRONTDESK_OPERATIONS_ADDR="+o.operations, "FRONTDESK_MAIL_LISTEN="+o.smtp, clockVariable+"="+string(o.clock), "FRONTDESK_DATABASE_REPLICA_URL="+replica)
		w.nodes = append(w.nodes, o)
	}
	return nil
}

// databaseURL returns a node's way to the database: through HAProxy, or, for the last node, by naming every server.
func (w *world) databaseURL(p *proxies, node int) (string, error) {
	if node < len(w.cluster.Nodes)-1 {
		return through(p, w.cluster.URL)
	}
	u, err := url.Parse(w.cluster.URL)
	if err != nil {
		return "", err
	}
	var hosts []string
	for _, d := range w.cluster.Databases {
		address, err := p.to(d.Address)
		if err != nil {
			return "", err
		}
		hosts = append(hosts, address)
	}
	return strings.Replace(u.String(), u.Host, strings.Join(hosts, ","), 1) + "&target_session_attrs=read-write", nil
}

// through returns the URL of a database by way of a proxy.
func through(p *proxies, database string) (string, error) {
	u, err := url.Parse(database)
	if err != nil {
		return "", err
	}
	u.Host, err = p.to(u.Host)
	return u.String(), err
}

// url is the desk's public address.
func (w *world) url() string { return "http://" + w.cluster.HTTP }

// settings are what all nodes and commands share.
func (w *world) settings(database string) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "FRONTDESK_DATABASE_URL=" + database, "FRONTDESK_KEY=" + w.key, "FRONTDESK_URL=" + w.url(), "FRONTDESK_DATA=" + filepath.Join(w.cluster.Folder, "data"),
		"FRONTDESK_RATE_LIMIT=0", "FRONTDESK_REFUSAL_LIMIT=0", "FRONTDESK_TRUSTED_PROXIES=127.0.0.1", "FRONTDESK_ALLOW_PRIVATE_WEBHOOKS=true", "FRONTDESK_DATABASE_WAIT=2m",
		"FRONTDESK_MAIL_DOMAIN=reply.acme.example", "FRONTDESK_MAIL_RELAY=smtp://" + w.relay.address}
	return append(append(env, w.bucket.settings()...), w.town.settings()...)
}

// close ends everything. The cluster's keeper ends the nodes, too.
func (w *world) close() error {
	err := w.cluster.Close()
	for _, stop := range w.stops {
		stop()
	}
	return err
}

// start starts the node. It is ready some time later.
func (o *node) start() (err error) {
	cmd := exec.Command(o.w.binary, "serve")
	cmd.Env = o.env
	o.process, err = o.w.cluster.Run(o.name, cmd)
	return err
}

// restart stops the node as an operator does, and starts it again.
func (o *node) restart() error {
	o.process.Signal(syscall.SIGTERM)
	select {
	case <-o.process.Ended():
	case <-time.After(time.Minute):
		o.process.Kill()
		return errors.Join(fmt.Errorf("%s did not stop within a minute", o.name), o.start())
	}
	return o.start()
}

// ready reports whether the node says that it can answer calls.
func (o *node) ready() bool {
	client := &http.Client{Timeout: 3 * time.Second}
	defer client.CloseIdleConnections()
	r, err := client.Get("http://" + o.address + "/readyz")
	if err != nil {
		return false
	}
	r.Body.Close()
	return r.StatusCode == http.StatusOK
}

// awaitReady waits until every node is ready, and HAProxy knows it.
func (w *world) awaitReady(ctx context.Context) error {
	for {
		ready := 0
		for _, o := range w.nodes {
			if o.ready() {
				ready++
			}
		}
		if ready == len(w.nodes) {
			pause(ctx, 600*time.Millisecond) // HAProxy looks every half second
			return ctx.Err()
		}
		if pause(ctx, 100*time.Millisecond); ctx.Err() != nil {
			return fmt.Errorf("%d of %d nodes are ready: %w", ready, len(w.nodes), ctx.Err())
		}
	}
}

// run runs a command of frontdesk and returns what it printed.
func (w *world) run(ctx context.Context, input string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, w.binary, args...)
	cmd.Env, cmd.Dir, cmd.Stdin = w.settings(w.cluster.URL), w.cluster.Folder, strings.NewReader(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("frontdesk %s: %w: %s%s", strings.Join(args, " "), err, &out, &errs)
	}
	return strings.TrimSpace(out.String()), nil
}

const password = "a desk for the storm"

// open creates the account, starts the nodes and connects the account to the world outside.
func (w *world) open(ctx context.Context) (err error) {
	if _, err := w.run(ctx, "", "account", "create", "--name", "Acme", "--email", "admin@acme.test"); err != nil {
		return err
	}
	if _, err := w.run(ctx, password, "member", "password", "--email", "admin@acme.test"); err != nil {
		return err
	}
	if w.token, err = w.run(ctx, "", "token", "create", "--email", "admin@acme.test", "--scope", "read_write"); err != nil {
		return err
	}
	for _, o := range w.nodes {
		if err := o.start(); err != nil {
			return err
		}
	}
	if err := w.awaitReady(ctx); err != nil {
		return err
	}
	if err := w.connectTown(ctx); err != nil {
		return err
	}
	for _, c := range []map[string]any{
		{"name": "API", "kind": "api"},
		{"name": "Help", "kind": "email", "email_config": map[string]any{"address": support}},
	} {
		if err := w.ask(ctx, "POST", "/collections", c, nil); err != nil {
			return err
		}
	}
	return w.ask(ctx, "POST", "/webhooks", map[string]any{"url": "http://" + w.endpoint.address}, nil)
}

// ask calls the API, which must answer, and reads the answer into v.
func (w *world) ask(ctx context.Context, method, path string, content, v any) error {
	var in io.Reader
	if content != nil {
		in = bytes.NewReader(jsonBody(content).content)
	}
	req, err := http.NewRequestWithContext(ctx, method, w.url()+"/v1/rest"+path, in)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Content-Type", "application/json")
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if r.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s answered %d %s", method, path, r.StatusCode, answer)
	}
	if v == nil {
		return nil
	}
	return json.Unmarshal(answer, v)
}
