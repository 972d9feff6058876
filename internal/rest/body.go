package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"frontdesk/internal/desk"
)

// bodyForm is the kind of body that a call carries.
type bodyForm int

const (
	noBody     bodyForm = iota
	jsonBody            // a JSON object
	formBody            // multipart/form-data, which the handler reads part by part
	eitherBody          // a form, or a JSON object
	listBody            // a JSON object with a long list, which the handler reads item by item
)

const (
	// mostJSON is the maximum size of a JSON body.
	mostJSON = 1 << 20
	// bodyTime is how long a JSON body may take to arrive.
	bodyTime = 30 * time.Second
)

var (
	errTooLarge = desk.Errorf(desk.TooLarge, "The body is larger than 1 MiB.")
	errNUL      = desk.Errorf(desk.Invalid, "The body contains the character U+0000, which is not allowed in any text.")
	errHalfPair = desk.Errorf(desk.Invalid, "The body contains half of a surrogate pair (\\ud800 to \\udfff), which is not a character.")
)

// checkBody refuses a body of the wrong type or size, and reads a JSON body.
// Problems inside the body are reported later, after 404 and 406.
func (c *call) checkBody() error {
	switch {
	case c.route.body == noBody:
		return nil
	case c.route.body == formBody, c.route.body == eitherBody && isForm(c.req):
		return c.checkForm()
	}
	if kind := c.req.Header.Get("Content-Type"); kind != "" {
		if media, _, err := mime.ParseMediaType(kind); err != nil || media != "application/json" {
			return desk.Errorf(desk.Unsupported, "The body must be JSON. Send it with Content-Type: application/json.")
		}
	}
	if c.route.body == listBody {
		return c.checkImport()
	}
	if c.req.ContentLength > mostJSON {
		return errTooLarge
	}
	// Without a deadline, a client that sends a byte now and then would hold its
	// connection for ever. An error only means that there is no connection to hold.
	connection := http.NewResponseController(c.w)
	_ = connection.SetReadDeadline(time.Now().Add(c.server.bodyTime))
	raw, err := io.ReadAll(http.MaxBytesReader(c.w, c.req.Body, mostJSON))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		// The deadline stays. Without it, the server would wait for the rest of the
		// body.
		c.w.Header().Set("Connection", "close")
		return desk.Errorf(desk.Invalid, "The body took longer than %s to arrive.", c.server.bodyTime)
	}
	_ = connection.SetReadDeadline(time.Time{})
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return errTooLarge
	}
	if err != nil {
		return desk.Errorf(desk.Invalid, "The body ended before it was complete.")
	}
	c.raw = raw
	return nil
}

// object is a JSON object whose fields are read one by one. Problems are collected,
// and problem returns them.
type object struct {
	members  map[string]json.RawMessage
	at       string // prefix of its field names: "config." if it is inside another object
	problems *desk.Problems
	broken   error // set if the body is not a JSON object at all
}

// object parses the call's body.
func (c *call) object() object {
	o := object{problems: &desk.Problems{}}
	if len(bytes.TrimSpace(c.raw)) == 0 {
		o.broken = desk.Errorf(desk.Invalid, "The body is empty. It must be a JSON object.")
		return o
	}
	var problem string
	if o.members, problem = members(c.raw); problem != "" {
		o.broken = desk.Errorf(desk.Invalid, "The body %s.", problem)
	}
	o.refuseFiles(filesInJSON)
	return o
}

// fileMembers are the names that files have in forms.
var fileMembers = []string{"attachments", "attachment"}

const filesInJSON = "cannot be sent in JSON: files are parts of a form, sent with Content-Type: multipart/form-data"

// refuseFiles reports files in a JSON body. Other unknown fields are ignored, but a
// caller who sent files would think that they were stored.
func (o object) refuseFiles(problem string) {
	for _, name := range fileMembers {
		raw, given := o.members[name]
		var none []json.RawMessage // null and an empty list hold no files
		if given && (json.Unmarshal(raw, &none) != nil || len(none) > 0) {
			o.problems.Add(o.at+name, "%s", problem)
		}
	}
}

// members returns the fields of a JSON object. If the text is not an object, or
// contains a character that no string may contain, it returns the problem.
func members(raw []byte) (m map[string]json.RawMessage, problem string) {
	switch err := json.Unmarshal(raw, &m); {
	case !utf8.Valid(raw):
		return nil, "is not valid UTF-8"
	case err != nil && !json.Valid(raw):
		return nil, "is not valid JSON: " + plain(err)
	case err != nil, m == nil:
		return nil, "must be a JSON object"
	case hasNUL(raw):
		return nil, "contains the character U+0000, which is not allowed in any text"
	case hasHalfPair(raw):
		return nil, "contains half of a surrogate pair (\\ud800 to \\udfff), which is not a character"
	}
	return m, ""
}

// plain returns a syntax error in words for the caller.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "json: ") }

// hasNUL looks for the escape of U+0000 in valid JSON. An escaped backslash does
// not start an escape.
func hasNUL(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(raw[i+1:], []byte("u0000")) {
			return true
		}
		i++ // skip the escaped character
	}
	return false
}

