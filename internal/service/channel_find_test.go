package service

import (
	"context"
	"errors"
	"testing"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/outside"
)

// A channel that the directory does not know yet is looked up in the chat system.
func TestChannelMadeJustNow(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		w.connect()
		must(t, w.ReadDirectory(ctx, w.account.ID))
		w.delivers(func(context.Context, chat.Event) error { return nil }) // events are lost
		owner := w.box.As(w.workspace.Owner)
		open := func(name string, private bool) string {
			ch, err := owner.CreateChannel(ctx, name, private)
			must(t, err)
			return ch.ID
		}
		triage, help, support, vault := open("new-triage", false), open("new-help", false), open("new-support", false), open("new-vault", true)
		col, err := w.CreateCollection(ctx, w.caller(), desk.NewCollection{Name: "Chat", Kind: desk.ChatCollection, TriageChannel: &triage})
		must(t, err)
		added, err := w.AddChannels(ctx, w.caller(), col.ID, desk.NewChannels{Channels: []desk.NewChannel{{ID: help}}})
		must(t, err)
		if len(added) != 1 || added[0].Name != "new-help" || !added[0].Active {
			t.Errorf("the channel is %+v", added)
		}
		name := "Harbor"
		_, err = w.CreateCustomer(ctx, w.caller(), desk.NewCustomer{CustomerParts: desk.CustomerParts{Name: &name, Channels: &[]string{support}}})
		must(t, err)

		// A channel that the chat system does not show us is refused as usual. The
		// chat system is asked only if needed.
		w.calls.take()
		refused := func(what string, calls int, ids ...string) {
			t.Helper()
			var n desk.NewChannels
			for _, id := range ids {
				n.Channels = append(n.Channels, desk.NewChannel{ID: id})
			}
			_, err := w.AddChannels(ctx, w.caller(), col.ID, n)
			if e := (*desk.Error)(nil); !errors.As(err, &e) || e.Kind != desk.Invalid || len(e.Fields) != len(ids) || e.Fields[0].Message != change.UnknownChannel {
				t.Errorf("%s: %v", what, err)
			}
			if got := w.calls.take()["conversations.info"]; got != calls {
				t.Errorf("%s took %d calls, want %d", what, got, calls)
			}
		}
		refused("a private channel", 1, vault)
		refused("none", 1, "C0NOSUCH1")
		refused("what cannot be one", 0, "help", "D0NOSUCH1")
		many := make([]string, outside.MostFound+1)
		for i := range many {
			many[i] = "C0NOSUCH" + string(rune('A'+i))
		}
		refused("many", outside.MostFound, many...)
		must(t, owner.Invite(ctx, vault, w.bot()))
		_, err = w.AddChannels(ctx, w.caller(), col.ID, desk.NewChannels{Channels: []desk.NewChannel{{ID: vault}}})
		must(t, err)
		if _, err := w.UpdateChannel(ctx, w.caller(), "C0NOSUCH1", desk.ChannelChange{}); desk.KindOf(err) != desk.NotFound {
			t.Errorf("a change of an unknown channel: %v", err)
		}
	})
}
