package rest

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

type chatUser struct {
	id, name, email, avatar string
	deleted, bot            bool
}

type chatChannel struct {
	id, name                        string
	private, archived, member, gone bool
}

// chatCast is the contents of an account's chat system, by the prefix of the names
// of its cast.
var chatCast = map[string]struct {
	team     string
	users    []chatUser // the first two are in the team
	channels []chatChannel
}{
	"": {
		team: "Support",
		users: []chatUser{
			{id: "U_MIRA", name: "Mira Vance", email: "mira@acme.example", avatar: "https://avatars.example/mira.png"},
			{id: "U_JO", name: "Jo Svensson", email: "jo@acme.example"},
			{id: "U_INES", name: "Ines Duarte", email: "ines@harborpine.example"},
			{id: "U_OLD", name: "Otto Old", email: "otto@acme.example", deleted: true},
			{id: "U_BOT", name: "Deploys", bot: true},
		},
		channels: []chatChannel{
			{id: "C_HELP", name: "help", member: true},
			{id: "C_HARBOR", name: "ext-harbor-pine"},
			{id: "C_FERN", name: "ext-fern"},
			{id: "C_TRIAGE", name: "triage"},
			{id: "C_TICKETS", name: "tickets"},
			{id: "C_SECRET", name: "secret", private: true},
			{id: "C_OLD", name: "old", archived: true},
			{id: "C_GONE", name: "gone", gone: true},
		},
	},
	"other ": {
		team:     "Sales",
		users:    []chatUser{{id: "U_GLOB", name: "Greta Glob", email: "admin@globex.example"}},
		channels: []chatChannel{{id: "C_GLOB", name: "globex-help"}},
	},
}

// addDirectory adds the contents of an account's chat system, as if they had been
// read when the account was created. Acme is still connected to it.
func (s *stage) addDirectory(tx *store.Tx, who string) error {
	cast := chatCast[who]
	if who == "" {
		workspace := fmt.Sprintf("T%d", tx.Account) // stages share a database, and a workspace has one account
		s.name("workspace", workspace)
		i := desk.Integration{Kind: desk.Slack, Status: desk.StatusConnected, ExternalID: workspace, Name: "Acme", URL: "https://acme.slack.example/",
			BotUser: "U_DESK", CreatedAt: tx.Now, UpdatedAt: tx.Now}
		if err := tx.AddIntegration(&i); err != nil {
			return err
		}
		s.name("integration", i.ID)
		if err := addCredentials(tx, i.ID); err != nil {
			return err
		}
	}
	team := desk.Team{Name: cast.team, SourceID: "S_TEAM", Active: true}
	var users []store.Report[desk.User]
	for i, u := range cast.users {
		users = append(users, store.Report[desk.User]{Revision: 1, Is: desk.User{ID: u.id, Name: u.name, Email: u.email, Avatar: u.avatar, Deleted: u.deleted, IsBot: u.bot}})
		if i < 2 {
			team.Members = append(team.Members, desk.TeamMember{User: u.id})
		}
	}
	var channels []store.Report[desk.Channel]
	for _, c := range cast.channels {
		channels = append(channels, store.Report[desk.Channel]{Revision: 1, Is: desk.Channel{ID: c.id, Name: c.name, Private: c.private, Archived: c.archived, BotMember: c.member}})
	}
	if _, err := tx.PutUsers(users, tx.Now); err != nil {
		return err
	}
	if _, err := tx.PutTeams("slack", []store.Report[desk.Team]{{Is: team, Revision: 1}}, tx.Now); err != nil {
		return err
	}
	if _, err := tx.PutChannels(channels, tx.Now); err != nil {
		return err
	}
	for _, c := range cast.channels {
		if c.gone {
			if _, err := loseChannel(tx, c.id); err != nil {
				return err
			}
		}
	}
	teams, err := tx.Teams(false, desk.Page{})
	if err != nil {
		return err
	}
	s.name(who+"team", teams.Items[0].ID)
	return nil
}

// join adds one of Acme's cast to its chat system: agent as U_AGENT.
func (s *stage) join(who string) error {
	c, ok := s.callers[who]
	if !ok {
		return fmt.Errorf("nobody is called %q", who)
	}
	return s.store.Write(context.Background(), c.Account, func(tx *store.Tx) error {
		_, err := tx.PutUsers([]store.Report[desk.User]{{Is: desk.User{ID: "U_" + strings.ToUpper(who), Name: c.Actor.Name, Email: c.Actor.Email}, Revision: 1}}, tx.Now)
		return err
	})
}

// makeGuest makes Acme's chat system say that a user is a guest there.
func (s *stage) makeGuest(id string) error {
	return s.inAcme(func(tx *store.Tx) error {
		users, err := tx.Exec("UPDATE users SET is_external = TRUE WHERE account_id = $1 AND user_id = $2", tx.Account, id)
		if err == nil && users != 1 {
			err = fmt.Errorf("there is no %s", id)
		}
		return err
	})
}

func (s *stage) inAcme(fn func(*store.Tx) error) error {
	account, err := strconv.ParseInt(s.ids["account"], 10, 64)
	if err != nil {
		return err
	}
	return s.store.Write(context.Background(), desk.AccountID(account), fn)
}

func loseChannel(tx *store.Tx, id string) (int64, error) {
	return tx.Exec("UPDATE channels SET is_gone = TRUE WHERE account_id = $1 AND channel_id = $2", tx.Account, id)
}

// lose makes Acme's chat system deactivate a user, or no longer show a channel.
func (s *stage) lose(id string) error {
	return s.inAcme(func(tx *store.Tx) error {
		users, err := tx.Exec("UPDATE users SET deleted = TRUE WHERE account_id = $1 AND user_id = $2", tx.Account, id)
		if err != nil {
			return err
		}
		channels, err := loseChannel(tx, id)
		if err == nil && users+channels != 1 {
			err = fmt.Errorf("there is no %s", id)
		}
		return err
	})
}
