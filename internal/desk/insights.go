package desk

// InsightsQuery asks for numbers about requests, in the API's words: which
// measures, of what time, in which groups, of which requests.
type InsightsQuery struct {
	Body
	Measures       []string
	TimeDimensions []TimeDimension
	Dimensions     []string
	Filters        []InsightsFilter
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
