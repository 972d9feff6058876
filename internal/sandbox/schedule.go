package sandbox

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

const (
	// maxAhead is how far ahead a message may be scheduled.
	maxAhead = 120 * 24 * time.Hour
	// A channel accepts this many scheduled messages in any window of this length.
	maxScheduled    = 30
	scheduledWindow = 5 * time.Minute
	// deleteBefore is how long before its time a scheduled message can last be
	// deleted.
	deleteBefore = time.Minute
	// postBatch is how many scheduled messages are read at once for posting.
	postBatch = 100
)

// scheduledRow is a message that waits for its time.
type scheduledRow struct {
	n            int64
	ID           string
	Team         string
	Conversation string
	Token        string
	PostAt       int64 // seconds
	Created      int64 // milliseconds
	posting
}

const scheduledColumns = "SELECT n, id, team_id, conversation_id, token, post_at, created_at, body FROM scheduled_messages "

func scanScheduled(scan func(...any) error) (s scheduledRow, err error) {
	err = scan(&s.n, &s.ID, &s.Team, &s.Conversation, &s.Token, &s.PostAt, &s.Created, fromJSON(&s.posting))
	return s, err
}

// postTime reads when a message is to be posted.
func (c *call) postTime() (int64, error) {
	at, err := strconv.ParseInt(c.args.text("post_at"), 10, 64)
	switch {
	case err != nil:
		return 0, refuse("invalid_time")
	case at <= c.now.Unix():
		return 0, refuse("time_in_past")
	case at > c.now.Add(maxAhead).Unix():
		return 0, refuse("time_too_far")
	}
	return at, nil
}

// crowded reports whether one more message at a time would be too many for a
// channel with others at these times.
func crowded(times []int64, at int64) bool {
	all := append(slices.Clone(times), at)
	slices.Sort(all)
	for i := range max(len(all)-maxScheduled, 0) {
		if all[i+maxScheduled]-all[i] < int64(scheduledWindow/time.Second) {
			return true
		}
	}
	return false
}

