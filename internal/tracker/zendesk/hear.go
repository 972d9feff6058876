package zendesk

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// skew is how much Zendesk's clock and ours may differ.
const skew = 5 * time.Minute

var (
	errNoSecret  = errors.New("there is no signing secret")
	errUnsigned  = errors.New("not signed once and plainly")
	errStale     = errors.New("signed too long ago, or in the future")
	errSignature = errors.New("signed by somebody else")
)

// Hear parses a webhook call: one event about one ticket.
func (a *App) Hear(secret string, h http.Header, body []byte, now time.Time) (tracker.Heard, error) {
	if err := verify(secret, h, body, now); err != nil {
		return tracker.Heard{}, unauthenticated(err)
	}
	var event struct {
		ID      string `json:"id"`
		Subject string `json:"subject"`
	}
	if err := json.Unmarshal(body, &event); err != nil || event.ID == "" {
		return tracker.Heard{}, &desk.Error{Kind: desk.Invalid, Message: "This is not an event of Zendesk's.", Err: err}
	}
	heard := tracker.Heard{Delivery: event.ID}
	// Events about anything other than a ticket are ignored.
	if number, ok := strings.CutPrefix(event.Subject, "zen:ticket:"); ok {
		id, err := numbered(number)
		if err != nil {
			return tracker.Heard{}, desk.Errorf(desk.Invalid, "The event is of no ticket.")
		}
		heard.Tickets = []string{id}
	}
	return heard, nil
}

// unauthenticated returns the error for a call of an unknown sender. It uses the
// nearest of desk's kinds.
func unauthenticated(err error) error {
	return &desk.Error{Kind: desk.Forbidden, Message: "The signature is not valid.", Err: err}
}

// verify returns an error unless Zendesk signed the body within the last minutes.
// It checks the raw body, before anything parses it.
func verify(secret string, h http.Header, body []byte, now time.Time) error {
	// With an empty secret, anyone could sign.
	if secret == "" {
		return errNoSecret
	}
	// If there are several headers, a proxy in front of us may have checked another
	// one.
	stamps, signatures := h.Values("X-Zendesk-Webhook-Signature-Timestamp"), h.Values("X-Zendesk-Webhook-Signature")
	if len(stamps) != 1 || len(signatures) != 1 {
		return errUnsigned
	}
	at, err := time.Parse(time.RFC3339, stamps[0])
	if err != nil {
		return errUnsigned
	}
	if age := now.Sub(at); age > skew || age < -skew {
		return errStale
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamps[0]))
	mac.Write(body)
	if !hmac.Equal([]byte(base64.StdEncoding.EncodeToString(mac.Sum(nil))), []byte(signatures[0])) {
		return errSignature
	}
	return nil
}
