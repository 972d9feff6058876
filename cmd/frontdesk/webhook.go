package main

import (
	"fmt"

	"frontdesk/internal/outbound"
	"frontdesk/internal/webhook"
)

// webhookSettings say where webhooks may lead.
type webhookSettings struct {
	AllowPrivate bool   `name:"allow-private-webhooks" env:"FRONTDESK_ALLOW_PRIVATE_WEBHOOKS" help:"Let webhooks lead to this machine, to private networks and to plain http. Link-local addresses are refused all the same."`
	Proxy        string `name:"outbound-proxy" placeholder:"URL" env:"FRONTDESK_OUTBOUND_PROXY" help:"Call webhooks through this proxy. Without it none is used, whatever the environment says."`
}

func (w webhookSettings) sender() (*webhook.Sender, error) {
	c, err := w.client()
	if err != nil {
		return nil, err
	}
	return webhook.NewSender(c), nil
}

// client calls addresses that somebody gave us.
func (w webhookSettings) client() (*outbound.Client, error) {
	c := outbound.Config{AllowPrivate: w.AllowPrivate, UserAgent: "Frontdesk/" + version}
	if w.Proxy != "" {
		var err error
		if c.Proxy, err = outbound.ParseProxy(w.Proxy); err != nil {
			return nil, fmt.Errorf("FRONTDESK_OUTBOUND_PROXY: %w", err)
		}
	}
	return outbound.New(c), nil
}
