package service

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/insights"
	"frontdesk/internal/sqldb"
)

// bothEngines answers with SQL. It fails its test if the columns answer
// differently, or do not answer although they could. The columns are loaded with
// the first question, and again with the first question about each field. So they
// must follow everything that happens in between.
type bothEngines struct {
	*insights.Columns
	t  testing.TB
	mu sync.Mutex // held while loading
}

// newBothEngines has columns for which no time passes, so they are never rebuilt.
func newBothEngines(t testing.TB) *bothEngines {
	return &bothEngines{t: t, Columns: insights.NewColumns(insights.ColumnsConfig{Now: func() time.Time { return insightsAsked }})}
}

func (b *bothEngines) Answer(ctx context.Context, db *sqldb.DB, q insights.Question) ([]desk.InsightsRow, error) {
	want, err := insights.SQL{}.Answer(ctx, db, q)
	got, ok, gotErr := b.Try(ctx, db, q)
	if !ok && inColumns(q) {
		if err := b.load(ctx, db, q); err != nil {
			b.t.Error(err)
		}
		if got, ok, gotErr = b.Try(ctx, db, q); !ok {
			b.t.Errorf("columns do not answer %+v", q.Query)
		}
	}
	switch {
	case !ok:
	case fmt.Sprint(gotErr) != fmt.Sprint(err):
		b.t.Errorf("to %+v columns return the error %v, and SQL %v", q.Query, gotErr, err)
	case len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want):
		b.t.Errorf("to %+v columns answer\n%v, and SQL\n%v", q.Query, got, want)
	}
	return want, err
}

func (b *bothEngines) load(ctx context.Context, db *sqldb.DB, q insights.Question) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Load(ctx, db, q)
}

// inColumns reports whether the columns hold what a question is about.
func inColumns(q insights.Question) bool {
	if slices.ContainsFunc(q.Query.Dimensions, func(d string) bool {
		return strings.HasSuffix(d, "channel_name") || strings.HasSuffix(d, "customer_owner")
	}) {
		return false
	}
	return !slices.ContainsFunc(q.Query.Filters, func(f desk.InsightsFilter) bool {
		for id, field := range q.Fields {
			if f.Member == fmt.Sprint("Requests.custom_field_", id) && field.Type == desk.FieldText {
				return true
			}
		}
		return false
	})
}
