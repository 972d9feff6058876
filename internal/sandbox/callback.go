package sandbox

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/outbound"
)

// patience is how long an app may take to acknowledge a callback.
const patience = 3 * time.Second

// maxAnswer bounds the bytes read of an app's answer.
const maxAnswer = 1 << 20

var (
	errTooLate          = errors.New("no answer within three seconds")
	errTooManyRedirects = errors.New("more than two redirects")
)

// mostRedirects is how many redirects Slack follows.
const mostRedirects = 2

// Sign returns the signature of a callback's body, as in X-Slack-Signature.
func Sign(secret string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "v0:%d:", at.Unix())
	mac.Write(body)
	return "v0=" + hex.EncodeToString(mac.Sum(nil))
}

// answer is an app's answer to a callback.
type answer struct {
	status  int
	body    []byte
	noRetry bool
}

// callback sends a signed body to an app's address and waits at most three seconds
// for the answer.
func (s *Sandbox) callback(ctx context.Context, app *App, address, contentType string, body []byte, header http.Header) (answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tooLate, stop := s.clock.At(s.clock.Now().Add(patience))
	defer stop()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-tooLate:
			cancel(errTooLate)
		case <-ctx.Done():
		}
	}()
	defer func() { cancel(nil); <-watched }()

	now := s.clock.Now()
	header = header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", contentType)
	header.Set("User-Agent", "Slackbot 1.0 (Frontdesk sandbox)")
	header.Set("X-Slack-Request-Timestamp", strconv.FormatInt(now.Unix(), 10))
	header.Set("X-Slack-Signature", Sign(app.SigningSecret, now, body))
	client := s.cfg.Outbound
	if _, vouched := s.ours.Load(app.ID); vouched {
		client = s.private
	}
	said, err := post(ctx, client, address, header, body)
	if err != nil {
		return answer{}, orCause(ctx, err)
	}
	return answer{said.Status, said.Body, said.Header.Get("X-Slack-No-Retry") == "1"}, nil
}

// post sends a body, and follows redirects, whose addresses are checked like any
// other.
func post(ctx context.Context, client *outbound.Client, address string, header http.Header, body []byte) (outbound.Answer, error) {
	for redirects := 0; ; redirects++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
		if err != nil {
			return outbound.Answer{}, err
		}
		req.Header = header
		said, err := client.Do(ctx, req, maxAnswer)
		next := said.Header.Get("Location")
		if err != nil || said.Status < 300 || said.Status > 399 || next == "" {
			return said, err
		}
		if redirects == mostRedirects {
			return said, errTooManyRedirects
		}
		at, err := req.URL.Parse(next)
		if err != nil {
			return said, err
		}
		address = at.String()
	}
}

// orCause returns why the context ended, if it did, and err otherwise.
func orCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// retryReason returns Slack's word for what went wrong, empty if nothing did.
func retryReason(a answer, err error) string {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.Is(err, errTooLate):
		return "http_timeout"
	case errors.Is(err, errTooManyRedirects):
		return "too_many_redirects"
	case errors.As(err, &certificate) || errors.As(err, &record):
		return "ssl_error"
	case err != nil:
		return "connection_failed"
	case a.status < 200 || a.status > 299:
		return "http_error"
	}
	return ""
}

// VerifyURL sends the challenge to an app's events address, which must return it
// before events go there. It stores that the address passed.
func (s *Sandbox) VerifyURL(ctx context.Context, appID string) error {
	app, err := reading(ctx, s, func(t *tx) (*App, error) { return t.app(appID) })
	if err != nil {
		return err
	}
	return s.verify(ctx, app)
}

func (s *Sandbox) verify(ctx context.Context, app *App) error {
	address := app.Manifest.Settings.Events.RequestURL
	challenge := newSecret(40)
	body := encode(object{"token": app.VerificationToken, "challenge": challenge, "type": "url_verification"})
	a, err := s.callback(ctx, app, address, "application/json", body, nil)
	if err != nil {
		return fmt.Errorf("verify %s: %w", address, err)
	}
	if a.status != http.StatusOK || challengeIn(a.body) != challenge {
		return fmt.Errorf("verify %s: it answered %d without the challenge", address, a.status)
	}
	return s.write(ctx, func(t *tx) error {
		t.run("UPDATE apps SET verified_url = $2 WHERE id = $1", app.ID, address)
		return nil
	})
}

// challengeIn reads an answer that may be text, a form or JSON.
func challengeIn(body []byte) string {
	var o struct{ Challenge string }
	if json.Unmarshal(body, &o) == nil && o.Challenge != "" {
		return o.Challenge
	}
	text := strings.TrimSpace(string(body))
	if form, err := url.ParseQuery(text); err == nil && form.Get("challenge") != "" {
		return form.Get("challenge")
	}
	return text
}
