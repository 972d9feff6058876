package service

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// Connect finishes a connection with what a person brings back: the state that
// CreateIntegration gave them and the system's code. Each state works once, and
// only for the person who began. Otherwise somebody could pass the address on, and
// another person would unknowingly let that account into their workspace. c is the
// caller who is signed in with the browser, if anybody is.
func (s *Service) Connect(ctx context.Context, c Caller, kind desk.IntegrationKind, state, code string) error {
	system, ok := s.outside.Chats[kind]
	st, fresh := s.readState(state)
	if !ok || !fresh || s.store.Now().After(st.expires) {
		return errState
	}
	// Check this before the state is used up, so that somebody else who brings it
	// does not spoil it for the person who began.
	if !st.begunBy(c) {
		return errOtherBrowser
	}
	if err := c.may(desk.CreateIntegration); err != nil {
		return err
	}
	err := s.store.Write(ctx, st.account, func(tx *store.Tx) error {
		// Use up the state before the code: whatever happens next, there is only
		// one try.
		if good, err := tx.TakeNonce(st.integration, st.nonce); err != nil || good {
			return err
		}
		return errState
	})
	if err != nil {
		return err
	}
	installed, err := system.Exchange(ctx, code)
	if err != nil {
		return err
	}
	by := desk.Actor{Name: "authorization page", Source: desk.SourceSystem}
	_, err = s.connected(ctx, st.account, by, kind, installed)
	return err
}

var errOtherBrowser = desk.Errorf(desk.Refused, "Finish the connection in the browser in which the admin who began it is signed in to Frontdesk. Sign in there and begin the connection again.")

var errState = desk.Errorf(desk.Refused, "This link was already used or has expired. Begin the connection again.")

// Install connects an account with an installation that needed no visit by a
// person. It is for the command line.
func (s *Service) Install(ctx context.Context, account desk.AccountID, kind desk.IntegrationKind, in chat.Installation) (desk.Integration, error) {
	return s.connected(ctx, account, byCommand, kind, in)
}

// connected saves a connection that was made, and has the directory read.
func (s *Service) connected(ctx context.Context, account desk.AccountID, by desk.Actor, kind desk.IntegrationKind, in chat.Installation) (desk.Integration, error) {
	return transact(ctx, account, s.store.Write, func(tx *store.Tx) (desk.Integration, error) { return s.letIn(tx, by, kind, in) })
}

// letIn is connected inside a transaction.
func (s *Service) letIn(tx *store.Tx, by desk.Actor, kind desk.IntegrationKind, in chat.Installation) (desk.Integration, error) {
	i, _, err := s.pending(tx, by, kind)
	if err != nil {
		return i, err
	}
	before := i
	i.Status, i.ExternalID, i.Name, i.URL, i.BotUser, i.UpdatedAt = desk.StatusConnected, in.Workspace, in.Name, in.URL, in.Bot.User, tx.Now
	if err := tx.SaveIntegration(i); err != nil {
		return i, err
	}
	if err := putCredential(tx, i.ID, "", in.Bot); err != nil {
		return i, err
	}
	if in.Person != nil {
		if err := putCredential(tx, i.ID, in.Person.User, *in.Person); err != nil {
			return i, err
		}
	}
	if err := change.SyncDirectoryAt(tx, tx.Now, chat.Parts...); err != nil {
		return i, err
	}
	if err := job.Add(tx.Tx, change.ReadChannels{}, tx.Now, job.Key("connected")); err != nil {
		return i, err
	}
	return i, change.Record(tx, by, "integration.connected", before, i)
}

func putCredential(tx *store.Tx, id desk.IntegrationID, user string, c chat.Credential) error {
	secret, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("keep a credential: %w", err)
	}
	return tx.PutCredential(id, user, secret)
}

// connectState is what a person carries to the authorization page and back.
type connectState struct {
	account     desk.AccountID
	integration desk.IntegrationID
	expires     time.Time
	nonce       string
	member      desk.MemberID
	session     desk.TokenID // 0: it was begun with a token, and any session of the member can finish it
}

// begunBy reports whether the connection was begun by the person who is signed in
// with the browser.
func (st connectState) begunBy(c Caller) bool {
	return c.Session && c.Account == st.account && c.Actor.ID == st.member && (st.session == 0 || st.session == c.Token)
}

func (s *Service) signState(st connectState) string {
	text := fmt.Appendf(nil, "%d.%d.%d.%d.%d.%s", st.account, st.integration, st.member, st.session, st.expires.UnixMilli(), st.nonce)
	return base64.RawURLEncoding.EncodeToString(append(s.states.Sign(text), text...))
}

func (s *Service) readState(state string) (st connectState, ok bool) {
	const markLength = 32
	b, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil || len(b) < markLength || !s.states.Check(b[:markLength], b[markLength:]) {
		return st, false
	}
	var expires int64
	_, err = fmt.Sscanf(string(b[markLength:]), "%d.%d.%d.%d.%d.%s", &st.account, &st.integration, &st.member, &st.session, &expires, &st.nonce)
	st.expires = time.UnixMilli(expires)
	return st, err == nil
}
