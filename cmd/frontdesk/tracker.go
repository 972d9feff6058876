package main

import (
	"log/slog"
	"net/http"

	"frontdesk/internal/tracker"
	"frontdesk/internal/tracker/linear"
	"frontdesk/internal/tracker/zendesk"
	"frontdesk/internal/worker"
)

// trackerSettings are the addresses of the ticket systems. Each account has its
// own credentials.
type trackerSettings struct {
	ZendeskURL string `name:"zendesk-url" placeholder:"URL" default:"https://{domain}.zendesk.com" env:"FRONTDESK_ZENDESK_URL" help:"The address of Zendesk. {domain} stands for an account's Zendesk subdomain."`
	LinearURL  string `name:"linear-url" placeholder:"URL" default:"https://api.linear.app/graphql" env:"FRONTDESK_LINEAR_URL" help:"The address of Linear's API."`
}

func (t trackerSettings) systems(log *slog.Logger) []tracker.System {
	return []tracker.System{
		zendesk.New(zendesk.Config{Address: t.ZendeskURL, Log: log}),
		linear.New(linear.Config{API: t.LinearURL, Log: log}),
	}
}

// handleTrackers serves the addresses that ticket systems call.
func handleTrackers(mux *http.ServeMux, systems []tracker.System, w *worker.Worker, log *slog.Logger) {
	h := tracker.Handler(systems, w.ReceiveTracker, log)
	for _, system := range systems {
		mux.Handle("/integrations/"+system.Name()+"/", h)
	}
}
