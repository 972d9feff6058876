package zendesktest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// nobody is the user of a call without credentials.
var nobody = object{"id": nil, "name": "Anonymous user", "email": "invalid@example.com", "role": "end-user"}

// showMe serves GET /api/v2/users/me.
func (z *Zendesk) showMe(c *call) reply { return reply{http.StatusOK, object{"user": z.me.json(c)}} }

// showUser serves GET /api/v2/users/{id}.
func (z *Zendesk) showUser(c *call) reply {
	u := z.user(c.number("id"))
	if u == nil {
		return notFound
	}
	return reply{http.StatusOK, object{"user": u.json(c)}}
}

// mostUsers is how many users one call may ask for.
const mostUsers = 100

// showUsers serves GET /api/v2/users/show_many. Missing users are left out.
func (z *Zendesk) showUsers(c *call) reply {
	var ids []int64
	for text := range strings.SplitSeq(c.r.URL.Query().Get("ids"), ",") {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return invalidAttribute("ids", "must be a comma separated list of ids")
		}
		ids = append(ids, id)
	}
	if len(ids) > mostUsers {
		return invalidAttribute("ids", "must be at most 100")
	}
	found := z.people(c, ids)
	return reply{http.StatusOK, object{"users": found, "count": len(found), "next_page": nil, "previous_page": nil}}
}

// people returns the users with these ids, each once, for a side-load.
func (z *Zendesk) people(c *call, ids []int64) []object {
	out := []object{}
	for _, u := range z.users {
		if slices.Contains(ids, u.ID) {
			out = append(out, u.json(c))
		}
	}
	return out
}

func (u *User) json(c *call) object {
	return object{
		"id": u.ID, "url": c.origin() + "/api/v2/users/" + strconv.FormatInt(u.ID, 10) + ".json", "name": u.Name, "email": u.Email,
		"role": u.Role, "active": true, "verified": true, "suspended": false, "time_zone": "UTC", "locale": "en-US",
	}
}
