package linear

import (
	"context"
	"crypto/rand"
	"slices"

	"frontdesk/internal/desk"
)

// heard lists the kinds of objects that we want notifications of.
var heard = []string{"Issue", "Comment"}

// webhook has the fields that we query.
type webhook struct {
	ID, URL, Secret string
	Enabled         bool
	ResourceTypes   []string
}

const (
	webhooksQuery = `query Webhooks($after: String) {
  webhooks(first: 100, after: $after) {
    nodes { id url secret enabled resourceTypes }
    pageInfo { hasNextPage endCursor }
  }
}`
	watchMutation = `mutation Watch($input: WebhookCreateInput!) {
  webhookCreate(input: $input) { success webhook { id secret } }
}`
	renewMutation = `mutation Renew($id: String!, $input: WebhookUpdateInput!) {
  webhookUpdate(id: $id, input: $input) { success webhook { id secret } }
}`
	unwatchMutation = `mutation Unwatch($id: String!) {
  webhookDelete(id: $id) { success }
}`
)

// Watch asks Linear to notify an address of changes to the issues and comments of
// all public teams. An existing webhook with this address is kept. If it was
// disabled, it is enabled again. Linear disables a webhook if the address does not
// answer for a long time.
func (w *workspace) Watch(ctx context.Context, address string) (string, error) {
	all, err := w.webhooks(ctx, address)
	if err != nil {
		return "", err
	}
	secret := rand.Text() + rand.Text()
	if len(all) == 0 {
		input := object{"url": address, "label": "Frontdesk", "resourceTypes": heard, "allPublicTeams": true, "secret": secret}
		return w.setWebhook(ctx, "Watch", watchMutation, object{"input": input}, secret)
	}
	h := all[0]
	covers := func(kind string) bool { return slices.Contains(h.ResourceTypes, kind) }
	if h.Enabled && h.Secret != "" && covers(heard[0]) && covers(heard[1]) {
		return h.Secret, nil
	}
	if h.Secret != "" {
		secret = h.Secret
	}
	input := object{"enabled": true, "resourceTypes": heard, "secret": secret}
	return w.setWebhook(ctx, "Renew", renewMutation, object{"id": h.ID, "input": input}, secret)
}

// setWebhook creates or changes a webhook and returns its secret.
func (w *workspace) setWebhook(ctx context.Context, operation, mutation string, variables object, secret string) (string, error) {
	type payload struct {
		Success bool
		Webhook webhook
	}
	var told struct{ WebhookCreate, WebhookUpdate payload }
	if err := w.call(ctx, operation, mutation, variables, &told); err != nil {
		return "", notAllowed(err)
	}
	p := told.WebhookCreate
	if operation == "Renew" {
		p = told.WebhookUpdate
	}
	switch {
	case !p.Success:
		return "", desk.Errorf(desk.Refused, "Linear did not take the webhook.")
	case p.Webhook.Secret != "":
		return p.Webhook.Secret, nil
	}
	return secret, nil
}

// Unwatch deletes the webhooks with an address.
func (w *workspace) Unwatch(ctx context.Context, address string) error {
	all, err := w.webhooks(ctx, address)
	if err != nil {
		return err
	}
	for _, h := range all {
		var told struct{ WebhookDelete struct{ Success bool } }
		err := w.call(ctx, "Unwatch", unwatchMutation, object{"id": h.ID}, &told)
		if err != nil && desk.KindOf(err) != desk.NotFound {
			return notAllowed(err)
		}
	}
	return nil
}

// webhooks returns the webhooks with an address.
func (w *workspace) webhooks(ctx context.Context, address string) ([]webhook, error) {
	var found []webhook
	variables := object{"after": nil}
	for {
		var told struct {
			Webhooks struct {
				Nodes    []webhook
				PageInfo struct {
					HasNextPage bool
					EndCursor   string
				}
			}
		}
		if err := w.call(ctx, "Webhooks", webhooksQuery, variables, &told); err != nil {
			return nil, notAllowed(err)
		}
		for _, h := range told.Webhooks.Nodes {
			if h.URL == address {
				found = append(found, h)
			}
		}
		end := told.Webhooks.PageInfo
		if !end.HasNextPage || end.EndCursor == "" {
			return found, nil
		}
		variables = object{"after": end.EndCursor}
	}
}
