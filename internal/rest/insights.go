package rest

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

// queryInsights responds with JSON, or like exportInsights if the caller prefers
// CSV.
func (s *Server) queryInsights(c *call) (any, error) {
	if prefersCSV(c.req.Header.Values("Accept")) {
		return s.exportInsights(c)
	}
	return s.service.QueryInsights(c.ctx, c.caller, c.insightsQuery())
}

// exportInsights responds with CSV.
func (s *Server) exportInsights(c *call) (any, error) {
	q := c.insightsQuery()
	rows, err := s.service.QueryInsights(c.ctx, c.caller, q)
	if err != nil {
		return nil, err
	}
	return insightsFile{q.Names(), rows}, nil
}

func (c *call) insightsQuery() (q desk.InsightsQuery) {
	b := c.object()
	in := b
	if b.demand("query"); b.has("query") {
		in = b.inside("query")
	}
	if b.problem() == nil {
		q = in.query()
	}
	q.Problem = b.problem()
	return q
}

// query reads the fields of a query.
func (o object) query() desk.InsightsQuery {
	return desk.InsightsQuery{
		Measures: o.names("measures"), Dimensions: o.names("dimensions"),
		TimeDimensions: desk.Each(orZero(o.objects("time_dimensions", desk.MostInsightsMembers)), object.timeDimension),
		Filters:        desk.Each(orZero(o.objects("filters", desk.MostInsightsMembers)), object.insightsFilter),
	}
}

// names reads an optional list of names.
func (o object) names(name string) []string {
	given := o.texts(name)
	if given == nil {
		return nil
	}
	if len(*given) > desk.MostInsightsMembers {
		o.problems.Add(o.at+name, "must have at most %d items; there are %d", desk.MostInsightsMembers, len(*given))
	}
	return *given
}

// timeDimension reads a time dimension. Its range is either a phrase or two days.
func (o object) timeDimension() desk.TimeDimension {
	t := desk.TimeDimension{Dimension: o.required("dimension")}
	if g := o.text("granularity"); g != nil {
		if t.Granularity = *g; *g == "" {
			o.problems.Add(o.at+"granularity", "must not be empty")
		}
	}
	if r := o.dateRange(); r != nil {
		t.Range, t.Days = r.Words, r.Days
	}
	return t
}

// dateRange reads a range: words, or two days. It returns nil if there is none.
func (o object) dateRange() *desk.DateRange {
	raw, given := o.members["date_range"]
	if !given {
		return nil
	}
	var r desk.DateRange
	if json.Unmarshal(raw, &r.Words) != nil || r.Words == "" {
		var days []*string
		if json.Unmarshal(raw, &days) != nil || len(days) != 2 || days[0] == nil || days[1] == nil {
			o.problems.Add(o.at+"date_range", "must be a string, or a list of two days such as 2026-05-13")
			return nil
		}
		r.Words, r.Days = "", []string{*days[0], *days[1]}
	}
	return &r
}

func (o object) insightsFilter() desk.InsightsFilter {
	f := desk.InsightsFilter{Member: o.required("member"), Operator: o.required("operator")}
	if values := member[[]*string](o, "values", "a list of strings or nulls"); values != nil {
		if f.Values = *values; len(f.Values) > desk.MostInsightsValues {
			o.problems.Add(o.at+"values", "must have at most %d items; there are %d", desk.MostInsightsValues, len(f.Values))
		}
	}
	return f
}

// prefersCSV reports whether the Accept header names CSV, and either does not name
// JSON or prefers CSV to it.
func prefersCSV(accept []string) bool {
	csv, other, first := -1.0, -1.0, false // first: CSV is named before JSON
	for _, part := range strings.Split(strings.Join(accept, ","), ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		weight := 1.0
		if q, ok := params["q"]; ok {
			if weight, err = strconv.ParseFloat(q, 64); err != nil {
				continue
			}
		}
		switch media {
		case "text/csv":
			csv, first = max(csv, weight), first || other < 0
		case "application/json":
			other = max(other, weight)
		}
	}
	return csv > 0 && (csv > other || csv == other && first)
}

// insightsFile is a result that is sent as a file.
type insightsFile struct {
	names []string
	rows  []desk.InsightsRow
}

func (f insightsFile) serve(w http.ResponseWriter, _ *http.Request) error {
	var b bytes.Buffer
	if err := wire.WriteInsights(&b, f.names, f.rows); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", exportTypes[desk.CSV])
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": "insights.csv"}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(b.Bytes())
	return err
}
