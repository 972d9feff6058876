// Package demo fills the sample account: a chat workspace with people and
// conversations, and a desk that is set up for them. It uses the workspace's own
// actions and the service's operations, as people would, and knows neither tables
// nor HTTP.
package demo

import (
	"context"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/service"
	"frontdesk/internal/worker"
)

// Owner owns the sample account. Nobody can own a .test domain.
var Owner = struct{ Name, Email string }{"Mira Vance", "mira@acme.test"}

// Desk says what to fill.
type Desk struct {
	Service *service.Service
	Worker  *worker.Worker
	Account desk.AccountID
	Owner   desk.Member // the member who does it
	// Box is the sandbox with the workspace that the account is connected to.
	Box       *sandbox.Sandbox
	Workspace sandbox.Workspace
	// Past returns the service with another clock. What is done through it happens
	// at that clock's time.
	Past func(clock func() time.Time) *service.Service
	// Now is when the history of the desk ends.
	Now time.Time
	// MailDomain is the server's mail domain. Empty: the desk has no mail.
	MailDomain string
}

// SetUp prepares an account that is connected to the workspace: its members,
// collections and customers. Existing things stay as they are, so that the next
// start completes one that was cut short.
func (d Desk) SetUp(ctx context.Context) error {
	channels, err := d.channels(ctx)
	if err != nil {
		return err
	}
	c := d.caller()
	return inOrder(
		// From now on the bot hears what is said in its channels.
		func() error { return d.inviteBots(ctx, channels) },
		func() error { return d.Worker.ReadDirectory(ctx, d.Account) },
		func() error { return d.allowOnHold(ctx, c) },
		func() error { return d.addMembers(ctx, c) },
		func() error { return d.addCollections(ctx, c, channels) },
		func() error { return d.addMail(ctx, c) },
		func() error { return d.addPromises(ctx, c) },
		func() error { return d.addCustomers(ctx, c, channels) },
	)
}

// inOrder does one thing after the other, until one fails.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// addMissing adds those that are wanted and not there yet.
func addMissing[W, H any](wanted []W, there []H, same func(W, H) bool, add func(W) error) error {
	for _, w := range wanted {
		if slices.ContainsFunc(there, func(have H) bool { return same(w, have) }) {
			continue
		}
		if err := add(w); err != nil {
			return err
		}
	}
	return nil
}

// Fill gives the account something to do: what customers have asked in the last
// ninety days, what they ask now, and what they say in the workspace. It takes a
// moment. Running it again doubles nothing.
func (d Desk) Fill(ctx context.Context) error {
	c := d.caller()
	all, ids, err := d.addHistory(ctx, c)
	if err != nil {
		return err
	}
	channels, err := d.channels(ctx)
	if err != nil {
		return err
	}
	return inOrder(
		func() error { return d.addTickets(ctx, c) },
		func() error { return d.talk(ctx, channels) },
		func() error { return d.announce(ctx, c, channels) },
		func() error { return d.addSurveys(ctx, c, all, ids) },
		func() error { return d.addSessions(ctx, c, all, ids) },
		func() error { return d.addDeflections(ctx, c, channels) },
	)
}

func (d Desk) caller() service.Caller {
	return service.Caller{
		Account: d.Account, Actor: desk.Actor{ID: d.Owner.ID, Name: d.Owner.Name, Email: d.Owner.Email, Source: desk.SourceCommand},
		Role: desk.Admin, Scope: desk.ReadWrite, Reach: desk.Everything,
	}
}

// allowOnHold allows requests to be on hold, because some of the sample ones are.
func (d Desk) allowOnHold(ctx context.Context, c service.Caller) error {
	a, err := d.Service.Account(ctx, c)
	if err != nil || a.OnHoldAllowed {
		return err
	}
	allowed := true
	_, err = d.Service.UpdateAccount(ctx, c, desk.AccountChange{OnHoldAllowed: &allowed})
	return err
}

func (d Desk) addMembers(ctx context.Context, c service.Caller) error {
	there, err := d.Service.Members(ctx, c, desk.Page{Limit: desk.MostLimit})
	if err != nil {
		return err
	}
	same := func(m desk.NewMember, have desk.Member) bool { return have.Email == m.Email }
	return addMissing(members, there.Items, same, func(m desk.NewMember) error {
		_, err := d.Service.CreateMember(ctx, c, m)
		return err
	})
}

