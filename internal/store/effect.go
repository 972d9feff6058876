package store

import (
	"time"
)

// Lane is one thing about which only one process at a time may talk to another
// system. What happens in a lane happens in order.
type Lane struct {
	Kind LaneKind
	ID   int64
}

// LaneKind says what the ID of a lane names.
type LaneKind string

const (
	RequestLane      LaneKind = "request"      // what the chat system shows of a request
	AnnouncementLane LaneKind = "announcement" // the message that an announcement copies
	CopyLane         LaneKind = "copy"         // one copy of it
	LinkLane         LaneKind = "link"         // a linked ticket
	WebhookLane      LaneKind = "webhook"      // a webhook
	MailLane         LaneKind = "mail"         // a mail
	LetterLane       LaneKind = "letter"       // a copy of a letter
	MailboxLane      LaneKind = "mailbox"      // the mailbox of a collection
	NoticeLane       LaneKind = "notice"       // a message to a member
)

// Hold lets holder alone work in a lane until a time. It returns false while
// somebody else holds the lane.
func (tx *Tx) Hold(l Lane, holder string, until time.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO lanes (account_id, kind, id, held_by, held_until) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (account_id, kind, id) DO UPDATE SET held_by = excluded.held_by, held_until = excluded.held_until
		WHERE lanes.account_id = excluded.account_id AND (lanes.held_by = excluded.held_by OR lanes.held_until <= $6)`,
		tx.Account, l.Kind, l.ID, holder, ms(until), ms(tx.Now))
	return n > 0, err
}

// Prolong keeps a lane held until a later time. It returns false if holder has lost
// the lane, even if nobody holds it now.
func (tx *Tx) Prolong(l Lane, holder string, until time.Time) (bool, error) {
	n, err := tx.Exec("UPDATE lanes SET held_until = $1 WHERE account_id = $2 AND kind = $3 AND id = $4 AND held_by = $5", ms(until), tx.Account, l.Kind, l.ID, holder)
	return n > 0, err
}

// Release gives up holder's hold on a lane.
func (tx *Tx) Release(l Lane, holder string) error {
	return tx.Do("DELETE FROM lanes WHERE account_id = $1 AND kind = $2 AND id = $3 AND held_by = $4", tx.Account, l.Kind, l.ID, holder)
}

// Effect is something that another system is to show. Rows of several tables are
// effects; they have the same columns for it, which migration 0029 explains.
type Effect struct {
	ID       int64
	Mark     string    // its name there, unique among all of ours
	TriedAt  time.Time // when the first attempt began; zero: never
	Kept     string    // what an attempt left for the next
	Channel  string    // where it is shown; empty until it is
	External string    // its id there; empty until it is shown
	wanted   int64     // the version that is to be shown
	table    effectTable
}

// effectTable is a table whose rows are effects.
type effectTable string

const (
	effectsOfRequests      effectTable = "posts"
	effectsOfAnnouncements effectTable = "announcement_recipients"
	effectsOfLinks         effectTable = "link_comments"
	effectsOfMails         effectTable = "mail_copies"
	effectsOfNotices       effectTable = "notices"
	effectsOfReports       effectTable = "report_copies"
)

const effectColumns = "id, mark, tried_at, kept, channel_id, external_id, wanted"

// scanEffect reads effectColumns, and then what else the statement selects.
func scanEffect(table effectTable, scan scanner, more ...any) (e Effect, err error) {
	var tried *int64
	var channel, external *string
	e.table = table
	err = scan(append([]any{&e.ID, &e.Mark, &tried, &e.Kept, &channel, &external, &e.wanted}, more...)...)
	e.Channel, e.External = value(channel), value(external)
	if tried != nil {
		e.TriedAt = FromMS(*tried)
	}
	return e, err
}

// TryEffect records that an effect is being attempted. Only the first attempt
// counts.
func (tx *Tx) TryEffect(e Effect) error {
	if !e.TriedAt.IsZero() {
		return nil
	}
	return tx.Do("UPDATE "+string(e.table)+" SET tried_at = $1 WHERE account_id = $2 AND id = $3 AND tried_at IS NULL", ms(tx.Now), tx.Account, e.ID)
}

// UntryEffect records that an attempt certainly had no effect, as if it had not been
// made.
func (tx *Tx) UntryEffect(e Effect) error {
	return tx.Do("UPDATE "+string(e.table)+" SET tried_at = NULL WHERE account_id = $1 AND id = $2", tx.Account, e.ID)
}

// KeepEffect saves what a later attempt needs to know.
func (tx *Tx) KeepEffect(e Effect, kept string) error {
	return tx.Do("UPDATE "+string(e.table)+" SET kept = $1 WHERE account_id = $2 AND id = $3", kept, tx.Account, e.ID)
}

// SettleEffect records that an effect is shown where e says, in the version that
// was wanted when e was read. failure says why it could not be shown; then nobody
// tries again.
func (tx *Tx) SettleEffect(e Effect, failure string) error {
	return tx.Do("UPDATE "+string(e.table)+" SET shown = $1, channel_id = $2, external_id = $3, failure = $4 WHERE account_id = $5 AND id = $6",
		e.wanted, unlessZero(e.Channel), unlessZero(e.External), failure, tx.Account, e.ID)
}
