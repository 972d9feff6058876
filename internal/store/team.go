package store

import (
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

const teamColumns = "id, name, is_active, source, source_id, created_at, updated_at"

type keptTeam struct {
	desk.Team
	kept
}

func scanTeam(scan scanner) (t desk.Team, err error) {
	err = scan(&t.ID, &t.Name, &t.Active, &t.Source, &t.SourceID, inMS(&t.CreatedAt), inMS(&t.UpdatedAt))
	return t, err
}

// Team returns one team, with its members if wanted.
func (tx *Tx) Team(id desk.TeamID, withMembers bool) (desk.Team, error) {
	t, err := scanTeam(tx.Row("SELECT "+teamColumns+" FROM teams WHERE account_id = $1 AND id = $2", tx.Account, id).Scan)
	if err != nil || !withMembers {
		return t, Missing(err, "Team")
	}
	one := []desk.Team{t}
	err = tx.fillTeams(one)
	return one[0], err
}

// Teams returns a page of teams, with their members if wanted.
func (tx *Tx) Teams(withMembers bool, p desk.Page) (desk.List[desk.Team], error) {
	var q query
	q.Add("SELECT "+teamColumns+" FROM teams WHERE account_id = ?", tx.Account)
	l, err := page(tx, &q, "created_at", p, scanTeam, func(t desk.Team) desk.Position { return positionAt(t.CreatedAt, t.ID) })
	if err == nil && withMembers {
		err = tx.fillTeams(l.Items)
	}
	return l, err
}

// TeamsBySource returns the active teams of some user groups of the chat system, by
// the groups' ids.
func (tx *Tx) TeamsBySource(ids []string) (map[string]desk.TeamID, error) {
	var q query
	q.Add("SELECT "+teamColumns+" FROM teams WHERE account_id = ? AND source IN (?, ?) AND is_active AND source_id IN ", tx.Account, desk.Slack, desk.Mattermost)
	sqldb.In(&q, ids)
	q.Add(" ORDER BY id")
	teams, err := sqldb.Collect(tx.Tx, scanTeam, q.String(), q.Args()...)
	found := make(map[string]desk.TeamID, len(teams))
	for _, t := range teams {
		found[t.SourceID] = t.ID
	}
	return found, err
}

// fillTeams reads the members of several teams at once.
func (tx *Tx) fillTeams(teams []desk.Team) error {
	for i := range teams {
		teams[i].Members = []desk.TeamMember{}
	}
	ids, at := placesOf(teams, func(t *desk.Team) desk.TeamID { return t.ID })
	return lookUpOf(tx, ids, "SELECT team_id, user_id, created_at FROM team_members WHERE account_id = ? AND team_id IN ", " ORDER BY team_id, user_id",
		func(scan scanner) (m desk.TeamMember, err error) {
			err = scan(&m.User, inMS(&m.CreatedAt))
			return m, err
		}, func(id desk.TeamID, m desk.TeamMember) { at[id].Members = append(at[id].Members, m) })
}

// PutTeams stores teams of a source as the chat system reported them; see PutUsers.
func (tx *Tx) PutTeams(source string, told []Report[desk.Team], readAt time.Time) (doubt bool, err error) {
	t := reportBatch{readAt: readAt}
	for _, team := range told {
		team.Is.Source = source
		if err := tx.putTeam(&t, team); err != nil {
			return false, fmt.Errorf("put teams: %w", err)
		}
	}
	return t.doubt, nil
}

func (tx *Tx) putTeam(t *reportBatch, told Report[desk.Team]) error {
	team := told.Is
	found, err := sqldb.Collect(tx.Tx, func(scan scanner) (k keptTeam, err error) {
		k.Team, err = scanTeam(func(dest ...any) error { return scan(append(dest, &k.revision)...) })
		k.updatedAt = k.UpdatedAt
		return k, err
	}, "SELECT "+teamColumns+", revision FROM teams WHERE account_id = $1 AND source = $2 AND source_id = $3", tx.Account, team.Source, team.SourceID)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		err := tx.Row(`INSERT INTO teams (account_id, name, is_active, source, source_id, revision, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
			ON CONFLICT (account_id, source, source_id) DO NOTHING RETURNING id`,
			tx.Account, team.Name, team.Active, team.Source, team.SourceID, told.Revision, ms(tx.Now)).Scan(&team.ID)
		if err != nil {
			return err
		}
		return tx.putTeamMembers(team, nil)
	}
	was := found[0]
	one := []desk.Team{was.Team}
	if err := tx.fillTeams(one); err != nil {
		return err
	}
	was.Members, team.ID = one[0].Members, was.ID
	same := was.Name == team.Name && was.Active == team.Active && sameMembers(was.Members, team.Members)
	if same && was.revision >= told.Revision || !same && !t.replaces(told.Revision, was.kept) {
		return nil
	}
	if err := tx.Do("UPDATE teams SET name = $1, is_active = $2, revision = $3, updated_at = $4 WHERE account_id = $5 AND id = $6",
		team.Name, team.Active, told.Revision, ms(tx.Now), tx.Account, team.ID); err != nil {
		return err
	}
	return tx.putTeamMembers(team, was.Members)
}

func sameMembers(a, b []desk.TeamMember) bool {
	if len(a) != len(b) {
		return false
	}
	for _, m := range a {
		if !isMember(b, m.User) {
			return false
		}
	}
	return true
}

func isMember(members []desk.TeamMember, user string) bool {
	return slices.ContainsFunc(members, func(m desk.TeamMember) bool { return m.User == user })
}

func (tx *Tx) putTeamMembers(team desk.Team, were []desk.TeamMember) error {
	for _, m := range were {
		if isMember(team.Members, m.User) {
			continue
		}
		if err := tx.Do("DELETE FROM team_members WHERE account_id = $1 AND team_id = $2 AND user_id = $3", tx.Account, team.ID, m.User); err != nil {
			return err
		}
	}
	for _, m := range team.Members {
		if err := tx.Do(`INSERT INTO team_members (account_id, team_id, user_id, created_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT DO NOTHING`, tx.Account, team.ID, m.User, ms(tx.Now)); err != nil {
			return err
		}
	}
	return nil
}
