package movein

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// object reads the fields of a JSON object and notes what is wrong with them. A field
// that is null counts as missing, because exports are full of nulls.
type object struct {
	path     string // of the object in its record, with a dot at the end; empty for the record
	fields   map[string]json.RawMessage
	problems *[]string
}

func newObject(fields map[string]json.RawMessage) object {
	return object{fields: fields, problems: &[]string{}}
}

// mostProblems bounds what is said about one record.
const mostProblems = 10

func (o object) wrong(name, format string, args ...any) {
	if len(*o.problems) < mostProblems {
		*o.problems = append(*o.problems, o.path+name+" "+fmt.Sprintf(format, args...))
	}
}

// raw returns a field, or false if it is missing.
func (o object) raw(name string) (json.RawMessage, bool) {
	raw, ok := o.fields[name]
	return raw, ok && string(raw) != "null"
}

func (o object) has(name string) bool {
	_, ok := o.raw(name)
	return ok
}

// text reads a string. The character U+0000 is dropped, because no database takes it.
func (o object) text(name string) (s string) {
	raw, ok := o.raw(name)
	switch {
	case !ok:
	case raw[0] != '"':
		o.wrong(name, "must be a string")
	case !utf8.Valid(raw):
		o.wrong(name, "must be valid UTF-8")
	case json.Unmarshal(raw, &s) != nil:
		o.wrong(name, "must be a string")
	}
	return strings.ReplaceAll(s, "\x00", "")
}

// id reads an id, which is a number or a string.
func (o object) id(name string) string {
	raw, ok := o.raw(name)
	switch {
	case !ok:
		return ""
	case raw[0] == '"':
		return strings.TrimSpace(o.text(name))
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return string(raw)
	}
	o.wrong(name, "must be a number or a string")
	return ""
}

// flag reads a boolean, or returns what a missing one means.
func (o object) flag(name string, missing bool) bool {
	raw, ok := o.raw(name)
	switch {
	case !ok:
		return missing
	case string(raw) != "true" && string(raw) != "false":
		o.wrong(name, "must be true or false")
	}
	return string(raw) == "true"
}

// mostSeconds is the end of the year 9999. Later times cannot be written.
const mostSeconds = 253_402_300_799

// moment reads a time: text as RFC 3339 has it, or seconds since 1970. Systems write 0
// for a time that never was.
func (o object) moment(name string) *time.Time {
	raw, ok := o.raw(name)
	if !ok || string(raw) == `""` {
		return nil
	}
	if raw[0] == '"' {
		at, err := time.Parse(time.RFC3339, o.text(name))
		if err != nil {
			o.wrong(name, "must be a time, such as 2026-02-03T04:05:06Z")
			return nil
		}
		at = at.UTC()
		return &at
	}
	seconds, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || seconds < 0 || seconds > mostSeconds {
		o.wrong(name, "must be a time: text, or seconds since 1970")
		return nil
	}
	if seconds == 0 {
		return nil
	}
	at := time.UnixMilli(int64(seconds * 1000)).UTC()
	return &at
}

// inside reads an object. One that is missing has no fields.
func (o object) inside(name string) object {
	in := object{path: o.path + name + ".", problems: o.problems}
	if raw, ok := o.raw(name); ok && json.Unmarshal(raw, &in.fields) != nil {
		o.wrong(name, "must be an object")
	}
	return in
}

// list reads a list of objects.
func (o object) list(name string) (all []object) {
	raw, ok := o.raw(name)
	if !ok {
		return nil
	}
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		o.wrong(name, "must be a list of objects")
		return nil
	}
	for i, raw := range elements {
		in := object{path: fmt.Sprintf("%s%s[%d].", o.path, name, i), problems: o.problems}
		if json.Unmarshal(raw, &in.fields) != nil || in.fields == nil {
			o.wrong(fmt.Sprintf("%s[%d]", name, i), "must be an object")
			continue
		}
		all = append(all, in)
	}
	return all
}

// texts reads a list of strings.
func (o object) texts(name string) (all []string) {
	if raw, ok := o.raw(name); ok && json.Unmarshal(raw, &all) != nil {
		o.wrong(name, "must be a list of strings")
		return nil
	}
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], "\x00", "")
	}
	return all
}

// names returns the first names of the fields, for a sentence.
func (o object) names() string {
	const most = 5
	names := slices.Sorted(maps.Keys(o.fields))
	if len(names) == 0 {
		return "none"
	}
	end := ""
	if len(names) > most {
		names, end = names[:most], "…"
	}
	for i, name := range names {
		names[i] = strconv.Quote(name[:min(len(name), 40)])
	}
	return strings.Join(names, ", ") + end
}
