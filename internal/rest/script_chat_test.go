package rest

import (
	"context"
	"fmt"
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

type chatUser struct {
	id, name, email string
	deleted, bot    bool
}

type chatChannel struct {
	id, name                        string
	private, archived, member, gone bool
}

// chatCast is who and what there is in the chat system of an account, by what
// stands before the names of its cast.
var chatCast = map[string]struct {
	team     string
	users    []chatUser // the first two are in the team
	channels []chatChannel
}{
	"": {
		team: "Support",
		users: []chatUser{
			{id: "U_MIRA", name: "Mira Vance", email: "mira@acme.example"},
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

// addDirectory adds what the chat system of an account has, as if it had been
// read when the account was made.
func (s *stage) addDirectory(tx *store.Tx, who string) error {
	cast, now := chatCast[who], tx.Now.UnixMilli()
	var team int64
	if err := tx.Row(`INSERT INTO teams (account_id, name, is_active, source, source_id, revision, created_at, updated_at)
		VALUES ($1, $2, TRUE, 'sandbox', 'S_TEAM', 1, $3, $3) RETURNING id`, tx.Account, cast.team, now).Scan(&team); err != nil {
		return err
	}
	s.name(who+"team", team)
	for i, u := range cast.users {
		if _, err := tx.Exec(`INSERT INTO users (account_id, user_id, name, email, avatar, deleted, is_bot, revision, created_at, updated_at)
			VALUES ($1, $2, $3, $4, '', $5, $6, 1, $7, $7)`, tx.Account, u.id, u.name, u.email, u.deleted, u.bot, now); err != nil {
			return err
		}
		if i > 1 {
			continue
		}
		if _, err := tx.Exec("INSERT INTO team_members (account_id, team_id, user_id, created_at) VALUES ($1, $2, $3, $4)", tx.Account, team, u.id, now); err != nil {
			return err
		}
	}
	for _, c := range cast.channels {
		if _, err := tx.Exec(`INSERT INTO channels (account_id, channel_id, name, is_private, is_archived, is_member, is_gone, revision, is_active, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, 1, FALSE, $8, $8)`, tx.Account, c.id, c.name, c.private, c.archived, c.member, c.gone, now); err != nil {
			return err
		}
	}
	return nil
}

// lose has the chat system of Acme deactivate a user, or no longer show a
// channel.
func (s *stage) lose(id string) error {
	account, err := strconv.ParseInt(s.ids["account"], 10, 64)
	if err != nil {
		return err
	}
	return s.store.Write(context.Background(), desk.AccountID(account), func(tx *store.Tx) error {
		users, err := tx.Exec("UPDATE users SET deleted = TRUE WHERE account_id = $1 AND user_id = $2", tx.Account, id)
		if err != nil {
			return err
		}
		channels, err := tx.Exec("UPDATE channels SET is_gone = TRUE WHERE account_id = $1 AND channel_id = $2", tx.Account, id)
		if err == nil && users+channels != 1 {
			err = fmt.Errorf("there is no %s", id)
		}
		return err
	})
}
