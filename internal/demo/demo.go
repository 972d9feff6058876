// Package demo furnishes the sample account: a chat workspace with people and
// conversations, and a desk that is set up for them. It does so through the
// workspace's own actions and the service's operations, as people would, and
// knows neither tables nor HTTP.
package demo

import (
	"context"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/service"
)

// Owner is who the sample account belongs to; .test is nobody's domain.
var Owner = struct{ Name, Email string }{"Mira Vance", "mira@acme.test"}

// Desk says what is to be furnished.
type Desk struct {
	Service *service.Service
	Account desk.AccountID
	Owner   desk.Member // who it is done as
	// Box holds the workspace that the account is connected to.
	Box       *sandbox.Sandbox
	Workspace sandbox.Workspace
	// Now is when the history of the desk ends.
	Now time.Time

	channels map[string]string // the ids of the workspace's channels by their names
}

// Furnish sets up an account that is connected to the workspace: its members,
// collections and customers, what they have asked in the last ninety days, and
// what they say in the workspace. What is there already stays as it is, so that
// a start that was cut short is made up for by the next.
func (d Desk) Furnish(ctx context.Context) (err error) {
	c := service.Caller{
		Account: d.Account, Actor: desk.Actor{ID: d.Owner.ID, Name: d.Owner.Name, Email: d.Owner.Email, Source: desk.SourceCommand},
		Role: desk.Admin, Scope: desk.ReadWrite, Reach: desk.Everything,
	}
	if d.channels, err = channelIDs(ctx, d.Box, d.Workspace.Owner); err != nil {
		return err
	}
	talk, err := newTalk(ctx, d.Box, d.Workspace, d.Now)
	if err != nil {
		return err
	}
	// The bot hears what is said where it is, from then on.
	if err := talk.inviteBot(d.channels); err != nil {
		return err
	}
	if err := d.Service.ReadDirectory(ctx, d.Account); err != nil {
		return err
	}
	for _, step := range []func(context.Context, service.Caller) error{
		d.setUp, d.addMembers, d.addCollections, d.addCustomers, d.addHistory, d.addTickets,
	} {
		if err := step(ctx, c); err != nil {
			return err
		}
	}
	return talk.sayAll(d.channels)
}

// setUp allows what the sample requests make use of.
func (d Desk) setUp(ctx context.Context, c service.Caller) error {
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

func (d Desk) addCollections(ctx context.Context, c service.Caller) error {
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
		made, err := d.Service.CreateCollection(ctx, c, desk.NewCollection{
			Name: want.name, Kind: want.kind, Owner: owner, RequestChannel: d.channel(want.requests), TriageChannel: d.channel(want.triage),
			Responders: []desk.Responder{{EmailDomain: ownDomain}},
		})
		if err != nil {
			return err
		}
		if len(want.channels) == 0 {
			continue
		}
		var add desk.NewChannels
		for _, name := range want.channels {
			add.Channels = append(add.Channels, desk.NewChannel{ID: d.channels[name]})
		}
		if _, err := d.Service.AddChannels(ctx, c, made.ID, add); err != nil {
			return err
		}
	}
	return nil
}

func (d Desk) addCustomers(ctx context.Context, c service.Caller) error {
	there, err := d.Service.Customers(ctx, c, desk.Page{Limit: desk.MostLimit})
	if err != nil {
		return err
	}
	for _, o := range organisations {
		if slices.ContainsFunc(there.Items, func(have desk.Customer) bool { return have.Name == o.name }) {
			continue
		}
		parts := desk.CustomerParts{Name: &o.name, Domains: &[]string{o.domain}}
		if o.channel != "" {
			parts.Channels = &[]string{d.channels[o.channel]}
		}
		if _, err := d.Service.CreateCustomer(ctx, c, desk.NewCustomer{CustomerParts: parts}); err != nil {
			return err
		}
	}
	return nil
}

// addTickets has programs of customers ask for something now, through the API:
// the team sees it in the workspace. Each of them writes only here, so that
// whoever has asked does not ask again.
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

// userOf is the id of somebody in the chat system, nil for a stranger there.
func (d Desk) userOf(ctx context.Context, c service.Caller, email string) (*string, error) {
	found, err := d.Service.Users(ctx, c, desk.UserQuery{Text: email})
	for _, u := range found.Items {
		if u.Email == email {
			return &u.ID, nil
		}
	}
	return nil, err
}

// channel is a channel's id, nil for no channel.
func (d Desk) channel(name string) *string {
	if name == "" {
		return nil
	}
	id := d.channels[name]
	return &id
}

// channelIDs are the ids of the channels that a member of the workspace sees,
// by their names.
func channelIDs(ctx context.Context, box *sandbox.Sandbox, member string) (map[string]string, error) {
	all, err := box.As(member).Conversations(ctx)
	ids := map[string]string{}
	for _, c := range all {
		ids[c.Name] = c.ID
	}
	return ids, err
}
