package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/sqldb/dbtest"
)

// sandboxPage makes the calls that the sandbox page makes in a browser, as one person.
type sandboxPage struct {
	t      *testing.T
	p      *process
	token  string // the person's token
	stream *bufio.Scanner
}

// actAs uses an access token to get a person's sandbox token.
func (p *process) actAs(t *testing.T, token, user string) *sandboxPage {
	t.Helper()
	var made struct{ Token struct{ Secret string } }
	p.post(t, token, "/sandbox/token", map[string]any{"user_id": user}, &made)
	return &sandboxPage{t: t, p: p, token: made.Token.Secret}
}

// post creates something through the API.
func (p *process) post(t testing.TB, token, path string, body, v any) {
	t.Helper()
	status, got, _, err := call{method: "POST", path: path, token: token, body: body}.do(t.Context(), http.DefaultClient, p.url)
	if err == nil && status != http.StatusCreated {
		err = fmt.Errorf("%d %s", status, got)
	}
	if err == nil {
		err = json.Unmarshal(got, v)
	}
	if err != nil {
		t.Fatalf("POST %s: %v", path, err)
	}
}

// send sends something to the sandbox and expects it to succeed.
func (s *sandboxPage) send(path, kind string, body io.Reader, v any) {
	s.t.Helper()
	if said := s.ask(path, kind, body, v); said != "" {
		s.t.Fatalf("%s: %s", path, said)
	}
}

// ask is send for a call that may be refused. It returns the error.
func (s *sandboxPage) ask(path, kind string, body io.Reader, v any) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", s.p.url+path, body)
	must(s.t, err)
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", kind)
	w, err := http.DefaultClient.Do(r)
	must(s.t, err)
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	must(s.t, err)
	var said struct{ OK bool }
	if json.Unmarshal(text, &said) != nil || !said.OK {
		return w.Status + " " + string(text)
	}
	must(s.t, json.Unmarshal(text, v))
	return ""
}

// call calls a method of Slack's Web API.
func (s *sandboxPage) call(method string, v any, pairs ...string) {
	s.t.Helper()
	args := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		args.Set(pairs[i], pairs[i+1])
	}
	s.send("/sandbox/api/"+method, "application/x-www-form-urlencoded", strings.NewReader(args.Encode()), v)
}

// act does what Slack's API has no method for.
func (s *sandboxPage) act(name string, what map[string]any, v any) {
	s.t.Helper()
	body, err := json.Marshal(what)
	must(s.t, err)
	s.send("/sandbox/act/"+name, "application/json", bytes.NewReader(body), v)
}

// listen opens the stream. It ends with the test or with the server.
func (s *sandboxPage) listen() {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "GET", s.p.url+"/sandbox/stream", nil)
	must(s.t, err)
	r.Header.Set("Authorization", "Bearer "+s.token)
	w, err := http.DefaultClient.Do(r)
	must(s.t, err)
	s.t.Cleanup(func() { w.Body.Close() })
	s.stream = bufio.NewScanner(w.Body)
	s.hears(`{"type":"hello"}`)
}

// hears reads the stream until a line contains the text.
func (s *sandboxPage) hears(want string) {
	s.t.Helper()
	for s.stream.Scan() {
		if strings.Contains(s.stream.Text(), want) {
			return
		}
	}
	s.t.Fatalf("the stream has ended before %s", want)
}

type pageMessage struct {
	TS, User, Text string
	Blocks         []pageBlock
	Attachments    []struct{ Blocks []pageBlock }
	Files          []struct{ Name string }
	Reactions      []struct{ Name string }
}

type pageBlock struct {
	Type     string
	BlockID  string `json:"block_id"`
	Elements []struct {
		ActionID string `json:"action_id"`
	}
}

