package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"frontdesk/internal/desk"
)

// InsightsRow is a row of an answer. Its JSON fields are in the order of the query.
type InsightsRow desk.InsightsRow

// MarshalJSON keeps the order of the fields, which a map would not.
func (r InsightsRow) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, c := range r {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(c.Name)
		if err != nil {
			return nil, err
		}
		value, err := JSON(c.Value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// NewInsights returns the wire form of the rows of an answer.
func NewInsights(rows []desk.InsightsRow) []InsightsRow {
	return desk.Each(rows, func(r desk.InsightsRow) InsightsRow { return InsightsRow(r) })
}

// WriteInsights writes the rows as CSV, with a header row. A missing value is an
// empty cell.
func WriteInsights(w io.Writer, names []string, rows []desk.InsightsRow) error {
	if err := CSVRow(w, names...); err != nil {
		return err
	}
	for _, r := range rows {
		cells := desk.Each(r, func(c desk.InsightsCell) string { return insightsCell(c.Value) })
		if err := CSVRow(w, cells...); err != nil {
			return err
		}
	}
	return nil
}

func insightsCell(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// InsightsMeta lists what a query can ask for.
type InsightsMeta struct {
	Measures       []InsightsMeasure `json:"measures"`
	Dimensions     []InsightsMember  `json:"dimensions"`
	TimeDimensions []InsightsMember  `json:"time_dimensions"`
	Filters        []InsightsFilter  `json:"filters"`
	Granularities  []string          `json:"granularities"`
	DateRanges     []string          `json:"date_ranges"`
	MaxRows        int               `json:"max_rows"`
	MaxSeconds     int               `json:"max_seconds"`
}

// InsightsMeasure is a number that a query can ask for.
type InsightsMeasure struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Meaning string `json:"meaning"`
	Type    string `json:"type"`
	Unit    string `json:"unit,omitempty"`
}

// InsightsMember is a name that a query can use.
type InsightsMember struct {
	Name          string             `json:"name"`
	Title         string             `json:"title"`
	Meaning       string             `json:"meaning"`
	Type          string             `json:"type"`
	Values        []string           `json:"values,omitempty"`
	Options       []FieldOption      `json:"options,omitempty"`
	CustomFieldID desk.CustomFieldID `json:"custom_field_id,omitempty"`
}

// InsightsFilter is a name that filters can use, and the operators that apply to
// it.
type InsightsFilter struct {
	InsightsMember
	Operators []string `json:"operators"`
}

// NewInsightsMeta returns the wire form of the metadata.
func NewInsightsMeta(m desk.InsightsMeta) InsightsMeta {
	return InsightsMeta{
		Measures: desk.Each(m.Measures, func(m desk.InsightsMeasure) InsightsMeasure {
			return InsightsMeasure{m.Name, m.Title, m.Meaning, m.Type, m.Unit}
		}),
		Dimensions: desk.Each(m.Dimensions, newInsightsMember), TimeDimensions: desk.Each(m.TimeDimensions, newInsightsMember),
		Filters: desk.Each(m.Filters, func(m desk.InsightsMember) InsightsFilter {
			return InsightsFilter{newInsightsMember(m), m.Operators}
		}),
		Granularities: m.Granularities, DateRanges: m.Ranges, MaxRows: m.MostRows, MaxSeconds: int(m.MostTime.Seconds()),
	}
}

func newInsightsMember(m desk.InsightsMember) InsightsMember {
	w := InsightsMember{Name: m.Name, Title: m.Title, Meaning: m.Meaning, Type: m.Type, Values: m.Values, CustomFieldID: m.Field}
	for _, o := range m.Options {
		w.Options = append(w.Options, FieldOption{o.ID.String(), o.Value})
	}
	return w
}
