package slack

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
)

const (
	// mostPresent bounds the people whose presence we ask for. Each takes a call,
	// and at Slack's pace all of them take more than a minute.
	mostPresent = 100
	// restsAtOnce is how many users dnd.teamInfo accepts.
	restsAtOnce = 50
)

// rest is when a user next does not want to be disturbed, in seconds. With daily
// hours it is the current or next ones.
type rest struct {
	Enabled bool  `json:"dnd_enabled"`
	Start   int64 `json:"next_dnd_start_ts"`
	End     int64 `json:"next_dnd_end_ts"`
}

func (r rest) holds(now time.Time) bool {
	return r.Enabled && r.Start <= now.Unix() && now.Unix() < r.End
}

// Absent first asks who does not want to be disturbed, which takes one call for
// many. Then it asks for each of the others whether they are away.
func (c *connector) Absent(ctx context.Context, users []string) (map[string]bool, error) {
	absent := map[string]bool{}
	users = asked(users)
	for some := range slices.Chunk(users, restsAtOnce) {
		if err := c.resting(ctx, some, absent); err != nil {
			return nil, err
		}
	}
	for _, id := range users {
		if absent[id] {
			continue
		}
		away, err := c.away(ctx, id)
		if err != nil {
			return nil, err
		}
		if away {
			absent[id] = true
		}
	}
	return absent, nil
}

// asked returns the users to ask about, each once.
func asked(users []string) (some []string) {
	seen := map[string]bool{"": true} // an empty id would stand for the bot
	for _, id := range users {
		if !seen[id] && len(some) < mostPresent {
			seen[id] = true
			some = append(some, id)
		}
	}
	return some
}

// resting marks users who do not want to be disturbed. An app that was installed
// before it asked for the scope does not learn this.
func (c *connector) resting(ctx context.Context, users []string, absent map[string]bool) error {
	var got struct {
		Users map[string]rest `json:"users"`
	}
	err := c.app.call(ctx, c.bot(), "dnd.teamInfo", url.Values{"users": {strings.Join(users, ",")}}, &got)
	if desk.KindOf(err) == desk.NotFound || remote.CodeOf(err) == "missing_scope" {
		return nil
	}
	now := time.Now()
	for _, id := range users {
		if got.Users[id].holds(now) {
			absent[id] = true
		}
	}
	return err
}

// away reports whether a user is away. A user that Slack does not show us is not.
func (c *connector) away(ctx context.Context, user string) (bool, error) {
	var got struct {
		Presence string `json:"presence"`
	}
	err := c.app.call(ctx, c.bot(), "users.getPresence", url.Values{"user": {user}}, &got)
	if desk.KindOf(err) == desk.NotFound {
		return false, nil
	}
	return got.Presence == "away", err
}
