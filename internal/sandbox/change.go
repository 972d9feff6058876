package sandbox

import "strings"

// changesTopic wakes the streams.
const changesTopic = "changes"

// Kinds of changes.
const (
	messageChanged   = "message"   // it is new, changed or removed, or its reactions changed
	channelChanged   = "channel"   // a conversation or its members
	userChanged      = "user"      // a person in the workspace
	ephemeralChanged = "ephemeral" // something that only this member sees
	viewChanged      = "view"      // this member's open modals
)

// change is a hint to open clients about what to read again. It has no content, so
// a client that reads it late gets the current state.
type change struct {
	Kind     string `json:"type"`
	Channel  string `json:"channel,omitempty"`
	TS       string `json:"ts,omitempty"`
	ThreadTS string `json:"thread_ts,omitempty"` // of a reply, or of the message replied to
	user     string // the only member it concerns; empty for everybody who may see the channel
}

// tell stores a change for the streams, in the transaction that makes it.
func (t *tx) tell(team string, c change) {
	t.run(`INSERT INTO changes (team_id, kind, conversation_id, user_id, ts, thread_ts, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		team, c.Kind, c.Channel, c.user, c.TS, c.ThreadTS, t.millis())
	t.Ring(changesTopic)
}

// change returns what an event means to an open client; ok is false if the client
// shows nothing of it.
func (e event) change() (c change, ok bool) {
	if e.channel != nil {
		c.Channel = e.channel.ID
	} else {
		c.Channel = e.lane
	}
	switch {
	case e.about != nil:
		c.Kind, c.TS, c.ThreadTS = messageChanged, e.about.TS, e.about.ThreadTS
	case e.name == "team_join" || e.name == "user_change":
		c.Kind = userChanged
	case strings.HasPrefix(e.name, "channel_") || strings.HasPrefix(e.name, "group_") || strings.HasPrefix(e.name, "member_"):
		c.Kind = channelChanged
	default:
		return c, false
	}
	return c, true
}

// lastChange returns the last change of a workspace.
func (t *tx) lastChange(team string) int64 {
	return t.number("SELECT coalesce(max(n), 0) FROM changes WHERE team_id = $1", team)
}

// changesSince returns the changes after a position that a member may know of, each
// once, and the position to continue from. more says that there may be others.
func (t *tx) changesSince(a *actor, after int64, limit int) (all []change, last int64, more bool) {
	type row struct {
		n int64
		change
	}
	rows := rowsOf(t, func(scan func(...any) error) (r row, err error) {
		err = scan(&r.n, &r.Kind, &r.Channel, &r.user, &r.TS, &r.ThreadTS)
		return r, err
	}, `SELECT n, kind, conversation_id, user_id, ts, thread_ts FROM changes
		WHERE team_id = $1 AND n > $2 ORDER BY n LIMIT $3`, a.Team, after, limit)
	last = after
	seen, told := map[string]bool{}, map[change]bool{}
	for _, r := range rows {
		last = r.n
		if r.user != "" && r.user != a.User || told[r.change] {
			continue
		}
		if r.user == "" && r.Channel != "" {
			sees, looked := seen[r.Channel]
			if !looked {
				_, _, err := t.seen(a, r.Channel)
				sees = err == nil
				seen[r.Channel] = sees
			}
			if !sees {
				continue
			}
		}
		told[r.change] = true
		all = append(all, r.change)
	}
	return all, last, len(rows) == limit
}
