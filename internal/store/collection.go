package store

import (
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

const collectionColumns = `id, name, kind, owner, created_by, request_channel_id, triage_channel_id,
	auto_assign, assign_team_id, grouping_minutes, allow_bots, notify, emoji, schedule_id, csat, email, retention_messages_days, retention_files_days, created_at, updated_at`

func scanCollection(scan scanner) (c desk.Collection, err error) {
	err = scan(&c.ID, &c.Name, &c.Kind, &c.Owner, &c.CreatedBy, &c.RequestChannel, &c.TriageChannel,
		&c.AutoAssign, &c.AssignTeam, &c.GroupingMinutes, &c.AllowBots, &c.Notify, stored.EmojiRules(&c.Emoji), &c.Schedule, stored.SurveyRules(&c.Surveys),
		stored.EmailConfig(&c.Email), &c.Retention.MessagesDays, &c.Retention.FilesDays, inMS(&c.CreatedAt), inMS(&c.UpdatedAt))
	return c, err
}

// Collection returns a collection that has not been removed.
func (tx *Tx) Collection(id desk.CollectionID) (desk.Collection, error) {
	c, err := settled(tx, id, func() (desk.Collection, error) { return tx.readCollection(id) })
	c.Responders = slices.Clone(c.Responders)
	return c, err
}

func (tx *Tx) readCollection(id desk.CollectionID) (desk.Collection, error) {
	c, err := scanCollection(tx.Row("SELECT "+collectionColumns+
		" FROM collections WHERE account_id = $1 AND id = $2 AND removed_at IS NULL", tx.Account, id).Scan)
	if err != nil {
		return c, Missing(err, "Collection")
	}
	one := []desk.Collection{c}
	err = tx.addResponders(one)
	return one[0], err
}

// Collections returns a page of the collections within reach that have not been
// removed.
func (tx *Tx) Collections(r desk.Reach, p desk.Page) (desk.List[desk.Collection], error) {
	var q query
	q.Add("SELECT "+collectionColumns+" FROM collections WHERE account_id = ? AND removed_at IS NULL", tx.Account)
	q.within("id", r)
	l, err := page(tx, &q, "created_at", p, scanCollection, func(c desk.Collection) desk.Position { return positionAt(c.CreatedAt, c.ID) })
	if err != nil {
		return l, err
	}
	return l, tx.addResponders(l.Items)
}

func (q *query) within(column string, r desk.Reach) { Within(&q.Query, column, r) }

// Within narrows a query to collections within reach.
func Within(q *sqldb.Query, column string, r desk.Reach) {
	switch {
	case r.All:
	case len(r.IDs) == 0:
		q.Add(" AND 1 = 0")
	default:
		q.Add(" AND " + column + " IN ")
		sqldb.In(q, r.IDs)
	}
}

// addResponders reads the responders of all given collections in one query.
func (tx *Tx) addResponders(all []desk.Collection) error {
	ids, at := placesOf(all, func(c *desk.Collection) desk.CollectionID { return c.ID })
	return lookUpOf(tx, ids, "SELECT collection_id, user_id, team_id, email_domain FROM responders WHERE account_id = ? AND collection_id IN ",
		" ORDER BY collection_id, n", func(scan scanner) (desk.Responder, error) {
			var user, domain *string
			var team *desk.TeamID
			err := scan(&user, &team, &domain)
			return desk.Responder{UserID: value(user), TeamID: value(team), EmailDomain: value(domain)}, err
		}, func(id desk.CollectionID, r desk.Responder) { at[id].Responders = append(at[id].Responders, r) })
}

// value returns what v points at, or the zero value for nil.
func value[T any](v *T) (zero T) {
	if v == nil {
		return zero
	}
	return *v
}

// unlessZero returns nil, which is stored as NULL, for the zero value.
func unlessZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// AddCollection inserts a new collection and sets its id.
func (tx *Tx) AddCollection(c *desk.Collection) error {
	err := tx.Row(`INSERT INTO collections (account_id, name, kind, owner, created_by, request_channel_id, triage_channel_id,
			auto_assign, assign_team_id, grouping_minutes, allow_bots, notify, emoji, schedule_id, csat, email, retention_messages_days, retention_files_days, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) RETURNING id`,
		tx.Account, c.Name, c.Kind, c.Owner, c.CreatedBy, c.RequestChannel, c.TriageChannel,
		c.AutoAssign, c.AssignTeam, c.GroupingMinutes, c.AllowBots, c.Notify, stored.EmojiRules(&c.Emoji), c.Schedule, stored.SurveyRules(&c.Surveys),
		stored.EmailConfig(&c.Email), c.Retention.MessagesDays, c.Retention.FilesDays, ms(c.CreatedAt), ms(c.UpdatedAt)).Scan(&c.ID)
	if err != nil {
		return fmt.Errorf("add collection: %w", err)
	}
	return tx.insertResponders(*c)
}

// SaveCollection saves a changed collection.
func (tx *Tx) SaveCollection(c desk.Collection) error {
	n, err := tx.Exec(`UPDATE collections SET name = $1, owner = $2, request_channel_id = $3, triage_channel_id = $4,
			auto_assign = $5, assign_team_id = $6, grouping_minutes = $7, allow_bots = $8, notify = $9, emoji = $10, updated_at = $11, schedule_id = $12, csat = $13, email = $14,
			retention_messages_days = $15, retention_files_days = $16
		WHERE account_id = $17 AND id = $18 AND removed_at IS NULL`,
		c.Name, c.Owner, c.RequestChannel, c.TriageChannel,
		c.AutoAssign, c.AssignTeam, c.GroupingMinutes, c.AllowBots, c.Notify, stored.EmojiRules(&c.Emoji), ms(c.UpdatedAt), c.Schedule,
		stored.SurveyRules(&c.Surveys), stored.EmailConfig(&c.Email), c.Retention.MessagesDays, c.Retention.FilesDays, tx.Account, c.ID)
	if err != nil || n == 0 {
		return err
	}
	if err := tx.Do("DELETE FROM responders WHERE account_id = $1 AND collection_id = $2", tx.Account, c.ID); err != nil {
		return err
	}
	return tx.insertResponders(c)
}

func (tx *Tx) insertResponders(c desk.Collection) error {
	responders := tx.insert("INSERT INTO responders (account_id, collection_id, n, user_id, team_id, email_domain) VALUES ")
	for n, r := range c.Responders {
		responders.Add(tx.Account, c.ID, n, unlessZero(r.UserID), unlessZero(r.TeamID), unlessZero(r.EmailDomain))
	}
	return wrap("add responders", responders.Flush())
}

// RemoveCollection removes a collection. Its channels leave it, and it disappears
// from members' lists and mutes.
func (tx *Tx) RemoveCollection(id desk.CollectionID) error {
	if err := tx.Do("UPDATE collections SET removed_at = $1 WHERE account_id = $2 AND id = $3", ms(tx.Now), tx.Account, id); err != nil {
		return err
	}
	return tx.doAll(id,
		"UPDATE channels SET collection_id = NULL, is_active = FALSE WHERE account_id = $1 AND collection_id = $2",
		"DELETE FROM member_collections WHERE account_id = $1 AND collection_id = $2",
		"DELETE FROM collection_turns WHERE account_id = $1 AND collection_id = $2",
		"DELETE FROM collection_mutes WHERE account_id = $1 AND collection_id = $2")
}

// OldestCollection returns the oldest collection of a kind, or 0 if there is none.
func (tx *Tx) OldestCollection(kind desk.CollectionKind) (desk.CollectionID, error) {
	return one[desk.CollectionID](tx, "SELECT id FROM collections WHERE account_id = $1 AND kind = $2 AND removed_at IS NULL ORDER BY id LIMIT 1", tx.Account, kind)
}

// KnownCollections returns which of the ids name a collection.
func (tx *Tx) KnownCollections(ids []desk.CollectionID) (map[desk.CollectionID]bool, error) {
	return lookUpBy[desk.CollectionID, bool](tx, ids, "SELECT id, TRUE FROM collections WHERE account_id = ? AND removed_at IS NULL AND id IN ")
}

// KnownTeams returns which of the ids name a team.
func (tx *Tx) KnownTeams(ids []desk.TeamID) (map[desk.TeamID]bool, error) {
	return lookUpBy[desk.TeamID, bool](tx, ids, "SELECT id, TRUE FROM teams WHERE account_id = ? AND id IN ")
}

// KnownUsers returns which of the ids name a chat user. The value is false for a
// deactivated user or a bot.
func (tx *Tx) KnownUsers(ids []string) (map[string]bool, error) {
	return lookUpBy[string, bool](tx, ids, "SELECT user_id, NOT deleted AND NOT is_bot FROM users WHERE account_id = ? AND user_id IN ")
}
