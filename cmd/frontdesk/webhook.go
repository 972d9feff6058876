package main

import (
	"fmt"

	"frontdesk/internal/outbound"
	"frontdesk/internal/webhook"
)

// webhookSettings say which addresses webhooks may call, and how.
type webhookSettings struct {
	AllowPrivate bool   `name:"allow-private-webhooks" env:"FRONTDESK_ALLOW_PRIVATE_WEBHOOKS" help:"Let webhooks call this machine, private networks and plain http addresses. Link-local addresses stay forbidden."`
	Proxy        string `name:"outbound-proxy" placeholder:"URL" env:"FRONTDESK_OUTBOUND_PROXY" help:"Call webhooks through this proxy. Webhooks ignore HTTP_PROXY and similar variables."`
}

func (w webhookSettings) sender() (*webhook.Sender, error) {
	c, err := w.client()
	if err != nil {
		return nil, err
	}
	return webhook.NewSender(c), nil
}

// client returns the client for addresses that users entered.
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
