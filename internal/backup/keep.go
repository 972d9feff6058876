package backup

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Keep says which backups to keep: every one of the last hours, and the newest of
// each of the last days, weeks, months and years. The newest of all is always kept.
// The zero Keep keeps all.
type Keep struct {
	All                        time.Duration
	Days, Weeks, Months, Years int
}

// ParseKeep parses a text such as all=24h,days=7,weeks=4,months=12.
func ParseKeep(text string) (k Keep, err error) {
	if strings.TrimSpace(text) == "" || text == "all" {
		return Keep{}, nil
	}
	counts := map[string]*int{"days": &k.Days, "weeks": &k.Weeks, "months": &k.Months, "years": &k.Years}
	for part := range strings.SplitSeq(text, ",") {
		what, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		count := counts[what]
		switch {
		case what == "all":
			k.All, err = time.ParseDuration(value)
		case count != nil:
			*count, err = strconv.Atoi(value)
		default:
			err = fmt.Errorf("there is no %q", what)
		}
		if err != nil || k.All < 0 || count != nil && *count < 0 {
			return Keep{}, fmt.Errorf("%q does not say what to keep: write it like all=24h,days=7,weeks=4,months=12,years=2, or all", text)
		}
	}
	return k, nil
}

// kept returns which backups are kept. moments are theirs, oldest first. Periods are
// those of UTC, counted back from the newest backup.
func (k Keep) kept(moments []time.Time) []bool {
	kept := make([]bool, len(moments))
	if len(moments) == 0 {
		return kept
	}
	newest := moments[len(moments)-1].UTC()
	day := time.Date(newest.Year(), newest.Month(), newest.Day(), 0, 0, 0, 0, time.UTC)
	month := time.Date(newest.Year(), newest.Month(), 1, 0, 0, 0, 0, time.UTC)
	week := func(t time.Time) string { y, w := t.ISOWeek(); return fmt.Sprint(y, w) }
	periods := []struct {
		since time.Time // the beginning of the oldest period
		n     int
		of    func(time.Time) string
	}{
		{day.AddDate(0, 0, 1-k.Days), k.Days, func(t time.Time) string { return t.Format(time.DateOnly) }},
		{day.AddDate(0, 0, -(int(day.Weekday())+6)%7-7*(k.Weeks-1)), k.Weeks, week},
		{month.AddDate(0, 1-k.Months, 0), k.Months, func(t time.Time) string { return t.Format("2006-01") }},
		{time.Date(newest.Year()+1-k.Years, 1, 1, 0, 0, 0, 0, time.UTC), k.Years, func(t time.Time) string { return t.Format("2006") }},
	}
	seen := map[string]bool{}
	for i := len(moments) - 1; i >= 0; i-- {
		at := moments[i].UTC()
		kept[i] = k == Keep{} || i == len(moments)-1 || newest.Sub(at) < k.All
		for which, p := range periods {
			if id := fmt.Sprint(which, " ", p.of(at)); p.n > 0 && !at.Before(p.since) && !seen[id] {
				seen[id], kept[i] = true, true
			}
		}
	}
	return kept
}

// prune removes backups that are not kept, and then chunks that no backup names. there
// is what the place held before the newest backup. To know which chunks are named,
// every list has to be looked at, so this is done with the first backup of an hour.
func (p *Place) prune(ctx context.Context, k Keep, there listing, newest *Manifest) (removed int, err error) {
	before := len(there.manifests)
	if before == 0 || momentOf(there.manifests[before-1]).Truncate(time.Hour).Equal(newest.At.Truncate(time.Hour)) {
		return 0, nil
	}
	all := append(there.manifests, newest.name)
	sortNames(all)
	moments := make([]time.Time, len(all))
	for i, n := range all {
		moments[i] = momentOf(n)
	}
	used := map[name]bool{}
	var old []name
	for i, keep := range k.kept(moments) {
		if !keep {
			old = append(old, all[i])
			continue
		}
		// A backup that cannot be read may name anything, so nothing is removed.
		m, err := p.manifest(ctx, all[i])
		if err == nil {
			err = p.used(ctx, m, used)
		}
		if err != nil {
			return 0, fmt.Errorf("the backup of %s: %w", moments[i].Format(time.RFC3339), err)
		}
	}
	crew := newCrew(ctx)
	for _, n := range old {
		if err := p.store.Remove(ctx, keyOf(manifestKind, n)); err != nil {
			return removed, crew.stop(err)
		}
		removed++
	}
	for n := range there.chunks {
		if used[n] {
			continue
		}
		if err := crew.do(func(ctx context.Context) error { return p.store.Remove(ctx, keyOf(chunkKind, n)) }); err != nil {
			return removed, crew.stop(err)
		}
	}
	return removed, crew.wait()
}
