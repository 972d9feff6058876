package sandbox

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"time"
)

// userRow is a member as stored.
type userRow struct {
	ID, TeamID string
	IsBot      bool
	Deleted    bool
	Updated    int64 // milliseconds
	userBody
}

type userBody struct {
	Name        string `json:"name"` // the handle
	RealName    string `json:"real_name"`
	DisplayName string `json:"display_name"`
	Email       string `json:"email"`
	Title       string `json:"title"`
	TZ          string `json:"tz"`
	Owner       bool   `json:"owner,omitempty"`
	Guest       bool   `json:"guest,omitempty"`
	Away        bool   `json:"away,omitempty"`
	DNDStart    int64  `json:"dnd_start,omitempty"` // seconds; 0 means off
	DNDEnd      int64  `json:"dnd_end,omitempty"`
	BotID       string `json:"bot_id,omitempty"`
	AppID       string `json:"app_id,omitempty"`
}

// User is a member as Slack shows them.
type User struct {
	ID                string  `json:"id"`
	TeamID            string  `json:"team_id"`
	Name              string  `json:"name"`
	Deleted           bool    `json:"deleted"`
	Color             string  `json:"color"`
	RealName          string  `json:"real_name"`
	TZ                string  `json:"tz"`
	TZLabel           string  `json:"tz_label"`
	TZOffset          int     `json:"tz_offset"`
	Profile           Profile `json:"profile"`
	IsAdmin           bool    `json:"is_admin"`
	IsOwner           bool    `json:"is_owner"`
	IsPrimaryOwner    bool    `json:"is_primary_owner"`
	IsRestricted      bool    `json:"is_restricted"`
	IsUltraRestricted bool    `json:"is_ultra_restricted"`
	IsBot             bool    `json:"is_bot"`
	IsAppUser         bool    `json:"is_app_user"`
	IsEmailConfirmed  bool    `json:"is_email_confirmed"`
	Has2FA            bool    `json:"has_2fa"`
	Updated           int64   `json:"updated"`
	Locale            string  `json:"locale,omitempty"`
}

// Profile is the part of a User that people fill in.
type Profile struct {
	Title                 string `json:"title"`
	Phone                 string `json:"phone"`
	Skype                 string `json:"skype"`
	RealName              string `json:"real_name"`
	RealNameNormalized    string `json:"real_name_normalized"`
	DisplayName           string `json:"display_name"`
	DisplayNameNormalized string `json:"display_name_normalized"`
	FirstName             string `json:"first_name"`
	LastName              string `json:"last_name"`
	StatusText            string `json:"status_text"`
	StatusEmoji           string `json:"status_emoji"`
	StatusExpiration      int64  `json:"status_expiration"`
	AvatarHash            string `json:"avatar_hash"`
	Email                 string `json:"email,omitempty"`
	Team                  string `json:"team"`
	BotID                 string `json:"bot_id,omitempty"`
	APIAppID              string `json:"api_app_id,omitempty"`
	Image24               string `json:"image_24"`
	Image32               string `json:"image_32"`
	Image48               string `json:"image_48"`
	Image72               string `json:"image_72"`
	Image192              string `json:"image_192"`
	Image512              string `json:"image_512"`
}

func newUserRow(team string, n NewUser) userRow {
	handle, _, _ := strings.Cut(n.Email, "@")
	first, _, _ := strings.Cut(n.RealName, " ")
	if n.TZ == "" {
		n.TZ = "Europe/London"
	}
	return userRow{TeamID: team, userBody: userBody{
		Name: handle, RealName: n.RealName, DisplayName: first, Email: n.Email, Title: n.Title, TZ: n.TZ, Guest: n.Guest}}
}

