package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"frontdesk/internal/sqldb"
)

// More nodes on one PostgreSQL must not make writes slower. Callers create requests,
// each at one of the nodes, in one account or in twenty. Each account has a promise
// and a webhook, because what follows from a change is what nodes share.
//
// A node is a process of the real binary. The numbers of nodes take turns on the same
// database, so that its tables have grown equally for all. SQLite's only node stands
// beside them.

const (
	// nodeAccounts is how many accounts there are.
	nodeAccounts = 20
	// warmUp is how long callers call before anything is counted. Each connection plans a
	// statement anew for the first five times.
	warmUp = 4 * time.Second
)

// nodeCounters are the metrics that are shown for each create, added up over the nodes.
var nodeCounters = [...]string{"frontdesk_db_statements_total", "frontdesk_db_transactions_total", "frontdesk_db_writes_total", "frontdesk_db_commits_total",
	"frontdesk_jobs_turns_total", "frontdesk_jobs_worked_total"}

// cluster is a database and the nodes that can serve it.
type cluster struct {
	name   string
	nodes  []*served
	tokens []string // of an admin in each account
	made   atomic.Int64
}

// clusterUse is what one run took, for each create.
type clusterUse struct {
	nodes, accounts int
	rate            float64 // creates a second
	middle, tail    float64 // ms that a create took: the median and p99
	cpu, postgres   float64 // ms
	counts          [len(nodeCounters)]float64
}

// benchNodes compares one node with several.
func benchNodes(ctx context.Context, engines map[sqldb.Engine]string) {
	binary, drop := buildBinary(ctx)
	defer drop()
	receiver := startChild(ctx, "receiver")
	defer receiver.stop()
	fmt.Printf("Creates of %d callers on one node and on several, for each: the CPU until all is quiet again, and the counters of all nodes\n", *callers)
	var all []*cluster
	for _, engine := range names(engines) {
		most := 1
		if engine == sqldb.Postgres {
			most = 3
		}
		contenders := []contender{{string(engine), binary, 0}}
		if *against != "" {
			contenders = append(contenders, contender{string(engine) + ", there", *against, 0})
		}
		for _, of := range contenders {
			c := startCluster(ctx, of, engine, engines[engine], most, receiver.addr)
			defer c.nodes[0].close()
			all = append(all, c)
		}
	}
	used := map[string][]clusterUse{}
	var order []string
	for range *rounds {
		for _, accounts := range []int{1, nodeAccounts} {
			for _, c := range all {
				for i := range c.nodes {
					if *nodes != 0 && *nodes != i+1 {
						continue
					}
					key := fmt.Sprintf("  %-16s %5d %8d", c.name, i+1, accounts)
					if !slices.Contains(order, key) {
						order = append(order, key)
					}
					used[key] = append(used[key], c.run(ctx, i+1, accounts))
				}
			}
		}
	}
	fmt.Printf("  %-16s %5s %8s %9s %13s %7s %10s %10s %12s %6s %7s %5s %4s\n", "", "nodes", "accounts", "creates/s", "median/p99 ms", "CPU ms", "PostgreSQL", "statements", "transactions", "writes", "commits", "turns", "jobs")
	for _, key := range order {
		fmt.Println(key + showUses(used[key]))
	}
}

// showUses shows the median of each figure of some runs.
func showUses(all []clusterUse) string {
	of := func(figure func(clusterUse) float64) float64 {
		var values []float64
		for _, u := range all {
			values = append(values, figure(u))
		}
		return median(values)
	}
	text := fmt.Sprintf(" %9.0f %13s %7.2f %10.2f", of(func(u clusterUse) float64 { return u.rate }),
		fmt.Sprintf("%.0f/%.0f", of(func(u clusterUse) float64 { return u.middle }), of(func(u clusterUse) float64 { return u.tail })),
		of(func(u clusterUse) float64 { return u.cpu }), of(func(u clusterUse) float64 { return u.postgres }))
	for i, width := range []int{10, 12, 6, 7, 5, 4} {
		text += fmt.Sprintf(" %*.2f", width, of(func(u clusterUse) float64 { return u.counts[i] }))
	}
	return text
}

