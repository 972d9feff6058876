package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// healthTimeout is longer than /readyz waits for the database.
const healthTimeout = 4 * time.Second

type healthCommand struct{}

func (healthCommand) Help() string {
	return "It asks the server that listens on --addr on this machine, and fails if there is none. Containers use it as their health check."
}

func (healthCommand) Run(ctx context.Context, s *settings) error {
	host, port, err := net.SplitHostPort(s.Server.Addr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return err
	}
	// Without a proxy, whatever the environment says.
	answer, err := (&http.Transport{}).RoundTrip(request)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: %s", strings.TrimSpace(string(text)))
	}
	fmt.Println("ready")
	return nil
}
