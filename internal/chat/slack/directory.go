package slack

import (
	"cmp"
	"context"
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
)

// Page sizes. Slack recommends 200, and large workspaces have trouble far above
// that. Channels are small.
const (
	usersAtOnce    = 200
	channelsAtOnce = 500
)

// user is a person or a bot as Slack reports it.
type user struct {
	ID       string `json:"id"`
	Name     string `json:"name"` // the handle
	RealName string `json:"real_name"`
	Deleted  bool   `json:"deleted"`
	IsBot    bool   `json:"is_bot"`
	Updated  int64  `json:"updated"` // seconds
	// Guests of several channels, guests of one, and people whom no shared channel
	// makes known.
	IsRestricted      bool   `json:"is_restricted"`
	IsUltraRestricted bool   `json:"is_ultra_restricted"`
	IsStranger        bool   `json:"is_stranger"`
	TeamID            string `json:"team_id"`
	EnterpriseUser    struct {
		Teams []string `json:"teams"` // their workspaces in the organisation
	} `json:"enterprise_user"`
	Profile struct {
		DisplayName string `json:"display_name"`
		RealName    string `json:"real_name"`
		Email       string `json:"email"`
		Image192    string `json:"image_192"`
		Image72     string `json:"image_72"`
	} `json:"profile"`
}

// external reports whether a user is a guest and not one of the workspace's own
// people. In an organisation of many workspaces, a user of this workspace may have
// the id of another one.
func (u *user) external(workspace string) bool {
	if u.IsRestricted || u.IsUltraRestricted || u.IsStranger {
		return true
	}
	return u.TeamID != "" && u.TeamID != workspace && !slices.Contains(u.EnterpriseUser.Teams, workspace)
}

// show returns the user as a chat.User of a workspace, with the name that Slack
// shows.
func (u *user) show(workspace string) chat.User {
	return chat.User{
		ID: u.ID, Name: cmp.Or(u.Profile.DisplayName, u.Profile.RealName, u.RealName, u.Name, u.ID), Email: u.Profile.Email,
		Avatar: cmp.Or(u.Profile.Image192, u.Profile.Image72), Deleted: u.Deleted, IsBot: u.IsBot || u.ID == slackbot,
		External: u.external(workspace), Revision: u.Updated,
	}
}

// usergroup is Slack's word for a team in a workspace.
type usergroup struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Handle     string   `json:"handle"`
	DateUpdate int64    `json:"date_update"` // seconds
	DateDelete int64    `json:"date_delete"` // 0 if in use
	Users      []string `json:"users"`
}

func (g *usergroup) show() chat.Team {
	return chat.Team{ID: g.ID, Name: cmp.Or(g.Name, g.Handle, g.ID), Active: g.DateDelete == 0, Members: g.Users, Revision: g.DateUpdate}
}

// channel is a channel as Slack reports it.
type channel struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	IsPrivate  bool   `json:"is_private"`
	IsArchived bool   `json:"is_archived"`
	IsMember   bool   `json:"is_member"`
}

// show returns the channel as a chat.Channel. It has no revision, because Slack's
// updated field does not change when the bot comes and goes.
func (c *channel) show() chat.Channel {
	return chat.Channel{ID: c.ID, Name: c.Name, Private: c.IsPrivate, Archived: c.IsArchived, Member: c.IsMember}
}

func (c *connector) Directory(ctx context.Context, part chat.Part, cursor string) (chat.Directory, error) {
	switch part {
	case chat.People:
		return c.people(ctx, cursor)
	case chat.Teams:
		return c.teams(ctx)
	case chat.Channels:
		return c.channels(ctx, cursor)
	}
	return chat.Directory{}, desk.Errorf(desk.Invalid, "There is no part %q of the directory.", part)
}

func (c *connector) people(ctx context.Context, cursor string) (page chat.Directory, err error) {
	var got struct {
		answer
		Members []user `json:"members"`
	}
	err = c.app.call(ctx, c.bot(), "users.list", paged(cursor, usersAtOnce), &got)
	for _, u := range got.Members {
		page.Users = append(page.Users, u.show(c.in.Workspace))
	}
	page.Next = got.Metadata.NextCursor
	return page, err
}

// teams returns all teams on one page, because Slack has no cursor for them. A
// workspace whose plan has no teams returns none.
func (c *connector) teams(ctx context.Context) (page chat.Directory, err error) {
	var got struct {
		Usergroups []usergroup `json:"usergroups"`
	}
	err = c.app.call(ctx, c.bot(), "usergroups.list", url.Values{"include_users": {"true"}, "include_disabled": {"true"}}, &got)
	if code := remote.CodeOf(err); code == "paid_teams_only" || code == "plan_upgrade_required" {
		return page, nil
	}
	for _, g := range got.Usergroups {
		page.Teams = append(page.Teams, g.show())
	}
	return page, err
}

func (c *connector) channels(ctx context.Context, cursor string) (page chat.Directory, err error) {
	var got struct {
		answer
		Channels []channel `json:"channels"`
	}
	args := paged(cursor, channelsAtOnce)
	args.Set("types", "public_channel,private_channel")
	err = c.app.call(ctx, c.bot(), "conversations.list", args, &got)
	for _, ch := range got.Channels {
		page.Channels = append(page.Channels, ch.show())
	}
	page.Next = got.Metadata.NextCursor
	return page, err
}

func paged(cursor string, limit int) url.Values {
	args := url.Values{"limit": {strconv.Itoa(limit)}}
	setGiven(args, "cursor", cursor)
	return args
}

// channelShape is the form of Slack's channel ids. Other ids need no call.
var channelShape = regexp.MustCompile(`^[CG][A-Z0-9]{2,30}$`)

func (c *connector) Channel(ctx context.Context, id string) (chat.Channel, error) {
	if !channelShape.MatchString(id) {
		return chat.Channel{}, desk.Errorf(noChannel.kind, "%s", noChannel.message)
	}
	var got struct {
		Channel struct {
			channel
			IsIM   bool `json:"is_im"`
			IsMPIM bool `json:"is_mpim"`
		} `json:"channel"`
	}
	err := c.app.call(ctx, c.bot(), "conversations.info", url.Values{"channel": {id}}, &got)
	if err == nil && (got.Channel.IsIM || got.Channel.IsMPIM) {
		err = desk.Errorf(noChannel.kind, "%s", noChannel.message) // direct messages between people are not a channel to us
	}
	if err != nil {
		return chat.Channel{}, err
	}
	return got.Channel.show(), nil
}

func (c *connector) Join(ctx context.Context, id string) error {
	err := c.app.call(ctx, c.bot(), "conversations.join", url.Values{"channel": {id}}, &struct{}{})
	if remote.CodeOf(err) != "method_not_supported_for_channel_type" {
		return err
	}
	// The bot cannot join a private channel, but it may have been invited.
	var got struct {
		Channel channel `json:"channel"`
	}
	if e := c.app.call(ctx, c.bot(), "conversations.info", url.Values{"channel": {id}}, &got); e != nil {
		return e
	}
	if got.Channel.IsMember {
		return nil
	}
	return err
}

// direct returns the channel of the direct messages with a user.
func (c *connector) direct(ctx context.Context, user string) (string, error) {
	var got struct {
		Channel channel `json:"channel"`
	}
	err := c.app.call(ctx, c.bot(), "conversations.open", url.Values{"users": {user}}, &got)
	return got.Channel.ID, err
}
