package insights

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/desk"
)

// kind is the kind of values that a dimension or a filter member has.
type kind int

const (
	text kind = iota
	numeric
	flag   // true or false
	moment // milliseconds
	day    // a midnight in UTC, in milliseconds
	option // of a custom field; a request may have several
)

// Member is a property of requests that groups or filters.
type Member struct {
	Name    string
	Meaning string
	Groups  bool // whether it can be a dimension
	Filters bool // whether it can be used in a filter

	kind kind
	of   expression // its value in the facts
	sql  string     // its value elsewhere: in a joined table, or in a custom field
	// folded is its value without regard to case, if that is a separate column.
	folded string
	join   string   // the join that this needs
	among  []string // all possible values, if known
	// field is the custom field whose value it is, 0 for none; title and options
	// are the field's.
	field   desk.CustomFieldID
	title   string
	options []desk.FieldOption
}

// Dimensions are the members that group and filter, except for custom fields, which
// differ for each account.
var Dimensions = []Member{
	{Name: prefix + "state", Meaning: "The request's state.", Groups: true, Filters: true, of: expression{column: "f.state"}, among: texts(desk.States)},
	{Name: prefix + "priority", Meaning: "Its priority.", Groups: true, Filters: true, of: expression{column: "f.priority"}, among: texts(desk.Priorities)},
	{Name: prefix + "assignee_user_id", Meaning: "Who sees to it, by their id in the chat system.", Groups: true, Filters: true, of: expression{column: "f.assignee"}},
	{Name: prefix + "customer_id", Meaning: "Its customer, by id.", Groups: true, Filters: true, kind: numeric, of: expression{column: "f.customer_id"}},
	{Name: prefix + "customer_owner", Meaning: "Who its customer belongs to, by their id in the chat system: its own owner, else that of its collection.", Groups: true,
		sql: "COALESCE(c.owner, k.owner)", join: ` LEFT JOIN customers c ON c.account_id = f.account_id AND c.id = f.customer_id
			LEFT JOIN collections k ON k.account_id = c.account_id AND k.id = c.collection_id`},
	{Name: prefix + "collection_id", Meaning: "Its collection, by id.", Groups: true, Filters: true, kind: numeric, of: expression{column: "f.collection_id"}},
	{Name: prefix + "chat_channel_name", Meaning: "The channel of the chat system that it stands in.", Groups: true, sql: "n.name",
		join: " LEFT JOIN channels n ON n.account_id = f.account_id AND n.channel_id = f.channel_id"},
	{Name: prefix + "csat_score", Meaning: "The answer to its survey of five points.", Groups: true, Filters: true, kind: numeric,
		of: expression{column: "f.survey_value", points: 5}, among: []string{"1", "2", "3", "4", "5"}},
	{Name: prefix + "created_at", Meaning: "When it was made.", Filters: true, kind: moment, of: expression{column: "f.created_at"}},
	{Name: prefix + "has_ticket", Meaning: "Whether it has a ticket.", Filters: true, kind: flag, of: expression{column: "f.has_ticket"}, among: flags},
	{Name: prefix + "is_csat_triggered", Meaning: "Whether a survey was sent.", Filters: true, kind: flag, of: expression{column: "f.survey_at", isSet: true}, among: flags},
	{Name: prefix + "csat_two_point_survey_value", Meaning: "The answer to its survey of two points: 1 is down, 2 is up.", Filters: true, kind: numeric,
		of: expression{column: "f.survey_value", points: 2}, among: []string{"1", "2"}},
}

var flags = []string{"true", "false"}

func texts[T ~string](all []T) []string {
	return desk.Each(all, func(t T) string { return string(t) })
}

// TimeDimensions are the times of requests that a query can use.
var TimeDimensions = []Member{
	{Name: prefix + "created_at", Meaning: "When the request was made.", kind: moment, of: expression{column: "f.created_at"}},
	{Name: prefix + "csat_triggered_at", Meaning: "When its survey was sent.", kind: moment, of: expression{column: "f.survey_at"}},
}

// aliases are other names that clients send. A row has the names that its query
// used.
var aliases = map[string]string{prefix + "slack_channel_name": prefix + "chat_channel_name"}

// named returns the name that a client means.
func named(name string) string {
	if rest, ok := strings.CutPrefix(name, "Stories."); ok {
		name = prefix + rest
	}
	if meant, ok := aliases[name]; ok {
		return meant
	}
	if rest, ok := strings.CutPrefix(name, prefix+"sage_"); ok {
		return prefix + "agent_" + rest
	}
	return name
}

const fieldPrefix = prefix + "custom_field_"

// member finds a dimension or filter member by its name.
func (q Question) member(name string) (Member, bool) {
	name = named(name)
	if i := slices.IndexFunc(Dimensions, func(m Member) bool { return m.Name == name }); i >= 0 {
		return Dimensions[i], true
	}
	digits, ok := strings.CutPrefix(name, fieldPrefix)
	id, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || strconv.FormatInt(id, 10) != digits {
		return Member{}, false
	}
	f, ok := q.Fields[desk.CustomFieldID(id)]
	if !ok {
		return Member{}, false
	}
	return FieldMember(f), true
}

// members returns the names that a query can use, custom fields last.
func (q Question) members(usable func(Member) bool) (names []string) {
	for _, m := range Dimensions {
		if usable(m) {
			names = append(names, m.Name)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(q.Fields)) {
		if m := FieldMember(q.Fields[id]); usable(m) {
			names = append(names, m.Name)
		}
	}
	return names
}

func groups(m Member) bool  { return m.Groups }
func filters(m Member) bool { return m.Filters }

// FieldMember returns the member for a custom field.
func FieldMember(f desk.CustomField) Member {
	m := Member{Name: fmt.Sprint(fieldPrefix, f.ID), Meaning: "The custom field " + f.Name + ".", Groups: true, Filters: true,
		field: f.ID, title: f.Name, options: f.Config.Options}
	switch f.Type {
	case desk.FieldSelect, desk.FieldMultiSelect:
		m.kind = option
	case desk.FieldNumber:
		m.kind, m.sql = numeric, "value_number"
	case desk.FieldDate:
		m.kind, m.sql = day, "value_day"
	case desk.FieldUser:
		m.sql = "value_user"
	default: // text and files cannot group
		m.Groups, m.Filters, m.sql, m.folded = false, f.Type == desk.FieldText, "value", "value_folded"
	}
	return m
}

// column returns its value in SQL.
func (m Member) column() string {
	if m.of.column != "" {
		return m.of.sql()
	}
	return m.sql
}

// shown returns a value of a dimension in the form of a row.
func (m Member) shown(v any) any {
	if v == nil {
		return nil
	}
	switch m.kind {
	case day:
		return time.UnixMilli(v.(int64)).UTC().Format(dayForm)
	case option:
		return strconv.FormatInt(v.(int64), 10)
	}
	return v
}
