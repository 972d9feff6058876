package service

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// Connect finishes a connection with what a person brings back: the state that
// CreateIntegration gave them and the system's code. Each state is good once, and for
// who has begun: an address that is handed on would have somebody let another's account
// into their workspace. c is who is signed in with the browser, if anybody is.
func (s *Service) Connect(ctx context.Context, c Caller, kind desk.IntegrationKind, state, code string) error {
	system, ok := s.chats[kind]
	st, fresh := s.readState(state)
	if !ok || !fresh || s.store.Now().After(st.expires) {
		return errState
	}
	// Before the state is used up: whoever else brings it takes it from nobody.
	if !st.begunBy(c) {
		return errOtherBrowser
	}
	if err := c.may(desk.CreateIntegration); err != nil {
		return err
	}
	err := s.store.Write(ctx, st.account, func(tx *store.Tx) error {
		// Used up before the code is: whatever comes of it, this was the one try.
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

var errOtherBrowser = desk.Errorf(desk.Refused, "It is finished with the browser in which the admin who began it is signed in to Frontdesk. Sign in there, and begin the connection again.")

var errState = desk.Errorf(desk.Refused, "This link was used before or is too old. Begin the connection again.")

// Install connects an account with an installation that was made without a
// person's visit, for the command line.
func (s *Service) Install(ctx context.Context, account desk.AccountID, kind desk.IntegrationKind, in chat.Installation) (desk.Integration, error) {
	return s.connected(ctx, account, desk.Actor{Name: "command line", Source: desk.SourceCommand}, kind, in)
}

// connected keeps a connection that stands, and has the directory read.
func (s *Service) connected(ctx context.Context, account desk.AccountID, by desk.Actor, kind desk.IntegrationKind, in chat.Installation) (i desk.Integration, err error) {
	err = s.store.Write(ctx, account, func(tx *store.Tx) error {
		i, err = s.letIn(tx, by, kind, in)
		return err
	})
	return i, err
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
	if err := addSync(tx, tx.Now, chat.Parts...); err != nil {
		return i, err
	}
	if err := job.Add(tx.Tx, readAll{}, tx.Now, job.Key("connected")); err != nil {
		return i, err
	}
	return i, tx.Record(integrationChange(by, "integration.connected", &before, &i))
}

func putCredential(tx *store.Tx, id desk.IntegrationID, user string, c chat.Credential) error {
	secret, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("keep a credential: %w", err)
	}
	return tx.PutCredential(id, user, secret)
}

// checkConnection looks whether the chat system still lets us in. That it does
// not may be told late, when somebody has connected it again: what it says to who
// asks now counts.
type checkConnection struct{ Account desk.AccountID }

func (checkConnection) Kind() string { return "chat.check" }

func (s *Service) checkConnection(ctx context.Context, _ *job.Job, a checkConnection) error {
	return chatJob(s.withChat(ctx, a.Account, func(_ desk.Integration, c chat.Connector) error {
		_, err := c.Directory(ctx, chat.Teams, "")
		return err
	}))
}

// beLost follows what the chat system says of its letting us in.
func (s *Service) beLost(ctx context.Context, account desk.AccountID, workspace string, lost chat.Lost) error {
	return s.store.Write(ctx, account, func(tx *store.Tx) error {
		if len(lost.Users) == 0 {
			return job.Add(tx.Tx, checkConnection{account}, tx.Now, job.Key(strconv.FormatInt(int64(account), 10)))
		}
		i, err := tx.Chat()
		if errors.Is(err, desk.ErrNotConnected) || err == nil && i.ExternalID != workspace {
			return nil
		}
		if err != nil {
			return err
		}
		return tx.ForgetCredentials(i.ID, lost.Users...)
	})
}

// lose notes that the chat system no longer lets us in with a credential. An
// answer that was long on its way must not end a newer connection.
func (s *Service) lose(ctx context.Context, account desk.AccountID, was desk.Integration, with []byte) error {
	return s.store.Write(ctx, account, func(tx *store.Tx) error {
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
		if err := tx.ForgetCredentials(i.ID); err != nil {
			return err
		}
		before := i
		i.Status, i.UpdatedAt = desk.StatusLost, tx.Now
		if err := tx.SaveIntegration(i); err != nil {
			return err
		}
		by := desk.Actor{Name: string(i.Kind), Source: desk.SourceSystem}
		return tx.Record(integrationChange(by, "integration.lost", &before, &i))
	})
}

// withChat lets fn talk to the account's chat system. It gives ErrNotConnected
// where there is none, and notes when the connection is lost.
func (s *Service) withChat(ctx context.Context, account desk.AccountID, fn func(desk.Integration, chat.Connector) error) error {
	var i desk.Integration
	var bot chat.Credential
	var secret []byte
	err := s.store.Read(ctx, account, func(tx *store.Tx) (err error) {
		if i, err = tx.Chat(); err != nil {
			return err
		}
		if i.Status != desk.StatusConnected || s.chats[i.Kind] == nil {
			return desk.ErrNotConnected
		}
		if secret, err = tx.Credential(i.ID, ""); err != nil {
			return err
		}
		return json.Unmarshal(secret, &bot)
	})
	if err == nil {
		err = s.reachable(ctx, i)
	}
	if err != nil {
		return err
	}
	err = fn(i, s.chats[i.Kind].Connector(chat.Installation{Workspace: i.ExternalID, Name: i.Name, URL: i.URL, Bot: bot}))
	if errors.Is(err, chat.ErrLost) {
		return errors.Join(err, s.lose(ctx, account, i, secret))
	}
	return err
}

// chatJob turns the outcome of a job that talks to a chat system into what the
// runner understands.
func chatJob(err error) error {
	var e *desk.Error
	switch {
	case errors.Is(err, desk.ErrNotConnected), errors.Is(err, chat.ErrLost):
		return nil // connecting it again begins the work anew
	case errors.As(err, &e) && e.Kind == desk.Busy:
		return job.Snooze(e.RetryAfter)
	}
	return err
}

// connectState is what a person carries to the authorization page and back.
type connectState struct {
	account     desk.AccountID
	integration desk.IntegrationID
	expires     time.Time
	nonce       string
	member      desk.MemberID
	session     desk.TokenID // 0: it was begun with a token, and is finished with any session of the member
}

// begunBy reports whether it is somebody's who is signed in with a browser.
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