func chatScheduleMessage(c *call) (object, error) {
	// Slack accepts no other name or picture for a scheduled message.
	for _, name := range []string{"username", "icon_url", "icon_emoji"} {
		delete(c.args, name)
	}
	p, err := c.posting()
	if err != nil {
		return nil, err
	}
	at, err := c.postTime()
	if err != nil {
		return nil, err
	}
	conv, err := c.target(c.a, c.args.text("channel"))
	if err != nil {
		return nil, err
	}
	// What would be refused then is refused now.
	m, err := c.compose(c.a, conv, p)
	if err != nil {
		return nil, err
	}
	window := int64(scheduledWindow / time.Second)
	times := rowsOf(c.tx, func(scan func(...any) error) (at int64, err error) { return at, scan(&at) },
		"SELECT post_at FROM scheduled_messages WHERE conversation_id = $1 AND post_at > $2 AND post_at < $3", conv.ID, at-window, at+window)
	if crowded(times, at) {
		return nil, refuse("restricted_too_many")
	}
	id := newID("Q")
	c.run(`INSERT INTO scheduled_messages (id, team_id, conversation_id, user_id, app_id, token, post_at, body, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		id, conv.TeamID, conv.ID, c.a.User, c.a.App, c.a.Token, at, string(encode(p)), c.millis())
	c.Ring(deliveriesTopic) // the dispatcher must wake up at another time
	return object{"channel": conv.ID, "scheduled_message_id": id, "post_at": at, "message": c.delayed(conv, m)}, nil
}

// delayed returns an unposted message as Slack shows it: without a ts.
func (t *tx) delayed(c *conversation, m *messageRow) object {
	m.Type, m.Team = "delayed_message", c.TeamID
	if m.AppID != "" && m.BotID != "" {
		m.BotProfile = t.botProfile(c.TeamID, m.AppID)
	}
	o := asObject(m.Message)
	delete(o, "ts")
	return o
}

// scheduledBounds reads the range of posting times that a list asks for.
func (c *call) scheduledBounds() (oldest, latest int64, err error) {
	latest = math.MaxInt64
	for name, bound := range map[string]*int64{"oldest": &oldest, "latest": &latest} {
		if text := c.args.text(name); text != "" {
			at, ok := parseTS(text)
			if !ok {
				return 0, 0, invalid("must be a timestamp [json-pointer:/%s]", name)
			}
			*bound = at / 1e6
		}
	}
	if c.args.text("oldest") != "" && c.args.text("latest") != "" && oldest >= latest {
		return 0, 0, invalid("oldest must be less than latest")
	}
	return oldest, latest, nil
}

// chatScheduledMessagesList lists what the caller has scheduled, the next one
// first.
func chatScheduledMessagesList(c *call) (object, error) {
	channel := c.args.text("channel")
	if channel != "" {
		if _, _, err := c.seen(c.a, channel); Code(err) != "" {
			return nil, refuse("invalid_channel")
		} else if err != nil {
			return nil, err
		}
	}
	oldest, latest, err := c.scheduledBounds()
	if err != nil {
		return nil, err
	}
	limit, err := c.args.limit(100, 1000, false)
	if err != nil {
		return nil, err
	}
	from, err := c.args.cursor("scheduled")
	if err != nil {
		return nil, err
	}
	// The cursor names the message that the page begins with by its time and its
	// number, so that it stays valid after that message was posted.
	var fromAt, fromN int64
	if from != "" {
		if n, err := fmt.Sscanf(from, "%d.%d", &fromAt, &fromN); n != 2 || err != nil {
			return nil, refuse("invalid_cursor")
		}
	}
	rows := rowsOf(c.tx, scanScheduled, scheduledColumns+`WHERE user_id = $1 AND app_id = $2 AND team_id = $3
		AND ($4 = '' OR conversation_id = $4) AND post_at BETWEEN $5 AND $6 AND (post_at > $7 OR post_at = $7 AND n >= $8)
		ORDER BY post_at, n LIMIT $9`, c.a.User, c.a.App, c.a.Team, channel, oldest, latest, fromAt, fromN, limit+1)
	next := ""
	if len(rows) > limit {
		next, rows = fmt.Sprintf("%d.%d", rows[limit].PostAt, rows[limit].n), rows[:limit]
	}
	shown := []object{}
	for _, s := range rows {
		shown = append(shown, object{"id": s.ID, "channel_id": s.Conversation, "post_at": s.PostAt, "date_created": s.Created / 1000, "text": s.mrkdwn()})
	}
	return object{"scheduled_messages": shown, "response_metadata": nextCursor("scheduled", next)}, nil
}

// chatDeleteScheduledMessage deletes a message that the caller has scheduled,
// unless it is about to be posted.
func chatDeleteScheduledMessage(c *call, conv *conversation, _ bool) (object, error) {
	return object{}, c.runOr("invalid_scheduled_message_id",
		`DELETE FROM scheduled_messages WHERE id = $1 AND conversation_id = $2 AND user_id = $3 AND app_id = $4 AND post_at > $5`,
		c.args.text("scheduled_message_id"), conv.ID, c.a.User, c.a.App, c.now.Add(deleteBefore).Unix())
}

// postScheduled posts what is due, and returns when the next message is due; zero
// if none waits. Messages that became due while the sandbox did not run are posted
// now.
func (s *Sandbox) postScheduled(ctx context.Context, now time.Time) (next time.Time, err error) {
	for {
		var first int64
		var due []scheduledRow
		if err := s.read(ctx, func(t *tx) error {
			if first = t.number("SELECT coalesce(min(post_at), 0) FROM scheduled_messages"); first > 0 && first <= now.Unix() {
				due = rowsOf(t, scanScheduled, scheduledColumns+"WHERE post_at <= $1 ORDER BY post_at, n LIMIT $2", now.Unix(), postBatch)
			}
			return nil
		}); err != nil {
			return next, err
		}
		if due == nil {
			if first > 0 {
				next = time.Unix(first, 0)
			}
			return next, nil
		}
		for _, row := range due {
			if err := s.postOne(ctx, row); err != nil {
				return next, err
			}
		}
	}
}

// postOne posts a scheduled message. It may no longer be possible, because the
// channel is archived or the author has left. Slack says nothing then; the sandbox
// logs it.
func (s *Sandbox) postOne(ctx context.Context, row scheduledRow) error {
	var refused error
	err := s.write(ctx, func(t *tx) error {
		refused = nil
		// Do this first: it may have been deleted, or posted by another process.
		n, err := t.Exec("DELETE FROM scheduled_messages WHERE id = $1", row.ID)
		if err != nil || n == 0 {
			return err
		}
		a, err := t.bearer(row.Token)
		if err == nil {
			err = a.need("chat:write")
		}
		var c *conversation
		if err == nil {
			c, err = t.target(a, row.Conversation)
		}
		if err == nil {
			_, err = t.post(a, c, row.posting)
		}
		if Code(err) != "" {
			refused, err = err, nil
		}
		return err
	})
	if err == nil && refused != nil {
		s.cfg.Log.Warn("sandbox: a scheduled message was not posted", "channel", row.Conversation, "error", refused)
	}
	return err
}
