package insights

import (
	"errors"
	"math"
	"slices"
	"sync"

	"frontdesk/internal/desk"
)

// table holds the facts of one account in columns, from which Columns answers. A
// row has the same index in each of them. Rows are in the order of their requests'
// ids, which is nearly the order of time.
type table struct {
	mu sync.RWMutex // for changes; readers hold it for reading

	asked []desk.CustomField // fields whose values are in fields

	marks marks // how far it is up to date

	ids    []int64         // ascending, except for strays
	strays map[int64]int32 // the rows of requests that came after one with a higher id

	created  []int64 // none64: the request does not count
	surveyAt []int64
	late     [2][]int64 // first response, resolution
	lengths  [3][]int32 // first response, first resolution, resolution
	points   []int8
	score    []int8
	flags    []uint8
	coded    [6]coded // in the order of codedColumns
	fields   map[desk.CustomFieldID]*coded

	waits    lists[int32]
	sessions lists[session]

	blocks []block
}

// marks are the numbers of an account's last event, of the last change without an
// event, and of the last session.
type marks struct{ event, untold, session int64 }

// behind reports whether the other marks are further in anything.
func (m marks) behind(o marks) bool {
	return m.event < o.event || m.untold < o.untold || m.session < o.session
}

// session is a session of the virtual agent, in the order of sessionColumns.
type session [5]int32

// No value, in a column of numbers.
const (
	none64 = math.MinInt64
	none32 = math.MinInt32
	none8  = math.MinInt8
)

// The columns of facts in the order of a table.
var (
	codedColumns   = []string{"f.collection_id", "f.channel_id", "f.customer_id", "f.assignee", "f.state", "f.priority"}
	lengthColumns  = []string{"f.first_response", "f.first_resolution", "f.resolution"}
	lateColumns    = []string{"f.first_response_late_at", "f.resolution_late_at"}
	sessionColumns = []string{"s.triggers", "s.responses", "s.answers", "s.positive_feedback", "s.negative_feedback"}
	flagColumns    = []string{"f.has_ticket", "f.is_answered", "f.first_response_sla", "f.resolution_sla", "f.one_touch_sla", "f.one_touch_late"}
)

const collectionColumn = 0 // index in codedColumns

// coded is a column of values that repeat. Each row has a code, and each code has a
// value. 0 is no value. For a field with options the value is a list of them.
type coded struct {
	codes  []int32
	values []any         // string, int64, float64 or []int64
	known  map[any]int32 // by value; lists are keyed by their text
	extra  int64         // bytes that the values point to
}

// code returns the code of a value, and adds it if it is new.
func (c *coded) code(v any) int32 {
	if v == nil {
		return 0
	}
	key := v
	if options, ok := v.([]int64); ok {
		key = listKey(options)
	}
	if code, ok := c.known[key]; ok {
		return code
	}
	if c.known == nil {
		c.known, c.values = map[any]int32{}, []any{nil}
	}
	code := int32(len(c.values))
	c.known[key] = code
	c.values = append(c.values, v)
	switch v := v.(type) {
	case string:
		c.extra += int64(len(v))
	case []int64:
		c.extra += int64(16 * len(v))
	}
	return code
}

// listKey returns a list of options in a form that can be compared.
func listKey(options []int64) string {
	b := make([]byte, 0, 8*len(options))
	for _, n := range options {
		for shift := 0; shift < 64; shift += 8 {
			b = append(b, byte(n>>shift))
		}
	}
	return string(b)
}

// perValue is roughly what a value takes besides itself: its place in a map and in
// a list, doubled for spare capacity.
const perValue = 120

func (c *coded) bytes() int64 {
	return int64(cap(c.codes))*4 + int64(len(c.values))*perValue + c.extra
}

// block is what is known about a run of rows: the time range in which they were
// created.
type block struct{ first, last int64 }

const blockRows = 4096

// record is the facts of one request, to be put into a table.
type record struct {
	id, created int64 // none64: it does not count
	surveyAt    int64
	late        [2]int64
	lengths     [3]int32
	points      int8
	score       int8
	flags       uint8
	coded       [6]any
	waits       []int32
	sessions    []session
	fields      map[desk.CustomFieldID]any
}

// errUnfit is for an account that does not fit into columns, because its numbers
// are too large. SQL answers for it.
var errUnfit = errors.New("the account does not fit into columns")

func newTable(at marks, rows int, fields []desk.CustomField) *table {
	t := &table{marks: at, asked: fields, strays: map[int64]int32{}, fields: map[desk.CustomFieldID]*coded{}}
	rows += rows/32 + 64 // room for new ones
	t.ids, t.created, t.surveyAt = make([]int64, 0, rows), make([]int64, 0, rows), make([]int64, 0, rows)
	for i := range t.late {
		t.late[i] = make([]int64, 0, rows)
	}
	for i := range t.lengths {
		t.lengths[i] = make([]int32, 0, rows)
	}
	t.points, t.score, t.flags = make([]int8, 0, rows), make([]int8, 0, rows), make([]uint8, 0, rows)
	for i := range t.coded {
		t.coded[i].codes = make([]int32, 0, rows)
	}
	for _, f := range fields {
		t.fields[f.ID] = &coded{codes: make([]int32, 0, rows)}
	}
	t.waits, t.sessions = newLists[int32](rows), newLists[session](rows)
	return t
}

