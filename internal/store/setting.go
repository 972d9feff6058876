package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"frontdesk/internal/desk"
)

// Nearly every change of a request needs the account, a collection with its
// responders, policies and schedules. These hardly ever change, so they are cached
// in memory. A cached value is valid as long as the account's epoch of names stays
// the same, which one short statement checks, and for at most a minute, because
// processes of older versions change settings without advancing the epoch. After a
// transaction has changed one of these itself, it neither uses nor fills the cache.
// What it reads before that is cached only after the commit, because on SQLite it
// may see changes of other transactions in its group.

const (
	mostSettled = 1000 // accounts whose settings are cached
	settingTime = time.Minute
)

// settings caches the settings of accounts, by what was asked for.
type settings struct {
	mu sync.Mutex
	of map[desk.AccountID]map[any]setting
}

// setting is a value, with the epoch and the time in which it was read.
type setting struct {
	value any
	names int64
	at    time.Time
}

// These are the cache keys of settings, besides the ids of collections.
type (
	theAccount   struct{}
	thePolicies  struct{}
	theSchedules struct{}
	scheduleOf   struct{ desk.CollectionID }
)

// settled returns a setting from the cache, or as read reads it. The caller must
// not change the result.
func settled[T any](tx *Tx, what any, read func() (T, error)) (T, error) {
	if tx.single || tx.Wrote(named...) {
		return read()
	}
	if s, kept := tx.store.settings.get(tx.Account, what); kept && tx.Now.Sub(s.at) < settingTime {
		names, err := tx.epoch()
		if err != nil || s.names == names {
			value, _ := s.value.(T)
			return value, err
		}
	}
	value, err := read()
	// An epoch that was read before the value can only be too old, and then it
	// matches nobody's epoch any more.
	if err == nil && tx.names != nil && *tx.names >= 0 {
		tx.keepSetting(what, setting{value, *tx.names, tx.Now})
	}
	return value, err
}

func (tx *Tx) keepSetting(what any, is setting) {
	switch {
	case tx.inTurn:
		if tx.settled == nil {
			tx.settled = map[any]setting{}
		}
		tx.settled[what] = is
	case tx.reads:
		tx.store.settings.put(tx.Account, what, is)
	}
}

// epoch returns a number that changes with every name or setting in the account. It
// returns -1 if somebody deleted the row that holds it.
func (tx *Tx) epoch() (int64, error) {
	if tx.names == nil {
		var names int64
		if err := tx.Row("SELECT coalesce((SELECT names FROM sequences WHERE account_id = $1), -1)", tx.Account).Scan(&names); err != nil {
			return 0, fmt.Errorf("read the epoch of names: %w", err)
		}
		tx.names = &names
	}
	return *tx.names, nil
}

// learnEpoch takes the epoch from a statement that reads it along, unless it is known.
func (tx *Tx) learnEpoch(names int64) {
	if tx.names == nil {
		tx.names = &names
	}
}

func (s *settings) get(account desk.AccountID, what any) (setting, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, known := s.of[account][what]
	return kept, known
}

func (s *settings) put(account desk.AccountID, what any, is setting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil || s.of[account] == nil && len(s.of) >= mostSettled {
		s.of = map[desk.AccountID]map[any]setting{}
	}
	if s.of[account] == nil {
		s.of[account] = map[any]setting{}
	}
	s.of[account][what] = is
}

// checkSettings reads all cached settings of the current epoch again and reports
// those that differ.
func (s *Store) checkSettings(ctx context.Context) (wrong error) {
	s.settings.mu.Lock()
	all := map[desk.AccountID]map[any]setting{}
	for account, kept := range s.settings.of {
		all[account] = map[any]setting{}
		for what, is := range kept {
			all[account][what] = is
		}
	}
	s.settings.mu.Unlock()
	for account, kept := range all {
		err := s.Read(ctx, account, func(tx *Tx) error {
			names, err := tx.epoch()
			if err != nil {
				return err
			}
			for what, is := range kept {
				if is.names != names || tx.Now.Sub(is.at) >= settingTime {
					continue
				}
				now, err := tx.readSetting(what)
				if err != nil || !reflect.DeepEqual(now, is.value) {
					wrong = errors.Join(wrong, fmt.Errorf("of the settings, %T %v is kept as %+v, and is %+v %w", what, what, is.value, now, err))
				}
			}
			return nil
		})
		wrong = errors.Join(wrong, err)
	}
	return wrong
}

// readSetting reads a setting from the database.
func (tx *Tx) readSetting(what any) (any, error) {
	switch what := what.(type) {
	case theAccount:
		return tx.readAccount()
	case desk.CollectionID:
		return tx.readCollection(what)
	case thePolicies:
		return tx.readEnabledSLAPolicies()
	case theSchedules:
		return tx.readCurrentSchedules()
	case scheduleOf:
		return tx.readCollectionSchedule(what.CollectionID)
	}
	return nil, fmt.Errorf("there is no setting %T", what)
}