// A server without any setting offers the sandbox. An admin can try it without a
// restart, and the sandbox page can do what people do there.
func TestPlainServerOffersTheSandbox(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, database string) {
		in := install(t, database)
		token := in.account()
		p := in.start()
		type sandboxShown struct {
			Sandbox struct {
				Connected, Offered bool
				TeamID             string `json:"team_id"`
				Users              []struct{ ID, Name, Email, Avatar string }
			}
		}
		var shown sandboxShown
		p.get(t, token, "/sandbox", &shown)
		if shown.Sandbox.Connected || !shown.Sandbox.Offered {
			t.Fatalf("it is not offered: %+v", shown)
		}
		// A person who asks for Slack is not sent to the sandbox.
		status, body, _, err := call{method: "POST", path: "/integrations", token: token, body: map[string]any{"kind": "slack"}}.do(t.Context(), http.DefaultClient, p.url)
		if err != nil || status != http.StatusNotAcceptable || !strings.Contains(string(body), "/v1/rest/sandbox") {
			t.Errorf("Slack, which this server has no app for: %d %s %v", status, body, err)
		}
		p.post(t, token, "/sandbox", nil, &shown)
		if !shown.Sandbox.Connected || shown.Sandbox.Offered || len(shown.Sandbox.Users) != 9 || shown.Sandbox.Users[0].Email != "admin@acme.test" {
			t.Fatalf("connected, it is %+v", shown)
		}
		r, err := http.Get(p.url + shown.Sandbox.Users[0].Avatar)
		must(t, err)
		r.Body.Close()
		if r.Header.Get("Content-Type") != "image/svg+xml" {
			t.Errorf("the picture at %s is %s", shown.Sandbox.Users[0].Avatar, r.Status)
		}
		ids := map[string]string{}
		for _, u := range shown.Sandbox.Users {
			first, _, _ := strings.Cut(u.Name, " ")
			ids[first] = u.ID
		}
		await(t, "the people", func() bool {
			var got struct{ Users []any }
			p.get(t, token, "/users", &got)
			return len(got.Users) >= 9
		})
		// An admin whose account is alone on the sandbox may make changes that would affect others.
		d := openDoors(t, in, p)
		d.opens("a stranger", p.url, "", 401, 401, 200)
		d.opens("an admin who is alone", p.url, d.signIn(in, "admin@acme.test"), 200, 200, 200)
		maya, ines := p.actAs(t, token, ids["Maya"]), p.actAs(t, token, ids["Ines"])
		tryThePage(t, p, token, maya, ines, ids)

		must(t, p.Process.Signal(os.Interrupt)) // while a stream is open
		for maya.stream.Scan() {
		}
		if err := p.Wait(); err != nil {
			t.Errorf("it ended with %v:\n%s", err, p.logs)
		}
		p = in.start()
		p.get(t, token, "/sandbox", &shown)
		if !shown.Sandbox.Connected {
			t.Errorf("after a restart it is %+v", shown)
		}
	})
}

