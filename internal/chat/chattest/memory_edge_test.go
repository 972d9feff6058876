package chattest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"frontdesk/internal/chat"
)

// edge receives what the system reports and delivers it.
type edge struct {
	workspace string
	deliver   chat.Deliver
}

func (d edge) hear(ctx context.Context, n note) error { return d.hand(ctx, n, d.event(n)) }

func (d edge) hand(ctx context.Context, n note, e chat.Event) error {
	e.System, e.Workspace, e.At = "memory", d.workspace, n.at
	return d.deliver(ctx, e)
}

func (d edge) event(n note) (e chat.Event) {
	switch n.what {
	case entryIs:
		e.Message = messageOf(d.workspace, &n.entry)
	case entryGone:
		e.Removed = &chat.Removed{Ref: refOf(&n.entry), Thread: n.entry.thread}
	case glyphIs:
		e.Reacted = &chat.Reacted{Ref: refOf(&n.entry), User: n.user, Emoji: nameOf(n.glyph), On: n.on}
	case peopleChanged:
		e.Changed = &chat.Changed{Part: chat.People}
	case forumsChanged:
		e.Changed = &chat.Changed{Part: chat.Channels}
	case teamIs:
		e.Team = teamOf(&n.group)
	case revoked:
		e.Lost = &chat.Lost{Users: n.users}
	}
	return e
}

// pressed reports a button press.
func (d edge) pressed(ctx context.Context, n note, k knob, trigger string) error {
	return d.hand(ctx, n, chat.Event{Action: &chat.Action{User: n.user, Button: k.key, Value: k.value,
		At: refOf(&n.entry), Thread: n.entry.thread, Trigger: trigger}})
}

// submitted reports a form, and returns what is wrong with it.
func (d edge) submitted(ctx context.Context, n note, s sheet) (wrong map[string]string, err error) {
	form, state, _ := strings.Cut(s.about, "\n")
	values := map[string]string{}
	for _, one := range s.slots {
		if one.value != "" {
			values[one.key] = one.value
		}
	}
	err = d.hand(ctx, n, chat.Event{Submission: &chat.Submission{User: n.user, Form: form, State: state, Values: values}})
	if said, ok := errors.AsType[chat.Rejection](err); ok {
		return said, nil
	}
	return nil, err
}

func refOf(e *entry) chat.Ref { return chat.Ref{Channel: e.forum, ID: e.id} }

// addressOf returns where people open an entry. It is the same in a thread.
func addressOf(workspace string, at chat.Ref) string {
	return "memory://" + workspace + "/" + at.Channel + "/" + at.ID
}

// linked parses an address.
func linked(workspace, address string) (at chat.Ref, err error) {
	rest, ok := strings.CutPrefix(address, "memory://")
	part := strings.Split(rest, "/")
	switch {
	case !ok || len(part) != 3 || part[1] == "" || part[2] == "":
		return at, chat.ErrNoLink
	case part[0] != workspace:
		return at, chat.ErrElsewhere
	}
	return chat.Ref{Channel: part[1], ID: part[2]}, nil
}

// messageOf returns an entry as the connector reports it.
func messageOf(workspace string, e *entry) *chat.Message {
	m := &chat.Message{Ref: refOf(e), Thread: e.thread, Author: e.author, Bot: e.app != "", Own: e.app == us, HTML: written(e.text),
		At: e.at, EditedAt: e.edited, Link: addressOf(workspace, refOf(e))}
	for _, f := range e.files {
		m.Files = append(m.Files, chat.File{ID: f.id, Name: f.name, Type: "application/octet-stream", Size: int64(len(f.content))})
	}
	return m
}

func teamOf(g *group) *chat.Team {
	return &chat.Team{ID: g.id, Name: g.name, Active: true, Members: slices.Clone(g.members)}
}
