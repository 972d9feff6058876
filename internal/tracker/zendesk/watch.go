package zendesk

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"frontdesk/internal/desk"
)

// events lists the events that we want: everything that changes the comments or the
// status of a ticket.
var events = []string{
	"zen:event-type:ticket.comment_added",
	"zen:event-type:ticket.status_changed",
}

// webhook is a webhook of Zendesk.
type webhook struct {
	ID            string   `json:"id,omitempty"`
	Name          string   `json:"name"`
	Description   string   `json:"description,omitempty"`
	Endpoint      string   `json:"endpoint"`
	HTTPMethod    string   `json:"http_method"`
	RequestFormat string   `json:"request_format"`
	Status        string   `json:"status"`
	Subscriptions []string `json:"subscriptions"`
}

// good reports whether a webhook sends us everything that we want.
func (w webhook) good() bool {
	return w.Status == "active" && !slices.ContainsFunc(events, func(event string) bool { return !slices.Contains(w.Subscriptions, event) })
}

// Watch creates a webhook for an address. Zendesk makes the secret.
func (p *place) Watch(ctx context.Context, address string) (string, error) {
	ours, err := p.webhooks(ctx, address)
	if err != nil {
		return "", err
	}
	id := ""
	for _, w := range ours {
		// A webhook that was stopped or changed is created again. One of two is
		// enough, because each signs with its own secret.
		if id == "" && w.good() {
			id = w.ID
			continue
		}
		if err := p.remove(ctx, w.ID); err != nil {
			return "", err
		}
	}
	if id == "" {
		if id, err = p.addWebhook(ctx, address); err != nil {
			return "", err
		}
	}
	var got struct {
		Secret struct {
			Secret string `json:"secret"`
		} `json:"signing_secret"`
	}
	r := get("webhooks/"+url.PathEscape(id)+"/signing_secret", nil)
	switch err := p.call(ctx, r, &got); {
	case err != nil:
		return "", webhookError(err)
	case got.Secret.Secret == "":
		return "", unknownOutcome(r, errors.New("the answer has no secret"))
	}
	return got.Secret.Secret, nil
}

// Unwatch deletes the webhooks with an address.
func (p *place) Unwatch(ctx context.Context, address string) error {
	ours, err := p.webhooks(ctx, address)
	if err != nil {
		return err
	}
	for _, w := range ours {
		if err := p.remove(ctx, w.ID); err != nil {
			return err
		}
	}
	return nil
}

// webhooks returns the webhooks with an address.
func (p *place) webhooks(ctx context.Context, address string) (ours []webhook, err error) {
	for cursor := ""; ; {
		var got struct {
			Webhooks []webhook `json:"webhooks"`
			Meta     paging    `json:"meta"`
		}
		r := paged("webhooks", cursor)
		if err := p.call(ctx, r, &got); err != nil {
			return nil, webhookError(err)
		}
		for _, w := range got.Webhooks {
			if w.Endpoint == address && w.ID != "" {
				ours = append(ours, w)
			}
		}
		if cursor, err = got.Meta.next(r, cursor); err != nil || cursor == "" {
			return ours, err
		}
	}
}

func (p *place) addWebhook(ctx context.Context, address string) (id string, err error) {
	r := request{method: http.MethodPost, path: "webhooks", body: map[string]any{"webhook": webhook{
		Name: "Frontdesk", Description: "Tells Frontdesk when a ticket changes.", Endpoint: address,
		HTTPMethod: http.MethodPost, RequestFormat: "json", Status: "active", Subscriptions: events,
	}}}
	var got struct {
		Webhook webhook `json:"webhook"`
	}
	switch err := p.call(ctx, r, &got); {
	case err != nil:
		return "", webhookError(err)
	case got.Webhook.ID == "":
		return "", unknownOutcome(r, errors.New("the answer has no webhook"))
	}
	return got.Webhook.ID, nil
}

func (p *place) remove(ctx context.Context, id string) error {
	err := p.call(ctx, request{method: http.MethodDelete, path: "webhooks/" + url.PathEscape(id)}, nil)
	if refused(err, http.StatusNotFound) { // already deleted by somebody else
		return nil
	}
	return webhookError(err)
}

// webhookError returns the error of a call about webhooks, which only admins may make.
func webhookError(err error) error {
	switch {
	case refused(err, http.StatusForbidden):
		return &desk.Error{Kind: desk.Forbidden, Message: "Zendesk lets only an admin, or an agent who may, set up webhooks.", Err: err}
	case refused(err, http.StatusNotFound):
		return &desk.Error{Kind: desk.Refused, Message: "Zendesk does not know the webhook any more. Try again.", Err: err}
	}
	return err
}
