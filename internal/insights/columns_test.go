package insights

import (
	"reflect"
	"slices"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// both asks SQL and columns, and expects the same answer.
type both struct {
	t       *testing.T
	db      *sqldb.DB
	columns *Columns
}

// newBoth loads the columns that a question needs.
func newBoth(t *testing.T, db *sqldb.DB, q Question) both {
	t.Helper()
	b := both{t, db, NewColumns(ColumnsConfig{})}
	if err := b.columns.Load(ctx, db, q); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b both) answer(q Question) []desk.InsightsRow {
	b.t.Helper()
	want, err := SQL{}.Answer(ctx, b.db, q)
	if err != nil {
		b.t.Fatal(err)
	}
	got, ok, err := b.columns.Try(ctx, b.db, q)
	if err != nil {
		b.t.Fatal(err)
	}
	if !ok {
		b.t.Fatalf("columns do not answer %+v", q.Query)
	}
	b.same(q, got, want)
	return want
}

func (b both) same(q Question, got, want []desk.InsightsRow) {
	b.t.Helper()
	if reflect.DeepEqual(got, want) || len(got)+len(want) == 0 {
		return
	}
	g, w := lines(got), lines(want)
	for i := range max(len(g), len(w)) {
		if at(g, i) != at(w, i) {
			b.t.Fatalf("%+v: row %d of %d and %d\n from columns %s\n from SQL     %s", q.Query, i, len(g), len(w), at(g, i), at(w, i))
		}
	}
	b.t.Fatalf("%+v: the values are of other types", q.Query)
}

// Numbers are sorted correctly by both methods.
func TestSortNumbers(t *testing.T) {
	for _, n := range []int{0, 1, 511, 512, 5000} {
		for _, top := range []int32{1, 2000, 1 << 20, 1<<31 - 1} {
			numbers := make([]int32, n)
			for i := range numbers {
				numbers[i] = int32(uint32(i)*2654435761)%top - top/2
			}
			want := slices.Sorted(slices.Values(numbers))
			sortNumbers(numbers, make([]int32, n))
			if !slices.Equal(numbers, want) {
				t.Errorf("%d numbers up to %d are not in order", n, top)
			}
		}
	}
}
