package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

// TopicMailTest rings when a test mail came back.
const TopicMailTest = "mail test"

// TopicMailbox rings when the mailbox of a collection has changed.
const TopicMailbox = "mailbox"

var errAddressTaken = desk.Errorf(desk.Conflict, "This email address is already the address of a collection on this server. Choose another one.")

// SaveEmailConfig saves what belongs to the mail of a collection beside its row: its
// address, and the password of its mailbox. A mailbox with another host, user or
// folder is read from the beginning. It returns Conflict if another collection of the
// server has the address.
func (tx *Tx) SaveEmailConfig(before, after desk.Collection) error {
	var was, is desk.EmailConfig
	if before.Email != nil {
		was = *before.Email
	}
	if after.Email != nil {
		is = *after.Email
	}
	id := max(before.ID, after.ID) // one of them may be nothing
	if err := tx.saveAddress(id, desk.FoldEmail(was.Address), desk.FoldEmail(is.Address)); err != nil {
		return err
	}
	return wrap("save a mailbox", tx.saveMailbox(id, was.Mailbox, is.Mailbox))
}

func (tx *Tx) saveAddress(id desk.CollectionID, was, is string) error {
	if was == is {
		return nil
	}
	if was != "" {
		if err := tx.Do("DELETE FROM email_addresses WHERE account_id = $1 AND collection_id = $2", tx.Account, id); err != nil {
			return err
		}
	}
	if is == "" {
		return nil
	}
	n, err := tx.Exec(`INSERT INTO email_addresses (address, account_id, collection_id)
		SELECT $1, account_id, id FROM collections WHERE account_id = $2 AND id = $3 AND removed_at IS NULL
		ON CONFLICT (address) DO NOTHING`, is, tx.Account, id)
	if err == nil && n == 0 {
		err = errAddressTaken
	}
	return err
}

func (tx *Tx) saveMailbox(id desk.CollectionID, was, is *desk.Mailbox) error {
	if was == nil && is == nil {
		return nil
	}
	tx.Ring(TopicMailbox)
	if is == nil {
		return tx.Do("DELETE FROM mailboxes WHERE account_id = $1 AND collection_id = $2", tx.Account, id)
	}
	if is.Password != nil {
		err := tx.Do(`INSERT INTO mailboxes (account_id, collection_id, password, uid_validity, failure)
			SELECT account_id, id, $3, 0, '' FROM collections WHERE account_id = $1 AND id = $2 AND removed_at IS NULL
			ON CONFLICT (account_id, collection_id) DO UPDATE SET password = excluded.password, failure = ''`,
			tx.Account, id, tx.store.key.Seal(tx.mailboxPlace(), []byte(*is.Password)))
		if err != nil {
			return err
		}
	}
	if was == nil || was.Same(*is) {
		return nil
	}
	return tx.Do("UPDATE mailboxes SET uid_validity = 0, uid = NULL, failure = '' WHERE account_id = $1 AND collection_id = $2", tx.Account, id)
}

func (tx *Tx) mailboxPlace() seal.Place {
	return seal.Place{Account: int64(tx.Account), Column: "mailboxes.password"}
}

// OtherEmailCollection returns the oldest collection with a mail configuration
// besides one, or nil if there is none.
func (tx *Tx) OtherEmailCollection(than desk.CollectionID) (*desk.CollectionID, error) {
	id, err := one[desk.CollectionID](tx, `SELECT id FROM collections
		WHERE account_id = $1 AND kind = $2 AND email IS NOT NULL AND removed_at IS NULL AND id <> $3 ORDER BY id LIMIT 1`, tx.Account, desk.EmailCollection, than)
	return unlessZero(id), err
}

// AccountCollection is a collection together with its account.
type AccountCollection struct {
	Account    desk.AccountID
	Collection desk.CollectionID
}

// CollectionsAt finds the collections whose addresses these are. The addresses are in
// lower case, as desk.FoldEmail makes them; unknown ones are left out.
func (s *Store) CollectionsAt(ctx context.Context, addresses []string) (map[string]AccountCollection, error) {
	found := make(map[string]AccountCollection, len(addresses))
	if len(addresses) == 0 {
		return found, nil
	}
	err := s.db.Look(ctx, func(tx *sqldb.Tx) error {
		var q query
		q.Add("/* every account: an address is how the account is found */ SELECT address, account_id, collection_id FROM email_addresses WHERE address IN ")
		sqldb.In(&q, addresses)
		return tx.Each(func(scan scanner) error {
			var address string
			var c AccountCollection
			err := scan(&address, &c.Account, &c.Collection)
			found[address] = c
			return err
		}, q.String(), q.Args()...)
	})
	return found, fit(err)
}

// Mailboxes returns the collections of all accounts that read a mailbox.
func (s *Store) Mailboxes(ctx context.Context) (all []AccountCollection, err error) {
	err = s.db.Look(ctx, func(tx *sqldb.Tx) (err error) {
		all, err = sqldb.Collect(tx, func(scan scanner) (c AccountCollection, err error) {
			err = scan(&c.Account, &c.Collection)
			return c, err
		}, "/* every account: each mailbox is read by itself */ SELECT account_id, collection_id FROM mailboxes ORDER BY account_id, collection_id")
		return err
	})
	return all, fit(err)
}

// Mailbox is the mailbox of a collection with what is needed to read it.
type Mailbox struct {
	Collection desk.CollectionID
	desk.Mailbox
	Password string
	MailboxPosition
	Failure string // why it cannot be read; empty if it can
}

