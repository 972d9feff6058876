package slack

import (
	"encoding/json"

	"frontdesk/internal/chat"
	"frontdesk/internal/remote"
)

// happening is the event of an envelope with what is needed to read it.
type happening struct {
	raw  json.RawMessage
	me   identity
	base string // the workspace's address
	kind string
	ts   string // when it happened
}

// read sets what an event is about. It returns false for an unknown event.
func (h *happening) read(ev *chat.Event) bool {
	switch h.kind {
	case "message":
		return h.message(ev)
	case "reaction_added", "reaction_removed":
		return h.reaction(ev)
	case "team_join", "user_change":
		return h.user(ev)
	case "subteam_created", "subteam_updated":
		return h.team(ev)
	case "subteam_members_changed":
		ev.Changed = &chat.Changed{Part: chat.Teams}
	case "channel_created", "channel_rename", "channel_archive", "channel_unarchive", "channel_deleted", "channel_left",
		"channel_id_changed", "channel_shared", "channel_unshared",
		"group_rename", "group_archive", "group_unarchive", "group_deleted", "group_left":
		ev.Changed = &chat.Changed{Part: chat.Channels}
	case "member_joined_channel", "member_left_channel":
		return h.membership(ev)
	case "app_uninstalled":
		ev.Lost = &chat.Lost{}
	case "tokens_revoked":
		return h.revoked(ev)
	default:
		return false
	}
	return true
}

// message reads the event of a message: a new one or, by its subtype, a change of
// an old one.
func (h *happening) message(ev *chat.Event) bool {
	var e struct {
		message
		Channel  string   `json:"channel"`
		Deleted  string   `json:"deleted_ts"`
		Message  message  `json:"message"`
		Previous *message `json:"previous_message"`
	}
	if remote.ReadPatiently(h.raw, &e) != nil || e.Channel == "" {
		return false
	}
	switch e.Subtype {
	case "message_deleted":
		if e.Previous != nil {
			return h.removed(ev, e.Channel, e.Deleted, e.Previous.ThreadTS)
		}
		return h.removed(ev, e.Channel, e.Deleted, "")
	case "message_changed":
		// The first message of a thread that has replies leaves a tombstone.
		if e.Message.Subtype == "tombstone" {
			return h.removed(ev, e.Channel, e.Message.TS, e.Message.ThreadTS)
		}
		if !e.Message.said() || !e.Message.changed(e.Previous) {
			return false
		}
		shown := e.Message.show(e.Channel, h.me, h.base)
		// The message itself has its last edit only to the second.
		if at := timeOf(h.ts); !at.IsZero() {
			shown.EditedAt = at
		}
		ev.Message = &shown
		return true
	}
	if !e.said() {
		return false
	}
	shown := e.show(e.Channel, h.me, h.base)
	ev.Message = &shown
	return true
}

func (h *happening) removed(ev *chat.Event, channel, ts, thread string) bool {
	if _, ok := parseTS(ts); !ok {
		return false
	}
	ev.Removed = &chat.Removed{Ref: chat.Ref{Channel: channel, ID: ts}, Thread: threadOf(ts, thread)}
	return true
}

func (h *happening) reaction(ev *chat.Event) bool {
	var e struct {
		User     string `json:"user"`
		Reaction string `json:"reaction"`
		Item     struct {
			Type    string `json:"type"`
			Channel string `json:"channel"`
			TS      string `json:"ts"`
		} `json:"item"`
	}
	if remote.ReadPatiently(h.raw, &e) != nil || e.Item.Type != "message" || e.Item.Channel == "" || e.Reaction == "" {
		return false
	}
	if _, ok := parseTS(e.Item.TS); !ok {
		return false
	}
	ev.Reacted = &chat.Reacted{Ref: chat.Ref{Channel: e.Item.Channel, ID: e.Item.TS}, User: e.User, Emoji: e.Reaction,
		On: h.kind == "reaction_added"}
	return true
}

func (h *happening) user(ev *chat.Event) bool {
	var e struct {
		User user `json:"user"`
	}
	if remote.ReadPatiently(h.raw, &e) != nil || e.User.ID == "" {
		return false
	}
	shown := e.User.show(ev.Workspace)
	ev.User = &shown
	return true
}

// team reads the event of a user group. If the event does not list the members, it
// only reports that something has changed.
func (h *happening) team(ev *chat.Event) bool {
	var e struct {
		Subteam usergroup `json:"subteam"`
	}
	if remote.ReadPatiently(h.raw, &e) != nil || e.Subteam.ID == "" {
		return false
	}
	if e.Subteam.Users == nil {
		ev.Changed = &chat.Changed{Part: chat.Teams}
		return true
	}
	shown := e.Subteam.show()
	ev.Team = &shown
	return true
}

// membership reads that somebody has joined or left. Only the bot's own membership
// changes what we know about the channel.
func (h *happening) membership(ev *chat.Event) bool {
	var e struct {
		User string `json:"user"`
	}
	if remote.ReadPatiently(h.raw, &e) != nil || h.me.user != "" && e.User != h.me.user {
		return false
	}
	ev.Changed = &chat.Changed{Part: chat.Channels}
	return true
}

func (h *happening) revoked(ev *chat.Event) bool {
	var e struct {
		Tokens struct {
			OAuth []string `json:"oauth"`
			Bot   []string `json:"bot"`
		} `json:"tokens"`
	}
	switch err := remote.ReadPatiently(h.raw, &e); {
	case err != nil:
		return false
	case len(e.Tokens.Bot) > 0:
		ev.Lost = &chat.Lost{}
	case len(e.Tokens.OAuth) > 0:
		ev.Lost = &chat.Lost{Users: e.Tokens.OAuth}
	default:
		return false
	}
	return true
}
