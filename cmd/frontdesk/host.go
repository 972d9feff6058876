package main

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// checkHost keeps those out who call the operations address by a name that a page
// of another site could have lead here: that page would be of the same origin, and
// could read everything. Addresses cannot be such names, nor can names without a
// dot, such as localhost or that of a container; others an operator allows.
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