// MailboxPosition is how far a mailbox was read.
type MailboxPosition struct {
	UIDValidity uint32
	UID         *uint32 // the last mail that was read; nil if the folder was never looked at
}

// MailboxOf returns the mailbox of a collection. It returns NotFound if it has none.
func (tx *Tx) MailboxOf(id desk.CollectionID) (m Mailbox, err error) {
	var config *desk.EmailConfig
	var sealed []byte
	err = tx.Row(`SELECT c.id, c.email, m.password, m.uid_validity, m.uid, m.failure
		FROM mailboxes m JOIN collections c ON c.account_id = m.account_id AND c.id = m.collection_id AND c.removed_at IS NULL
		WHERE m.account_id = $1 AND m.collection_id = $2`, tx.Account, id).
		Scan(&m.Collection, stored.EmailConfig(&config), &sealed, &m.UIDValidity, &m.UID, &m.Failure)
	if err == nil && (config == nil || config.Mailbox == nil) {
		err = sqldb.ErrNoRows
	}
	if err != nil {
		return m, Missing(err, "Mailbox")
	}
	m.Mailbox = *config.Mailbox
	password, err := tx.store.key.Open(tx.mailboxPlace(), sealed)
	m.Password = string(password)
	return m, err
}

// SaveMailboxPosition saves how far a mailbox was read. It returns NotFound, and saves
// nothing, if the collection reads another mailbox by now.
func (tx *Tx) SaveMailboxPosition(of Mailbox, at MailboxPosition) error {
	if err := tx.checkMailbox(of); err != nil {
		return err
	}
	return tx.Do("UPDATE mailboxes SET uid_validity = $1, uid = $2, failure = '' WHERE account_id = $3 AND collection_id = $4",
		at.UIDValidity, at.UID, tx.Account, of.Collection)
}

// SaveMailboxFailure saves why a mailbox cannot be read. It returns NotFound, and saves
// nothing, if the collection reads another mailbox by now.
func (tx *Tx) SaveMailboxFailure(of Mailbox, failure string) error {
	if err := tx.checkMailbox(of); err != nil {
		return err
	}
	return tx.Do("UPDATE mailboxes SET failure = $1 WHERE account_id = $2 AND collection_id = $3", failure, tx.Account, of.Collection)
}

func (tx *Tx) checkMailbox(of Mailbox) error {
	is, err := tx.MailboxOf(of.Collection)
	if err == nil && (!is.Same(of.Mailbox) || is.Password != of.Password) {
		err = desk.Missing("Mailbox")
	}
	return err
}

// MailTest is a mail that was sent to the address of a collection to see whether it
// comes back.
type MailTest struct {
	ID         string // unguessable: only who reads mail for the address knows it
	Collection desk.CollectionID
	Address    string
	SentAt     time.Time
	CameBackAt *time.Time
}

const (
	// MailTestTime is how long a test mail may take to come back.
	MailTestTime = time.Hour
	// MostMailTests is how many tests an account makes in that time, because their
	// mail goes to anybody.
	MostMailTests = 20
)

var errManyMailTests = &desk.Error{Kind: desk.Busy, RetryAfter: 5 * time.Minute,
	Message: fmt.Sprintf("The account has made %d mail tests within an hour. Try again later.", MostMailTests)}

// AddMailTest adds a test. It returns Busy if there were too many within the hour.
func (tx *Tx) AddMailTest(t MailTest) error {
	if n, err := one[int](tx, "SELECT count(*) FROM mail_tests WHERE account_id = $1 AND sent_at >= $2", tx.Account, ms(tx.Now.Add(-MailTestTime))); err != nil || n >= MostMailTests {
		return cmp.Or[error](err, errManyMailTests)
	}
	return tx.Do(`INSERT INTO mail_tests (account_id, id, collection_id, address, sent_at)
		SELECT account_id, $3, id, $4, $5 FROM collections WHERE account_id = $1 AND id = $2`, tx.Account, t.Collection, t.ID, t.Address, ms(t.SentAt))
}

// MailTest returns a test that is not over. It returns NotFound if there is none.
func (tx *Tx) MailTest(id string) (t MailTest, err error) {
	err = tx.Row("SELECT id, collection_id, address, sent_at, came_back_at FROM mail_tests WHERE account_id = $1 AND id = $2 AND sent_at >= $3",
		tx.Account, id, ms(tx.Now.Add(-MailTestTime))).Scan(&t.ID, &t.Collection, &t.Address, inMS(&t.SentAt), inMSOrNil(&t.CameBackAt))
	if err != nil {
		return t, Missing(err, "Test")
	}
	return t, nil
}

// EndMailTest saves that a test mail came back, and wakes who waits for it.
func (tx *Tx) EndMailTest(id string) error {
	tx.Ring(TopicMailTest)
	err := tx.Do("UPDATE mail_tests SET came_back_at = $1 WHERE account_id = $2 AND id = $3 AND came_back_at IS NULL", ms(tx.Now), tx.Account, id)
	return wrap("end a mail test", err)
}

// SweepMail deletes the tests and the notes of automatic answers that are older than a
// time.
func (tx *Tx) SweepMail(before time.Time) error {
	if err := tx.Do("DELETE FROM mail_tests WHERE account_id = $1 AND sent_at < $2", tx.Account, ms(before)); err != nil {
		return err
	}
	return tx.Do("DELETE FROM auto_replies WHERE account_id = $1 AND sent_at < $2", tx.Account, ms(before))
}
