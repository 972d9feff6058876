package slack_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/chat/chattest"
	"frontdesk/internal/sandbox"
)

// client is Slack's client, used by one person.
type client struct {
	*process
	user string
}

func person(p *process, id, name string) chattest.Person {
	return chattest.Person{ID: id, Name: name, Client: client{p, id}}
}

func (c client) call(method string, a args, into any) error {
	token, err := c.token(c.user)
	if err != nil {
		return err
	}
	return c.process.call(token, method, a, into)
}

func (c client) act(what string, a, into any) error {
	token, err := c.token(c.user)
	if err != nil {
		return err
	}
	return c.process.act(token, what, a, into)
}

// typed returns a text as Slack's client sends it.
func typed(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

func (c client) Say(channel, thread, text string, files ...chattest.File) (chat.Ref, error) {
	if len(files) > 0 {
		return c.share(channel, thread, text, files)
	}
	var said struct{ TS string }
	err := c.call("chat.postMessage", args{"channel": channel, "thread_ts": thread, "text": typed(text)}, &said)
	return chat.Ref{Channel: channel, ID: said.TS}, err
}

// share uploads files and posts them with a text.
func (c client) share(channel, thread, text string, files []chattest.File) (at chat.Ref, err error) {
	var ids []map[string]string
	for _, f := range files {
		var ticket struct {
			UploadURL string `json:"upload_url"`
			FileID    string `json:"file_id"`
		}
		if err := c.call("files.getUploadURLExternal", args{"filename": f.Name, "length": strconv.Itoa(len(f.Content))}, &ticket); err != nil {
			return at, err
		}
		if _, err := fetch(http.Post(ticket.UploadURL, "application/octet-stream", bytes.NewReader(f.Content))); err != nil {
			return at, err
		}
		ids = append(ids, map[string]string{"id": ticket.FileID, "title": f.Name})
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return at, err
	}
	if err := c.call("files.completeUploadExternal", args{"files": string(list), "channel_id": channel, "thread_ts": thread,
		"initial_comment": typed(text)}, nil); err != nil {
		return at, err
	}
	var info struct{ File sandbox.File }
	if err := c.call("files.info", args{"file": ids[0]["id"]}, &info); err != nil {
		return at, err
	}
	for _, rooms := range info.File.Shares {
		if sent := rooms[channel]; len(sent) > 0 {
			return chat.Ref{Channel: channel, ID: sent[0].TS}, nil
		}
	}
	return at, fmt.Errorf("the file %s is shown nowhere in %s", ids[0]["id"], channel)
}

func (c client) Edit(at chat.Ref, text string) error {
	return c.call("chat.update", args{"channel": at.Channel, "ts": at.ID, "text": typed(text)}, nil)
}

func (c client) Delete(at chat.Ref) error {
	return c.call("chat.delete", args{"channel": at.Channel, "ts": at.ID}, nil)
}

func (c client) React(at chat.Ref, emoji string, on bool) error {
	method := map[bool]string{true: "reactions.add", false: "reactions.remove"}[on]
	return c.call(method, args{"channel": at.Channel, "timestamp": at.ID, "name": emoji}, nil)
}

// pages reads all pages of a method that returns messages.
func (c client) pages(method string, a args) (all []sandbox.Message, err error) {
	for {
		var page struct {
			Messages []sandbox.Message
			Metadata struct {
				Next string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		if err := c.call(method, a, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Messages...)
		if a["cursor"] = page.Metadata.Next; a["cursor"] == "" {
			return all, nil
		}
	}
}

// notices are Slack's own messages, and what it leaves of a removed one.
var notices = regexp.MustCompile(`^(channel_|tombstone$)`)

func (c client) messages(channel string) (all []sandbox.Message, err error) {
	top, err := c.pages("conversations.history", args{"channel": channel, "limit": "999"})
	if err != nil {
		return nil, err
	}
	for _, m := range top {
		if m.ReplyCount > 0 {
			thread, err := c.pages("conversations.replies", args{"channel": channel, "ts": m.TS, "limit": "999"})
			if err != nil {
				return nil, err
			}
			all = append(all, thread[1:]...)
		}
		all = append(all, m)
	}
	all = slices.DeleteFunc(all, func(m sandbox.Message) bool { return notices.MatchString(m.Subtype) })
	slices.SortFunc(all, func(a, b sandbox.Message) int { return cmp.Compare(a.TS, b.TS) })
	return all, nil
}

func (c client) whispers(channel string) ([]sandbox.Message, error) {
	var said struct{ Messages []sandbox.Message }
	err := c.act("ephemerals", args{"channel": channel}, &said)
	return said.Messages, err
}

func (c client) Read(channel string) (all []chattest.Shown, err error) {
	seen, err := c.messages(channel)
	if err != nil {
		return nil, err
	}
	whispers, err := c.whispers(channel)
	if err != nil {
		return nil, err
	}
	names, err := c.names()
	if err != nil {
		return nil, err
	}
	for i, m := range append(seen, whispers...) {
		shown := chattest.Shown{Ref: chat.Ref{Channel: channel, ID: m.TS}, Author: cmp.Or(m.Username, names[m.User]), Only: i >= len(seen)}
		if m.ThreadTS != m.TS {
			shown.Thread = m.ThreadTS
		}
		look(&shown, m)
		for _, r := range m.Reactions {
			shown.Emoji = append(shown.Emoji, r.Name)
		}
		for _, f := range m.Files {
			content, err := c.download(f.URLPrivate)
			if err != nil {
				return nil, err
			}
			shown.Files = append(shown.Files, chattest.File{Name: f.Name, Content: content})
		}
		all = append(all, shown)
	}
	return all, nil
}

// names returns the names that people are shown under.
func (c client) names() (map[string]string, error) {
	var said struct{ Members []sandbox.User }
	err := c.call("users.list", args{}, &said)
	names := map[string]string{}
	for _, u := range said.Members {
		names[u.ID] = cmp.Or(u.Profile.DisplayName, u.RealName)
	}
	return names, err
}

func (c client) download(address string) ([]byte, error) {
	token, err := c.token(c.user)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	return fetch(http.DefaultClient.Do(req))
}

// text is a text of a block.
type text struct {
	Type string
	Text string
}

// seen returns a text as a person sees it.
func (t text) seen() string {
	if t.Type == "plain_text" {
		return t.Text
	}
	return readable(t.Text)
}

var marked = regexp.MustCompile(`<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>`)

// readable returns Slack's markup as a person reads it, except for bold and the
// like.
func readable(mrkdwn string) string {
	return html.UnescapeString(marked.ReplaceAllStringFunc(mrkdwn, func(s string) string {
		m := marked.FindStringSubmatch(s)
		return map[string]string{"!": "@", "#": "#", "@": "@"}[m[1]] + cmp.Or(m[3], m[2])
	}))
}

// block is the part of a block that people see and use.
type block struct {
	Type     string
	BlockID  string `json:"block_id"`
	Text     text
	Fields   []text
	Elements []struct {
		Type     string
		ActionID string `json:"action_id"`
		Text     json.RawMessage
		Style    chat.ButtonStyle
	}
}

// blocksOf returns the blocks that an app gave a message, and the colour at their
// side. It leaves out those that Slack makes from plain text.
func blocksOf(m sandbox.Message) (all []block, colour string) {
	var blocks []block
	json.Unmarshal(m.Blocks, &blocks)
	for _, b := range blocks {
		if b.Type != "rich_text" {
			all = append(all, b)
		}
	}
	var attachments []struct {
		Color  string
		Blocks []block
	}
	json.Unmarshal(m.Attachments, &attachments)
	for _, a := range attachments {
		all, colour = append(all, a.Blocks...), a.Color
	}
	return all, colour
}

// look returns what a message looks like: its blocks or, without any, its text.
func look(shown *chattest.Shown, m sandbox.Message) {
	blocks, colour := blocksOf(m)
	if shown.Colour = colour; colour != "" && !strings.HasPrefix(colour, "#") {
		shown.Colour = "#" + colour
	}
	if len(blocks) == 0 {
		shown.Text = readable(m.Text)
		return
	}
	var lines []string
	for _, b := range blocks {
		for _, t := range append([]text{b.Text}, b.Fields...) {
			if t.Text != "" {
				lines = append(lines, t.seen())
			}
		}
		for _, e := range b.Elements {
			switch e.Type {
			case "mrkdwn": // of a footer, which has its text directly in the element
				small := text{Type: e.Type}
				json.Unmarshal(e.Text, &small.Text)
				lines = append(lines, small.seen())
			case "button":
				var label text
				json.Unmarshal(e.Text, &label)
				shown.Buttons = append(shown.Buttons, chattest.ShownButton{Label: label.Text, Style: e.Style})
			}
		}
	}
	shown.Text = strings.Join(lines, "\n")
}

func (c client) Press(at chat.Ref, label string) error {
	seen, err := c.messages(at.Channel)
	if err != nil {
		return err
	}
	whispers, err := c.whispers(at.Channel)
	if err != nil {
		return err
	}
	for _, m := range append(seen, whispers...) {
		blocks, _ := blocksOf(m)
		for _, b := range blocks {
			for _, e := range b.Elements {
				var shown text
				if json.Unmarshal(e.Text, &shown); m.TS == at.ID && e.Type == "button" && shown.Text == label {
					return c.act("press", args{"channel": at.Channel, "ts": at.ID, "block_id": b.BlockID, "action_id": e.ActionID}, nil)
				}
			}
		}
	}
	return fmt.Errorf("%v has no button %q", at, label)
}

func (c client) Leave(away bool) error {
	return c.act("profile", map[string]any{"away": away}, nil)
}

func (c client) Rest(from, until time.Time) error {
	return c.act("profile", map[string]any{"dnd_start": from.Unix(), "dnd_end": until.Unix()}, nil)
}

// office is what the owner of a workspace can do.
type office struct {
	*process
	owner string
}

func (o office) mine() client { return client{o.process, o.owner} }

func (o office) Invite(name, email string, guest bool) (chattest.Person, error) {
	var said struct{ User sandbox.User }
	err := o.mine().act("invite", map[string]any{"real_name": name, "email": email, "guest": guest}, &said)
	return person(o.process, said.User.ID, name), err
}

func (o office) Rename(user, name string) error {
	return o.mine().act("profile", args{"user": user, "real_name": name, "display_name": name}, nil)
}

func (o office) Deactivate(user string) error {
	return o.mine().act("profile", map[string]any{"user": user, "deleted": true}, nil)
}

func (o office) Team(id, name string, members ...string) (string, error) {
	handle := strings.ReplaceAll(strings.ToLower(name), " ", "-")
	var said struct{ Usergroup sandbox.Usergroup }
	err := o.mine().act("usergroup", map[string]any{"id": id, "name": name, "handle": handle, "users": members}, &said)
	return said.Usergroup.ID, err
}

func (o office) Open(name string, private bool, members ...string) (string, error) {
	var said struct{ Channel sandbox.Conversation }
	err := o.mine().call("conversations.create", args{"name": name, "is_private": strconv.FormatBool(private)}, &said)
	if err == nil && len(members) > 0 {
		err = o.Admit(said.Channel.ID, members...)
	}
	return said.Channel.ID, err
}

func (o office) RenameChannel(channel, name string) error {
	return o.mine().call("conversations.rename", args{"channel": channel, "name": name}, nil)
}

func (o office) Archive(channel string) error {
	return o.mine().call("conversations.archive", args{"channel": channel}, nil)
}

func (o office) Admit(channel string, users ...string) error {
	return o.mine().call("conversations.invite", args{"channel": channel, "users": strings.Join(users, ",")}, nil)
}
