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

// verify gives an error unless a body was signed by Slack within the last
// minutes. It is of the body as it came, before anything reads it.
func (a *App) verify(h http.Header, body []byte, now time.Time) error {
	// Anybody could sign with no secret at all.
	if a.cfg.SigningSecret == "" {
		return errNoSecret
	}
	// With several headers, whoever is before us may have looked at another.
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
