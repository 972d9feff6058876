package worker

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/desk"
	"frontdesk/internal/insights"
	"frontdesk/internal/markup"
	"frontdesk/internal/report"
	"frontdesk/internal/store"
)

// A report is a text: for each card its name and a table. The chat system has no tables,
// so a table is lines in a font of equal widths, which a mail shows, too. Buckets of time
// are left out: the table has the numbers of the whole period, and how they changed.

const (
	mostReportRows  = 10 // of a card, the largest first
	mostReportName  = 40 // characters of a name in a table
	mostReportCells = 4  // measures beside each other
)

// section is a card with its answers.
type section struct {
	report.Exploration
	now, before []desk.InsightsRow
	trouble     string // why it has none
}

// writeReport asks what a dashboard asks, and returns the answers as a text.
func (w *Worker) writeReport(ctx context.Context, q questions) (subject, text string, err error) {
	sections := make([]section, len(q.cards))
	for i, e := range q.cards {
		s := section{Exploration: e}
		if s.now, err = w.askReport(ctx, q, e, q.period); err == nil {
			s.before, err = w.askReport(ctx, q, e, q.period.Before())
		}
		if desk.KindOf(err) == desk.Invalid {
			s.trouble, err = "It cannot be answered any more: "+refusalText(err), nil
		}
		if err != nil {
			return "", "", err
		}
		slices.SortStableFunc(s.now, func(a, b desk.InsightsRow) int {
			return cmp.Compare(or(numberIn(b, e.Query.Measures[0]), -1), or(numberIn(a, e.Query.Measures[0]), -1))
		})
		sections[i] = s
	}
	names, err := w.namesIn(ctx, q, sections)
	if err != nil {
		return "", "", err
	}
	days := q.period.First.Format("2 Jan 2006")
	if q.period.Length() > 1 {
		days += " to " + q.period.Last.Format("2 Jan 2006")
	}
	var b strings.Builder
	link := fmt.Sprintf("%s/insights/dashboards/%d", w.change.PublicURL, q.board.ID)
	fmt.Fprintf(&b, `<p><strong>%s</strong><br>%s, compared with the previous %d days<br><a href="%s">Open the dashboard</a></p>`,
		escaped(q.name), days, q.period.Length(), escaped(link))
	for _, s := range sections {
		fmt.Fprintf(&b, "<p><strong>%s</strong></p>", escaped(s.Name))
		if s.trouble != "" {
			fmt.Fprintf(&b, "<p>%s</p>", escaped(s.trouble))
			continue
		}
		fmt.Fprintf(&b, "<pre>%s</pre>", escaped(names.table(s)))
	}
	fmt.Fprintf(&b, "<p>It shows the requests that %s may see.</p>", escaped(q.owner.Name))
	return q.name + ": " + days, markup.Sanitize(b.String()), nil
}

// askReport asks one card about a period.
func (w *Worker) askReport(ctx context.Context, q questions, e report.Exploration, p insights.Period) ([]desk.InsightsRow, error) {
	question := q.general
	question.Query = q.board.Of(e.Query)
	t := question.Query.TimeDimensions[0]
	t.Granularity, t.Range, t.Days = "", "", p.Range().Days
	question.Query.TimeDimensions = []desk.TimeDimension{t}
	return w.insights.Answer(store.PreferReplica(ctx), w.store.DB(), question)
}

func escaped(text string) string { return html.EscapeString(text) }

func or(v *float64, instead float64) float64 {
	if v == nil {
		return instead
	}
	return *v
}

// valueIn returns the value of a cell of a row.
func valueIn(r desk.InsightsRow, name string) any {
	for _, c := range r {
		if c.Name == name {
			return c.Value
		}
	}
	return nil
}

// numberIn returns a number of a row; nil if it has none.
func numberIn(r desk.InsightsRow, name string) *float64 {
	switch v := valueIn(r, name).(type) {
	case int64:
		n := float64(v)
		return &n
	case float64:
		return &v
	}
	return nil
}

// reportNames are how things are called in a report.
type reportNames struct {
	meta   desk.InsightsMeta
	values map[string]map[string]string // by dimension and value
}

// namesIn looks up how the groups of the sections are called.
func (w *Worker) namesIn(ctx context.Context, q questions, sections []section) (n reportNames, err error) {
	n = reportNames{insights.Meta(q.fields), map[string]map[string]string{}}
	var customers []desk.CustomerID
	var users []string
	for _, s := range sections {
		for _, r := range s.now[:min(len(s.now), mostReportRows)] {
			for _, d := range s.Query.Dimensions {
				switch v := valueIn(r, d).(type) {
				case int64:
					customers = append(customers, desk.CustomerID(v))
				case string:
					users = append(users, v)
				}
			}
		}
	}
	err = w.store.Read(ctx, q.general.Account, func(tx *store.Tx) error {
		found, err := tx.CustomersNamed(customers)
		if err != nil {
			return err
		}
		n.values["customer_id"] = map[string]string{}
		for id, c := range found {
			n.values["customer_id"][desk.FormatID(id)] = c.Name
		}
		people, err := tx.UsersNamed(users)
		if err != nil {
			return err
		}
		n.values["user"] = map[string]string{}
		for id, u := range people {
			n.values["user"][id] = u.Name
		}
		collections, err := tx.Collections(q.general.Reach, desk.Page{Limit: desk.MostMemberCollections})
		n.values["collection_id"] = map[string]string{}
		for _, c := range collections.Items {
			n.values["collection_id"][desk.FormatID(c.ID)] = c.Name
		}
		return err
	})
	return n, err
}

