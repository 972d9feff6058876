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
}

// SetUp prepares an account that is connected to the workspace: its members,
// collections and customers. Existing things stay as they are, so that the next
// start completes one that was cut short.
func (d Desk) SetUp(ctx context.Context) error {
	channels, err := d.channels(ctx)
	if err != nil {
		return err
	}
	// From now on the bot hears what is said in its channels.
	if err := d.inviteBots(ctx, channels); err != nil {
		return err
	}
	if err := d.Worker.ReadDirectory(ctx, d.Account); err != nil {
		return err
	}
	c := d.caller()
	if err := d.allowOnHold(ctx, c); err != nil {
		return err
	}
	if err := d.addMembers(ctx, c); err != nil {
		return err
	}
	if err := d.addCollections(ctx, c, channels); err != nil {
		return err
	}
	if err := d.addPromises(ctx, c); err != nil {
		return err
	}
	return d.addCustomers(ctx, c, channels)
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
	if err := d.addTickets(ctx, c); err != nil {
		return err
	}
	channels, err := d.channels(ctx)
	if err != nil {
		return err
	}
	if err := d.talk(ctx, channels); err != nil {
		return err
	}
	if err := d.announce(ctx, c, channels); err != nil {
		return err
	}
	if err := d.addSurveys(ctx, c, all, ids); err != nil {
		return err
	}
	if err := d.addSessions(ctx, c, all, ids); err != nil {
		return err
	}
	return d.addDeflections(ctx, c, channels)
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
	for _, m := range members {
		if slices.ContainsFunc(there.Items, func(have desk.Member) bool { return have.Email == m.Email }) {
			continue
		}
		if _, err := d.Service.CreateMember(ctx, c, m); err != nil {
			return err
		}
	}
	return nil
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
	for _, want := range collections {
		if slices.ContainsFunc(there.Items, func(have desk.Collection) bool { return have.Name == want.name }) {
			continue
		}
		asks := want.kind == desk.ChatCollection
		made, err := d.Service.CreateCollection(ctx, c, desk.NewCollection{
			Name: want.name, Kind: want.kind, Owner: owner, RequestChannel: channelID(channels, want.requests), TriageChannel: channelID(channels, want.triage),
			Responders: []desk.Responder{{EmailDomain: ownDomain}}, Settings: desk.SettingsChange{Surveys: desk.SurveyRulesChange{Enabled: &asks}},
		})
		if err != nil {
			return err
		}
		if len(want.channels) == 0 {
			continue
		}
		var add desk.NewChannels
		for _, name := range want.channels {
			add.Channels = append(add.Channels, desk.NewChannel{ID: channels[name]})
		}
		if _, err := d.Service.AddChannels(ctx, c, made.ID, add); err != nil {
			return err
		}
	}
	return nil
}

func (d Desk) addCustomers(ctx context.Context, c service.Caller, channels map[string]string) error {
	there, err := d.Service.Customers(ctx, c, desk.CustomerQuery{Page: desk.Page{Limit: desk.MostLimit}})
	if err != nil {
		return err
	}
	for _, o := range organisations {
		if slices.ContainsFunc(there.Items, func(have desk.Customer) bool { return have.Name == o.name }) {
			continue
		}
		parts := desk.CustomerParts{Name: &o.name, Domains: &[]string{o.domain}}
		if o.channel != "" {
			parts.Channels = &[]string{channels[o.channel]}
		}
		if _, err := d.Service.CreateCustomer(ctx, c, desk.NewCustomer{CustomerParts: parts}); err != nil {
			return err
		}
	}
	return nil
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
