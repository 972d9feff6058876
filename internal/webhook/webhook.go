// Package webhook sends an event to an address, signed according to Standard
// Webhooks 1.0. One call is one attempt. Its callers decide whether and when to
// retry.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/outbound"
	"frontdesk/internal/wire"
)

const (
	// TryTime is how long a receiver may take to answer.
	TryTime = 15 * time.Second
	// mostAnswer is how much of an answer is stored, mostHeaders how many of its
	// headers, and mostHeader how much of each.
	mostAnswer  = 4 << 10
	mostHeaders = 20
	mostHeader  = 200
)

// secretPrefix is the beginning of a secret. The bytes of the key follow it.
const secretPrefix = "whsec_"

// NewSecret makes a random secret.
func NewSecret() string {
	key := make([]byte, 32)
	rand.Read(key)
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// sign returns the signatures of a message, one for each secret.
func sign(secrets []string, id string, at time.Time, body []byte) (string, error) {
	signed := make([]string, len(secrets))
	for i, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil {
			return "", fmt.Errorf("read a webhook's secret: %w", err)
		}
		h := hmac.New(sha256.New, key)
		fmt.Fprintf(h, "%s.%d.", id, at.Unix())
		h.Write(body)
		signed[i] = "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
	}
	return strings.Join(signed, " "), nil
}

// Sender sends events to addresses.
type Sender struct{ client *outbound.Client }

// NewSender makes a Sender that uses a client. If c is nil, it calls only public
// addresses.
func NewSender(c *outbound.Client) *Sender {
	if c == nil {
		c = outbound.New(outbound.Config{})
	}
	return &Sender{c}
}

// Check returns an error that says what is wrong with an address, or nil if it may
// be called.
func (s *Sender) Check(address string) error {
	_, err := s.client.CheckURL(address)
	return err
}

// Send sends an event to an address, once. at is the time of sending. It fails only
// if nothing could be sent.
func (s *Sender) Send(ctx context.Context, address string, secrets []string, e desk.Event, at time.Time) (a desk.Attempt, err error) {
	body, err := wire.JSON(wire.NewPayload(e))
	if err != nil {
		return a, err
	}
	a = desk.Attempt{At: at, URL: address}
	if a.Signature, err = sign(secrets, e.ID, at, body); err != nil {
		return a, err
	}
	ctx, cancel := context.WithTimeout(ctx, TryTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		a.Error = "The address cannot be read."
		return a, nil
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("webhook-id", e.ID)
	req.Header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	req.Header.Set("webhook-signature", a.Signature)
	began := time.Now()
	answer, err := s.client.Do(ctx, req, mostAnswer)
	a.Took = time.Since(began)
	a.Status = answer.Status
	if err != nil && a.Status == 0 {
		a.Error = storableText(err.Error())
		return a, nil
	}
	a.Header, a.Body, a.Cut = firstHeaders(answer.Header), storableText(string(answer.Body)), answer.Cut
	a.RetryAfter = outbound.RetryAfter(answer.Header, at)
	return a, nil
}

// storableText makes a text from outside safe to store.
func storableText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\x00", "�")
}

// firstHeaders returns the headers of an answer, with the first value of each name.
func firstHeaders(h http.Header) map[string]string {
	kept := make(map[string]string, min(len(h), mostHeaders))
	for name, values := range h {
		if len(kept) == mostHeaders {
			break
		}
		if len(values) > 0 {
			kept[storableText(strings.ToLower(name))] = storableText(values[0][:min(len(values[0]), mostHeader)])
		}
	}
	return kept
}
