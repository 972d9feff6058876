package outside

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// MarkChatLost marks the account's chat connection as lost, forgets its credentials
// and records the loss. was and with are the integration and the stored credential
// that the chat system refused. If either has changed since, it does nothing: a
// late answer must not end a newer connection.
func (s *Systems) MarkChatLost(ctx context.Context, account desk.AccountID, was desk.Integration, with []byte) error {
	return s.Store.Write(context.WithoutCancel(ctx), account, func(tx *store.Tx) error {
		i, err := tx.Chat()
		if errors.Is(err, desk.ErrNotConnected) || err == nil && (i.Status != desk.StatusConnected || i.ID != was.ID) {
			return nil
		}
		if err != nil {
			return err
		}
		if has, err := tx.Credential(i.ID, ""); err != nil || !bytes.Equal(has, with) {
			return desk.IgnoreMissing(err)
		}
		return markLost(tx, i)
	})
}

// markLost marks a connection as lost, forgets its credentials and records the loss.
func markLost(tx *store.Tx, i desk.Integration) error {
	if err := tx.ForgetCredentials(i.ID); err != nil {
		return err
	}
	before := i
	i.Status, i.UpdatedAt = desk.StatusLost, tx.Now
	if err := tx.SaveIntegration(i); err != nil {
		return err
	}
	return change.Record(tx, desk.Actor{Name: string(i.Kind), Source: desk.SourceSystem}, "integration.lost", before, i)
}

// WithChat calls fn with the account's chat connection and a connector that acts as
// our bot. It returns ErrNotConnected if the account has no working connection,
// otherwise the error of fn. If that is chat.ErrLost, it also marks the connection
// as lost.
func (s *Systems) WithChat(ctx context.Context, account desk.AccountID, fn func(desk.Integration, chat.Connector) error) error {
	var i desk.Integration
	var bot chat.Credential
	var secret []byte
	err := s.Store.Read(ctx, account, func(tx *store.Tx) (err error) {
		if i, err = tx.Chat(); err != nil {
			return err
		}
		if i.Status != desk.StatusConnected {
			return desk.ErrNotConnected
		}
		if s.Chats[i.Kind] == nil {
			return errNotHere
		}
		if secret, err = tx.Credential(i.ID, ""); err != nil {
			return err
		}
		return json.Unmarshal(secret, &bot)
	})
	if err == nil {
		err = s.checkReachable(ctx, i)
	}
	if err != nil {
		return err
	}
	err = fn(i, s.Chats[i.Kind].Connector(chat.Installation{Workspace: i.ExternalID, Name: i.Name, URL: i.URL, Bot: bot}))
	if errors.Is(err, chat.ErrLost) {
		return errors.Join(err, s.MarkChatLost(ctx, account, i, secret))
	}
	return err
}

// errNotHere is ErrNotConnected for an account that is connected, but not through this
// server.
var errNotHere = &desk.Error{Kind: desk.Refused, Err: desk.ErrNotConnected,
	Message: "This server cannot reach the account's chat workspace. It was connected through a server with other chat settings, or it is in the sandbox of another node."}

// checkReachable returns errNotHere if the sandbox is this server's chat system and
// does not know the workspace. Then the connection was made with another system's app
// or in another node's sandbox. Its credential must not be tried here, or the
// connection would be marked as lost.
func (s *Systems) checkReachable(ctx context.Context, i desk.Integration) error {
	if s.Sandbox == nil {
		return nil
	}
	_, has, err := s.Sandbox.Address(ctx, i.ExternalID)
	if err == nil && !has {
		err = errNotHere
	}
	return err
}

// ReadSource reads one message from the chat system. The message may begin a thread
// or stand inside one; the chat system decides how it reads the id, so ReadSource
// goes through the thread until the id matches. It returns a NotFound error if the
// message no longer exists.
func ReadSource(ctx context.Context, c chat.Connector, from desk.ChatMessage) (chat.Message, error) {
	for span := (chat.Span{Channel: from.Channel, Thread: from.Message}); ; {
		h, err := c.History(ctx, span)
		if err != nil {
			return chat.Message{}, err
		}
		for _, m := range h.Messages {
			if m.ID == from.Message {
				return m, nil
			}
		}
		if !h.More || len(h.Messages) == 0 {
			return chat.Message{}, desk.Errorf(desk.NotFound, "The message no longer exists.")
		}
		span.After = h.Messages[len(h.Messages)-1].ID
	}
}

// UserCredential returns the credential with which we may act as a user of the chat
// system. It returns nil if the user has not allowed that, or if user is empty.
func UserCredential(tx *store.Tx, i desk.IntegrationID, user string) (*chat.Credential, error) {
	if user == "" {
		return nil, nil
	}
	secret, err := tx.Credential(i, user)
	if desk.KindOf(err) == desk.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var c chat.Credential
	if err := json.Unmarshal(secret, &c); err != nil {
		return nil, fmt.Errorf("read a credential: %w", err)
	}
	return &c, nil
}
