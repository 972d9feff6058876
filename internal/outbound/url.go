package outbound

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// MostURL is the longest allowed address, in characters.
const MostURL = 2048

// CheckURL checks everything about an address that can be checked before it is
// dialled. The target of a name is checked only when it is dialled. The returned
// URL has its host in ASCII and lower case. Errors are of type *Error, and their
// texts are sentences.
func (c *Client) CheckURL(raw string) (*url.URL, error) {
	if !utf8.ValidString(raw) || strings.ContainsFunc(raw, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		return nil, refuse("The URL must have no spaces and no characters that cannot be printed.")
	}
	if utf8.RuneCountInString(raw) > MostURL {
		return nil, refuse("The URL must have at most %d characters.", MostURL)
	}
	if strings.Contains(raw, "#") {
		return nil, refuse("The URL must have no # in it: what follows one is never sent.")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, refuse("The URL must be a whole address, as in https://example.com/path.")
	}
	if err := c.check(u); err != nil {
		return nil, err
	}
	return u, nil
}

// check checks the parts of a URL and normalizes its host to the form that is
// dialled.
func (c *Client) check(u *url.URL) error {
	schemes := "https://"
	if c.cfg.AllowPrivate {
		schemes = "https:// or http://"
	}
	switch {
	case u.Scheme != "https" && (u.Scheme != "http" || !c.cfg.AllowPrivate):
		return refuse("The URL must begin with %s, as in https://example.com/path.", schemes)
	case u.Opaque != "" || u.Hostname() == "":
		return refuse("The URL must name a host, as in https://example.com/path.")
	case u.User != nil:
		return refuse("The URL must have no name and no password in front of its host.")
	}
	host, err := c.checkHost(u)
	if err != nil {
		return err
	}
	port := u.Port()
	if n, err := strconv.Atoi(port); strings.HasSuffix(u.Host, ":") || port != "" && (err != nil || n < 1 || n > 65535) {
		return refuse("The URL's port must be a number from 1 to 65535.")
	}
	switch {
	case port != "":
		u.Host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		u.Host = "[" + host + "]"
	default:
		u.Host = host
	}
	return nil
}

// checkHost returns a URL's host in ASCII and without brackets.
func (c *Client) checkHost(u *url.URL) (string, error) {
	host := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		a, err := netip.ParseAddr(host)
		switch {
		case err != nil || !a.Is6():
			return "", refuse("The URL's host %s is no address of IPv6.", shownHost(u.Host))
		case a.Zone() != "":
			return "", refuse("The URL's host must not name a network interface (what follows a %%).")
		}
		return host, c.refusal(a)
	}
	// Convert to ASCII as the dialler does. Some characters stand for others, even
	// for digits and dots.
	host, err := toASCII(host)
	if err != nil {
		return "", refuse("The URL's host %s is no name of a host.", shownHost(u.Hostname()))
	}
	name := strings.TrimSuffix(host, ".")
	if isNumber(name[strings.LastIndex(name, ".")+1:]) {
		// Other programs also read 0177.1 or 2130706433 as addresses, and not all
		// in the same way.
		a, err := netip.ParseAddr(name)
		if err == nil {
			err = c.refusal(a)
		} else {
			err = refuse("The URL's host %s is a number. An address must be written as in 192.0.2.1 or [2001:db8::1].", shownHost(host))
		}
		if err == nil && name != host {
			err = refuse("The URL's host must have no dot behind an address.")
		}
		return host, err
	}
	if (name == "localhost" || strings.HasSuffix(name, ".localhost")) && !c.cfg.AllowPrivate {
		return "", refuse("The URL's host %s is this machine. Only public addresses are called, unless the operator allows others.", shownHost(name))
	}
	return host, nil
}

// toASCII returns a host name in ASCII and lower case, or an error if it cannot be
// a host name.
func toASCII(host string) (string, error) {
	for _, r := range host {
		if r < utf8.RuneSelf {
			continue
		}
		var err error
		if host, err = idna.Lookup.ToASCII(host); err != nil {
			return "", err
		}
		break
	}
	host = strings.ToLower(host)
	name := strings.TrimSuffix(host, ".")
	if len(name) > 253 {
		return "", errors.New("too long")
	}
	for label := range strings.SplitSeq(name, ".") {
		// Domains for sale have no underscores, but private names may.
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", errors.New("not a label")
		}
	}
	return host, nil
}

// isNumber reports whether the last part of a host makes it an address rather than
// a name. No domain ends like this.
func isNumber(last string) bool {
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// shownHost returns a host in the form that errors repeat.
func shownHost(host string) string {
	const most = 100
	if r := []rune(host); len(r) > most {
		return string(r[:most]) + "…"
	}
	return host
}