// startCluster makes a database with accounts, and the nodes, which do not run yet.
func startCluster(ctx context.Context, of contender, engine sqldb.Engine, server string, nodes int, receiver string) *cluster {
	var postgres *postgresServer
	if engine == sqldb.Postgres {
		postgres = findPostgres(server)
	}
	first := startServed(ctx, of.name, of.binary, engine, server, postgres)
	c := &cluster{name: of.name, nodes: []*served{first}, tokens: []string{first.token}}
	first.env = append(first.env, "FRONTDESK_ALLOW_PRIVATE_WEBHOOKS=true")
	first.stop()
	first.serve(ctx)
	for i := 1; i < nodeAccounts; i++ {
		email := "admin" + strconv.Itoa(i) + "@acme.test"
		first.command(ctx, "account", "create", "--name", "Bench "+strconv.Itoa(i), "--email", email)
		c.tokens = append(c.tokens, first.command(ctx, "token", "create", "--email", email, "--scope", "read_write"))
	}
	for _, token := range c.tokens {
		for _, call := range []string{
			post("/collections", `{"name": "API", "kind": "api"}`),
			post("/sla-policies", `{"name": "Within a day", "kind": "first_response", "target_minutes": 1440}`),
			post("/webhooks", `{"url": "http://`+receiver+`/", "event_types": ["request.created"]}`),
		} {
			first.token = token
			must(first.send(ctx, call))
		}
	}
	first.quiet(ctx, 0)
	first.stop()
	for len(c.nodes) < nodes {
		n := &served{name: first.name, binary: first.binary, postgres: postgres, look: first.look, addr: freeAddr(), metrics: freeAddr()}
		n.env = append(slices.Clone(first.env), "FRONTDESK_ADDR="+n.addr, "FRONTDESK_OPERATIONS_ADDR="+n.metrics)
		c.nodes = append(c.nodes, n)
	}
	return c
}

// run starts some of the nodes, has requests created, and stops the nodes.
func (c *cluster) run(ctx context.Context, nodes, accounts int) clusterUse {
	on := c.nodes[:nodes]
	for _, n := range on {
		n.serve(ctx)
		defer n.stop()
	}
	c.create(ctx, on, accounts, warmUp)
	c.quiet(ctx, on)
	u := clusterUse{nodes: nodes, accounts: accounts}
	before, cpu, postgres, began := c.counts(ctx, on), c.cpu(on), on[0].postgres.cpu(), time.Now()
	took := c.create(ctx, on, accounts, *length)
	made, seconds := float64(took.size()), time.Since(began).Seconds()
	c.quiet(ctx, on)
	u.rate, u.middle, u.tail = made/seconds, took.quantile(0.5).Seconds()*1000, took.quantile(0.99).Seconds()*1000
	u.cpu, u.postgres = (c.cpu(on)-cpu).Seconds()*1000/made, (on[0].postgres.cpu()-postgres).Seconds()*1000/made
	for i, after := range c.counts(ctx, on) {
		u.counts[i] = (after - before[i]) / made
	}
	return u
}

// create has callers create requests for a while. Each caller has a node and an
// account.
func (c *cluster) create(ctx context.Context, on []*served, accounts int, d time.Duration) *histogram {
	took := new(histogram)
	end := time.Now().Add(d)
	inParallel(*callers, func(i int, going func() bool) error {
		addr, token := on[i%len(on)].addr, c.tokens[i/len(on)%accounts]
		l, err := dial(addr)
		if err != nil {
			return err
		}
		defer l.close()
		for time.Now().Before(end) && ctx.Err() == nil && going() {
			n := c.made.Add(1)
			call := post("/requests", fmt.Sprintf(`{"description": "<p>The label printer prints number %d twice since this morning. Can you help?</p>", "requester_email": "jo.%d@customer.test"}`, n, n%1000))
			began := time.Now()
			if err := l.call(encode(addr, token, call)); err != nil {
				return err
			}
			took.add(time.Since(began))
		}
		return nil
	})
	return took
}

// quiet waits until no node has anything left to do.
func (c *cluster) quiet(ctx context.Context, on []*served) {
	for _, n := range on {
		n.quiet(ctx, 0)
	}
}

func (c *cluster) cpu(on []*served) (all time.Duration) {
	for _, n := range on {
		all += cpuOf(n.pid)
	}
	return all
}

// counts adds up the counters of the nodes.
func (c *cluster) counts(ctx context.Context, on []*served) (all [len(nodeCounters)]float64) {
	for _, n := range on {
		text := must(fetch(ctx, "GET", "http://"+n.metrics+"/metrics", "", ""))
		for i, name := range nodeCounters {
			all[i] += metric(text, name)
		}
	}
	return all
}
