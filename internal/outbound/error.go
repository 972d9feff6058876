package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"
)

// ErrRefused says that the client, as configured, never calls this address. Nothing
// was sent.
var ErrRefused = errors.New("the address is refused")

// Error says why there is no answer, or only a part of one.
type Error struct {
	Message string // sentences that can be shown to the person who gave the address
	Err     error  // for errors.Is and the operator's log
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// refuse returns the Error of an address that must not be called.
func refuse(format string, args ...any) error {
	return &Error{Message: fmt.Sprintf(format, args...), Err: ErrRefused}
}

// explain returns an Error that says what went wrong at an address.
func (c *Client) explain(ctx context.Context, u *url.URL, err error) error {
	var (
		told    *Error
		lookup  *net.DNSError
		cert    *tls.CertificateVerificationError
		plain   tls.RecordHeaderError
		timeout net.Error
		op      *net.OpError
	)
	say := func(format string, args ...any) error { return &Error{Message: fmt.Sprintf(format, args...), Err: err} }
	host := shownHost(u.Host)
	switch {
	case errors.As(err, &told) && errors.Is(told, ErrRefused):
		return refuse("%s cannot be called. %s", host, told.Message)
	case errors.As(err, &told):
		return told
	case errors.Is(ctx.Err(), context.Canceled):
		return say("The call to %s was cancelled.", host)
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return say("The operator's proxy cannot be reached.")
	case errors.As(err, &op) && op.Op == "socks connect":
		return say("The operator's proxy did not connect to %s.", host)
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return say("There is no host named %s.", shownHost(u.Hostname()))
	case errors.As(err, &lookup):
		return say("The name %s could not be looked up.", shownHost(u.Hostname()))
	case errors.As(err, &cert):
		return say("The certificate of %s is not valid: %s.", host, reasonOf(cert.Err))
	case errors.As(err, &plain):
		return say("%s does not speak TLS.", host)
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return say("%s did not answer in time.", host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return say("%s refused the connection.", host)
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return say("%s cannot be reached.", host)
	}
	return say("The call to %s broke off.", host)
}

// reasonOf turns a library's error into the end of a sentence.
func reasonOf(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "x509: "), "tls: ")
}
