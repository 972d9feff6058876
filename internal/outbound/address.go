package outbound

import (
	"net"
	"net/netip"
	"slices"
)

// special lists the addresses that are not public, from IANA's registries of
// special-purpose addresses, and the addresses where clouds serve the secrets of
// their machines. The first entry that contains an address says what it is.
var special = []struct {
	net   netip.Prefix
	kind  string // follows "is" in a message
	never bool   // refused even if private addresses are allowed
}{
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local", true},
	{netip.MustParsePrefix("fe80::/10"), "link-local", true},
	{netip.MustParsePrefix("100.100.100.200/32"), metadata, true}, // Alibaba Cloud
	{netip.MustParsePrefix("168.63.129.16/32"), metadata, true},   // Azure
	{netip.MustParsePrefix("192.0.0.192/32"), metadata, true},     // Oracle Cloud
	{netip.MustParsePrefix("fd00:ec2::/32"), metadata, true},      // AWS
	{netip.MustParsePrefix("fd20:ce::254/128"), metadata, true},   // Google Cloud

	{netip.MustParsePrefix("0.0.0.0/8"), "this machine", false},
	{netip.MustParsePrefix("127.0.0.0/8"), "this machine", false},
	{netip.MustParsePrefix("10.0.0.0/8"), "private", false},
	{netip.MustParsePrefix("172.16.0.0/12"), "private", false},
	{netip.MustParsePrefix("192.168.0.0/16"), "private", false},
	{netip.MustParsePrefix("100.64.0.0/10"), "a provider's own", false},
	{netip.MustParsePrefix("192.0.0.0/24"), reserved, false},
	{netip.MustParsePrefix("192.0.2.0/24"), documentation, false},
	{netip.MustParsePrefix("198.51.100.0/24"), documentation, false},
	{netip.MustParsePrefix("203.0.113.0/24"), documentation, false},
	{netip.MustParsePrefix("192.88.99.0/24"), tunnel, false},
	{netip.MustParsePrefix("198.18.0.0/15"), "for measurements", false},
	{netip.MustParsePrefix("224.0.0.0/4"), "for many at once (multicast)", false},
	{netip.MustParsePrefix("255.255.255.255/32"), "for everybody (broadcast)", false},
	{netip.MustParsePrefix("240.0.0.0/4"), reserved, false},

	{netip.MustParsePrefix("::/127"), "this machine", false},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "private", false},
	{netip.MustParsePrefix("fc00::/7"), "private", false},
	{netip.MustParsePrefix("fec0::/10"), "private", false},
	{netip.MustParsePrefix("ff00::/8"), "for many at once (multicast)", false},
	{netip.MustParsePrefix("2001::/32"), tunnel, false}, // Teredo
	{netip.MustParsePrefix("2002::/16"), tunnel, false}, // 6to4
	{netip.MustParsePrefix("2001:2::/48"), "for measurements", false},
	{netip.MustParsePrefix("2001::/23"), reserved, false},
	{netip.MustParsePrefix("2001:db8::/32"), documentation, false},
	{netip.MustParsePrefix("3fff::/20"), documentation, false},
}

const (
	metadata      = "a cloud's own service for its machines"
	documentation = "for documentation"
	reserved      = "reserved"
	tunnel        = "a tunnel's"
)

var (
	// unicast is all of IPv6 that is assigned.
	unicast = netip.MustParsePrefix("2000::/3")
	// translated is the NAT64 prefix, with which a network without IPv4 reaches an
	// IPv4 address. Only the IPv4 address counts.
	translated = netip.MustParsePrefix("64:ff9b::/96")
)

// kindOf returns what is special about an address, or an empty string if it is
// public.
func kindOf(a netip.Addr) (kind string, never bool) {
	a = a.Unmap().WithZone("")
	for _, s := range special {
		if s.net.Contains(a) {
			kind, never = s.kind, s.never
			break
		}
	}
	if kind == "" && a.Is6() && !unicast.Contains(a) && !translated.Contains(a) {
		kind = reserved
	}
	if never {
		return kind, true
	}
	for _, e := range embeddedIPv4(a) {
		switch of, worst := kindOf(e); {
		case worst:
			return of, true
		case kind == "":
			kind = of
		}
	}
	return kind, false
}

// embeddedIPv4 returns the IPv4 addresses that an IPv6 address may lead to.
func embeddedIPv4(a netip.Addr) (found []netip.Addr) {
	if !a.Is6() {
		return nil
	}
	b := a.As16()
	add := func(w, x, y, z byte) { found = append(found, netip.AddrFrom4([4]byte{w, x, y, z})) }
	begins := func(prefix string) bool { return netip.MustParsePrefix(prefix).Contains(a) }
	switch {
	case begins("::/96"), begins("::ffff:0:0:0/96"), translated.Contains(a):
		add(b[12], b[13], b[14], b[15])
	case begins("64:ff9b:1::/48"):
		// Only the network knows the length of its prefix. RFC 6052 puts the
		// address after it, around the ninth byte.
		add(b[6], b[7], b[9], b[10])
		add(b[7], b[9], b[10], b[11])
		add(b[9], b[10], b[11], b[12])
		add(b[12], b[13], b[14], b[15])
	case begins("2002::/16"):
		add(b[2], b[3], b[4], b[5])
	case begins("2001::/32"): // Teredo has the server's address and the client's
		add(b[4], b[5], b[6], b[7])
		add(^b[12], ^b[13], ^b[14], ^b[15])
	}
	if (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe { // ISATAP
		add(b[12], b[13], b[14], b[15])
	}
	return found
}

// checkAddress returns an error that says why an address must not be called, or nil.
func (c *Client) checkAddress(a netip.Addr) error {
	kind, never := kindOf(a)
	if kind == "" && !c.cfg.AllowPrivate {
		switch own, err := isOwn(a); {
		case err != nil:
			return &Error{Message: "The address cannot be told from this machine's own.", Err: err}
		case own:
			kind = "this machine"
		}
	}
	switch {
	case never:
		return refuse("The address %s is %s. Such addresses are never called.", a, kind)
	case kind != "" && !c.cfg.AllowPrivate:
		return refuse("The address %s is %s. Only public addresses are called, unless the operator allows others.", a, kind)
	}
	return nil
}

// isOwn reports whether an address belongs to this machine. It asks each time,
// because a machine can get a new address while it runs.
func isOwn(a netip.Addr) (bool, error) {
	ours, err := net.InterfaceAddrs()
	if err != nil {
		return false, err
	}
	a = a.Unmap().WithZone("")
	forms := append(embeddedIPv4(a), a)
	return slices.ContainsFunc(ours, func(o net.Addr) bool {
		p, err := netip.ParsePrefix(o.String())
		return err == nil && slices.Contains(forms, p.Addr().Unmap())
	}), nil
}