// tryThePage makes the calls of the sandbox page as two people.
func tryThePage(t *testing.T, p *process, token string, maya, ines *sandboxPage, ids map[string]string) {
	var made struct{ Channel struct{ ID string } }
	maya.call("conversations.create", &made, "name", "triage")
	triage := made.Channel.ID
	ines.call("conversations.create", &made, "name", "harbor-pine")
	harbor := made.Channel.ID // the server knows both channels at once
	var c struct{ Collection struct{ ID int64 } }
	p.post(t, token, "/collections", map[string]any{"name": "Chat", "kind": "chat", "triage_channel_id": triage}, &c)
	p.post(t, token, fmt.Sprintf("/collections/%d/channels", c.Collection.ID), map[string]any{"channels": []any{map[string]any{"id": harbor}}}, &struct{}{})
	var people struct{ Members []string }
	await(t, "the bot in both", func() bool {
		maya.call("conversations.members", &people, "channel", triage)
		n := len(people.Members)
		ines.call("conversations.members", &people, "channel", harbor)
		return n > 1 && len(people.Members) > 1
	})

	maya.call("conversations.join", &made, "channel", harbor)
	maya.listen()
	var sent struct{ TS string }
	ines.call("chat.postMessage", &sent, "channel", harbor, "text", "The label printer is broken <again>, can you help?")
	maya.hears(sent.TS)
	var list struct{ Channels []struct{ ID string } }
	maya.call("conversations.list", &list, "types", "public_channel,private_channel,im,mpim", "limit", "1000")
	if len(list.Channels) < 3 {
		t.Errorf("the channels are %+v", list)
	}
	maya.call("reactions.add", &struct{}{}, "channel", harbor, "timestamp", sent.TS, "name", "eyes")
	maya.call("reactions.remove", &struct{}{}, "channel", harbor, "timestamp", sent.TS, "name", "eyes")
	ines.call("reactions.add", &struct{}{}, "channel", harbor, "timestamp", sent.TS, "name", "wave")
	var reply struct{ TS string }
	ines.call("chat.postMessage", &reply, "channel", harbor, "thread_ts", sent.TS, "text", "It prnts nothing")
	maya.hears(fmt.Sprintf(`"ts":%q,"thread_ts":%q`, reply.TS, sent.TS))
	ines.call("chat.update", &struct{}{}, "channel", harbor, "ts", reply.TS, "text", "It prints nothing")
	var gone struct{ TS string }
	ines.call("chat.postMessage", &gone, "channel", harbor, "text", "oops")
	ines.call("chat.delete", &struct{}{}, "channel", harbor, "ts", gone.TS)

	var place struct {
		URL  string `json:"upload_url"`
		File string `json:"file_id"`
	}
	ines.call("files.getUploadURLExternal", &place, "filename", "label.txt", "length", "4")
	at, err := url.Parse(place.URL)
	must(t, err)
	r, err := http.Post(p.url+at.Path, "application/octet-stream", strings.NewReader("text"))
	must(t, err)
	r.Body.Close()
	ines.call("files.completeUploadExternal", &struct{}{}, "files", `[{"id":"`+place.File+`","title":"label.txt"}]`, "channel_id", harbor, "thread_ts", sent.TS)

	var thread, history struct{ Messages []pageMessage }
	maya.call("conversations.replies", &thread, "channel", harbor, "ts", sent.TS)
	if n := len(thread.Messages); n < 3 || thread.Messages[0].Reactions[0].Name != "wave" || thread.Messages[1].Text != "It prints nothing" || thread.Messages[n-1].Files[0].Name != "label.txt" {
		t.Errorf("the thread is %+v", thread)
	}
	maya.call("conversations.history", &history, "channel", harbor, "limit", "50")
	for _, m := range history.Messages {
		if m.Text == "oops" {
			t.Error("what was deleted is there")
		}
	}

	// The card, its buttons and its form.
	var card pageMessage
	button := func(action string) map[string]any {
		blocks := card.Blocks
		for _, a := range card.Attachments {
			blocks = append(blocks, a.Blocks...)
		}
		for _, b := range blocks {
			for _, e := range b.Elements {
				if e.ActionID == action {
					return map[string]any{"channel": triage, "ts": card.TS, "block_id": b.BlockID, "action_id": action}
				}
			}
		}
		return nil
	}
	// showsCard looks for the card of the request, with a button. A message that was
	// deleted may have had a newer card for a moment.
	showsCard := func(action string) func() bool {
		return func() bool {
			maya.call("conversations.history", &history, "channel", triage)
			for _, m := range slices.Backward(history.Messages) {
				if card = m; button(action) != nil {
					return true
				}
			}
			return false
		}
	}
	// press presses a button of the card. If the card is updated between looking and pressing, the press hits
	// another button and nothing happens. The test then looks again, as a person would.
	press := func(action string) {
		t.Helper()
		var said string
		defer func() {
			if t.Failed() {
				t.Log("the last time: ", said)
			}
		}()
		shows := showsCard(action)
		await(t, "a press of "+action, func() bool {
			if !shows() {
				said = "there is no such button"
				return false
			}
			body, err := json.Marshal(button(action))
			must(t, err)
			said = maya.ask("/sandbox/act/press", "application/json", bytes.NewReader(body), &struct{}{})
			return said == ""
		})
	}
	press("edit")
	maya.hears(`{"type":"view"}`)
	var open struct {
		Views []struct {
			ID     string
			Blocks []struct {
				Element struct {
					Type     string
					ActionID string `json:"action_id"`
				}
			}
		}
	}
	maya.act("views", nil, &open)
	if len(open.Views) != 1 {
		t.Fatalf("the forms that are open: %+v", open)
	}
	values := map[string]any{}
	for _, b := range open.Views[0].Blocks {
		if b.Element.Type == "plain_text_input" {
			values[b.Element.ActionID] = "Printer at the dock"
		}
	}
	// A server that is too busy for the time that a chat system waits asks to try again.
	await(t, "the form to be taken", func() bool {
		body, err := json.Marshal(map[string]any{"view": open.Views[0].ID, "values": values})
		must(t, err)
		return maya.ask("/sandbox/act/submit", "application/json", bytes.NewReader(body), &struct{}{}) == ""
	})
	await(t, "what was filled in", func() bool {
		var got struct{ Requests []struct{ Title string } }
		p.get(t, token, "/requests", &got)
		return len(got.Requests) == 1 && got.Requests[0].Title == "Printer at the dock"
	})
	press("take")
	await(t, "who took it", func() bool {
		var got struct {
			Requests []struct {
				Assignee *struct{ ID string }
			}
		}
		p.get(t, token, "/requests", &got)
		return got.Requests[0].Assignee != nil && got.Requests[0].Assignee.ID == ids["Maya"]
	})
}

