package slack

import (
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	slackgo "github.com/slack-go/slack"

	"frontdesk/internal/sandbox"
)

// headersOf returns the headers of a body signed at a time.
func headersOf(secret string, at time.Time, body string) http.Header {
	return http.Header{"X-Slack-Request-Timestamp": {strconv.FormatInt(at.Unix(), 10)}, "X-Slack-Signature": {sandbox.Sign(secret, at, []byte(body))}}
}

func TestVerify(t *testing.T) {
	now := time.Now()
	const body = `{"type":"url_verification"}`
	a := New(Config{SigningSecret: "s3"})
	change := func(name string, values ...string) http.Header {
		h := headersOf("s3", now, body)
		h[name] = values
		return h
	}
	good := headersOf("s3", now, body).Get("X-Slack-Signature")
	tests := []struct {
		name string
		h    http.Header
		body string
		want error
	}{
		{"right", headersOf("s3", now, body), body, nil},
		{"a minute ago", headersOf("s3", now.Add(-time.Minute), body), body, nil},
		{"almost too old", headersOf("s3", now.Add(-apart+2*time.Second), body), body, nil},
		{"too old", headersOf("s3", now.Add(-apart-2*time.Second), body), body, errStale},
		{"of the future", headersOf("s3", now.Add(apart+2*time.Second), body), body, errStale},
		{"another secret", headersOf("s4", now, body), body, errSignature},
		{"another byte", headersOf("s3", now, body), `{"type":"url_verificatioN"}`, errSignature},
		{"a byte more", headersOf("s3", now, body), body + " ", errSignature},
		{"another time", change("X-Slack-Request-Timestamp", strconv.FormatInt(now.Unix()-1, 10)), body, errSignature},
		{"no signature", change("X-Slack-Signature"), body, errUnsigned},
		{"an empty one", change("X-Slack-Signature", ""), body, errSignature},
		{"without the version", change("X-Slack-Signature", good[3:]), body, errSignature},
		{"in capitals", change("X-Slack-Signature", "V0"+good[2:]), body, errSignature},
		{"two signatures", change("X-Slack-Signature", good, good), body, errUnsigned},
		{"no time", change("X-Slack-Request-Timestamp"), body, errUnsigned},
		{"no such time", change("X-Slack-Request-Timestamp", "now"), body, errUnsigned},
		{"two times", change("X-Slack-Request-Timestamp", "1", strconv.FormatInt(now.Unix(), 10)), body, errUnsigned},
		{"a time beyond all", change("X-Slack-Request-Timestamp", "9223372036854775807"), body, errStale},
	}
	for _, tt := range tests {
		if err := a.verify(tt.h, []byte(tt.body), now); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
	if err := New(Config{}).verify(headersOf("", now, body), []byte(body), now); !errors.Is(err, errNoSecret) {
		t.Errorf("without a secret: %v", err)
	}

	// Slack's published client agrees on the signature.
	v := must(slackgo.NewSecretsVerifier(headersOf("s3", now, body), "s3"))
	v.Write([]byte(body))
	if err := v.Ensure(); err != nil {
		t.Error(err)
	}
}
