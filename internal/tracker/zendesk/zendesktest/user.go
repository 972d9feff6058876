package zendesktest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// nobody is who calls without saying who.
var nobody = object{"id": nil, "name": "Anonymous user", "email": "invalid@example.com", "role": "end-user"}

// showMe is GET /api/v2/users/me.
func (z *Zendesk) showMe(c *call) reply { return reply{http.StatusOK, object{"user": z.me.json(c)}} }

// showUser is GET /api/v2/users/{id}.
func (z *Zendesk) showUser(c *call) reply {
	u := z.user(c.number("id"))
	if u == nil {
		return notFound
	}
	return reply{http.StatusOK, object{"user": u.json(c)}}
}

// mostUsers is how many may be asked for at once.
const mostUsers = 100

// showUsers is GET /api/v2/users/show_many. Who is not there is left out.
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

// people are users beside what names them, each once.
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
