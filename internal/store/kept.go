package store

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// Reading a request takes a dozen statements, most of them for side tables that
// have no rows for it. So requests are cached in memory. A cached request is valid
// as long as two numbers stay the same: the version of the request, which every
// change increments, and the account's epoch of names, which changes when anything
// in the account is renamed. One statement reads both together with what is new to
// the reader. Nothing that a write reads is cached, because it may never be
// committed.

// mostKept is roughly how many bytes of requests are cached.
const mostKept = 48 << 20

// named are the tables with names, people and settings of an account. A write to
// any of them advances the account's epoch of names.
var named = []string{"users", "teams", "channels", "collections", "customers", "members", "custom_fields", "custom_field_options",
	"accounts", "responders", "sla_policies", "sla_schedules"}

// change marks a request to get a new version, whatever changed in it.
func (tx *Tx) change(id desk.RequestID) {
	if _, known := tx.changed[id]; !known {
		tx.setChanged(id, false)
	}
}

// changedRow records that the request's row already got a new version.
func (tx *Tx) changedRow(id desk.RequestID) { tx.setChanged(id, true) }

func (tx *Tx) setChanged(id desk.RequestID, done bool) {
	if tx.changed == nil {
		tx.changed = map[desk.RequestID]bool{}
	}
	tx.changed[id] = done
}