// showUser converts a row to what callers see. The email is left out for callers
// who may not see it.
func (t *tx) showUser(u userRow, withEmail bool) User {
	first, last, _ := strings.Cut(u.RealName, " ")
	label, offset := zone(u.TZ, t.now)
	h := fnv.New32a()
	h.Write([]byte(u.ID))
	hash := fmt.Sprintf("%08x", h.Sum32())
	image := func(size int) string { return t.s.url("/avatars/%s-%s-%d.svg", u.ID, hash, size) }
	shown := User{
		ID: u.ID, TeamID: u.TeamID, Name: u.Name, Deleted: u.Deleted, Color: hash[:6], RealName: u.RealName,
		TZ: u.TZ, TZLabel: label, TZOffset: offset,
		Profile: Profile{
			Title: u.Title, RealName: u.RealName, RealNameNormalized: u.RealName,
			DisplayName: u.DisplayName, DisplayNameNormalized: u.DisplayName, FirstName: first, LastName: last,
			AvatarHash: hash, Team: u.TeamID, BotID: u.BotID, APIAppID: u.AppID,
			Image24: image(24), Image32: image(32), Image48: image(48), Image72: image(72), Image192: image(192), Image512: image(512),
		},
		IsAdmin: u.Owner, IsOwner: u.Owner, IsPrimaryOwner: u.Owner, IsRestricted: u.Guest, IsBot: u.IsBot,
		IsEmailConfirmed: !u.IsBot, Updated: u.Updated / 1000,
	}
	if withEmail && !u.IsBot {
		shown.Profile.Email = u.Email
	}
	return shown
}

// zone returns a time zone's name and its offset from UTC in seconds, also on a
// machine that does not know it.
func zone(name string, now time.Time) (label string, offset int) {
	loc, err := time.LoadLocation(name)
	if err != nil {
		return name, 0
	}
	label, offset = now.In(loc).Zone()
	return label, offset
}

