package slack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"time"
)

var (
	errNoSecret  = errors.New("this server has no signing secret")
	errUnsigned  = errors.New("not signed once and plainly")
	errStale     = errors.New("signed too long ago, or in the future")
	errSignature = errors.New("signed by somebody else")
)

// verify returns an error unless Slack signed the body within the last minutes. It
// uses the body as received, before anything reads it.
func (a *App) verify(h http.Header, body []byte, now time.Time) error {
	// Without a secret, anybody could sign.
	if a.cfg.SigningSecret == "" {
		return errNoSecret
	}
	// With several headers, a proxy in front of us may have looked at another one.
	stamps, signatures := h.Values("X-Slack-Request-Timestamp"), h.Values("X-Slack-Signature")
	if len(stamps) != 1 || len(signatures) != 1 {
		return errUnsigned
	}
	seconds, err := strconv.ParseInt(stamps[0], 10, 64)
	if err != nil {
		return errUnsigned
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > apart || age < -apart {
		return errStale
	}
	mac := hmac.New(sha256.New, []byte(a.cfg.SigningSecret))
	mac.Write([]byte("v0:" + stamps[0] + ":"))
	mac.Write(body)
	if !hmac.Equal([]byte("v0="+hex.EncodeToString(mac.Sum(nil))), []byte(signatures[0])) {
		return errSignature
	}
	return nil
}