// has reports whether the table has the values of fields.
func (t *table) has(fields []desk.CustomField) bool {
	return !slices.ContainsFunc(fields, func(f desk.CustomField) bool {
		return !slices.ContainsFunc(t.asked, func(o desk.CustomField) bool { return o.ID == f.ID && o.Type == f.Type })
	})
}

// bytes returns roughly how much memory the table takes.
func (t *table) bytes() int64 {
	n := int64(cap(t.ids)+cap(t.created)+cap(t.surveyAt)+cap(t.late[0])+cap(t.late[1])) * 8
	n += int64(cap(t.lengths[0])+cap(t.lengths[1])+cap(t.lengths[2])) * 4
	n += int64(cap(t.points) + cap(t.score) + cap(t.flags))
	n += t.waits.bytes(4) + t.sessions.bytes(20)
	n += int64(len(t.strays))*perValue/2 + int64(cap(t.blocks))*16
	for i := range t.coded {
		n += t.coded[i].bytes()
	}
	for _, c := range t.fields {
		n += c.bytes()
	}
	return n
}

// row finds the row of a request.
func (t *table) row(id int64) (int32, bool) {
	if i, ok := t.strays[id]; ok {
		return i, true
	}
	i, ok := slices.BinarySearch(t.ids, id)
	return int32(i), ok && t.ids[i] == id
}

// put replaces the facts of a request by those of a record.
func (t *table) put(r *record) error {
	i, ok := t.row(r.id)
	if !ok {
		if r.created == none64 {
			return nil
		}
		if len(t.ids) >= math.MaxInt32 {
			return errUnfit
		}
		i = t.add(r.id)
	}
	t.created[i], t.surveyAt[i] = r.created, r.surveyAt
	for k := range t.late {
		t.late[k][i] = r.late[k]
	}
	for k := range t.lengths {
		t.lengths[k][i] = r.lengths[k]
	}
	t.points[i], t.score[i], t.flags[i] = r.points, r.score, r.flags
	for k := range t.coded {
		t.coded[k].codes[i] = t.coded[k].code(r.coded[k])
	}
	for f, c := range t.fields {
		c.codes[i] = c.code(r.fields[f])
	}
	if r.created != none64 {
		b := &t.blocks[i/blockRows]
		b.first, b.last = min(b.first, r.created), max(b.last, r.created)
	}
	if !t.waits.put(i, r.waits) || !t.sessions.put(i, r.sessions) {
		return errUnfit
	}
	return nil
}

// add adds a row.
func (t *table) add(id int64) int32 {
	i := int32(len(t.ids))
	if i > 0 && id <= t.lastID() {
		// It is found only through strays. For the search among ids it gets the
		// same id as the row before it.
		t.strays[id] = i
		id = t.ids[i-1]
	}
	t.ids = append(t.ids, id)
	t.created, t.surveyAt = append(t.created, none64), append(t.surveyAt, none64)
	for k := range t.late {
		t.late[k] = append(t.late[k], none64)
	}
	for k := range t.lengths {
		t.lengths[k] = append(t.lengths[k], none32)
	}
	t.points, t.score, t.flags = append(t.points, none8), append(t.score, none8), append(t.flags, 0)
	for k := range t.coded {
		t.coded[k].codes = append(t.coded[k].codes, 0)
	}
	for _, c := range t.fields {
		c.codes = append(c.codes, 0)
	}
	t.waits.add()
	t.sessions.add()
	if int(i)/blockRows == len(t.blocks) {
		t.blocks = append(t.blocks, block{math.MaxInt64, math.MinInt64})
	}
	return i
}

func (t *table) lastID() int64 { return t.ids[len(t.ids)-1] }

// lists is a column of lists. The list of a row is count elements of all, starting
// at first.
type lists[T any] struct {
	first, count []int32
	all          []T
}

func newLists[T any](rows int) lists[T] {
	return lists[T]{first: make([]int32, 0, rows), count: make([]int32, 0, rows)}
}

func (l *lists[T]) bytes(each int64) int64 {
	return int64(cap(l.first)+cap(l.count))*4 + int64(cap(l.all))*each
}

// add adds a row with an empty list.
func (l *lists[T]) add() { l.first, l.count = append(l.first, 0), append(l.count, 0) }

// put puts the list of a row where its old one was, or at the end. It returns false
// if the position is too large for its type.
func (l *lists[T]) put(i int32, list []T) bool {
	if n := int32(len(list)); n > l.count[i] {
		if len(l.all)+len(list) > math.MaxInt32 {
			return false
		}
		l.first[i] = int32(len(l.all))
		l.all = append(l.all, list...)
	} else {
		copy(l.all[l.first[i]:], list)
	}
	l.count[i] = int32(len(list))
	return true
}

func (l *lists[T]) of(i int32) []T { return l.all[l.first[i] : l.first[i]+l.count[i]] }