// LetIn gives everybody in the account a password. A person who already has this
// password keeps their sessions.
func (d Desk) LetIn(ctx context.Context, password string) error {
	there, err := d.Service.Members(ctx, d.caller(), desk.Page{Limit: desk.MostLimit})
	if err != nil {
		return err
	}
	for _, m := range there.Items {
		if err := d.Service.SetPassword(ctx, d.Account, m, password); err != nil {
			return err
		}
	}
	return nil
}

func (d Desk) addCollections(ctx context.Context, c service.Caller, channels map[string]string) error {
	there, err := d.Service.Collections(ctx, c, desk.Page{Limit: desk.MostLimit}, false)
	if err != nil {
		return err
	}
	owner, err := d.userOf(ctx, c, maya)
	if err != nil {
		return err
	}
	same := func(want collection, have desk.Collection) bool { return have.Name == want.name }
	return addMissing(collections, there.Items, same, func(want collection) error {
		asks := want.kind == desk.ChatCollection
		made, err := d.Service.CreateCollection(ctx, c, desk.NewCollection{
			Name: want.name, Kind: want.kind, Owner: owner, RequestChannel: channelID(channels, want.requests), TriageChannel: channelID(channels, want.triage),
			Responders: []desk.Responder{{EmailDomain: ownDomain}}, Settings: desk.SettingsChange{Surveys: desk.SurveyRulesChange{Enabled: &asks}},
		})
		if err != nil || len(want.channels) == 0 {
			return err
		}
		var add desk.NewChannels
		for _, name := range want.channels {
			add.Channels = append(add.Channels, desk.NewChannel{ID: channels[name]})
		}
		_, err = d.Service.AddChannels(ctx, c, made.ID, add)
		return err
	})
}

func (d Desk) addCustomers(ctx context.Context, c service.Caller, channels map[string]string) error {
	there, err := d.Service.Customers(ctx, c, desk.CustomerQuery{Page: desk.Page{Limit: desk.MostLimit}})
	if err != nil {
		return err
	}
	same := func(o organisation, have desk.Customer) bool { return have.Name == o.name }
	return addMissing(organisations, there.Items, same, func(o organisation) error {
		parts := desk.CustomerParts{Name: &o.name, Domains: &[]string{o.domain}}
		if o.channel != "" {
			parts.Channels = &[]string{channels[o.channel]}
		}
		_, err := d.Service.CreateCustomer(ctx, c, desk.NewCustomer{CustomerParts: parts})
		return err
	})
}

// addTickets makes customers' programs ask for something now, through the API. The
// team sees it in the workspace. Each program writes only here, so one that has
// already asked does not ask again.
func (d Desk) addTickets(ctx context.Context, c service.Caller) error {
	for _, t := range tickets {
		asked, err := d.Service.Requests(ctx, c, desk.RequestFilter{AuthorEmails: []string{*t.Requester}}, desk.Page{Limit: 1}, false)
		if err != nil {
			return err
		}
		if len(asked.Items) > 0 {
			continue
		}
		if _, err := d.Service.CreateRequest(ctx, c, t); err != nil {
			return err
		}
	}
	return nil
}

// userOf returns a person's id in the chat system, nil if they are not in it.
func (d Desk) userOf(ctx context.Context, c service.Caller, email string) (*string, error) {
	found, err := d.Service.Users(ctx, c, desk.UserQuery{Text: email})
	for _, u := range found.Items {
		if u.Email == email {
			return &u.ID, nil
		}
	}
	return nil, err
}

// channelID returns a channel's id, nil for no channel.
func channelID(channels map[string]string, name string) *string {
	if name == "" {
		return nil
	}
	id := channels[name]
	return &id
}

// channels returns the ids of the workspace's channels by name.
func (d Desk) channels(ctx context.Context) (map[string]string, error) {
	all, err := d.Box.As(d.Workspace.Owner).Conversations(ctx)
	ids := map[string]string{}
	for _, c := range all {
		ids[c.Name] = c.ID
	}
	return ids, err
}
