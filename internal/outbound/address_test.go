package outbound

import (
	"errors"
	"net"
	"net/netip"
	"testing"
)

// reach says when an address may be called.
type reach int

const (
	public  reach = iota // always
	private              // if private addresses are allowed
	never
)

// addresses lists addresses in every form that a lookup can return.
var addresses = []struct {
	address string
	reach   reach
}{
	{"1.1.1.1", public},
	{"9.255.255.255", public},
	{"11.0.0.0", public},
	{"100.63.255.255", public},
	{"100.128.0.0", public},
	{"126.255.255.255", public},
	{"128.0.0.0", public},
	{"168.63.129.15", public},
	{"169.253.255.255", public},
	{"169.255.0.0", public},
	{"172.15.255.255", public},
	{"172.32.0.0", public},
	{"192.0.1.0", public},
	{"192.0.3.0", public},
	{"192.167.255.255", public},
	{"192.169.0.0", public},
	{"198.17.255.255", public},
	{"198.20.0.0", public},
	{"223.255.255.255", public},

	{"0.0.0.0", private},
	{"0.1.2.3", private},
	{"10.0.0.5", private},
	{"10.255.255.255", private},
	{"100.64.0.0", private},
	{"100.127.255.255", private},
	{"127.0.0.1", private},
	{"127.255.255.255", private},
	{"172.16.0.0", private},
	{"172.31.255.255", private},
	{"192.0.0.1", private},
	{"192.0.2.1", private},
	{"192.88.99.1", private},
	{"192.168.0.0", private},
	{"192.168.255.255", private},
	{"198.18.0.0", private},
	{"198.19.255.255", private},
	{"198.51.100.7", private},
	{"203.0.113.7", private},
	{"224.0.0.1", private},
	{"239.255.255.255", private},
	{"240.0.0.0", private},
	{"255.255.255.255", private},

	{"100.100.100.200", never},
	{"168.63.129.16", never},
	{"169.254.0.0", never},
	{"169.254.169.254", never},
	{"169.254.255.255", never},
	{"192.0.0.192", never},

	{"2606:4700:4700::1111", public},
	{"2001:4860:4860::8888", public},
	{"2a00::1", public},

	{"::", private},
	{"::1", private},
	{"::2", private},
	{"100::1", private},
	{"2001:2::1", private},
	{"2001:10::1", private},
	{"2001:db8::1", private},
	{"3fff::1", private},
	{"4000::1", private},
	{"5f00::1", private},
	{"fc00::1", private},
	{"fd12:3456::1", private},
	{"fec0::1", private},
	{"ff02::1", private},

	{"fe80::1", never},
	{"fe80::1%eth0", never},
	{"febf:ffff::1", never},
	{"fd00:ec2::254", never},
	{"fd20:ce::254", never},

	// IPv4 within IPv6: mapped, compatible, translated.
	{"::ffff:1.1.1.1", public},
	{"::ffff:127.0.0.1", private},
	{"::ffff:10.0.0.5", private},
	{"::ffff:a9fe:a9fe", never},
	{"::1.1.1.1", private}, // no longer in use
	{"::127.0.0.1", private},
	{"::169.254.169.254", never},
	{"::ffff:0:10.0.0.5", private},
	{"::ffff:0:169.254.169.254", never},

	// NAT64: how an IPv6-only network reaches all of IPv4.
	{"64:ff9b::1.1.1.1", public},
	{"64:ff9b::10.0.0.5", private},
	{"64:ff9b::7f00:1", private},
	{"64:ff9b::a9fe:a9fe", never},
	{"64:ff9b:1::1.1.1.1", private},
	{"64:ff9b:1::a9fe:a9fe", never},
	{"64:ff9b:1:a83f:81:1000::", never},   // after 48 bits
	{"64:ff9b:1:a9:fe:a9fe::", never},     // 56
	{"64:ff9b:1:0:a9:fea9:fe00:0", never}, // 64
	{"64:ff9b:2::1.1.1.1", private},       // unassigned

	// 6to4, Teredo, ISATAP.
	{"2002:101:101::1", private},
	{"2002:7f00:1::1", private},
	{"2002:a00:5::", private},
	{"2002:a9fe:a9fe::1", never},
	{"2001:0:a9fe:a9fe::1", never},
	{"2001:0:101:101:0:0:5601:5601", never}, // inverted
	{"2001:0:101:101:0:0:f5ff:fffa", private},
	{"2a00::5efe:1.1.1.1", public},
	{"2a00::5efe:10.0.0.5", private},
	{"2a00::200:5efe:169.254.169.254", never},
}

