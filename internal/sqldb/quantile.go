package sqldb

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"modernc.org/sqlite"
)

// Quantiles are the quantiles that the SQL aggregate quantiles(x) returns, as the
// text of a JSON array, or null if there are no values. It interpolates linearly
// between two values. On PostgreSQL a migration creates the aggregate. For SQLite
// this file registers it.
var Quantiles = []float64{0.5, 0.75, 0.9, 0.95}

// registerQuantiles must run before the first connection to SQLite.
var registerQuantiles = sync.OnceValue(func() error {
	return sqlite.RegisterFunction("quantiles", &sqlite.FunctionImpl{
		NArgs: 1, Deterministic: true,
		MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) { return &quantiles{}, nil },
	})
})

type quantiles struct{ values []float64 }

func (q *quantiles) Step(_ *sqlite.FunctionContext, args []driver.Value) error {
	switch v := args[0].(type) {
	case nil:
	case float64:
		q.values = append(q.values, v)
	case int64:
		q.values = append(q.values, float64(v))
	default:
		return fmt.Errorf("quantiles of %T", v)
	}
	return nil
}

func (q *quantiles) WindowInverse(*sqlite.FunctionContext, []driver.Value) error {
	return fmt.Errorf("quantiles is no window function")
}

func (q *quantiles) WindowValue(*sqlite.FunctionContext) (driver.Value, error) {
	if len(q.values) == 0 {
		return nil, nil
	}
	slices.Sort(q.values)
	all := make([]float64, len(Quantiles))
	for i, f := range Quantiles {
		all[i] = Quantile(q.values, f)
	}
	b, err := json.Marshal(all)
	return string(b), err
}

func (q *quantiles) Final(*sqlite.FunctionContext) {}

// Quantile returns a quantile of sorted values, of which there must be one at least.
// It interpolates linearly, in the same steps everywhere, because the last digit
// depends on them.
func Quantile[N int32 | float64](sorted []N, fraction float64) float64 {
	at := fraction * float64(len(sorted)-1)
	n := int(at)
	value := float64(sorted[n])
	if rest := at - float64(n); rest > 0 {
		value += rest * (float64(sorted[n+1]) - float64(sorted[n]))
	}
	return value
}
