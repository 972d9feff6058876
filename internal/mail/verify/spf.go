package verify

import (
	"strings"

	"blitiri.com.ar/go/spf"
)

// checkSPF returns the domain of the envelope if it belongs to the author's organisation
// and allows the client to send its mail.
func checkSPF(a *asker, author string, e Envelope) (sent string, unsure bool) {
	sender := e.From
	if sender == "" {
		sender = "postmaster@" + e.Hello
	}
	local, domain, _ := strings.Cut(sender, "@")
	domain = ascii(domain)
	if !related(author, domain) {
		return "", false
	}
	result, _ := spf.CheckHostWithSender(e.Client.AsSlice(), e.Hello, local+"@"+domain, spf.WithContext(a.ctx), spf.WithResolver(a))
	if result == spf.Pass {
		return domain, false
	}
	return "", a.unsure.Load()
}
