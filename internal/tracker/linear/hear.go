package linear

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// apart is how far our clocks may be apart, with the way that a webhook takes.
// Linear says a minute.
const apart = 90 * time.Second

var (
	errNoSecret  = errors.New("there is no secret")
	errUnsigned  = errors.New("not signed once and plainly")
	errStale     = errors.New("signed too long ago, or in the future")
	errSignature = errors.New("signed by somebody else")
)

// delivery is what a webhook sends. What it says of the thing is only what it is
// about: how it is now, Linear tells when it is asked.
type delivery struct {
	Type string `json:"type"` // Issue
	At   int64  `json:"webhookTimestamp"`
	Data struct {
		ID      string `json:"id"`
		IssueID string `json:"issueId"` // of a comment; there are comments on other things
	} `json:"data"`
}

// Hear reads what a webhook sends: the issue that has changed, or that was
// commented on. Of anything else it hears no ticket. Forbidden is what was not
// signed with the secret, or too long ago.
func (l *Linear) Hear(secret string, h http.Header, body []byte, now time.Time) (tracker.Heard, error) {
	d, err := verify(secret, h, body, now)
	if err != nil {
		return tracker.Heard{}, &desk.Error{Kind: desk.Forbidden, Message: "This was not signed by Linear just now.", Err: err}
	}
	out := tracker.Heard{Delivery: h.Get("Linear-Delivery")}
	switch {
	case d.Type == "Issue" && d.Data.ID != "":
		out.Tickets = []string{d.Data.ID}
	case d.Type == "Comment" && d.Data.IssueID != "":
		out.Tickets = []string{d.Data.IssueID}
	}
	return out, nil
}

// verify reads a body that was signed with a secret within the last minute. The
// time is part of what was signed; the name of the delivery is not, so that it only
// saves work.
func verify(secret string, h http.Header, body []byte, now time.Time) (d delivery, err error) {
	// Anybody could sign with no secret at all.
	if secret == "" {
		return d, errNoSecret
	}
	// With several headers, whoever is before us may have looked at another.
	signatures := h.Values("Linear-Signature")
	if len(signatures) != 1 || len(h.Values("Linear-Delivery")) != 1 {
		return d, errUnsigned
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	if !hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signatures[0])) {
		return d, errSignature
	}
	if err := readJSON(body, &d); err != nil {
		return d, err
	}
	if age := now.Sub(time.UnixMilli(d.At)); age > apart || age < -apart {
		return d, errStale
	}
	return d, nil
}
