package service

import (
	"testing"
	"time"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

func TestInsightsCheck(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		db := dbtest.Open(t, sqldb.Config{URL: url, Log: quiet})
		began := time.Now()
		f := newFirm(t, db, 1, 1, "Europe/Berlin", time.Date(2026, 5, 13, 9, 12, 0, 0, time.UTC))
		f.populate(1700)
		f.live()
		t.Log("lived", time.Since(began), len(f.talks))
		f.remembers()
		t.Log(len(f.asked().requests), time.Since(began))
	})
}
