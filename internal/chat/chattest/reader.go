package chattest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/chat"
)

// reader tracks a channel as the product would: from events alone, merged by their
// natural keys, in any order and however often they come. After a gap it uses the
// history.
type reader struct {
	messages  map[chat.Ref]chat.Message
	removed   map[chat.Ref]bool
	reactions map[reaction]reactionState
}

// reaction is one person's emoji on a message. The event that happened last decides
// whether it is there.
type reaction struct {
	chat.Ref
	user, emoji string
}

type reactionState struct {
	at time.Time
	on bool
}

func newReader() *reader {
	return &reader{messages: map[chat.Ref]chat.Message{}, removed: map[chat.Ref]bool{}, reactions: map[reaction]reactionState{}}
}

func (k *reader) hear(e chat.Event) {
	switch {
	case e.Message != nil:
		known, ok := k.messages[e.Message.Ref]
		if !ok || e.Message.EditedAt.After(known.EditedAt) {
			k.messages[e.Message.Ref] = *e.Message
		}
	case e.Removed != nil:
		k.removed[e.Removed.Ref] = true
	case e.Reacted != nil:
		one := reaction{e.Reacted.Ref, e.Reacted.User, e.Reacted.Emoji}
		if e.At.After(k.reactions[one].at) {
			k.reactions[one] = reactionState{e.At, e.Reacted.On}
		}
	}
}

// fill takes over the history of a channel and its threads. What the history lacks
// is removed.
func (k *reader) fill(r *room, channel string) {
	r.t.Helper()
	all := r.history(chat.Span{Channel: channel})
	for _, m := range slices.Clone(all) {
		if m.Replies > 0 {
			all = append(all, r.history(chat.Span{Channel: channel, Thread: m.ID, After: m.ID})...)
		}
	}
	*k = *newReader()
	for _, m := range all {
		k.messages[m.Ref] = m
		for _, got := range m.Reactions {
			for _, user := range got.Users {
				k.reactions[reaction{m.Ref, user, got.Emoji}] = reactionState{m.At, true}
			}
		}
	}
}

// content returns what the reader believes a channel shows, one line per message.
func (k *reader) content(channel string) string {
	emoji := map[chat.Ref]map[string]bool{}
	for one, is := range k.reactions {
		if is.on {
			if emoji[one.Ref] == nil {
				emoji[one.Ref] = map[string]bool{}
			}
			emoji[one.Ref][one.emoji] = true
		}
	}
	var lines []string
	for at, m := range k.messages {
		if at.Channel == channel && !k.removed[at] {
			lines = append(lines, line(at, m.Thread, read(m.HTML), slices.Sorted(maps.Keys(emoji[at])), len(m.Files)))
		}
	}
	return sorted(lines)
}

// shown returns what a channel really shows to a person, one line per message.
func shown(all []Shown) string {
	var lines []string
	for _, m := range all {
		lines = append(lines, line(m.Ref, m.Thread, m.Text, slices.Sorted(slices.Values(m.Emoji)), len(m.Files)))
	}
	return sorted(lines)
}

func line(at chat.Ref, thread, text string, emoji []string, files int) string {
	return fmt.Sprintf("%s in %q: %q %q %d files", at.ID, thread, text, emoji, files)
}

func sorted(lines []string) string {
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
