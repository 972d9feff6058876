package zendesk

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"frontdesk/internal/tracker"
)

// Say adds a comment. The key goes into the audit that Zendesk keeps of the change,
// so that the comment can be found if the answer was lost.
func (p *place) Say(ctx context.Context, ticket string, s tracker.Said) (string, error) {
	id, err := numbered(ticket)
	if err != nil {
		return "", err
	}
	if s.Again {
		if found, err := p.findComment(ctx, id, s.Key); err != nil || found != "" {
			return found, err
		}
	}
	r := request{method: http.MethodPut, path: "tickets/" + id, body: map[string]any{
		"ticket": map[string]any{
			"comment":  map[string]any{"html_body": s.HTML, "public": !s.Private},
			"metadata": map[string]any{keyed: s.Key},
		},
	}}
	var got answered
	if err := p.call(ctx, r, &got); err != nil {
		return "", err
	}
	for _, c := range got.Audit.comments() {
		return strconv.FormatInt(c.ID, 10), nil
	}
	return "", unknownOutcome(r, errors.New("the answer has no comment"))
}

// findComment returns the id of the comment with a key, or an empty string if there is
// none.
func (p *place) findComment(ctx context.Context, ticket, key string) (string, error) {
	for cursor := ""; ; {
		page, after, err := p.audits(ctx, ticket, cursor)
		if err != nil {
			return "", err
		}
		for _, a := range page {
			if a.key() != key {
				continue
			}
			for _, c := range a.comments() {
				return strconv.FormatInt(c.ID, 10), nil
			}
		}
		if after == "" {
			return "", nil
		}
		cursor = after
	}
}
