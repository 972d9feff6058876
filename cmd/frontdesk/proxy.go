package main

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// proxies are the addresses of those who stand in front of us and are believed when
// they say for whom they ask.
type proxies []netip.Prefix

// parseProxies reads addresses and networks: 127.0.0.1, 10.0.0.0/8.
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

func (p proxies) has(a netip.Addr) bool {
	for _, network := range p {
		if network.Contains(a) {
			return true
		}
	}
	return false
}

// wrap gives each call the address of who made it, where a proxy passed it on. What
// stands in the header is written by each proxy behind what it was given, so it is
// read from its end, as far as those who wrote it are known: before that, anybody
// may have written anything.
func (p proxies) wrap(h http.Handler) http.Handler {
	if len(p) == 0 {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, port, err := net.SplitHostPort(r.RemoteAddr)
		at, e := netip.ParseAddr(host)
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		for i := len(hops) - 1; i >= 0 && err == nil && e == nil && p.has(at.Unmap()); i-- {
			if at, e = parseHop(strings.TrimSpace(hops[i])); e == nil {
				at = at.Unmap().WithZone("")
				r.RemoteAddr = net.JoinHostPort(at.String(), port)
			}
		}
		h.ServeHTTP(w, r)
	})
}

// parseHop reads an address as proxies write it: some put the port behind it, and
// brackets around one of IPv6.
func parseHop(text string) (netip.Addr, error) {
	if a, err := netip.ParseAddrPort(text); err == nil {
		return a.Addr(), nil
	}
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		text = text[1 : len(text)-1]
	}
	return netip.ParseAddr(text)
}
