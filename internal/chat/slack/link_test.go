package slack_test

import (
	"errors"
	"testing"

	"frontdesk/internal/chat"
	"frontdesk/internal/chat/slack"
)

// A link leads to its message, in whatever form people paste it, and never to a
// message of another workspace.
func TestLinked(t *testing.T) {
	app := slack.New(slack.Config{})
	acme := chat.Installation{Workspace: "T1", URL: "https://acme.slack.example/"}
	box := chat.Installation{Workspace: "T1", URL: "http://127.0.0.1:8080/sandbox"}
	at := chat.Ref{Channel: "C1", ID: "1778662800.000100"}
	for _, c := range []struct {
		in   chat.Installation
		link string
		err  error
	}{
		{acme, "https://acme.slack.example/archives/C1/p1778662800000100", nil},
		{acme, " https://acme.slack.example/archives/C1/p1778662800000100/\n", nil},
		{acme, "http://ACME.slack.example/archives/C1/p1778662800000100?thread_ts=1778662700.000100&cid=C1#x", nil},
		{box, "http://127.0.0.1:8080/sandbox/archives/C1/p1778662800000100", nil},
		{chat.Installation{}, "https://acme.slack.example/archives/C1/p1778662800000100", nil}, // unknown workspace
		{acme, app.Link(acme, at, "1778662700.000100"), nil},
		{box, "http://127.0.0.1:8080/archives/C1/p1778662800000100", chat.ErrElsewhere},
		{box, "http://127.0.0.1:8081/sandbox/archives/C1/p1778662800000100", chat.ErrElsewhere},
		{acme, "https://acme.slack.example.evil.example/archives/C1/p1778662800000100", chat.ErrElsewhere},
		{acme, "", chat.ErrNoLink},
		{acme, "acme.slack.example/archives/C1/p1778662800000100", chat.ErrNoLink},
		{acme, "ftp://acme.slack.example/archives/C1/p1778662800000100", chat.ErrNoLink},
		{acme, "https:///archives/C1/p1778662800000100", chat.ErrNoLink},
		{acme, "https://acme.slack.example/archives/C1", chat.ErrNoLink},
		{acme, "https://acme.slack.example/archives//p1778662800000100", chat.ErrNoLink},
		{acme, "https://acme.slack.example/archives/C1/1778662800000100", chat.ErrNoLink},
		{acme, "https://acme.slack.example/archives/C1/p000100", chat.ErrNoLink},
		{acme, "https://acme.slack.example/archives/C1/p1778662800000100/more", chat.ErrNoLink},
		{acme, "https://acme.slack.example/archives/C1/p1778662800000100999999", chat.ErrNoLink},
		{acme, "https://acme.slack.example/archives/c1%2F..%2F/p1778662800000100", chat.ErrNoLink},
		{acme, "https://acme.slack.example/archives/C1/p%00", chat.ErrNoLink},
		{acme, "https://%zz", chat.ErrNoLink},
	} {
		got, err := app.Linked(c.in, c.link)
		if !errors.Is(err, c.err) || c.err == nil && (err != nil || got != at) {
			t.Errorf("%q leads to %v, %v, want %v", c.link, got, err, c.err)
		}
	}
}
