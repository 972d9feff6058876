package main

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// proxies are the networks of the reverse proxies in front of the server. Only
// their X-Forwarded-For headers are trusted.
type proxies []netip.Prefix

// parseProxies parses addresses and networks, such as 127.0.0.1 and 10.0.0.0/8.
func parseProxies(list []string) (proxies, error) {
	var p proxies
	for _, text := range list {
		text = strings.TrimSpace(text)
		network, err := netip.ParsePrefix(text)
		if a, e := netip.ParseAddr(text); e == nil {
			network, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("FRONTDESK_TRUSTED_PROXIES: %q is neither an address nor a network such as 10.0.0.0/8", text)
		}
		p = append(p, network.Masked())
	}
	return p, nil
}

func (p proxies) contains(a netip.Addr) bool {
	for _, network := range p {
		if network.Contains(a) {
			return true
		}
	}
	return false
}

// setClientAddress replaces the proxy's address in a call with the client's.
// Every proxy appends to X-Forwarded-For the address that called it. So the header
// is read from its end, for as long as the address that wrote an entry is a trusted
// proxy. A client can have forged everything before that.
func (p proxies) setClientAddress(h http.Handler) http.Handler {
	if len(p) == 0 {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, port, err := net.SplitHostPort(r.RemoteAddr)
		at, e := netip.ParseAddr(host)
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		for i := len(hops) - 1; i >= 0 && err == nil && e == nil && p.contains(at.Unmap()); i-- {
			if at, e = parseHop(strings.TrimSpace(hops[i])); e == nil {
				at = at.Unmap().WithZone("")
				r.RemoteAddr = net.JoinHostPort(at.String(), port)
			}
		}
		h.ServeHTTP(w, r)
	})
}

// parseHop parses an address in X-Forwarded-For. Some proxies append the port, and
// some put IPv6 addresses in brackets.
func parseHop(text string) (netip.Addr, error) {
	if a, err := netip.ParseAddrPort(text); err == nil {
		return a.Addr(), nil
	}
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		text = text[1 : len(text)-1]
	}
	return netip.ParseAddr(text)
}
