package insights

import (
	"cmp"
	"slices"
	"strings"

	"frontdesk/internal/desk"
)

// Meta describes what can be asked in an account with these fields.
func Meta(fields []desk.CustomField) desk.InsightsMeta {
	meta := desk.InsightsMeta{MostRows: MostRows, MostTime: MostTime}
	for _, m := range Measures {
		meta.Measures = append(meta.Measures, desk.InsightsMeasure{Name: m.Name, Title: title(m.Name), Meaning: m.Meaning, Type: string(m.Type), Unit: m.Unit})
	}
	all := slices.Clone(Dimensions)
	for _, f := range fields {
		all = append(all, FieldMember(f))
	}
	for _, m := range all {
		d := m.meta()
		if m.Groups {
			meta.Dimensions = append(meta.Dimensions, d)
		}
		if m.Filters {
			for _, op := range operators[m.kind] {
				d.Operators = append(d.Operators, string(op))
			}
			meta.Filters = append(meta.Filters, d)
		}
	}
	for _, m := range TimeDimensions {
		meta.TimeDimensions = append(meta.TimeDimensions, m.meta())
	}
	for _, g := range granularities {
		meta.Granularities = append(meta.Granularities, string(g))
	}
	meta.Ranges = slices.Clone(ranges)
	return meta
}

func (m Member) meta() desk.InsightsMember {
	return desk.InsightsMember{Name: m.Name, Title: cmp.Or(m.title, title(m.Name)), Meaning: m.Meaning, Type: m.kind.String(), Values: m.among, Options: m.options, Field: m.field}
}

var kindNames = map[kind]string{text: "string", numeric: "number", flag: "boolean", moment: "time", day: "date", option: "option"}

func (k kind) String() string { return kindNames[k] }

// title returns a name in words: Requests.csat_score_p90 is "CSAT score p90".
func title(name string) string {
	words := strings.Split(strings.TrimPrefix(name, prefix), "_")
	for i, w := range words {
		switch w {
		case "csat", "sla", "id":
			words[i] = strings.ToUpper(w)
		case "avg":
			words[i] = "average"
		}
	}
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return strings.Join(words, " ")
}
