package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// slackDouble is the part of Slack's Web API that is needed to fetch messages that
// Acme's bot can read.
type slackDouble struct{}

// slackMessages are its messages, by channel and ts. The bot is not in C_HARBOR.
var slackMessages = map[string]string{
	"C_HELP 1778662800.000100": `{"type":"message","user":"U_MIRA","text":"*Maintenance* on Sunday","ts":"1778662800.000100"}`,
	"C_HELP 1778662800.000300": `{"type":"message","user":"U_MIRA","text":"","ts":"1778662800.000300","files":[{"id":"F1","name":"a.zip","size":104857600}]}`,
	"C_HELP 1778662800.000400": `{"type":"message","user":"U_MIRA","text":"","ts":"1778662800.000400","files":[{"id":"F1","name":"a.zip","size":104857600},{"id":"F2","name":"b","size":1}]}`,
	"C_HELP 1778662800.000200": `{"type":"message","user":"U_MIRA","text":"","ts":"1778662800.000200"}`,
	"C_HELP 1778662800.000500": `{"type":"message","subtype":"thread_broadcast","user":"U_JO","text":"On Monday","ts":"1778662800.000500","thread_ts":"1778662800.000100"}`,
}

func (slackDouble) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	args, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, err
	}
	answer := `{"ok":false,"error":"unknown_method"}`
	switch message := slackMessages[args.Get("channel")+" "+args.Get("ts")]; {
	case r.Header.Get("Authorization") != "Bearer xoxb-acme":
		answer = `{"ok":false,"error":"invalid_auth"}`
	case path.Base(r.URL.Path) == "auth.test":
		answer = `{"ok":true,"user_id":"U_DESK","bot_id":"B_DESK"}`
	case args.Get("channel") == "C_HARBOR":
		answer = `{"ok":false,"error":"not_in_channel"}`
	case path.Base(r.URL.Path) == "conversations.history":
		answer = slackHistory(args.Get("channel"), args.Get("limit"))
	case path.Base(r.URL.Path) != "conversations.replies":
	case message == "":
		answer = `{"ok":false,"error":"thread_not_found"}`
	default:
		answer = `{"ok":true,"messages":[` + message + `],"has_more":false}`
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
}

// slackHistory returns the newest messages of a channel, newest first as in Slack,
// followed by a notice.
func slackHistory(channel, limit string) string {
	all := []string{`{"type":"message","subtype":"channel_join","user":"U_MIRA","text":"<@U_MIRA> has joined the channel","ts":"1778662700.000100"}`}
	for _, at := range slices.Sorted(maps.Keys(slackMessages)) {
		if strings.HasPrefix(at, channel+" ") {
			all = append(all, slackMessages[at])
		}
	}
	slices.Reverse(all)
	most, err := strconv.Atoi(limit)
	if err != nil {
		return `{"ok":false,"error":"invalid_limit"}`
	}
	more := len(all) > most
	if more {
		all = all[:most]
	}
	return fmt.Sprintf(`{"ok":true,"messages":[%s],"has_more":%t}`, strings.Join(all, ","), more)
}

// addCredentials stores credentials for Acme's chat system: for the bot, for Mira,
// and for the admin, once they have joined.
func addCredentials(tx *store.Tx, i desk.IntegrationID) error {
	for user, c := range map[string]chat.Credential{"": {User: "U_DESK", Token: "xoxb-acme"}, "U_MIRA": {User: "U_MIRA", Token: "xoxp-mira"}, "U_ADMIN": {User: "U_ADMIN", Token: "xoxp-admin"}} {
		secret, err := json.Marshal(c)
		if err != nil {
			return err
		}
		if err := tx.PutCredential(i, user, secret); err != nil {
			return err
		}
	}
	return nil
}

// send sends the oldest announcement of Acme that is due to some channels, as
// 1778663000.000001 and so on. It fails in its other channels.
func (s *stage) send(channels []string) error {
	return s.store.Write(context.Background(), s.callers["admin"].Account, func(tx *store.Tx) error {
		due, err := tx.PendingAnnouncements(0, 1)
		if err != nil || len(due) == 0 {
			return fmt.Errorf("nothing is due (%v)", err)
		}
		id := due[0].ID
		for n := 1; ; n++ {
			c, ok, err := tx.NextCopy(id)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if c.External != "" { // a copy that shows an older text
				if err := tx.SettleEffect(c.Effect, ""); err != nil {
					return err
				}
				continue
			}
			failure := "The Slack channel is archived."
			if slices.Contains(channels, c.Channel) {
				c.External, failure = fmt.Sprintf("1778663000.%06d", n), ""
			}
			if err := errors.Join(tx.SettleEffect(c.Effect, failure), tx.CountCopy(id, c, failure)); err != nil {
				return err
			}
		}
		a, err := tx.Announcement(id, desk.Everything)
		if err != nil {
			return err
		}
		now := tx.Now
		a.Status, a.SentAt = desk.AnnouncementIsSent, &now
		if err := tx.SaveAnnouncementStatus(a); err != nil {
			return err
		}
		if err := tx.SyncedTo(id, 1); err != nil {
			return err
		}
		return tx.Record(desk.Change{By: desk.Actor{Name: "delivery", Source: desk.SourceSystem}, Event: desk.AnnouncementSent, Resource: "Announcement", ID: fmt.Sprint(id), After: a})
	})
}

// hear makes Acme's chat system report a message (channel, its ts, user, text), or
// a reaction or a reply to one: channel, message, user, and the emoji or the ts and
// the text.
func (s *stage) hear(word, rest string) error {
	part := strings.SplitN(rest, " ", 5)
	if word == "says" {
		part = strings.SplitN(rest, " ", 4)
	}
	if len(part) < 4 {
		return fmt.Errorf("a channel, a message, a user and more is needed")
	}
	e := chat.Event{System: "slack", Workspace: s.ids["workspace"], At: s.clock()}
	at := chat.Ref{Channel: part[0], ID: part[1]}
	switch {
	case word == "says":
		e.Message = &chat.Message{Ref: at, Author: part[2], HTML: "<p>" + part[3] + "</p>", At: s.clock()}
	case word == "reacts":
		e.Reacted = &chat.Reacted{Ref: at, User: part[2], Emoji: part[3], On: true}
	case word == "unsays":
		e.Removed = &chat.Removed{Ref: chat.Ref{Channel: at.Channel, ID: part[3]}, Thread: at.ID}
	default:
		e.Message = &chat.Message{Ref: chat.Ref{Channel: at.Channel, ID: part[3]}, Thread: at.ID, Author: part[2], HTML: "<p>" + part[4] + "</p>", At: s.clock()}
	}
	return s.worker.Receive(context.Background(), e)
}
