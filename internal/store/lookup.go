package store

import (
	"errors"
	"slices"

	"frontdesk/internal/sqldb"
)

// scanner reads the columns of the current row.
type scanner = func(dest ...any) error

// scanID reads a row that holds only an id.
func scanID[T ~int64](scan scanner) (id T, err error) {
	err = scan(&id)
	return id, err
}

// scanText reads a row that holds only a text.
func scanText(scan scanner) (text string, err error) {
	err = scan(&text)
	return text, err
}

// one reads a value, or the zero value if there is no row.
func one[T any](tx *Tx, statement string, args ...any) (v T, err error) {
	err = tx.Row(statement, args...).Scan(&v)
	if errors.Is(err, sqldb.ErrNoRows) {
		err = nil
	}
	return v, err
}

// IfAny turns the result of reading a row that may be missing into one with ok,
// which is false if it is.
func IfAny[T any](v T, err error) (_ T, ok bool, _ error) {
	if errors.Is(err, sqldb.ErrNoRows) {
		return v, false, nil
	}
	return v, err == nil, err
}

// atOnce is how many keys one statement looks for, because the number of its values
// is limited.
const atOnce = 512

// lookUp finds the rows of any number of keys. text ends with the IN that the keys
// follow.
func lookUp[K, R any](tx *Tx, keys []K, scan func(scanner) (R, error), text string) (found []R, err error) {
	for some := range slices.Chunk(keys, atOnce) {
		var q query
		q.Add(text, tx.Account)
		sqldb.In(&q, some)
		rows, err := sqldb.Collect(tx.Tx, scan, q.String(), q.Args()...)
		if err != nil {
			return nil, err
		}
		found = append(found, rows...)
	}
	return found, nil
}

// lookUpBy finds a value for each of any number of keys, if it has one. text selects
// the key and the value, and ends with the IN that the keys follow.
func lookUpBy[K comparable, V any](tx *Tx, keys []K, text string) (map[K]V, error) {
	found := make(map[K]V, len(keys))
	_, err := lookUp(tx, keys, func(scan scanner) (key K, err error) {
		var v V
		if err = scan(&key, &v); err == nil {
			found[key] = v
		}
		return key, err
	}, text)
	return found, err
}

// namesOf finds the names of some things.
func namesOf[K comparable](tx *Tx, text string, ids []K) (map[K]string, error) {
	return lookUpBy[K, string](tx, ids, text)
}

// lookUpOf reads what belongs to several things, such as the members of teams. text
// selects the id of the thing and then what scan reads, and ends with the IN that
// the ids follow.
func lookUpOf[ID ~int64, T any](tx *Tx, ids []ID, text, order string, scan func(scanner) (T, error), take func(ID, T)) error {
	if len(ids) == 0 {
		return nil
	}
	var q query
	q.Add(text, tx.Account)
	sqldb.In(&q, ids)
	q.Add(order)
	var id ID
	return tx.Each(func(row scanner) error {
		item, err := scan(func(dest ...any) error { return row(append([]any{&id}, dest...)...) })
		if err == nil {
			take(id, item)
		}
		return err
	}, q.String(), q.Args()...)
}

// placesOf returns the ids of some things, and where each of them is.
func placesOf[ID comparable, T any](all []T, id func(*T) ID) (ids []ID, at map[ID]*T) {
	ids, at = make([]ID, len(all)), make(map[ID]*T, len(all))
	for i := range all {
		ids[i] = id(&all[i])
		at[ids[i]] = &all[i]
	}
	return ids, at
}

// byKey returns things by what names them.
func byKey[K comparable, T any](all []T, key func(T) K) map[K]T {
	by := make(map[K]T, len(all))
	for _, v := range all {
		by[key(v)] = v
	}
	return by
}

// setOf returns the keys that were found.
func setOf[K comparable](found []K) map[K]bool {
	is := make(map[K]bool, len(found))
	for _, key := range found {
		is[key] = true
	}
	return is
}
