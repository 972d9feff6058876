package main

import (
	"context"
	"fmt"
	"time"
)

// resurrection is how long what died stays dead when people try the cluster.
const resurrection = 10 * time.Second

// tryCluster starts everything, says where it is and how to break it, and starts again what people kill.
func tryCluster(ctx context.Context) error {
	w, err := openWorld(ctx, *seed)
	if err != nil {
		return err
	}
	defer func() { w.close() }()
	primary := w.cluster.Primary()
	if primary == nil {
		return fmt.Errorf("there is no primary")
	}
	f := w.cluster.Folder
	fmt.Printf("\nThe desk is at %s: sign in as admin@acme.test with the password %q.\nIts API takes this token: %s\n\n", w.url(), password, w.token)
	fmt.Printf("HAProxy leads to the nodes at http://%s and to the primary at %s\n", w.cluster.HTTP, w.cluster.URL)
	for _, o := range w.nodes {
		fmt.Printf("  %s  http://%s  mail %s  process %d\n", o.name, o.address, o.smtp, o.process.ID())
	}
	for _, d := range w.cluster.Databases {
		fmt.Printf("  %s    %s  Patroni http://%s  process %d\n", d.Name, d.Address, d.REST, d.Patroni())
	}
	fmt.Printf("Logs and data are in %s\n\nTo break things, in another terminal:\n", f)
	o := w.nodes[0]
	for _, way := range [][2]string{
		{"see who is primary", fmt.Sprintf("patronictl -c %s/db1.yml list", f)},
		{"kill the primary's PostgreSQL", fmt.Sprintf("kill -9 $(head -1 %s/%s/data/postmaster.pid)", f, primary.Name)},
		{"switch the primary, as planned", fmt.Sprintf(`curl -d '{"leader": "%s"}' http://%s/switchover`, primary.Name, primary.REST)},
		{"kill a node", fmt.Sprintf("kill -9 %d", o.process.ID())},
		{"stop a node as an upgrade does", fmt.Sprintf("kill %d", o.process.ID())},
		{"freeze a node, and let it go on", fmt.Sprintf("kill -STOP %d; sleep 70; kill -CONT %d", o.process.ID(), o.process.ID())},
		{"follow what happens", fmt.Sprintf("curl -N -H 'Authorization: Bearer %s' %s/v1/rest/events/stream", w.token, w.url())},
	} {
		fmt.Printf("  %-32s %s\n", way[0]+":", way[1])
	}
	fmt.Printf("\nA node or a Patroni that ends is started again after %s. Ctrl-C ends everything.\n", resurrection)
	return w.resurrect(ctx)
}

// resurrect starts again what ends, until ctx ends.
func (w *world) resurrect(ctx context.Context) error {
	died := map[string]time.Time{}
	look := func(name string, runs bool, id func() int, start func() error) error {
		if runs {
			delete(died, name)
			return nil
		}
		if died[name].IsZero() {
			died[name] = time.Now()
			fmt.Println(name, "has ended")
		}
		if time.Since(died[name]) < resurrection {
			return nil
		}
		err := start()
		fmt.Println(name, "is started again as process", id())
		return err
	}
	for ctx.Err() == nil {
		for _, o := range w.nodes {
			if err := look(o.name, o.process.Runs(), func() int { return o.process.ID() }, o.start); err != nil {
				return err
			}
		}
		for _, d := range w.cluster.Databases {
			if err := look(d.Name, d.Runs(), d.Patroni, d.Start); err != nil {
				return err
			}
		}
		pause(ctx, 200*time.Millisecond)
	}
	return nil
}
