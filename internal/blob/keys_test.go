package blob_test

import (
	"context"
	"testing"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/desk"
)

// Pages of every size list every blob of every account once.
func TestKeysInPages(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		var want []blob.Key
		for _, account := range []desk.AccountID{1, 2, 10, 17, 170, 1 << 62} {
			for range 7 {
				key := blob.NewKey(account)
				put(t, s, key, []byte(key.String()))
				want = append(want, key)
			}
		}
		for _, limit := range []int{1, 2, 5, 41, 42, 43, 5000} {
			wantKeys(t, allKeys(t, s, later(), limit), want...)
		}
		for _, key := range want {
			wantContent(t, s, key, []byte(key.String()))
		}
	})
}

// Many blobs in one folder, and more than a store returns in one answer.
func TestKeysOfMany(t *testing.T) {
	f := newFakeS3(t)
	s := f.open(t)
	var want []blob.Key
	for range 2100 {
		key := blob.NewKey(17)
		put(t, s, key, nil)
		want = append(want, key)
	}
	wantKeys(t, allKeys(t, s, later(), 1500), want...)
}

func TestKeysBeforeAMoment(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		noon := time.Date(2030, 5, 17, 12, 0, 0, 0, time.UTC)
		old, exact, young := blob.NewKey(17), blob.NewKey(17), blob.NewKey(17)
		s.putAt(t, old, random(1), noon.Add(-time.Second))
		s.putAt(t, exact, random(1), noon)
		s.putAt(t, young, random(1), noon.Add(time.Second))
		wantKeys(t, allKeys(t, s, noon, 10), old)
		wantKeys(t, allKeys(t, s, noon.Add(time.Second), 1), old, exact)
		wantKeys(t, allKeys(t, s, noon.Add(2*time.Second), 2), old, exact, young)
		wantKeys(t, allKeys(t, s, time.Time{}, 10))
	})
}

// The age of a blob counts from its Put, not from its key.
func TestKeysAfterPutAreYoung(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		key := blob.NewKey(17)
		put(t, s, key, random(10))
		wantKeys(t, allKeys(t, s, time.Now().Add(-time.Minute), 10))
		wantKeys(t, allKeys(t, s, time.Now().Add(time.Minute), 10), key)
	})
}

// A sweep removes the keys of a page and continues after it.
func TestKeysDuringASweep(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		for range 20 {
			put(t, s, blob.NewKey(17), random(10))
		}
		var after blob.Key
		for swept := 0; ; {
			page, err := s.Keys(context.Background(), later(), after, 3)
			must(t, err)
			for _, key := range page {
				must(t, s.Remove(context.Background(), key))
				after = key
			}
			if swept += len(page); len(page) < 3 {
				if swept != 20 {
					t.Errorf("%d were swept, want 20", swept)
				}
				break
			}
		}
		wantKeys(t, allKeys(t, s, later(), 10))
	})
}

func TestKeysRefusesAPageOfNothing(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		for _, limit := range []int{0, -1} {
			if _, err := s.Keys(context.Background(), later(), blob.Key{}, limit); err == nil {
				t.Errorf("a page of %d gave no error", limit)
			}
		}
	})
}