func TestAddresses(t *testing.T) {
	strict, open := New(Config{}), New(Config{AllowPrivate: true})
	for _, tt := range addresses {
		a := netip.MustParseAddr(tt.address)
		if err := strict.checkAddress(a); (err == nil) != (tt.reach == public) || err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", tt.address, err)
		}
		if err := open.checkAddress(a); (err != nil) != (tt.reach == never) || err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("%s where private addresses are allowed: %v", tt.address, err)
		}
	}
}

// The message is for the person who gave the address.
func TestSaysWhy(t *testing.T) {
	for address, want := range map[string]string{
		"10.0.0.5":        "private",
		"::ffff:10.1.1.1": "private",
		"64:ff9b:1::1":    "private",
		"fc00::1":         "private",
		"fec0::1":         "private",
		"::1":             "this machine",
		"100.64.0.1":      "a provider's own",
		"192.0.2.1":       "for documentation",
		"2001:2::1":       "for measurements",
		"ff02::1":         "for many at once (multicast)",
		"255.255.255.255": "for everybody (broadcast)",
		"2001::1":         "a tunnel's",
		"5f00::1":         "reserved",
	} {
		want := "The address " + address + " is " + want + ". Only public addresses are called, unless the operator allows others."
		if err := New(Config{}).checkAddress(netip.MustParseAddr(address)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", address, err)
		}
	}
	for address, want := range map[string]string{
		"169.254.169.254":    "link-local",
		"64:ff9b::a9fe:a9fe": "link-local",
		"168.63.129.16":      "a cloud's own service for its machines",
	} {
		want := "The address " + netip.MustParseAddr(address).String() + " is " + want + ". Such addresses are never called."
		if err := New(Config{AllowPrivate: true}).checkAddress(netip.MustParseAddr(address)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A public address of this machine also leads to services that listen only for this
// machine.
func TestOwnAddress(t *testing.T) {
	ours, err := net.InterfaceAddrs()
	if err != nil || len(ours) == 0 {
		t.Fatalf("this machine has no addresses: %v", err)
	}
	for _, o := range ours {
		a := netip.MustParsePrefix(o.String()).Addr()
		if own, err := isOwn(a); !own || err != nil {
			t.Errorf("%s is not our own: %v", a, err)
		}
		if !a.Is4() {
			continue
		}
		b := a.As4()
		mapped := netip.AddrFrom16(a.As16())
		behind := netip.AddrFrom16([16]byte{1: 0x64, 2: 0xff, 3: 0x9b, 12: b[0], 13: b[1], 14: b[2], 15: b[3]})
		for _, form := range []netip.Addr{mapped, behind} {
			if own, err := isOwn(form); !own || err != nil {
				t.Errorf("%s is not our own: %v", form, err)
			}
		}
	}
	if own, err := isOwn(netip.MustParseAddr("1.1.1.1")); own || err != nil {
		t.Errorf("1.1.1.1 is our own: %v", err)
	}
}

// Whatever the bytes are, an address that embeds a link-local one is refused.
func FuzzEmbedded(f *testing.F) {
	for _, tt := range addresses {
		b := netip.MustParseAddr(tt.address).As16()
		f.Add(b[:])
	}
	open := New(Config{AllowPrivate: true})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) != 16 {
			return
		}
		a := netip.AddrFrom16([16]byte(b))
		for _, e := range embeddedIPv4(a.Unmap()) {
			if e.IsLinkLocalUnicast() && open.checkAddress(a) == nil {
				t.Errorf("%s, which has %s in it, may be called", a, e)
			}
		}
		if u := a.Unmap(); (u.IsLoopback() || u.IsPrivate() || u.IsUnspecified() || u.IsMulticast() || u.IsLinkLocalUnicast()) && New(Config{}).checkAddress(a) == nil {
			t.Errorf("%s may be called", a)
		}
	})
}
