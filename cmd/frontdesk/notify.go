package main

import (
	"context"
	"fmt"
	"net"
	"os"
)

// notifySystemd tells systemd that the server answers, and when ctx ends that it
// stops. It does nothing if systemd did not ask for it.
func notifySystemd(ctx context.Context) error {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return nil
	}
	if err := sendToSystemd(socket, "READY=1"); err != nil {
		return fmt.Errorf("tell systemd that the server answers: %w", err)
	}
	// systemd has sent the signal itself, so it may miss this without harm.
	context.AfterFunc(ctx, func() { _ = sendToSystemd(socket, "STOPPING=1") })
	return nil
}

func sendToSystemd(socket, state string) error {
	conn, err := net.Dial("unixgram", socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Write([]byte(state))
	return err
}
