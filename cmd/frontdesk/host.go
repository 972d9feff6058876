package main

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// checkHost protects the operations address from DNS rebinding. A page of another
// site could point its own domain name at this address. The browser would then
// treat both as one origin and let the page read everything. IP addresses cannot
// be abused in this way, and neither can names without a dot, such as localhost
// or the name of a container. An operator can allow other names.
func checkHost(allowed []string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimSuffix((&url.URL{Host: r.Host}).Hostname(), ".")
		_, err := netip.ParseAddr(name)
		known := err == nil || name != "" && !strings.Contains(name, ".") ||
			slices.ContainsFunc(allowed, func(a string) bool { return strings.EqualFold(strings.TrimSpace(a), name) })
		if !known {
			http.Error(w, "Call the operations address by its IP address, or name this host in FRONTDESK_OPERATIONS_HOSTS.", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}
