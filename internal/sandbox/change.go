package sandbox

import (
	"strings"

	"frontdesk/internal/sqldb"
)

// changesTopic wakes the streams.
const changesTopic = "changes"

// Kinds of changes.
const (
	messageChanged   = "message"   // it is new, another, gone, or has other reactions
	channelChanged   = "channel"   // a conversation, or who is in it
	userChanged      = "user"      // somebody of the workspace
	ephemeralChanged = "ephemeral" // what only this member sees
	viewChanged      = "view"      // which modals this member has open
)

// change is a hint for clients that are open: what to look at again. It holds
// nothing of what was said, so that who reads it late reads what is true by then.
type change struct {
	Kind     string `json:"type"`
	Channel  string `json:"channel,omitempty"`
	TS       string `json:"ts,omitempty"`
	ThreadTS string `json:"thread_ts,omitempty"` // of a reply, and of what replies were made to
	user     string // the one member whom it concerns; empty for all who may see the channel
}

// tell leaves a change for the streams, in the transaction that makes it.
func (t *tx) tell(team string, c change) error {
	_, err := t.Exec(`INSERT INTO changes (team_id, kind, conversation_id, user_id, ts, thread_ts, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		team, c.Kind, c.Channel, c.user, c.TS, c.ThreadTS, t.millis())
	t.Ring(changesTopic)
	return err
}

// change is what an event means to a client that is open; ok is false when it
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

// lastChange is where the changes of a workspace end.
func (t *tx) lastChange(team string) (n int64, err error) {
	return n, t.Row("SELECT coalesce(max(n), 0) FROM changes WHERE team_id = $1", team).Scan(&n)
}

// changesSince are changes behind a place that a member may know of, each once,
// and the place behind which to go on; more says that there may be others.
func (t *tx) changesSince(a *actor, after int64, limit int) (all []change, last int64, more bool, err error) {
	type row struct {
		n int64
		change
	}
	rows, err := sqldb.Collect(t.Tx, func(scan func(...any) error) (r row, err error) {
		err = scan(&r.n, &r.Kind, &r.Channel, &r.user, &r.TS, &r.ThreadTS)
		return r, err
	}, `SELECT n, kind, conversation_id, user_id, ts, thread_ts FROM changes
		WHERE team_id = $1 AND n > $2 ORDER BY n LIMIT $3`, a.Team, after, limit)
	if err != nil {
		return nil, after, false, err
	}
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
				if err != nil && Code(err) == "" {
					return nil, after, false, err
				}
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
	return all, last, len(rows) == limit, nil
}
