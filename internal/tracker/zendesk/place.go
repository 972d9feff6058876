package zendesk

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// user is a person in Zendesk.
type user struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	Role  string `json:"role"`
}

// Place returns the Zendesk account, by its subdomain.
func (p *place) Place(ctx context.Context) (tracker.Place, error) {
	var got struct {
		User user `json:"user"`
	}
	err := p.call(ctx, get("users/me", nil), &got)
	switch {
	case refused(err, http.StatusNotFound):
		return tracker.Place{}, &desk.Error{Kind: desk.Refused, Message: "There is no Zendesk at " + p.host() + ".", Err: err}
	case err != nil:
		return tracker.Place{}, err
	case got.User.ID == 0:
		// For an unknown user, Zendesk answers with an anonymous one.
		return tracker.Place{}, fmt.Errorf("%w (users/me is nobody)", tracker.ErrLost)
	case got.User.Role == "end-user":
		return tracker.Place{}, desk.Errorf(desk.Refused, "The token is of somebody who only asks in Zendesk. It must be an agent's.")
	}
	return tracker.Place{ID: p.who.Domain, Name: p.host(), URL: p.address, User: strconv.FormatInt(got.User.ID, 10)}, nil
}

// host returns the host name of the account's Zendesk.
func (p *place) host() string {
	_, host, _ := strings.Cut(p.address, "://")
	return host
}
