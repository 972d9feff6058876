package webapp

import (
	"net/http"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
)

// authState is what the app has to know before anybody has signed in.
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
	var in struct{ Email, Password string }
	if err := read(w, r, &in); err != nil {
		return nil, err
	}
	made, err := s.service.SignIn(r.Context(), visitor(r), in.Email, in.Password)
	if err == nil {
		s.signedIn(w, made)
	}
	return nil, err
}

// signOut ends the session, if there is one: whoever asks is signed out then.
func (s *server) signOut(w http.ResponseWriter, r *http.Request) (any, error) {
	c, ok, err := s.caller(r)
	if err == nil && ok {
		err = s.service.SignOut(r.Context(), c)
	}
	if err != nil && desk.KindOf(err) != desk.NotFound { // it has just ended elsewhere
		return nil, err
	}
	s.signedOut(w)
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
	made, err := s.service.MakeFirst(r.Context(), visitor(r), service.NewDesk{Code: in.Code, AccountName: in.AccountName, Name: in.Name, Email: in.Email, Password: in.Password})
	if err == nil {
		s.signedIn(w, made)
	}
	return nil, err
}

// invited is whom an invitation is for.
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
	who, err := s.service.Invitation(r.Context(), visitor(r), in.Invitation)
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
	made, err := s.service.Welcome(r.Context(), visitor(r), in.Invitation, in.Password, in.Name)
	if err == nil {
		s.signedIn(w, made)
	}
	return nil, err
}
