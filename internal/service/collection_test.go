package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// addChannels adds channels below the service, as reading the chat system does.
func (c *company) addChannels(ids ...string) {
	c.t.Helper()
	must(c.t, c.store.Write(ctx, c.account.ID, func(tx *store.Tx) error {
		for _, id := range ids {
			if _, err := tx.Exec(`INSERT INTO channels (account_id, channel_id, name, is_private, is_archived, is_member, is_gone, revision, is_active, created_at, updated_at)
				VALUES ($1, $2, $2, FALSE, FALSE, FALSE, FALSE, 1, FALSE, $3, $3)`, c.account.ID, id, tx.Now.UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (c *company) newCollection(name string, kind desk.CollectionKind) desk.Collection {
	c.t.Helper()
	col, err := c.CreateCollection(ctx, c.caller(), desk.NewCollection{Name: name, Kind: kind})
	must(c.t, err)
	return col
}

func channelsNamed(ids ...string) (n desk.NewChannels) {
	for _, id := range ids {
		n.Channels = append(n.Channels, desk.NewChannel{ID: id})
	}
	return n
}

// joins returns the channels that the bot is to join, in the order of the requests
// to do so.
func (c *company) joins() (channels []string) {
	c.t.Helper()
	must(c.t, c.store.DB().Read(ctx, func(tx *sqldb.Tx) error {
		all, err := sqldb.Collect(tx, func(scan func(...any) error) (args string, err error) {
			err = scan(&args)
			return args, err
		}, "SELECT args FROM jobs WHERE kind = 'channel.join' ORDER BY id")
		channels = nil
		for _, text := range all {
			var args change.JoinChannel
			if err := json.Unmarshal([]byte(text), &args); err != nil || args.Account != c.account.ID {
				return fmt.Errorf("%s: %v", text, err)
			}
			channels = append(channels, args.Channel)
		}
		return err
	}))
	return channels
}

// When a channel gets a purpose, the bot joins it: one job for each channel, added
// in the transaction of the change and only with the change.
func TestTheBotIsToJoin(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		c.addChannels("C1", "C2", "C3", "C4", "C5", "C6", "C7")
		var want []string
		joined := func(what string, more ...string) {
			t.Helper()
			if want = append(want, more...); !slices.Equal(c.joins(), want) {
				t.Errorf("%s: the bot is to join %v, want %v", what, c.joins(), want)
			}
		}
		api, err := c.CreateCollection(ctx, c.caller(), desk.NewCollection{Name: "api", Kind: desk.APICollection, RequestChannel: ptr("C1"), TriageChannel: ptr("C2")})
		must(t, err)
		joined("a new collection", "C1", "C2")
		_, err = c.UpdateCollection(ctx, c.caller(), api.ID, desk.CollectionChange{Name: ptr("API"), RequestChannel: desk.Just("C1")})
		must(t, err)
		joined("a change of nothing about them")
		_, err = c.UpdateCollection(ctx, c.caller(), api.ID, desk.CollectionChange{RequestChannel: desk.Just("C3"), TriageChannel: desk.Null[string]()})
		must(t, err)
		joined("another request channel", "C3")

		chat, other := c.newCollection("chat", desk.ChatCollection), c.newCollection("other", desk.ChatCollection)
		_, err = c.AddChannels(ctx, c.caller(), chat.ID, channelsNamed("C5", "C4"))
		must(t, err)
		joined("channels added", "C5", "C4")
		_, err = c.UpdateChannel(ctx, c.caller(), "C6", desk.ChannelChange{Collection: &chat.ID})
		must(t, err)
		joined("a channel moved", "C6")
		_, err = c.UpdateChannel(ctx, c.caller(), "C6", desk.ChannelChange{Collection: &other.ID})
		must(t, err)
		_, err = c.AddChannels(ctx, c.caller(), chat.ID, channelsNamed("C5", "C4"))
		must(t, err)
		_, err = c.DeleteChannel(ctx, c.caller(), "C5")
		must(t, err)
		joined("one that it is to join already")

		// A change that fails adds no job.
		_, err = c.AddChannels(ctx, c.caller(), chat.ID, channelsNamed("C7", "C3"))
		wantKind(t, err, desk.Invalid)
		_, err = c.CreateCollection(ctx, c.caller(), desk.NewCollection{Name: "x", Kind: desk.EmailCollection, RequestChannel: ptr("C7"), TriageChannel: ptr("C3")})
		wantKind(t, err, desk.Invalid)
		fault := errors.New("cannot be shown")
		k, err := c.BeginKey(ctx, c.caller(), "k")
		must(t, err)
		caller := c.caller()
		caller.Key, caller.Answer = &k, func(any) (desk.Answer, error) { return desk.Answer{}, fault }
		if _, err = c.AddChannels(ctx, caller, chat.ID, channelsNamed("C7")); !errors.Is(err, fault) {
			t.Errorf("got %v, want the fault", err)
		}
		joined("refusals")
	})
}

func TestACollectionIsFull(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		chat := c.newCollection("chat", desk.ChatCollection)
		var ids []string
		for i := range desk.MostChannels + 3 {
			ids = append(ids, fmt.Sprint("C", i))
		}
		c.addChannels(ids...)
		must(t, c.store.Write(ctx, c.account.ID, func(tx *store.Tx) error {
			for _, id := range ids[:desk.MostChannels-1] {
				// Inactive channels count too, because they are shown with the
				// collection.
				if err := tx.SaveChannel(desk.Channel{ID: id, Collection: &chat.ID}); err != nil {
					return err
				}
			}
			return nil
		}))
		refused := func(err error, field string) {
			t.Helper()
			wantKind(t, err, desk.Invalid)
			if err != nil && !strings.Contains(err.Error(), field+" would be more than the 1000 channels") {
				t.Error(err)
			}
		}
		last := ids[desk.MostChannels-1:]
		_, err := c.AddChannels(ctx, c.caller(), chat.ID, channelsNamed(last[0], last[1]))
		refused(err, "channels")
		_, err = c.AddChannels(ctx, c.caller(), chat.ID, channelsNamed(ids[0], last[0])) // one of them is already there
		must(t, err)
		_, err = c.AddChannels(ctx, c.caller(), chat.ID, channelsNamed(last[1]))
		refused(err, "channels")
		_, err = c.UpdateChannel(ctx, c.caller(), last[1], desk.ChannelChange{Collection: &chat.ID})
		refused(err, "collection_id")
		_, err = c.AddChannels(ctx, c.caller(), chat.ID, channelsNamed(ids[:desk.MostAddedChannels]...))
		must(t, err)
		_, err = c.UpdateChannel(ctx, c.caller(), ids[500], desk.ChannelChange{Collection: &chat.ID})
		must(t, err)

		got, err := c.Collection(ctx, c.caller(), chat.ID, true)
		if err != nil || len(got.Channels) != desk.MostChannels {
			t.Errorf("%d channels, %v; want %d", len(got.Channels), err, desk.MostChannels)
		}
		_, err = c.DeleteCollection(ctx, c.caller(), chat.ID)
		must(t, err)
		if n := c.rows("channels WHERE collection_id IS NOT NULL OR is_active"); n != 0 {
			t.Errorf("%d channels are in a removed collection", n)
		}
	})
}

// Even if several processes act at the same time, a channel has one purpose.
func TestAChannelHasOnePurpose(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		processes := []*Service{c.Service, c.another().Service, c.another().Service}
		api, mail := c.newCollection("api", desk.APICollection), c.newCollection("mail", desk.EmailCollection)
		chat, other := c.newCollection("chat", desk.ChatCollection), c.newCollection("other", desk.ChatCollection)
		for round := range 15 {
			id := fmt.Sprint("C", round)
			c.addChannels(id)
			uses := []func(*Service) error{
				func(s *Service) error {
					return errOf(s.UpdateCollection(ctx, c.caller(), api.ID, desk.CollectionChange{RequestChannel: desk.Just(id)}))
				},
				func(s *Service) error {
					return errOf(s.UpdateCollection(ctx, c.caller(), mail.ID, desk.CollectionChange{RequestChannel: desk.Just(id)}))
				},
				func(s *Service) error {
					return errOf(s.UpdateCollection(ctx, c.caller(), api.ID, desk.CollectionChange{TriageChannel: desk.Just(id)}))
				},
				func(s *Service) error {
					return errOf(s.UpdateCollection(ctx, c.caller(), chat.ID, desk.CollectionChange{TriageChannel: desk.Just(id)}))
				},
				func(s *Service) error { return errOf(s.AddChannels(ctx, c.caller(), chat.ID, channelsNamed(id))) },
				func(s *Service) error { return errOf(s.AddChannels(ctx, c.caller(), other.ID, channelsNamed(id))) },
				func(s *Service) error {
					return errOf(s.CreateCollection(ctx, c.caller(), desk.NewCollection{Name: "new", Kind: desk.PortalCollection, RequestChannel: &id}))
				},
			}
			rand.Shuffle(len(uses), func(i, j int) { uses[i], uses[j] = uses[j], uses[i] })
			errs := make([]error, len(processes))
			var all sync.WaitGroup
			for i, s := range processes {
				all.Go(func() { errs[i] = uses[i](s) })
			}
			all.Wait()
			for _, err := range errs {
				if err != nil && desk.KindOf(err) != desk.Invalid {
					t.Fatal(err)
				}
			}
			if !slices.Contains(errs, nil) {
				t.Errorf("round %d: nobody got the channel: %v", round, errs)
			}
			must(t, c.store.Read(ctx, c.account.ID, func(tx *store.Tx) error {
				has, err := tx.ChannelUses([]string{id})
				for i, u := range has {
					if with, clash := u.Clash(has[:i]); clash {
						t.Errorf("round %d: the channel is %s and %s", round, u, with)
					}
				}
				return err
			}))
		}
	})
}

// The creator of a collection is a user of the chat system, found by email.
func TestCreatedBy(t *testing.T) {
	c := newCompany(t)
	if col := c.newCollection("before", desk.ChatCollection); col.CreatedBy != nil {
		t.Errorf("created by %v", *col.CreatedBy)
	}
	must(t, c.store.Write(ctx, c.account.ID, func(tx *store.Tx) error {
		_, err := tx.PutUsers([]store.Report[desk.User]{{Is: desk.User{ID: "U1", Name: "Ada", Email: "Admin@Acme.Example"}}}, time.Time{})
		return err
	}))
	if col := c.newCollection("after", desk.ChatCollection); col.CreatedBy == nil || *col.CreatedBy != "U1" {
		t.Errorf("created by %v, want U1", col.CreatedBy)
	}
}
