package service

import (
	"context"
	"time"

	"frontdesk/internal/desk"
)

// A caller without a valid token or session is a stranger. Refusals of strangers
// are counted per address, in memory. Past the limit they are told to wait before
// anything is looked up. A token that was found valid here is known and always
// passes, so others at its address, such as those behind one proxy, cannot lock it
// out.

// AuthenticateFrom is Authenticate for a call from an address. It returns Busy if
// too many strangers from there were refused, unless it knows the token.
func (s *Service) AuthenticateFrom(ctx context.Context, ip, secret string) (Caller, error) {
	c, err := s.authenticate(ctx, ip, secret, desk.TokenPrefix(secret), ErrNoToken)
	c.Actor.IP = ip
	return c, err
}

// AuthenticateSessionFrom is AuthenticateSession for a call from an address. It
// returns Busy as AuthenticateFrom does.
func (s *Service) AuthenticateSessionFrom(ctx context.Context, ip, secret string) (Caller, error) {
	c, err := s.authenticate(ctx, ip, secret, desk.SessionPrefix(secret), ErrNoSession)
	c.Actor.IP = ip
	return c, err
}

// admitStranger returns Busy if too many calls from an address were refused.
func (s *Service) admitStranger(from string) error {
	if from == "" {
		return nil
	}
	if wait := s.strangers.Wait(Network(from)); wait > 0 {
		return tooManyStrangers(wait)
	}
	return nil
}

// refuse counts a refusal and returns it. Past the limit it returns Busy.
func (s *Service) refuse(from string, refusal error) error {
	if from == "" {
		return refusal
	}
	if _, wait := s.strangers.Take(Network(from)); wait > 0 {
		return tooManyStrangers(wait)
	}
	return refusal
}

func tooManyStrangers(wait time.Duration) error {
	return &desk.Error{Kind: desk.Busy, RetryAfter: wait,
		Message: "Too many calls from your address had no valid token or session. Wait as long as Retry-After says, and check the token."}
}
