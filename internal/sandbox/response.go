package sandbox

import (
	"encoding/json"
	"io"
	"net/http"
	"time"

	"frontdesk/internal/sandbox/richtext"
)

// A response URL lets an app answer an interaction for a limited time and number of
// times.
const (
	responseLife = 30 * time.Minute
	responseUses = 5
)

// reply is what an app sends to a response URL.
type reply struct {
	Type            string          `json:"response_type"`
	Text            string          `json:"text"`
	Blocks          json.RawMessage `json:"blocks"`
	Attachments     json.RawMessage `json:"attachments"`
	ThreadTS        string          `json:"thread_ts"`
	ReplaceOriginal flexible        `json:"replace_original"`
	DeleteOriginal  flexible        `json:"delete_original"`
}

// flexible is a boolean that may be sent as text.
type flexible bool

func (f *flexible) UnmarshalJSON(b []byte) error {
	*f = string(b) == "true" || string(b) == `"true"`
	return nil
}

// serveResponseURL does what an app sends about an interaction.
func (s *Sandbox) serveResponseURL(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	var said reply
	if err != nil || json.Unmarshal(raw, &said) != nil {
		w.WriteHeader(http.StatusBadRequest)
		s.answer(w, object{"ok": false, "error": "invalid_payload"})
		return
	}
	err = s.write(r.Context(), func(t *tx) error { return t.reply(r.PathValue("team"), r.PathValue("key"), said) })
	switch code := Code(err); {
	case code == "expired_url" || code == "used_url":
		w.WriteHeader(http.StatusNotFound)
		s.answer(w, object{"ok": false, "error": code})
	case err != nil:
		s.refusal(w, err)
	default:
		s.answer(w, object{"ok": true})
	}
}

func (t *tx) reply(team, key string, said reply) error {
	var appID, user, conversation string
	var ts, uses, created int64
	var ephemeral bool
	err := t.Row("SELECT app_id, user_id, conversation_id, ts, ephemeral, uses, created_at FROM response_urls WHERE id = $1 AND team_id = $2", key, team).
		Scan(&appID, &user, &conversation, &ts, &ephemeral, &uses, &created)
	switch {
	case err != nil:
		return missing(err, "expired_url")
	case t.now.Sub(time.UnixMilli(created)) > responseLife:
		return refuse("expired_url")
	case uses >= responseUses:
		return refuse("used_url")
	}
	t.run("UPDATE response_urls SET uses = uses + 1 WHERE id = $1", key)
	c, err := t.conversation(team, conversation)
	if err != nil {
		return err
	}
	bot := t.bot(team, appID)
	switch {
	case bool(said.DeleteOriginal) && ephemeral:
		t.run("DELETE FROM ephemerals WHERE conversation_id = $1 AND ts = $2", c.ID, ts)
		t.tell(team, change{Kind: ephemeralChanged, Channel: c.ID, TS: showTS(ts), user: user})
	case bool(said.DeleteOriginal):
		err = t.remove(bot, c, showTS(ts))
	case bool(said.ReplaceOriginal) && ephemeral:
		err = t.replaceEphemeral(c, ts, user, said)
	case bool(said.ReplaceOriginal):
		r := revision{Text: &said.Text, Blocks: said.Blocks, Attachments: said.Attachments}
		_, err = t.edit(bot, c, showTS(ts), r)
	default:
		p := posting{Text: said.Text, Blocks: said.Blocks, Attachments: said.Attachments, ThreadTS: said.ThreadTS}
		if said.Type == "in_channel" {
			_, err = t.post(bot, c, p)
		} else {
			_, err = t.whisper(bot, c, user, p)
		}
	}
	return err
}

// bot returns an app's bot as the actor.
func (t *tx) bot(team, appID string) *actor {
	_, in := t.installed(team, appID)
	return &actor{Team: team, User: in.BotUser, App: appID, Bot: in.BotID, IsBot: true, Scopes: in.BotScopes}
}

// ephemerals lists what only one member sees in a conversation.
func (t *tx) ephemerals(c *conversation, user string) []*messageRow {
	return rowsOf(t, func(scan func(...any) error) (*messageRow, error) {
		var m messageRow
		return &m, scan(&m.ts, &m.threadTS, fromJSON(&m.Message))
	}, "SELECT ts, thread_ts, body FROM ephemerals WHERE conversation_id = $1 AND user_id = $2 ORDER BY ts", c.ID, user)
}

// ephemeral returns one of them.
func (t *tx) ephemeral(c *conversation, user, ts string) (*messageRow, error) {
	for _, m := range t.ephemerals(c, user) {
		if m.TS == ts {
			return m, nil
		}
	}
	return nil, refuse("message_not_found")
}

func (t *tx) replaceEphemeral(c *conversation, ts int64, user string, said reply) error {
	m, err := t.ephemeral(c, user, showTS(ts))
	if err != nil {
		return err
	}
	if m.Blocks, err = checkBlocks(said.Blocks, "blocks", maxMessageBlocks); err != nil {
		return err
	}
	m.Text = richtext.LinkAddresses(said.Text)
	if m.Blocks == nil && m.Text != "" {
		m.Blocks = richText(m.Text)
	}
	t.run("UPDATE ephemerals SET body = $3 WHERE conversation_id = $1 AND ts = $2", c.ID, ts, m.body())
	t.tell(c.TeamID, change{Kind: ephemeralChanged, Channel: c.ID, TS: m.TS, ThreadTS: m.ThreadTS, user: user})
	return nil
}
