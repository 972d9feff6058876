package sandbox

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Serve opens the sandbox of c and serves it on a listener, as a separate process
// would, until ctx ends. Unless c says otherwise, it is reached at the listener's
// address. ready, if not nil, gets the open sandbox.
func Serve(ctx context.Context, l net.Listener, c Config, ready func(*Sandbox)) error {
	if c.URL == "" {
		c.URL = "http://" + l.Addr().String()
	}
	s, err := New(ctx, c)
	if err != nil {
		l.Close()
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := &http.Server{Handler: s.Handler(nil), ReadHeaderTimeout: 10 * time.Second}
	server.RegisterOnShutdown(s.EndStreams) // otherwise the shutdown would wait for them
	served, ran := make(chan error, 1), make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	go func() { ran <- s.Run(ctx) }()
	if ready != nil {
		ready(s)
	}
	select {
	case <-ctx.Done():
	case err = <-served:
		served <- err
	}
	cancel()
	grace, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	if server.Shutdown(grace) != nil {
		server.Close()
	}
	if err = <-served; errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, <-ran, s.Close())
}
