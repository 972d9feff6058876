package main

import (
	"frontdesk/internal/sqldb/dbtest"
)

// mode is what a node's proxies do with traffic.
type mode string

const (
	pass    mode = "pass"
	refuse  mode = "refuse"  // new connections are closed at once, and so are the old ones
	swallow mode = "swallow" // everything is read and nothing passed on: a cable that was pulled
)

// proxies are all ways of a node to the database.
type proxies []*dbtest.Proxy

// to returns an address that leads to the target.
func (p *proxies) to(target string) (address string, err error) {
	proxy, address, err := dbtest.NewProxy(target)
	if err == nil {
		*p = append(*p, proxy)
	}
	return address, err
}

// set changes what becomes of traffic, also that of open connections.
func (p proxies) set(m mode) {
	for _, proxy := range p {
		proxy.Set(func() { proxy.Cut, proxy.Silent = m == refuse, m == swallow })
	}
}

// drop closes all connections once.
func (p proxies) drop() {
	for _, proxy := range p {
		proxy.Drop()
	}
}

func (p proxies) close() {
	for _, proxy := range p {
		proxy.Close()
	}
}
