package service

import (
	"context"
	"time"

	"frontdesk/internal/desk"
)

// Whoever shows no valid token or session is a stranger. What is done for
// strangers is counted by address, in memory, and past the limit they are told to
// wait before anything is looked up. A token that was found valid here is known,
// and passes all the same: others at its address, such as those behind one proxy,
// cannot lock it out.

// AuthenticateFrom is Authenticate for a call from an address. Where strangers
// from there were refused too often it gives Busy, unless it knows the token.
func (s *Service) AuthenticateFrom(ctx context.Context, ip, secret string) (Caller, error) {
	c, err := s.authenticate(ctx, ip, secret, desk.TokenPrefix(secret), ErrNoToken)
	c.Actor.IP = ip
	return c, err
}

// AuthenticateSessionFrom is AuthenticateSession, likewise.
func (s *Service) AuthenticateSessionFrom(ctx context.Context, ip, secret string) (Caller, error) {
	c, err := s.authenticate(ctx, ip, secret, desk.SessionPrefix(secret), ErrNoSession)
	c.Actor.IP = ip
	return c, err
}

// Network is what strangers from an address are counted for: of IPv6 its /64,
// since whoever has one address there has all of them.
func Network(ip string) string { return network(ip) }

// admitStranger gives Busy for an address from which too many were refused.
func (s *Service) admitStranger(from string) error {
	if from == "" {
		return nil
	}
	if wait := s.strangers.Wait(network(from)); wait > 0 {
		return tooManyStrangers(wait)
	}
	return nil
}

// refuse counts a refusal and gives it; past the limit it gives Busy.
func (s *Service) refuse(from string, refusal error) error {
	if from == "" {
		return refusal
	}
	if _, wait := s.strangers.Take(network(from)); wait > 0 {
		return tooManyStrangers(wait)
	}
	return refusal
}

func tooManyStrangers(wait time.Duration) error {
	return &desk.Error{Kind: desk.Busy, RetryAfter: wait,
		Message: "Too many calls from your address had no valid token or session. Wait as long as Retry-After says, and check the token."}
}
