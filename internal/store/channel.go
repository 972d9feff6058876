package store

import (
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

const channelColumns = `id, channel_id, name, is_private, is_archived, is_member, is_gone, collection_id, owner, is_active, created_at, updated_at`

// shownChannels excludes channels that the chat system no longer shows us, unless
// they belong to a collection.
const shownChannels = " AND (NOT is_gone OR collection_id IS NOT NULL)"

// channelRow is a channel with our own id for it, which orders lists.
type channelRow struct {
	id int64
	desk.Channel
}

func scanChannelRow(scan scanner) (r channelRow, err error) {
	c := &r.Channel
	err = scan(&r.id, &c.ID, &c.Name, &c.Private, &c.Archived, &c.BotMember, &c.Gone, &c.Collection, &c.Owner, &c.Active, inMS(&c.CreatedAt), inMS(&c.UpdatedAt))
	return r, err
}

func scanChannel(scan scanner) (desk.Channel, error) {
	r, err := scanChannelRow(scan)
	return r.Channel, err
}

// Channel returns a channel, if it is shown.
func (tx *Tx) Channel(id string) (desk.Channel, error) {
	if !desk.Storable(id) {
		return desk.Channel{}, desk.Missing("Channel") // no channel can have this id
	}
	c, err := scanChannel(tx.Row("SELECT "+channelColumns+
		" FROM channels WHERE account_id = $1 AND channel_id = $2"+shownChannels, tx.Account, id).Scan)
	if errors.Is(err, sqldb.ErrNoRows) {
		tx.Unseen = append(tx.Unseen, id)
	}
	return c, Missing(err, "Channel")
}

// Channels returns a page of the channels that are shown, in the order in which we
// learnt of them.
func (tx *Tx) Channels(f desk.ChannelFilter, p desk.Page) (desk.List[desk.Channel], error) {
	var q query
	q.Add("SELECT "+channelColumns+" FROM channels WHERE account_id = ?"+shownChannels, tx.Account)
	if f.Collection != 0 {
		q.Add(" AND collection_id = ?", f.Collection)
	}
	q.within("collection_id", f.Reach)
	rows, err := page(tx, &q, "created_at", p, scanChannelRow, func(r channelRow) desk.Position { return positionAt(r.CreatedAt, r.id) })
	l := desk.List[desk.Channel]{Next: rows.Next}
	for _, r := range rows.Items {
		l.Items = append(l.Items, r.Channel)
	}
	return l, err
}

// ChannelsOf returns all channels of some collections, including inactive ones,
// ordered by collection id.
func (tx *Tx) ChannelsOf(ids []desk.CollectionID) ([]desk.Channel, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var q query
	q.Add("SELECT "+channelColumns+" FROM channels WHERE account_id = ? AND collection_id IN ", tx.Account)
	sqldb.In(&q, ids)
	q.Add(" ORDER BY collection_id, created_at, id LIMIT ?", len(ids)*desk.MostChannels)
	return sqldb.Collect(tx.Tx, scanChannel, q.String(), q.Args()...)
}

// ChannelsNamed returns the channels with these ids, by id, including channels that
// are not shown. Unknown ids are left out.
func (tx *Tx) ChannelsNamed(ids []string) (map[string]desk.Channel, error) {
	rows, err := lookUp(tx, ids, scanChannel, "SELECT "+channelColumns+" FROM channels WHERE account_id = ? AND channel_id IN ")
	found := byKey(rows, func(c desk.Channel) string { return c.ID })
	for _, id := range ids {
		if c, ok := found[id]; !ok || c.Gone {
			tx.Unseen = append(tx.Unseen, id)
		}
	}
	return found, err
}

// ChannelUses returns what some channels are used for, oldest collection first.
func (tx *Tx) ChannelUses(ids []string) ([]desk.ChannelUse, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var q query
	q.Add("SELECT request_channel_id, ?, id, name FROM collections WHERE account_id = ? AND removed_at IS NULL AND request_channel_id IN ",
		string(desk.ForRequests), tx.Account)
	sqldb.In(&q, ids)
	q.Add(" UNION ALL SELECT triage_channel_id, ?, id, name FROM collections WHERE account_id = ? AND removed_at IS NULL AND triage_channel_id IN ",
		string(desk.ForTriage), tx.Account)
	sqldb.In(&q, ids)
	q.Add(` UNION ALL SELECT h.channel_id, ?, c.id, c.name FROM channels h JOIN collections c ON c.account_id = h.account_id AND c.id = h.collection_id
		WHERE h.account_id = ? AND h.is_active AND h.channel_id IN `, string(desk.ForMessages), tx.Account)
	sqldb.In(&q, ids)
	q.Add(" ORDER BY 3, 2")
	return sqldb.Collect(tx.Tx, func(scan scanner) (u desk.ChannelUse, err error) {
		err = scan(&u.Channel, &u.Purpose, &u.Collection, &u.Name)
		return u, err
	}, q.String(), q.Args()...)
}

// SaveChannel saves a channel's place in a collection. The chat system decides the
// rest, and updated_at: it is when we last heard something new.
func (tx *Tx) SaveChannel(c desk.Channel) error {
	return tx.Do("UPDATE channels SET collection_id = $1, owner = $2, is_active = $3 WHERE account_id = $4 AND channel_id = $5",
		c.Collection, c.Owner, c.Active, tx.Account, c.ID)
}

// HasRoom reports whether a collection can take n more channels.
func (tx *Tx) HasRoom(id desk.CollectionID, n int) (bool, error) {
	var held int
	err := tx.Row(`SELECT count(*) FROM (SELECT 1 FROM channels WHERE account_id = $1 AND collection_id = $2 LIMIT $3) held`,
		tx.Account, id, desk.MostChannels).Scan(&held)
	return held+n <= desk.MostChannels, err
}

type keptChannel struct {
	id int64
	desk.Channel
	kept
}

// PutChannels stores channels as the chat system reported them; see PutUsers. Their
// places in collections are ours and stay.
func (tx *Tx) PutChannels(told []Report[desk.Channel], readAt time.Time) (doubt bool, err error) {
	if len(told) == 0 {
		return false, nil
	}
	ids := make([]string, len(told))
	for i, c := range told {
		ids[i] = c.Is.ID
	}
	rows, err := lookUp(tx, ids, func(scan scanner) (k keptChannel, err error) {
		err = scan(&k.id, &k.ID, &k.Name, &k.Private, &k.Archived, &k.BotMember, &k.Gone, &k.revision, inMS(&k.updatedAt))
		return k, err
	}, "SELECT id, channel_id, name, is_private, is_archived, is_member, is_gone, revision, updated_at FROM channels WHERE account_id = ? AND channel_id IN ")
	if err != nil {
		return false, fmt.Errorf("put channels: %w", err)
	}
	known := byKey(rows, func(k keptChannel) string { return k.ID })
	t := reportBatch{readAt: readAt}
	for _, c := range told {
		if err := tx.putChannel(&t, c, known); err != nil {
			return false, fmt.Errorf("put channels: %w", err)
		}
	}
	return t.doubt, nil
}

func (tx *Tx) putChannel(t *reportBatch, c Report[desk.Channel], known map[string]keptChannel) error {
	was, ok := known[c.Is.ID]
	same := was.Name == c.Is.Name && was.Private == c.Is.Private && was.Archived == c.Is.Archived && was.BotMember == c.Is.BotMember && !was.Gone
	switch {
	case !ok:
		if err := tx.Do(`INSERT INTO channels (account_id, channel_id, name, is_private, is_archived, is_member, is_gone, revision, is_active, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, FALSE, $7, FALSE, $8, $8)
			ON CONFLICT (account_id, channel_id) DO NOTHING`,
			tx.Account, c.Is.ID, c.Is.Name, c.Is.Private, c.Is.Archived, c.Is.BotMember, c.Revision, ms(tx.Now)); err != nil {
			return err
		}
	case same && was.revision >= c.Revision, !same && !t.replaces(c.Revision, was.kept):
		return nil
	default:
		if err := tx.Do(`UPDATE channels SET name = $1, is_private = $2, is_archived = $3, is_member = $4, is_gone = FALSE, revision = $5, updated_at = $6
			WHERE account_id = $7 AND id = $8`,
			c.Is.Name, c.Is.Private, c.Is.Archived, c.Is.BotMember, c.Revision, ms(tx.Now), tx.Account, was.id); err != nil {
			return err
		}
	}
	was.Channel, was.kept = c.Is, kept{c.Revision, tx.Now}
	known[c.Is.ID] = was // a page may name a channel twice
	return nil
}