// group returns how a value of a dimension is called.
func (n reportNames) group(dimension string, value any) string {
	if value == nil {
		return "None"
	}
	text := fmt.Sprint(value)
	name := dimension[strings.Index(dimension, ".")+1:]
	if known, ok := n.values[name]; ok {
		return cmp.Or(known[text], text)
	}
	for _, d := range n.meta.Dimensions {
		if d.Name == dimension {
			for _, o := range d.Options {
				if o.ID.String() == text {
					return o.Value
				}
			}
		}
	}
	if name == "state" || name == "priority" {
		return strings.ToUpper(text[:1]) + strings.ReplaceAll(text[1:], "_", " ")
	}
	return cmp.Or(n.values["user"][text], text)
}

// measure returns how a measure is called, and its unit.
func (n reportNames) measure(name string) (title, unit string) {
	for _, m := range n.meta.Measures {
		if m.Name == name {
			if name == "Requests.count" {
				return "Requests", m.Unit
			}
			return m.Title, m.Unit
		}
	}
	return name, ""
}

// table returns the numbers of a section: a line for each measure, or for each group.
func (n reportNames) table(s section) string {
	if len(s.Query.Dimensions) == 0 {
		var lines [][]string
		for _, m := range s.Query.Measures {
			title, unit := n.measure(m)
			var now, before *float64
			if len(s.now) > 0 {
				now = numberIn(s.now[0], m)
			}
			if len(s.before) > 0 {
				before = numberIn(s.before[0], m)
			}
			line := []string{title, formatNumber(now, unit), formatChange(now, before, unit), "before: " + formatNumber(before, unit)}
			if t := s.Target; t != nil && t.Measure == m && now != nil && t.Missed(*now) {
				line = append(line, "misses its target, "+strings.ReplaceAll(string(t.Bound), "_", " ")+" "+formatNumber(&t.Value, unit))
			}
			lines = append(lines, line)
		}
		return aligned(lines)
	}
	if len(s.now) == 0 {
		return "No requests."
	}
	measures := s.Query.Measures[:min(len(s.Query.Measures), mostReportCells)]
	head := []string{""}
	for _, m := range measures {
		title, _ := n.measure(m)
		head = append(head, title, "")
	}
	key := func(r desk.InsightsRow) string {
		return strings.Join(desk.Each(s.Query.Dimensions, func(d string) string { return strconv.Quote(fmt.Sprint(valueIn(r, d))) }), " ")
	}
	past := map[string]desk.InsightsRow{}
	for _, r := range s.before {
		past[key(r)] = r
	}
	lines := [][]string{head}
	for _, r := range s.now[:min(len(s.now), mostReportRows)] {
		line := []string{strings.Join(desk.Each(s.Query.Dimensions, func(d string) string { return n.group(d, valueIn(r, d)) }), " · ")}
		for _, m := range measures {
			_, unit := n.measure(m)
			line = append(line, formatNumber(numberIn(r, m), unit), formatChange(numberIn(r, m), numberIn(past[key(r)], m), unit))
		}
		lines = append(lines, line)
	}
	text := aligned(lines)
	if len(s.now) > mostReportRows {
		text += "\n… and more on the dashboard"
	}
	return text
}

// aligned returns lines with their cells below each other, the first to the left.
func aligned(lines [][]string) string {
	var widths []int
	for _, line := range lines {
		for i := range line {
			line[i] = desk.Shorten(strings.Join(strings.Fields(line[i]), " "), mostReportName)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i]))
		}
	}
	texts := desk.Each(lines, func(line []string) string {
		text := ""
		for i, cell := range line {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			switch {
			case i == 0:
				text = cell + gap
			case i == 1 || i == 2:
				text += "  " + gap + cell
			default:
				text += "  " + cell + gap
			}
		}
		return strings.TrimRight(text, " ")
	})
	return strings.Join(texts, "\n")
}

// decimals returns a number with at most so many digits behind the point.
func decimals(v float64, most int) string {
	text := strconv.FormatFloat(v, 'f', most, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// formatNumber returns a number as the web app shows it.
func formatNumber(v *float64, unit string) string {
	switch {
	case v == nil:
		return "–"
	case unit == "percent":
		return decimals(*v, 1) + " %"
	case unit == "points":
		return strconv.FormatFloat(*v, 'f', 2, 64)
	case unit != "minutes":
		return decimals(*v, 0)
	case *v > 0 && *v < 1:
		return "< 1 min"
	case *v < 60:
		return decimals(*v, 1) + " min"
	}
	m := int64(math.Round(*v))
	switch {
	case m >= 24*60:
		return decimals(*v/1440, 1) + " d"
	case m%60 == 0:
		return fmt.Sprintf("%d h", m/60)
	}
	return fmt.Sprintf("%d h %d min", m/60, m%60)
}

// formatChange returns how much a number has changed; empty if that cannot be said.
func formatChange(now, before *float64, unit string) string {
	if now == nil || before == nil {
		return ""
	}
	difference, sign := *now-*before, "±"
	if difference > 0 {
		sign = "+"
	} else if difference < 0 {
		sign = "−"
	}
	difference = math.Abs(difference)
	switch {
	case unit == "percent":
		return sign + decimals(difference, 1) + " points"
	case unit == "points":
		return sign + strconv.FormatFloat(difference, 'f', 2, 64)
	case *before == 0:
		return ""
	}
	return sign + decimals(100*difference / *before, 0) + " %"
}