// A server that other machines can reach does not offer the sandbox without being told to.
func TestPublicServerDoesNotOfferTheSandbox(t *testing.T) {
	t.Parallel()
	in := install(t, t.TempDir()+"/frontdesk.db")
	token := in.account()
	for name, tt := range map[string]struct {
		args    []string
		offered bool
	}{
		"a public address":        {[]string{"--url", "https://desk.example"}, false},
		"an app of its own":       {[]string{"--slack-client-id=1", "--slack-client-secret=2", "--slack-signing-secret=3"}, false},
		"its operator says so":    {[]string{"--url", "https://desk.example", "--sandbox"}, true},
		"and to other machines":   {[]string{"--url", "https://desk.example", "--sandbox-remote"}, true},
		"a name for this machine": {[]string{"--url", "http://localhost:9999"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := in.start(tt.args...)
			defer func() { p.Process.Kill(); p.Wait() }() // a data folder has one server
			var shown struct {
				Sandbox struct{ Connected, Offered bool }
			}
			p.get(t, token, "/sandbox", &shown)
			if shown.Sandbox.Offered != tt.offered || shown.Sandbox.Connected {
				t.Errorf("it is %+v", shown)
			}
			r, err := http.NewRequest("GET", p.url+"/sandbox/api/api.test", nil)
			must(t, err)
			r.Header.Set("X-Forwarded-For", "192.0.2.7")
			w, err := http.DefaultClient.Do(r)
			must(t, err)
			w.Body.Close()
			if remote := strings.Contains(name, "other machines"); (w.StatusCode == http.StatusOK) != remote {
				t.Errorf("from another machine: %s", w.Status)
			}
			if tt.offered {
				return
			}
			status, body, _, err := call{method: "POST", path: "/sandbox", token: token}.do(t.Context(), http.DefaultClient, p.url)
			if err != nil || status != http.StatusNotAcceptable {
				t.Errorf("made nonetheless: %d %s %v", status, body, err)
			}
		})
	}
}
