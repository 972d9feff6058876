package desk

import (
	"slices"
	"time"
)

// InsightsQuery asks for numbers about requests, in the API's words: which
// measures, of what time, in which groups, of which requests.
type InsightsQuery struct {
	Body
	Measures       []string
	TimeDimensions []TimeDimension
	Dimensions     []string
	Filters        []InsightsFilter
}

const (
	// MostInsightsMembers bounds each list of a query, MostInsightsValues the values
	// of a filter.
	MostInsightsMembers = 100
	MostInsightsValues  = 1000
)

// Names are those of the cells of each row, in their order.
func (q InsightsQuery) Names() []string {
	names := slices.Clone(q.Dimensions)
	for _, t := range q.TimeDimensions {
		if t.Granularity != "" {
			names = append(names, t.Key())
		}
	}
	return append(names, q.Measures...)
}

// TimeDimension is a moment of requests that narrows a query to a part of time,
// groups it in buckets, or both.
type TimeDimension struct {
	Dimension   string
	Granularity string // empty for no buckets
	// Range is in words, or Days are the first and the last of its days; neither is
	// all of time.
	Range string
	Days  []string
}

// Key is the name of its buckets.
func (t TimeDimension) Key() string { return t.Dimension + "." + t.Granularity }

// InsightsFilter narrows a query to requests of which something holds.
type InsightsFilter struct {
	Member   string
	Operator string
	Values   []*string // nil among them stands for no value
}

// InsightsRow is a group with its numbers: names and values, in the order of the
// query. A value is a string, an integer, a float64 or nil.
type InsightsRow []InsightsCell

// InsightsCell is one of them.
type InsightsCell struct {
	Name  string
	Value any
}

// InsightsMeta is what can be asked, for a screen to be built from.
type InsightsMeta struct {
	Measures       []InsightsMeasure
	Dimensions     []InsightsMember
	TimeDimensions []InsightsMember
	Filters        []InsightsMember
	Granularities  []string
	Ranges         []string
	MostRows       int
	MostTime       time.Duration
}

// InsightsMeasure is a number that can be asked for.
type InsightsMeasure struct {
	Name, Title, Meaning string
	Type                 string // integer or number
	Unit                 string // minutes, percent or points; empty for a count
}

// InsightsMember is what a query can go by: as a dimension, or in a filter, which
// has Operators.
type InsightsMember struct {
	Name, Title, Meaning string
	Type                 string
	Values               []string // all that there are, nil where they are not known beforehand
	Options              []FieldOption
	Field                CustomFieldID // 0 for none
	Operators            []string
}
