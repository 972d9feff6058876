package zendesk

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"reflect"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// event is an event from Zendesk's documentation.
const event = `{"type":"zen:event-type:ticket.comment_added","account_id":22129848,"id":"2b24ef10-19d4-4740-93cf-8f98ec4776c0","time":"2026-07-04T05:33:18Z",
	"zendesk_event_version":"2022-06-20","subject":"zen:ticket:12345","detail":{"actor_id":"8447388090494","id":"12345","status":"OPEN","subject":"Printer","via":{"channel":"web"}},
	"event":{"comment":{"author":{"id":"4415764308826","is_staff":false,"name":"Bob"},"body":"It burns","id":"18974155578226","is_public":true},"meta":{"sequence":{"id":"x","position":1}}}}`

// signed returns the headers of a body that was signed at the given time.
func signed(secret string, at time.Time, body string) http.Header {
	stamp := at.UTC().Format("2006-01-02T15:04:05Z")
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + body))
	return http.Header{"X-Zendesk-Webhook-Signature": {base64.StdEncoding.EncodeToString(mac.Sum(nil))}, "X-Zendesk-Webhook-Signature-Timestamp": {stamp}}
}

// TestSignatureOfOpenSSL checks against a signature that our code did not make.
func TestSignatureOfOpenSSL(t *testing.T) {
	h := http.Header{}
	h.Set("x-zendesk-webhook-signature-timestamp", "2021-03-25T05:09:27Z")
	h.Set("x-zendesk-webhook-signature", "/mXSigLOoEkcTQbsWqgaVKrxFhN+K298pf/niM2rAnI=")
	if err := verify("dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ==", h, []byte(`{"a":1}`), time.Date(2021, 3, 25, 5, 10, 0, 0, time.UTC)); err != nil {
		t.Error(err)
	}
}

func TestVerify(t *testing.T) {
	now := time.Now()
	change := func(name string, values ...string) http.Header {
		h := signed("s3", now, event)
		h[name] = values
		return h
	}
	const signature, stamp = "X-Zendesk-Webhook-Signature", "X-Zendesk-Webhook-Signature-Timestamp"
	good := signed("s3", now, event)
	for _, tt := range []struct {
		name   string
		secret string
		h      http.Header
		body   string
		want   error
	}{
		{"right", "s3", good, event, nil},
		{"a minute ago", "s3", signed("s3", now.Add(-time.Minute), event), event, nil},
		{"almost too old", "s3", signed("s3", now.Add(-skew+2*time.Second), event), event, nil},
		{"too old", "s3", signed("s3", now.Add(-skew-2*time.Second), event), event, errStale},
		{"of the future", "s3", signed("s3", now.Add(skew+2*time.Second), event), event, errStale},
		{"another secret", "s4", good, event, errSignature},
		{"no secret", "", signed("", now, event), event, errNoSecret},
		{"a byte more", "s3", good, event + " ", errSignature},
		{"another time", "s3", change(stamp, now.Add(-time.Second).UTC().Format(time.RFC3339)), event, errSignature},
		{"no signature", "s3", change(signature), event, errUnsigned},
		{"an empty one", "s3", change(signature, ""), event, errSignature},
		{"two signatures", "s3", change(signature, good.Get(signature), good.Get(signature)), event, errUnsigned},
		{"no time", "s3", change(stamp), event, errUnsigned},
		{"no such time", "s3", change(stamp, "1616648967"), event, errUnsigned},
		{"two times", "s3", change(stamp, good.Get(stamp), good.Get(stamp)), event, errUnsigned},
		{"nothing", "s3", http.Header{}, event, errUnsigned},
	} {
		_, err := New(Config{}).Hear(tt.secret, tt.h, []byte(tt.body), now)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
		if tt.want != nil {
			fails(t, tt.name, err, desk.Forbidden, "signature")
		}
	}
}

func TestHear(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name, body string
		want       tracker.Heard
		kind       desk.Kind
	}{
		{"a comment", event, tracker.Heard{Delivery: "2b24ef10-19d4-4740-93cf-8f98ec4776c0", Tickets: []string{"12345"}}, 0},
		{"something else", `{"type":"zen:event-type:user.created","id":"e1","subject":"zen:user:1"}`, tracker.Heard{Delivery: "e1"}, 0},
		{"no JSON", `<xml>`, tracker.Heard{}, desk.Invalid},
		{"no body", ``, tracker.Heard{}, desk.Invalid},
		{"no name", `{"type":"zen:event-type:ticket.status_changed","subject":"zen:ticket:1"}`, tracker.Heard{}, desk.Invalid},
		{"no ticket", `{"id":"e1","subject":"zen:ticket:1/../2"}`, tracker.Heard{}, desk.Invalid},
	} {
		got, err := New(Config{}).Hear("s3", signed("s3", now, tt.body), []byte(tt.body), now)
		if tt.kind != 0 {
			fails(t, tt.name, err, tt.kind, "")
		} else if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
