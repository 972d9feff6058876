package verify

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
)

// Resolver asks DNS. *net.Resolver is one. Its methods must end with their context, and
// say with a *net.DNSError that there is nothing (IsNotFound).
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error)
	LookupAddr(ctx context.Context, addr string) ([]string, error)
}

const (
	// mostLookups bounds the questions of one check. An SPF record could lead to more
	// than a hundred.
	mostLookups = 40
	// mostKey bounds the record of a key, because work grows with the key. One of 8192
	// bits has 1400 bytes.
	mostKey = 2048
)

// asker asks DNS for one check of one mail. Every error that it returns is a
// *net.DNSError: there is nothing, or it failed for now.
type asker struct {
	resolver Resolver
	ctx      context.Context
	asked    atomic.Int32
	unsure   atomic.Bool // a question was not answered
}

func (v *Verifier) ask(ctx context.Context) *asker { return &asker{resolver: v.resolver, ctx: ctx} }

var errTooMany = errors.New("too many lookups")

// ask asks one question.
func ask[T any](a *asker, name string, lookup func(context.Context, string) ([]T, error)) ([]T, error) {
	if a.asked.Add(1) > mostLookups {
		return nil, a.failed(name, errTooMany)
	}
	answer, err := lookup(a.ctx, name)
	if err != nil {
		err = a.failed(name, err)
	}
	return answer, err
}

func (a *asker) failed(name string, err error) error {
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return e
	}
	a.unsure.Store(true)
	return &net.DNSError{Err: err.Error(), Name: name, IsTemporary: true}
}

// rooted keeps a resolver from trying the name inside our own domain.
func rooted(name string) string { return strings.TrimSuffix(name, ".") + "." }

func nothing(name string) error {
	return &net.DNSError{Err: "there is no such record", Name: name, IsNotFound: true}
}

// txt returns the text records of a name. Having none is no error.
func (a *asker) txt(name string) ([]string, error) {
	records, err := ask(a, rooted(name), a.resolver.LookupTXT)
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return nil, nil
	}
	return records, err
}

// The methods for package spf, whose context is that of the asker.

func (a *asker) LookupTXT(_ context.Context, name string) ([]string, error) {
	return ask(a, rooted(name), a.resolver.LookupTXT)
}

func (a *asker) LookupMX(_ context.Context, name string) ([]*net.MX, error) {
	return ask(a, rooted(name), a.resolver.LookupMX)
}

func (a *asker) LookupIPAddr(_ context.Context, host string) ([]net.IPAddr, error) {
	return ask(a, rooted(host), a.resolver.LookupIPAddr)
}

func (a *asker) LookupAddr(_ context.Context, addr string) ([]string, error) {
	return ask(a, addr, a.resolver.LookupAddr)
}
