package linear

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
	"frontdesk/internal/tracker"
)

// skew is how much our clocks may differ, including the time that a webhook call
// takes. Linear recommends a minute.
const skew = 90 * time.Second

var (
	errNoSecret  = errors.New("there is no secret")
	errUnsigned  = errors.New("not signed once and plainly")
	errStale     = errors.New("signed too long ago, or in the future")
	errSignature = errors.New("signed by somebody else")
)

// delivery is the body of a webhook call. We use it only to learn what it is about,
// and ask Linear for the current state.
type delivery struct {
	Type string `json:"type"` // Issue
	At   int64  `json:"webhookTimestamp"`
	Data struct {
		ID      string `json:"id"`
		IssueID string `json:"issueId"` // of a comment; other things have comments too
	} `json:"data"`
}

// Hear parses a webhook call and returns the issue that has changed or has a new
// comment. For anything else it returns no ticket. It returns Forbidden if the
// secret did not sign the call, or too long ago.
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

// verify decodes a body that was signed with a secret within the last minute. The
// signature covers the time, but not the name of the delivery. So the name may only
// be used to save work.
func verify(secret string, h http.Header, body []byte, now time.Time) (d delivery, err error) {
	// With an empty secret, anyone could sign.
	if secret == "" {
		return d, errNoSecret
	}
	// If there are several headers, a proxy in front of us may have checked another
	// one.
	signatures := h.Values("Linear-Signature")
	if len(signatures) != 1 || len(h.Values("Linear-Delivery")) != 1 {
		return d, errUnsigned
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	if !hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signatures[0])) {
		return d, errSignature
	}
	if err := remote.ReadJSON(body, &d); err != nil {
		return d, err
	}
	if age := now.Sub(time.UnixMilli(d.At)); age > skew || age < -skew {
		return d, errStale
	}
	return d, nil
}