// setVersions gives a new version to the changed requests that have none yet. If
// some requests count differently and no event says so, it also sets untold, for
// all of them. This takes no extra statement, and in most turns there is nothing to
// set.
func (tx *Tx) setVersions() error {
	ids := tx.untold()
	told := ""
	if len(ids) > 0 {
		told = ", untold = (SELECT coalesce(max(u.untold), 0) + 1 FROM requests u WHERE u.account_id = requests.account_id AND u.untold IS NOT NULL)"
	}
	for id, done := range tx.changed {
		if !done {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for some := range slices.Chunk(slices.Compact(ids), mostNamed) {
		var q query
		q.Add("UPDATE requests SET version = version + 1"+told+" WHERE account_id = ? AND id IN ", tx.Account)
		sqldb.In(&q, some)
		if err := tx.Later(q.String(), q.Args()...); err != nil {
			return fmt.Errorf("give requests another version: %w", err)
		}
	}
	return nil
}

// edition tells whether a cached request is still current. Processes of older
// versions do not know version, so updated and newest reveal their changes.
type edition struct {
	version, names int64
	updated        int64
	newest         desk.MessageID
}

// glance is what is always read of a request: its edition, how far somebody has read
// it, and whether they follow it.
type glance struct {
	id desk.RequestID
	edition
	readTo  *desk.MessageID // -1: they marked it as unread
	follows bool
}

// glanceOf selects a glance at the request r. glanceFrom joins what is not in its
// row. Both take the account; glanceFrom also takes the reader.
const (
	glanceOf   = "r.id, r.version, (SELECT coalesce(max(names), -1) FROM sequences WHERE account_id = ?), r.updated_at, r.newest_id, seen.message_id, seen.followed_at IS NOT NULL"
	glanceFrom = " requests r LEFT JOIN request_reads seen ON seen.account_id = ? AND seen.member_id = ? AND seen.request_id = r.id"
)

// collectGlances runs a query that selects glanceOf.
func (tx *Tx) collectGlances(q *query) ([]glance, error) {
	var g glance
	to := []any{&g.id, &g.version, &g.names, &g.updated, &g.newest, &g.readTo, &g.follows}
	all, err := sqldb.Collect(tx.Tx, func(scan scanner) (glance, error) {
		err := scan(to...)
		return g, err
	}, q.String(), q.Args()...)
	if len(all) > 0 {
		tx.learnEpoch(g.names)
	}
	return all, err
}

// glances reads glances at some requests within reach, in any order.
func (tx *Tx) glances(ids []desk.RequestID, reach desk.Reach, member desk.MemberID) ([]glance, error) {
	var q query
	q.Add("SELECT "+glanceOf+" FROM"+glanceFrom+" WHERE r.account_id = ? AND r.id IN ", tx.Account, tx.Account, member, tx.Account)
	sqldb.In(&q, ids)
	q.within("r.collection_id", reach)
	return tx.collectGlances(&q)
}

// Rows returns some requests within reach, in the order of the ids, with what lists
// show a member.
func (tx *Tx) Rows(ids []desk.RequestID, reach desk.Reach, member desk.MemberID) ([]desk.Request, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	seen, err := tx.glances(ids, reach, member)
	if err != nil || len(seen) == 0 {
		return nil, err
	}
	place := make(map[desk.RequestID]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	slices.SortFunc(seen, func(a, b glance) int { return place[a.id] - place[b.id] })
	return tx.rowsOf(seen, member)
}

// rowsOf returns the requests of some glances, with what lists show a member.
func (tx *Tx) rowsOf(seen []glance, member desk.MemberID) ([]desk.Request, error) {
	if len(seen) == 0 {
		return nil, nil
	}
	all := make([]*keptRequest, len(seen))
	if err := tx.findKept(seen, all); err != nil {
		return nil, err
	}
	reader, err := tx.readerFor(member, seen[0].names)
	if err != nil {
		return nil, err
	}
	rows := make([]desk.Request, len(seen))
	for i, g := range seen {
		rows[i] = all[i].row(g, reader.at(tx.Now), tx.Now)
	}
	return rows, nil
}

// KeptRow returns a request as Rows does, if everything is cached but what may have
// changed, which takes one statement. kept is false if more has to be read. KeptRow
// returns NotFound if the request is out of reach.
func (tx *Tx) KeptRow(id desk.RequestID, reach desk.Reach, member desk.MemberID) (r desk.Request, kept bool, err error) {
	seen, err := tx.glances([]desk.RequestID{id}, reach, member)
	if err != nil {
		return r, false, err
	}
	if len(seen) == 0 {
		return r, false, desk.Missing("Request")
	}
	whole := tx.store.kept.get(tx.Account, id, seen[0].edition)
	reader, known := tx.store.kept.reader(tx.Account, member, seen[0].names)
	if whole == nil || !known && member != 0 || tx.inTurn {
		return r, false, nil
	}
	return whole.row(seen[0], reader.at(tx.Now), tx.Now), true, nil
}

// keptBefore returns a cached request for a turn that has written nothing yet and
// so sees what everybody sees. It runs a statement only if something is cached.
func (tx *Tx) keptBefore(id desk.RequestID, reach desk.Reach) (r desk.Request, kept bool, err error) {
	if !tx.inTurn || tx.WroteAny() || !tx.store.kept.has(tx.Account, id) {
		return r, false, nil
	}
	seen, err := tx.glances([]desk.RequestID{id}, reach, 0)
	if err != nil {
		return r, false, err
	}
	if len(seen) == 0 {
		return r, false, desk.Missing("Request")
	}
	whole := tx.store.kept.get(tx.Account, id, seen[0].edition)
	if whole == nil {
		tx.store.kept.forget(tx.Account, id) // nobody will ask for that edition again
		return r, false, nil
	}
	r = whole.request.Clone()
	r.SLAs, r.Tickets = slices.Clone(r.SLAs), slices.Clone(r.Tickets)
	tx.remember(r)
	return r, true, nil
}

// readerFor returns a member as a reader. Member 0 is nobody.
func (tx *Tx) readerFor(member desk.MemberID, names int64) (keptReader, error) {
	reader, known := tx.store.kept.reader(tx.Account, member, names)
	if known && !tx.inTurn || member == 0 {
		return reader, nil
	}
	reader, err := tx.readReader(member)
	if err == nil {
		tx.keepReader(reader, names)
	}
	return reader, err
}

// findKept finds the cached requests and reads the others.
func (tx *Tx) findKept(seen []glance, all []*keptRequest) error {
	var missing []desk.RequestID
	for i, g := range seen {
		if !tx.inTurn {
			all[i] = tx.store.kept.get(tx.Account, g.id, g.edition)
		}
		if all[i] == nil {
			missing = append(missing, g.id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	read, err := tx.readWhole(missing)
	if err != nil {
		return err
	}
	for i, g := range seen {
		if all[i] != nil {
			continue
		}
		if all[i] = read[g.id]; all[i] == nil {
			return desk.Missing("Request") // cannot happen in one transaction
		}
		all[i].edition = g.edition
		if !tx.inTurn && g.names >= 0 {
			tx.store.kept.put(tx.Account, all[i])
		}
	}
	return nil
}

// readWhole reads everything that is cached of some requests: one statement for
// each kind of thing, however many requests there are.
func (tx *Tx) readWhole(ids []desk.RequestID) (map[desk.RequestID]*keptRequest, error) {
	requests, err := tx.RequestsNamed(ids, desk.Everything)
	if err != nil {
		return nil, err
	}
	var customers []desk.CustomerID
	for _, r := range requests {
		customers = appendGiven(customers, r.Customer)
	}
	names, err := namesOf(tx, "SELECT id, name FROM customers WHERE account_id = ? AND id IN ", customers)
	if err != nil {
		return nil, err
	}
	said, err := tx.readSaidLast(ids)
	if err != nil {
		return nil, err
	}
	all := make(map[desk.RequestID]*keptRequest, len(requests))
	for _, r := range requests {
		k := &keptRequest{request: r, saidLast: said[r.ID], written: new(desk.Written)}
		if r.Customer != nil {
			k.customer = names[*r.Customer]
		}
		all[r.ID] = k
	}
	return all, nil
}

// keptRequest is a request with what a list shows of it to everybody. It is never
// changed.
type keptRequest struct {
	edition
	saidLast
	request  desk.Request
	customer string
	written  *desk.Written
}

// unread reports whether the request is unread for a reader who has read as far as
// the glance says. query.unread expresses the same rule in SQL.
func (k *keptRequest) unread(g glance, r desk.Reader) bool {
	if g.readTo != nil && (*g.readTo == -1 || *g.readTo >= g.newest) {
		return *g.readTo == -1
	}
	if r.Member == 0 {
		return false
	}
	email := "@" + r.Email
	return k.at > 0 && k.at >= ms(r.Since) && k.by != email && (r.User == "" || k.by != r.User)
}

// row returns what a list shows of the request to a reader at a given time.
func (k *keptRequest) row(g glance, reader desk.Reader, now time.Time) desk.Request {
	r := k.request
	r.Row = &desk.RequestRow{Unread: k.unread(g, reader), Following: g.follows, CustomerName: k.customer, Last: k.last, Due: r.NextDue(now), Written: k.written}
	return r
}

// size returns roughly how many bytes the request takes. It is also written in two
// forms, each with the same texts and some 1,200 bytes of names.
func (k *keptRequest) size() int {
	r := k.request
	n := 2048 + len(r.Title) + len(r.Author.Name) + len(r.Author.Email) + len(r.Author.Avatar) + len(r.Metadata) + len(r.ExternalID)
	for _, list := range [][]string{r.Tags, r.Contributors} {
		for _, text := range list {
			n += 16 + len(text)
		}
	}
	for _, v := range r.Values {
		n += 128 + len(v.Text)
	}
	n += 256*len(r.Tickets) + 256*len(r.SLAs)
	if k.last != nil {
		n += 256 + len(k.last.Text)
	}
	return n + 2*(1200+n-2048)
}

type keptKey struct {
	account desk.AccountID
	request desk.RequestID
}

// keptReader is a member as a reader, independent of the time of reading.
type keptReader struct {
	desk.Reader // Since is when they joined
	names       int64
}

// at returns the reader at a given time. Messages older than desk.UnreadTime are
// new to nobody.
func (r keptReader) at(now time.Time) desk.Reader {
	if least := now.Add(-desk.UnreadTime); r.Since.Before(least) {
		r.Since = least
	}
	return r.Reader
}

type readerKey struct {
	account desk.AccountID
	member  desk.MemberID
}

// memory holds the cached requests and their readers.
type memory struct {
	mu      sync.Mutex
	most    int // bytes
	size    int
	order   *list.List // of *keptEntry, the most recently used first
	entries map[keptKey]*list.Element
	readers map[readerKey]keptReader
}

type keptEntry struct {
	key  keptKey
	is   *keptRequest
	size int
}

// mostReaders limits the number of cached readers.
const mostReaders = 10_000

func newMemory(most int) *memory {
	return &memory{most: most, order: list.New(), entries: map[keptKey]*list.Element{}, readers: map[readerKey]keptReader{}}
}

// get returns the cached edition of a request, or nil if it is not cached.
func (k *memory) get(account desk.AccountID, id desk.RequestID, e edition) *keptRequest {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := k.entries[keptKey{account, id}]
	if at == nil || at.Value.(*keptEntry).is.edition != e {
		return nil
	}
	k.order.MoveToFront(at)
	return at.Value.(*keptEntry).is
}

// has reports whether any edition of a request is cached.
func (k *memory) has(account desk.AccountID, id desk.RequestID) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.entries[keptKey{account, id}] != nil
}

// put caches an edition of a request and replaces any other. The least recently
// used requests are dropped to make room.
func (k *memory) put(account desk.AccountID, r *keptRequest) {
	e := &keptEntry{keptKey{account, r.request.ID}, r, r.size()}
	k.mu.Lock()
	defer k.mu.Unlock()
	if at := k.entries[e.key]; at != nil {
		k.drop(at)
	}
	k.entries[e.key], k.size = k.order.PushFront(e), k.size+e.size
	for k.size > k.most {
		k.drop(k.order.Back())
	}
}

// forget drops a request from the cache.
func (k *memory) forget(account desk.AccountID, id desk.RequestID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if at := k.entries[keptKey{account, id}]; at != nil {
		k.drop(at)
	}
}

func (k *memory) drop(at *list.Element) {
	e := at.Value.(*keptEntry)
	k.order.Remove(at)
	delete(k.entries, e.key)
	k.size -= e.size
}

func (k *memory) reader(account desk.AccountID, member desk.MemberID, names int64) (keptReader, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, known := k.readers[readerKey{account, member}]
	return r, known && r.names == names
}

func (tx *Tx) keepReader(r keptReader, names int64) {
	if tx.inTurn || names < 0 {
		return
	}
	k := tx.store.kept
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.readers) >= mostReaders {
		clear(k.readers)
	}
	r.names = names
	k.readers[readerKey{tx.Account, r.Member}] = r
}

// CheckKept reads everything again that is cached and has no newer edition, and
// reports what differs. It is for tests. Nothing else finds code that changes a
// request without a new version, or a setting without a new epoch of its account.
func (s *Store) CheckKept(ctx context.Context) error {
	s.kept.mu.Lock()
	of := map[desk.AccountID][]*keptRequest{}
	for at := s.kept.order.Front(); at != nil; at = at.Next() {
		e := at.Value.(*keptEntry)
		of[e.key.account] = append(of[e.key.account], e.is)
	}
	s.kept.mu.Unlock()
	wrong := s.checkSettings(ctx)
	for account, all := range of {
		err := s.Read(ctx, account, func(tx *Tx) error {
			for _, k := range all {
				seen, err := tx.glances([]desk.RequestID{k.request.ID}, desk.Everything, 0)
				if err != nil {
					return err
				}
				if len(seen) == 0 || seen[0].edition != k.edition {
					continue
				}
				read, err := tx.readWhole([]desk.RequestID{k.request.ID})
				if err != nil {
					return err
				}
				now := read[k.request.ID]
				now.edition, now.written = k.edition, k.written
				if !reflect.DeepEqual(now, k) {
					wrong = errors.Join(wrong, fmt.Errorf("request %d is kept as %+v %+v, and is %+v %+v", k.request.ID, k.request, k.last, now.request, now.last))
				}
			}
			return nil
		})
		wrong = errors.Join(wrong, err)
	}
	return wrong
}
