package zendesktest

import (
	"net/http"
	"slices"
	"strconv"
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
