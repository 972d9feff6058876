package main

import (
	"log/slog"
	"net/http"

	"frontdesk/internal/service"
	"frontdesk/internal/tracker"
	"frontdesk/internal/tracker/linear"
	"frontdesk/internal/tracker/zendesk"
)

// trackerSettings say where the ticket systems are that accounts can be connected
// to. Each account brings its own credentials.
type trackerSettings struct {
	ZendeskURL string `name:"zendesk-url" default:"https://{domain}.zendesk.com" env:"FRONTDESK_ZENDESK_URL" help:"Where Zendesk is, with {domain} in place of an account's own name there."`
	LinearURL  string `name:"linear-url" default:"https://api.linear.app/graphql" env:"FRONTDESK_LINEAR_URL" help:"Where Linear's API is."`
}

func (t trackerSettings) systems(log *slog.Logger) []tracker.System {
	return []tracker.System{
		zendesk.New(zendesk.Config{Address: t.ZendeskURL, Log: log}),
		linear.New(linear.Config{API: t.LinearURL, Log: log}),
	}
}

// handleTrackers serves what ticket systems call.
func handleTrackers(mux *http.ServeMux, systems []tracker.System, s *service.Service, log *slog.Logger) {
	h := tracker.Handler(systems, s.ReceiveTracker, log)
	for _, system := range systems {
		mux.Handle("/integrations/"+system.Name()+"/", h)
	}
}
