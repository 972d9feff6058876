package webapp

import (
	"net/http"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
)

// authState is what the app must know before a user has signed in.
type authState struct {
	SignedIn bool          `json:"signed_in"`
	FirstRun bool          `json:"first_run"`
	Provider *providerName `json:"provider"`
}

type providerName struct {
	Name string `json:"name"`
}

func (s *server) state(w http.ResponseWriter, r *http.Request) (any, error) {
	var state authState
	var err error
	if state.FirstRun, err = s.service.FirstRun(r.Context()); err != nil {
		return nil, err
	}
	if _, state.SignedIn, err = s.caller(r); err != nil {
		return nil, err
	}
	if s.provider != nil {
		state.Provider = &providerName{s.provider.Name}
	}
	return state, nil
}

func (s *server) signIn(w http.ResponseWriter, r *http.Request) (any, error) {
	var in struct {
		Email    string
		Password string
		Account  desk.AccountID `json:"account_id"`
	}
	if err := read(w, r, &in); err != nil {
		return nil, err
	}
	v := s.visitor(r)
	v.Account = in.Account
	made, err := s.service.SignIn(r.Context(), v, in.Email, in.Password)
	if err == nil && made.Choice != nil {
		s.setProof(w, r, made.Proof, desk.ChoiceKept)
		return newChoices(made.Choice), nil
	}
	return nil, s.startSession(w, r, made, err)
}

// choices are the accounts that a user may enter.
type choices struct {
	Accounts []choice `json:"accounts"`
}

type choice struct {
	ID      desk.AccountID `json:"id"`
	Name    string         `json:"name"`
	Current bool           `json:"is_current"`
}

func newChoices(all []desk.Choice) choices {
	return choices{desk.Each(all, func(c desk.Choice) choice { return choice{c.Account, c.Name, c.Current} })}
}

// listAccounts returns the accounts that a user can choose from or switch to. A user
// with one account has nothing to choose.
func (s *server) listAccounts(w http.ResponseWriter, r *http.Request) (any, error) {
	c, _, err := s.caller(r)
	if err != nil {
		return nil, err
	}
	proof := s.cookie(r, proofCookie)
	if proof == "" {
		return newChoices(nil), nil
	}
	all, err := s.service.Choices(r.Context(), c, proof)
	return newChoices(all), err
}

// chooseAccount signs a user in to one of their accounts.
func (s *server) chooseAccount(w http.ResponseWriter, r *http.Request) (any, error) {
	var in struct {
		Account desk.AccountID `json:"account_id"`
	}
	if err := read(w, r, &in); err != nil {
		return nil, err
	}
	c, _, err := s.caller(r)
	if err != nil {
		return nil, err
	}
	v := s.visitor(r)
	v.Account = in.Account
	made, err := s.service.Choose(r.Context(), c, v, s.cookie(r, proofCookie))
	return nil, s.startSession(w, r, made, err)
}

// signOut ends the session, if there is one. In any case the user is signed out
// afterwards.
func (s *server) signOut(w http.ResponseWriter, r *http.Request) (any, error) {
	c, ok, err := s.caller(r)
	if err == nil && ok {
		err = s.service.SignOut(r.Context(), c)
	}
	if err != nil && desk.KindOf(err) != desk.NotFound { // the session may just have ended elsewhere
		return nil, err
	}
	s.setCookie(w, desk.SessionName, "", 0)
	s.setProof(w, r, "", 0)
	return nil, nil
}

func (s *server) firstRun(w http.ResponseWriter, r *http.Request) (any, error) {
	var in struct {
		Code        string
		AccountName string `json:"account_name"`
		Name        *string
		Email       string
		Password    string
	}
	if err := read(w, r, &in); err != nil {
		return nil, err
	}
	made, err := s.service.MakeFirst(r.Context(), s.visitor(r), service.NewDesk{Code: in.Code, AccountName: in.AccountName, Name: in.Name, Email: in.Email, Password: in.Password})
	return nil, s.startSession(w, r, made, err)
}

// invited is the person that an invitation is for.
type invited struct {
	Email       string `json:"email"`
	Name        string `json:"name"`
	AccountName string `json:"account_name"`
}

func (s *server) invitation(w http.ResponseWriter, r *http.Request) (any, error) {
	var in struct{ Invitation string }
	if err := read(w, r, &in); err != nil {
		return nil, err
	}
	who, err := s.service.Invitation(r.Context(), s.visitor(r), in.Invitation)
	if err != nil {
		return nil, err
	}
	return invited{who.Email, who.Name, who.AccountName}, nil
}

func (s *server) welcome(w http.ResponseWriter, r *http.Request) (any, error) {
	var in struct {
		Invitation string
		Password   string
		Name       *string
	}
	if err := read(w, r, &in); err != nil {
		return nil, err
	}
	made, err := s.service.Welcome(r.Context(), s.visitor(r), in.Invitation, in.Password, in.Name)
	return nil, s.startSession(w, r, made, err)
}
