package linear

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

func signed(secret, body string) http.Header {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return http.Header{"Linear-Signature": {hex.EncodeToString(mac.Sum(nil))}, "Linear-Delivery": {"d1"}, "Linear-Event": {"Issue"}}
}

// told returns a body in the published form, sent at the given time.
func told(kind, data string, at time.Time) string {
	return fmt.Sprintf(`{"action":"update","type":%q,"data":%s,"actor":{"id":"u1","type":"user","name":"Jo"},"url":"https://linear.app/acme/issue/ENG-17","createdAt":"2026-03-01T12:00:00.000Z","updatedFrom":{},"organizationId":"o1","webhookId":"w1","webhookTimestamp":%d}`, kind, data, at.UnixMilli())
}

func TestHear(t *testing.T) {
	now := time.Now()
	l := New(Config{})
	for _, tt := range []struct {
		kind, data string
		tickets    []string
	}{
		{"Issue", `{"id":"` + issueID + `","title":"Printer","stateId":"s1"}`, []string{issueID}},
		{"Comment", `{"id":"c1","body":"hi","issueId":"` + issueID + `","userId":"u1","issue":{"id":"` + issueID + `"}}`, []string{issueID}},
		{"Comment", `{"id":"c1","body":"hi","projectUpdateId":"p1"}`, nil},
		{"Project", `{"id":"p1"}`, nil},
		{"Issue", `{}`, nil},
	} {
		body := told(tt.kind, tt.data, now)
		got, err := l.Hear("s3", signed("s3", body), []byte(body), now)
		want(t, body, []any{got, err}, []any{tracker.Heard{Delivery: "d1", Tickets: tt.tickets}, nil})
	}
}

func TestVerify(t *testing.T) {
	now := time.Now()
	data := `{"id":"` + issueID + `"}`
	body := told("Issue", data, now)
	change := func(name string, values ...string) http.Header {
		h := signed("s3", body)
		h[name] = values
		return h
	}
	good := signed("s3", body).Get("Linear-Signature")
	aged := func(d time.Duration) string { return told("Issue", data, now.Add(d)) }
	untimed := `{"type":"Issue","data":` + data + `}`
	for _, tt := range []struct {
		name, secret string
		h            http.Header
		body         string
		is           error
	}{
		{"right", "s3", signed("s3", body), body, nil},
		{"a minute ago", "s3", signed("s3", aged(-time.Minute)), aged(-time.Minute), nil},
		{"too old", "s3", signed("s3", aged(-skew-time.Second)), aged(-skew - time.Second), errStale},
		{"of the future", "s3", signed("s3", aged(skew+time.Second)), aged(skew + time.Second), errStale},
		{"without a time", "s3", signed("s3", untimed), untimed, errStale},
		{"another secret", "s3", signed("s4", body), body, errSignature},
		{"another byte", "s3", signed("s3", body), strings.Replace(body, "Jo", "Ja", 1), errSignature},
		{"a byte more", "s3", signed("s3", body), body + " ", errSignature},
		{"no signature", "s3", change("Linear-Signature"), body, errUnsigned},
		{"an empty one", "s3", change("Linear-Signature", ""), body, errSignature},
		{"half of it", "s3", change("Linear-Signature", good[:32]), body, errSignature},
		{"in capitals", "s3", change("Linear-Signature", strings.ToUpper(good)), body, errSignature},
		{"two", "s3", change("Linear-Signature", good, good), body, errUnsigned},
		{"no delivery", "s3", change("Linear-Delivery"), body, errUnsigned},
		{"no secret", "", signed("", body), body, errNoSecret},
	} {
		_, err := New(Config{}).Hear(tt.secret, tt.h, []byte(tt.body), now)
		if !errors.Is(err, tt.is) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.is)
		}
		if tt.is != nil {
			wantKind(t, tt.name, err, desk.Forbidden)
		}
	}
	const broken = `{"type":`
	_, err := New(Config{}).Hear("s3", signed("s3", broken), []byte(broken), now)
	wantKind(t, "no JSON", err, desk.Forbidden)
}