// hasHalfPair looks for the escape of half a surrogate pair in valid JSON. The
// decoder would replace it with another character, so the text would not be
// returned as it was sent.
func hasHalfPair(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++ // skip the escaped character
		r := escaped(raw[i:])
		if !utf16.IsSurrogate(r) {
			continue
		}
		if raw[i+5] != '\\' || utf16.DecodeRune(r, escaped(raw[i+6:])) == utf8.RuneError {
			return true
		}
		i += 10 // skip the other half
	}
	return false
}

// escaped returns the code unit of a \u escape in valid JSON. The text starts at
// the u. It returns 0 for other escapes.
func escaped(text []byte) rune {
	if text[0] != 'u' {
		return 0
	}
	n, _ := strconv.ParseUint(string(text[1:5]), 16, 32)
	return rune(n)
}

// problem returns the problems found in what has been read so far.
func (o object) problem() error {
	if o.broken != nil {
		return o.broken
	}
	return o.problems.Err()
}

// read decodes a field into v. want names the expected type. It reports whether the
// field was given.
func (o object) read(name, want string, v any) bool {
	raw, ok := o.members[name]
	if !ok {
		return false
	}
	if string(raw) == "null" || json.Unmarshal(raw, v) != nil {
		o.problems.Add(o.at+name, "must be %s", want)
		return false
	}
	return true
}

// text reads a string. It returns nil if the field is not given.
func (o object) text(name string) *string { return member[string](o, name, "a string") }

// flag reads true or false. It returns nil if the field is not given.
func (o object) flag(name string) *bool { return member[bool](o, name, "true or false") }

// has reports whether a field was given.
func (o object) has(name string) bool {
	_, given := o.members[name]
	return given
}

// demand reports a field that was not given.
func (o object) demand(name string) {
	if !o.has(name) {
		o.problems.Add(o.at+name, "is required")
	}
}

// required reads a string that must be given.
func (o object) required(name string) (s string) {
	o.demand(name)
	o.read(name, "a string", &s)
	return s
}

// moment reads a time, rounded down to the millisecond. It returns nil if the field
// is not given or null.
func (o object) moment(name string) *time.Time { return floorMS(o.instant(name)) }

// nullableMoment reads a time that may be null.
func (o object) nullableMoment(name string) desk.Nullable[time.Time] {
	return desk.Nullable[time.Time]{Given: o.has(name), Value: o.moment(name)}
}

// instant reads a time. It returns nil if the field is not given or null.
func (o object) instant(name string) *time.Time {
	if string(o.members[name]) == "null" {
		return nil
	}
	const want = "an ISO 8601 date or timestamp, such as 2026-05-13T09:12:33Z"
	var s string
	if !o.read(name, want, &s) {
		return nil
	}
	t, ok := parseTime(s)
	if !ok {
		o.problems.Add(o.at+name, "must be "+want)
		return nil
	}
	return &t
}

// nullable reads a field that may be null.
func nullable[T any](o object, name, want string) desk.Nullable[T] {
	if string(o.members[name]) == "null" {
		return desk.Null[T]()
	}
	v := member[T](o, name, want+" or null")
	return desk.Nullable[T]{Given: v != nil, Value: v}
}

// nullableText reads a string that may be null.
func (o object) nullableText(name string) desk.Nullable[string] {
	return nullable[string](o, name, "a string")
}

// inside reads a field that is an object. It returns an object without fields if
// the field is not given.
func (o object) inside(name string) object {
	in := object{at: o.at + name + ".", problems: o.problems}
	o.read(name, "an object", &in.members)
	return in
}

// objects reads a list of objects. It returns nil if the field is not given. If the
// list is too long, that is the only problem it reports.
func (o object) objects(name string, most int) *[]object {
	raw := member[[]json.RawMessage](o, name, "a list of objects")
	if raw == nil {
		return nil
	}
	if len(*raw) > most {
		o.problems.Add(o.at+name, "must have at most %d items; there are %d", most, len(*raw))
		return nil
	}
	all := make([]object, len(*raw))
	for i, r := range *raw {
		all[i] = o.element(fmt.Sprintf("%s[%d]", name, i), r)
	}
	return &all
}

// listOf reads a list of objects like objects, and each of them with read. It leaves
// out what is not an object, which is already reported.
func listOf[T any](o object, name string, most int, read func(object) T) *[]T {
	given := o.objects(name, most)
	if given == nil {
		return nil
	}
	all := make([]T, 0, len(*given))
	for _, one := range *given {
		if one.members != nil {
			all = append(all, read(one))
		}
	}
	return &all
}

// element reads an element of a list that must be an object. Like inside, it returns
// an object without fields if it is not.
func (o object) element(name string, raw json.RawMessage) object {
	return object{members: map[string]json.RawMessage{name: raw}, at: o.at, problems: o.problems}.inside(name)
}

// orZero returns a value that may be missing, or else the zero value.
func orZero[T any](v *T) (zero T) {
	if v == nil {
		return zero
	}
	return *v
}

func member[T any](o object, name, want string) *T {
	var v T
	if !o.read(name, want, &v) {
		return nil
	}
	return &v
}
