package mrkdwn

import (
	"strconv"
	"strings"

	"frontdesk/internal/markup"
)

// list is a list that is being read.
type list struct {
	kind   markup.BlockKind
	indent int
	next   int // the number of the next item
}

// marker is the beginning of an item.
type marker struct {
	kind   markup.BlockKind
	number int
	body   string // the rest of the line
}

// maxLists bounds the depth of lists, to the depth that a document can hold. Deeper
// lists become part of the last.
const maxLists = 24

// bullets are Slack's own, by depth, and those that people type.
var bullets = [...]string{"• ", "◦ ", "▪︎ ", "▪ ", "‣ ", "- "}

// cutMarker cuts the bullet or number from an item.
func cutMarker(line string) (marker, bool) {
	for _, b := range bullets {
		if body, ok := strings.CutPrefix(line, b); ok {
			return marker{markup.Bullets, 0, strings.TrimLeft(body, " ")}, true
		}
	}
	number, body, ok := strings.Cut(line, ". ")
	if !ok || len(number) > len("1000000000") || strings.Trim(number, "0123456789") != "" {
		return marker{}, false
	}
	n, err := strconv.Atoi(number)
	if err != nil || strconv.Itoa(n) != number { // 007. does not number a list item, and would not survive the round trip
		return marker{}, false
	}
	return marker{markup.Numbers, n, strings.TrimLeft(body, " ")}, true
}

// marker cuts the marker from a line. In nested lists Slack counts with letters and
// Roman numerals.
func (r *reader) marker(line string, indent int) (marker, bool) {
	m, ok := cutMarker(line)
	if ok {
		return m, m.number <= markup.MaxStart || r.continues(indent, m)
	}
	count, body, ok := strings.Cut(line, ". ")
	if !ok || len(r.lists) == 0 || indent < 2 {
		return marker{}, false
	}
	m = marker{markup.Numbers, 1, strings.TrimLeft(body, " ")}
	for _, n := range [...]int{letterNumber(count), romanNumber(count)} {
		if m.number = n; n > 1 && r.continues(indent, m) {
			return m, true
		}
	}
	m.number = 1
	return m, (count == "a" || count == "i") && indent > r.lists[len(r.lists)-1].indent
}

// continues reports whether an item belongs to an open list.
func (r *reader) continues(indent int, m marker) bool {
	for _, l := range r.lists {
		if l.same(indent) {
			return !r.gap && l.kind == m.kind && (l.kind == markup.Bullets || l.next == m.number)
		}
	}
	return false
}

// same reports whether an item with this indent belongs to the list. People are
// often off by one space.
func (l list) same(indent int) bool { return indent > l.indent-2 && indent < l.indent+2 }

// item reads an item. If it is indented further than the one before, it begins a
// nested list.
func (r *reader) item(indent int, m marker) {
	for n := len(r.lists); n > 0 && indent <= r.lists[n-1].indent-2; n = len(r.lists) {
		r.endList()
	}
	n := len(r.lists)
	if n == maxLists {
		indent = min(indent, r.lists[n-1].indent)
	}
	if n > 0 && r.lists[n-1].same(indent) && !r.continues(indent, m) {
		r.endList()
		n--
	}
	if n == 0 || !r.lists[n-1].same(indent) {
		r.b.Open(m.kind, m.number)
		r.lists = append(r.lists, list{m.kind, indent, m.number})
		n++
	}
	r.lists[n-1].next++
	r.b.Open(markup.Item, 0)
	r.words(m.body)
}

// leaveLists ends the lists that a line with this indent, which is not an item,
// does not belong to.
func (r *reader) leaveLists(indent int) {
	for n := len(r.lists); n > 0 && indent < r.lists[n-1].indent+2; n = len(r.lists) {
		r.endList()
	}
}

func (r *reader) endLists() {
	for len(r.lists) > 0 {
		r.endList()
	}
	r.gap = false
}

func (r *reader) endList() {
	n := len(r.lists) - 1
	r.b.Close(r.lists[n].kind)
	r.lists = r.lists[:n]
}

// letterNumber returns 1 for a, 2 for b, and 0 for anything else.
func letterNumber(s string) int {
	if len(s) != 1 || s[0] < 'a' || s[0] > 'z' {
		return 0
	}
	return int(s[0]-'a') + 1
}

// romanNumber returns 4 for iv, and 0 for anything that is not a Roman numeral
// below 40.
func romanNumber(s string) int {
	for tens, x := range [...]string{"", "x", "xx", "xxx"} {
		for ones, i := range [...]string{"", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"} {
			if s == x+i {
				return 10*tens + ones
			}
		}
	}
	return 0
}