func foldEmail(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

func (t *tx) addUser(u *userRow) {
	u.ID = newID("U")
	u.Updated = t.millis()
	t.run(`INSERT INTO users (id, team_id, email_folded, is_bot, deleted, body, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		u.ID, u.TeamID, foldEmail(u.Email), u.IsBot, u.Deleted, string(encode(u.userBody)), t.millis(), t.millis())
}

func (t *tx) saveUser(u *userRow) {
	u.Updated = t.millis()
	t.run("UPDATE users SET email_folded = $2, deleted = $3, body = $4, updated_at = $5 WHERE id = $1",
		u.ID, foldEmail(u.Email), u.Deleted, string(encode(u.userBody)), u.Updated)
}

const userColumns = "SELECT id, team_id, is_bot, deleted, updated_at, body FROM users "

func scanUser(scan func(...any) error) (u userRow, err error) {
	err = scan(&u.ID, &u.TeamID, &u.IsBot, &u.Deleted, &u.Updated, fromJSON(&u.userBody))
	return u, err
}

// user returns a member of a team. It returns user_not_found for anybody else.
func (t *tx) user(team, id string) (userRow, error) {
	u, err := scanUser(t.Row(userColumns+"WHERE id = $1 AND team_id = $2", id, team).Scan)
	return u, missing(err, "user_not_found")
}

// anyUser returns a member of any team.
func (t *tx) anyUser(id string) (userRow, error) {
	u, err := scanUser(t.Row(userColumns+"WHERE id = $1", id).Scan)
	return u, missing(err, "user_not_found")
}

// users lists a team's members, starting at from, or at the first if it is empty.
func (t *tx) users(team, from string, limit int) []userRow {
	if from == "" {
		return rowsOf(t, scanUser, userColumns+"WHERE team_id = $1 ORDER BY n LIMIT $2", team, limit)
	}
	return rowsOf(t, scanUser, userColumns+
		"WHERE team_id = $1 AND n >= (SELECT n FROM users WHERE id = $2) ORDER BY n LIMIT $3", team, from, limit)
}

// Users lists the members of a workspace, including bots and those who have left.
func (s *Sandbox) Users(ctx context.Context, team string) ([]User, error) {
	return reading(ctx, s, func(t *tx) ([]User, error) {
		return each(t.users(team, "", -1), func(u userRow) User { return t.showUser(u, true) }), nil
	})
}

// User returns one member. It returns user_not_found for an unknown id.
func (s *Sandbox) User(ctx context.Context, id string) (User, error) {
	return reading(ctx, s, func(t *tx) (User, error) {
		u, err := t.anyUser(id)
		return t.showUser(u, true), err
	})
}

// InviteUser adds a member to a workspace and to #general. It returns
// already_in_team if a member has the email.
func (s *Sandbox) InviteUser(ctx context.Context, team string, n NewUser) (User, error) {
	return writing(ctx, s, func(t *tx) (shown User, err error) {
		if n.RealName == "" || !strings.Contains(n.Email, "@") {
			return shown, invalid("a member has a name and an email address")
		}
		if _, err := t.workspace(team); err != nil {
			return shown, missing(err, "team_not_found")
		}
		if t.number("SELECT count(*) FROM users WHERE team_id = $1 AND email_folded = $2", team, foldEmail(n.Email)) > 0 {
			return shown, refuse("already_in_team")
		}
		u := newUserRow(team, n)
		t.addUser(&u)
		shown = t.showUser(u, true)
		t.record(t.userEvent("team_join", u))
		general, err := t.conversationNamed(team, "general")
		if Code(err) == "channel_not_found" {
			return shown, nil
		} else if err == nil {
			t.join(general, u.ID, "")
		}
		return shown, err
	})
}

// UserChange is a change to a member. A nil field stays as it is.
type UserChange struct {
	RealName    *string `json:"real_name"`
	DisplayName *string `json:"display_name"`
	Email       *string `json:"email"`
	Title       *string `json:"title"`
	TZ          *string `json:"tz"`
	Guest       *bool   `json:"-"` // guests cannot change this themselves
	Away        *bool   `json:"away"`
	Deleted     *bool   `json:"deleted"` // a member who has left; their tokens stop working
	DNDStart    *int64  `json:"dnd_start"`
	DNDEnd      *int64  `json:"dnd_end"`
}

// ChangeUser changes a member. It returns user_not_found for an unknown id.
func (s *Sandbox) ChangeUser(ctx context.Context, id string, ch UserChange) (User, error) {
	return writing(ctx, s, func(t *tx) (User, error) {
		u, err := t.anyUser(id)
		if err != nil {
			return User{}, err
		}
		before := u
		set(&u.RealName, ch.RealName)
		set(&u.DisplayName, ch.DisplayName)
		set(&u.Email, ch.Email)
		set(&u.Title, ch.Title)
		set(&u.TZ, ch.TZ)
		set(&u.Guest, ch.Guest)
		set(&u.Away, ch.Away)
		set(&u.Deleted, ch.Deleted)
		set(&u.DNDStart, ch.DNDStart)
		set(&u.DNDEnd, ch.DNDEnd)
		t.saveUser(&u)
		// Presence and do-not-disturb are not part of user_change.
		before.Away, before.DNDStart, before.DNDEnd, before.Updated = u.Away, u.DNDStart, u.DNDEnd, u.Updated
		if before != u {
			t.record(t.userEvent("user_change", u))
		}
		return t.showUser(u, true), nil
	})
}

func set[T any](to *T, v *T) {
	if v != nil {
		*to = *v
	}
}

// RenameUser changes a member's real name.
func (s *Sandbox) RenameUser(ctx context.Context, id, name string) error {
	_, err := s.ChangeUser(ctx, id, UserChange{RealName: &name})
	return err
}

// DeactivateUser ends a membership. The member's messages stay.
func (s *Sandbox) DeactivateUser(ctx context.Context, id string) error {
	gone := true
	_, err := s.ChangeUser(ctx, id, UserChange{Deleted: &gone})
	return err
}
