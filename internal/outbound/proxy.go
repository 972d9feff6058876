package outbound

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// ParseProxy parses the address of a proxy that the operator set. Its errors do not
// repeat the address, which may contain a password.
func ParseProxy(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
		return nil, errors.New("a proxy must be a whole address, as in http://proxy.internal:3128 (http, https, socks5 or socks5h)")
	}
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("a proxy's address must have nothing after its host and port")
	}
	return u, nil
}

// proxyAnswer returns an error for a proxy's refusal to connect. Otherwise it would
// look like an answer of the host.
func proxyAnswer(_ context.Context, _ *url.URL, to *http.Request, said *http.Response) error {
	if said.StatusCode == http.StatusOK {
		return nil
	}
	return &Error{
		Message: fmt.Sprintf("The operator's proxy did not connect to %s: it answered %d.", shownHost(to.URL.Opaque), said.StatusCode),
		Err:     errors.New(said.Status),
	}
}
