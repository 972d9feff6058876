package desk

import (
	"slices"
	"time"
)

// InsightsQuery asks for numbers about requests, in the API's words: which
// measures, which time, which groups, which requests.
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

// Names returns the names of the cells of each row, in order.
func (q InsightsQuery) Names() []string {
	names := slices.Clone(q.Dimensions)
	for _, t := range q.TimeDimensions {
		if t.Granularity != "" {
			names = append(names, t.Key())
		}
	}
	return append(names, q.Measures...)
}

// TimeDimension is a time of requests. It narrows a query to a date range, groups
// it in buckets, or both.
type TimeDimension struct {
	Dimension   string
	Granularity string // empty for no buckets
	// Range is a range in words. Days are the first and the last day of one. If
	// neither is set, the range is all of time.
	Range string
	Days  []string
}

// DateRange is a range of a time dimension: words, or a first and a last day.
type DateRange struct {
	Words string
	Days  []string
}

// Key returns the name of its buckets.
func (t TimeDimension) Key() string { return t.Dimension + "." + t.Granularity }

// InsightsFilter narrows a query to requests that match a condition.
type InsightsFilter struct {
	Member   string
	Operator string
	Values   []*string // a nil value means no value
}

// InsightsRow is a group with its numbers: names and values, in the order of the
// query. A value is a string, an integer, a float64 or nil.
type InsightsRow []InsightsCell

// InsightsCell is one name and value of a row.
type InsightsCell struct {
	Name  string
	Value any
}

// InsightsMeta lists what can be asked, so that a screen can be built from it.
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

// InsightsMember is a name that a query can use: as a dimension, or in a filter if
// it has Operators.
type InsightsMember struct {
	Name, Title, Meaning string
	Type                 string
	Values               []string // all values; nil if they are not known in advance
	Options              []FieldOption
	Field                CustomFieldID // 0 for none
	Operators            []string
}
