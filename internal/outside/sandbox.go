package outside

import (
	"context"
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// FollowSandbox notes where people open the workspaces of this server's sandbox. Their
// address is the server's own, which may be another one than when they were connected.
// Links to messages would lead nowhere, and pasted ones would not be recognised.
func (s *Systems) FollowSandbox(ctx context.Context) error {
	if s.Sandbox == nil {
		return nil
	}
	connected, err := s.Store.Connected(ctx, desk.Slack)
	if err != nil {
		return fmt.Errorf("find sandbox workspaces: %w", err)
	}
	for _, c := range connected {
		url, ok, err := s.Sandbox.Address(ctx, c.Integration.ExternalID)
		if err != nil {
			return fmt.Errorf("ask for the address of a sandbox workspace: %w", err)
		}
		if !ok || url == c.Integration.URL {
			continue
		}
		if err := s.Store.Write(ctx, c.Account, func(tx *store.Tx) error {
			i, err := tx.Chat()
			if err != nil || i.ID != c.Integration.ID {
				return err
			}
			i.URL = url
			return tx.SaveIntegration(i)
		}); err != nil {
			return fmt.Errorf("save the address of a sandbox workspace: %w", err)
		}
	}
	return nil
}
