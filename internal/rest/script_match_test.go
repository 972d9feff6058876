package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var placeholder = regexp.MustCompile(`\{\{([^{}]*)\}\}`)

// expand inserts values: of a variable, of repeated text ({{x*200}}), of bytes that
// a text file cannot hold ({{hex ff}}). {{fill 1000}} is left for fill.
func expand(text string, vars map[string]string) (string, error) {
	var err error
	text = placeholder.ReplaceAllStringFunc(text, func(p string) string {
		inside := p[2 : len(p)-2]
		if strings.HasPrefix(inside, "fill ") {
			return p
		}
		v, e := expandOne(inside, vars)
		err = errors.Join(err, e)
		return v
	})
	return text, err
}

func expandOne(inside string, vars map[string]string) (string, error) {
	if v, ok := vars[inside]; ok {
		return v, nil
	}
	if digits, ok := strings.CutPrefix(inside, "hex "); ok {
		var b []byte
		_, err := fmt.Sscanf(digits, "%x", &b)
		return string(b), err
	}
	if i := strings.LastIndexByte(inside, '*'); i > 0 {
		n, err := strconv.Atoi(inside[i+1:])
		return strings.Repeat(inside[:i], max(n, 0)), err
	}
	return "", fmt.Errorf("{{%s}} is not known here", inside)
}

// fill replaces {{fill N}} by as many spaces as make the whole N bytes long.
func fill(body string) (string, error) {
	match := placeholder.FindStringSubmatch(body)
	if match == nil {
		return body, nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(match[1], "fill "))
	if err != nil {
		return "", err
	}
	return strings.Replace(body, match[0], strings.Repeat(" ", n-len(body)+len(match[0])), 1), nil
}

// captureTypes are the formats of values that vary from run to run.
var captureTypes = map[string]*regexp.Regexp{
	"id":         regexp.MustCompile(`^[1-9][0-9]*$`),
	"cursor":     regexp.MustCompile(`^[A-Za-z0-9_-]+$`),
	"secret":     regexp.MustCompile(`^fd_[a-z2-7]{34}$`),
	"prefix":     regexp.MustCompile(`^fd_[a-z2-7]{8}$`),
	"request-id": regexp.MustCompile(`^[a-z2-7]{16}$`),
	"authorize":  regexp.MustCompile(`^https://slack\.com/oauth/v2/authorize\?.*\bstate=[A-Za-z0-9_-]{60,}`),
	"key":        regexp.MustCompile(`^[A-Z][A-Z0-9]*-[1-9][0-9]*$`),
	"seconds":    regexp.MustCompile(`^[1-9][0-9]*$`),
	"workspace":  regexp.MustCompile(`^T[A-Z]*[0-9]+$`),
	"signing":    regexp.MustCompile(`^whsec_[A-Za-z0-9+/]+=*$`),
	"link":       regexp.MustCompile(`^https://desk\.example/[a-z]+[/#][A-Za-z0-9_.-]+$`),
	"inbox":      regexp.MustCompile(`^in\+[a-z2-7]{20,53}@reply\.desk\.example$`),
	"token":      regexp.MustCompile(`^[a-z0-9]{20,60}$`),
	"ts":         regexp.MustCompile(`^[0-9]{10}\.[0-9]{16}$`),
}

var capture = regexp.MustCompile(`^\{\{([^{}:]*):([a-z-]+)\}\}$`)

// matchText compares a text. If the whole text is {{name:type}}, it matches any
// value of that type, which is known by that name from then on.
func matchText(want, got string, vars map[string]string) string {
	if match := capture.FindStringSubmatch(want); match != nil {
		shape := captureTypes[match[2]]
		if shape == nil {
			return "there is no type " + match[2]
		}
		if !shape.MatchString(got) {
			return fmt.Sprintf("%q is not of the type %s", got, match[2])
		}
		if match[1] != "" {
			vars[match[1]] = got
		}
		return ""
	}
	want, err := expand(want, vars)
	if err != nil {
		return err.Error()
	}
	if want != got {
		return fmt.Sprintf("%q, want %q", got, want)
	}
	return ""
}

// matchBody compares a JSON body strictly: no field may be missing, and none may be
// added.
func matchBody(want, got string, vars map[string]string) []string {
	if want == "" || got == "" {
		if want != got {
			return []string{fmt.Sprintf("body is %q, want %q", got, want)}
		}
		return nil
	}
	quoted := quoteBare(want)
	wanted, err := decodeJSON(quoted)
	if err != nil {
		return []string{"the expected body is not JSON: " + err.Error()}
	}
	has, err := decodeJSON(got)
	if err != nil {
		return []string{"the body is not JSON: " + err.Error()}
	}
	return matchJSON("body", wanted, has, vars)
}

// matchPlain compares a body that is not JSON line by line. A placeholder may be
// anywhere in a line.
func matchPlain(want, got string, vars map[string]string) (p []string) {
	wanted, has := strings.Split(want, "\n"), strings.Split(strings.TrimRight(strings.ReplaceAll(got, "\r\n", "\n"), "\n"), "\n")
	if len(wanted) != len(has) {
		return []string{fmt.Sprintf("%d lines, want %d", len(has), len(wanted))}
	}
	for i, line := range wanted {
		shape, names, err := lineShape(line, vars)
		if err != nil {
			return append(p, fmt.Sprintf("line %d: %v", i+1, err))
		}
		match := shape.FindStringSubmatch(has[i])
		if match == nil {
			p = append(p, fmt.Sprintf("line %d is %q, want %q", i+1, has[i], line))
			continue
		}
		for n, name := range names {
			if name != "" {
				vars[name] = match[n+1]
			}
		}
	}
	return p
}

// lineShape converts a line with placeholders to a pattern, and names what it
// captures.
func lineShape(line string, vars map[string]string) (shape *regexp.Regexp, names []string, err error) {
	pattern, at := "^", 0
	for _, place := range placeholder.FindAllStringIndex(line, -1) {
		pattern += regexp.QuoteMeta(line[at:place[0]])
		inside := line[place[0]:place[1]]
		at = place[1]
		if match := capture.FindStringSubmatch(inside); match != nil && captureTypes[match[2]] != nil {
			pattern += "(" + strings.Trim(captureTypes[match[2]].String(), "^$") + ")"
			names = append(names, match[1])
			continue
		}
		value, err := expand(inside, vars)
		if err != nil {
			return nil, nil, err
		}
		pattern += regexp.QuoteMeta(value)
	}
	shape, err = regexp.Compile(pattern + regexp.QuoteMeta(line[at:]) + "$")
	return shape, names, err
}

// bareMark precedes a placeholder that was not inside a string. Its value must not
// be a string either.
const bareMark = "\u0001"

// quoteBare makes valid JSON of a body with placeholders outside of strings.
func quoteBare(body string) string {
	var b strings.Builder
	inString := false
	for i := 0; i < len(body); i++ {
		switch {
		case inString && body[i] == '\\':
			b.WriteByte(body[i])
			i++
		case body[i] == '"':
			inString = !inString
		case !inString && strings.HasPrefix(body[i:], "{{"):
			if at := placeholder.FindStringIndex(body[i:]); at != nil && at[0] == 0 {
				b.WriteString(strconv.Quote(bareMark + body[i:i+at[1]]))
				i += at[1] - 1
				continue
			}
		}
		if i < len(body) {
			b.WriteByte(body[i])
		}
	}
	return strings.ReplaceAll(b.String(), `\x01`, `\u0001`)
}

func decodeJSON(text string) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something behind the JSON")
	}
	return v, nil
}

var someItems = regexp.MustCompile(`^` + bareMark + `\{\{([0-9]+) items\}\}$`)

func matchJSON(at string, want, got any, vars map[string]string) []string {
	differs := func() []string {
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		return []string{fmt.Sprintf("%s is %s, want %s", at, g, w)}
	}
	switch want := want.(type) {
	case map[string]any:
		has, ok := got.(map[string]any)
		if !ok {
			return differs()
		}
		return matchObject(at, want, has, vars)
	case []any:
		has, ok := got.([]any)
		if !ok || len(has) != len(want) {
			return differs()
		}
		var p []string
		for i := range want {
			p = append(p, matchJSON(fmt.Sprintf("%s[%d]", at, i), want[i], has[i], vars)...)
		}
		return p
	case string:
		if want == bareMark+"{{any}}" {
			return nil
		}
		if match := someItems.FindStringSubmatch(want); match != nil {
			if has, ok := got.([]any); !ok || strconv.Itoa(len(has)) != match[1] {
				return differs()
			}
			return nil
		}
		text, ok := got.(string)
		if bare, isBare := strings.CutPrefix(want, bareMark); isBare {
			n, isNumber := got.(json.Number)
			want, text, ok = bare, n.String(), isNumber
		}
		if !ok {
			return differs()
		}
		if problem := matchText(want, text, vars); problem != "" {
			return []string{at + ": " + problem}
		}
		return nil
	}
	if want != got {
		return differs()
	}
	return nil
}

func matchObject(at string, want, got map[string]any, vars map[string]string) (p []string) {
	expected := map[string]bool{}
	for _, written := range slices.Sorted(maps.Keys(want)) {
		name, err := expand(written, vars) // the name of a field may contain an id
		if err != nil {
			p = append(p, at+": "+err.Error())
			continue
		}
		expected[name] = true
		if _, ok := got[name]; !ok {
			p = append(p, at+"."+name+" is missing")
			continue
		}
		p = append(p, matchJSON(at+"."+name, want[written], got[name], vars)...)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if !expected[name] {
			p = append(p, at+"."+name+" is not expected")
		}
	}
	return p
}

// A comparison that misses a difference would make every script worthless.
func TestScriptMatch(t *testing.T) {
	tests := []struct {
		name, want, got string
		problem         string // a part of the problem; empty if they match
	}{
		{"the same", `{"a": 1, "b": [true, null, "x"]}`, `{"b":[true,null,"x"],"a":1}`, ""},
		{"nothing", ``, ``, ""},
		{"a body where none is wanted", ``, `{}`, "body is"},
		{"no body", `{}`, ``, "body is"},
		{"no JSON", `{}`, `oops`, "not JSON"},
		{"two bodies", `{}`, `{}{}`, "behind the JSON"},
		{"a missing member", `{"a": 1, "b": 2}`, `{"a":1}`, "body.b is missing"},
		{"an additional member", `{"a": 1}`, `{"a":1,"b":2}`, "body.b is not expected"},
		{"a missing member inside", `{"a": {"b": 1}}`, `{"a":{}}`, "body.a.b is missing"},
		{"another value", `{"a": 1}`, `{"a":2}`, "body.a is 2, want 1"},
		{"another type", `{"a": 1}`, `{"a":"1"}`, `body.a is "1", want 1`},
		{"a number written in another way", `{"a": 1}`, `{"a":1.0}`, "body.a is 1.0"},
		{"null", `{"a": null}`, `{"a":false}`, "body.a is false"},
		{"null for a text", `{"a": "x"}`, `{"a":null}`, "body.a is null"},
		{"a list in another order", `[1, 2]`, `[2,1]`, "body[0] is 2"},
		{"a longer list", `[1]`, `[1,1]`, "body is [1,1]"},
		{"an object for a list", `[]`, `{}`, "body is {}"},
		{"escapes", `"\u003c\/"`, `"</"`, ""},
		{"an id", `{"id": {{:id}}}`, `{"id":17}`, ""},
		{"an id that is a text", `{"id": {{:id}}}`, `{"id":"17"}`, "body.id"},
		{"an id in a text", `{"id": "{{:id}}"}`, `{"id":"17"}`, ""},
		{"an id that is none", `{"id": {{:id}}}`, `{"id":0}`, "not of the type id"},
		{"an id that is null", `{"id": {{:id}}}`, `{"id":null}`, "body.id"},
		{"a known value", `{"id": {{jo}}}`, `{"id":42}`, ""},
		{"another than the known value", `{"id": {{jo}}}`, `{"id":43}`, `"43", want "42"`},
		{"a known value in a text", `{"id": "no. {{jo}}"}`, `{"id":"no. 42"}`, ""},
		{"a number for a known value in a text", `{"id": "{{jo}}"}`, `{"id":42}`, "body.id"},
		{"a value that is not known", `{"id": {{sam}}}`, `{"id":42}`, "not known"},
		{"a member called after a known value", `{"{{jo}}": 1}`, `{"42":1}`, ""},
		{"a member called after another value", `{"{{jo}}": 1}`, `{"43":1}`, "body.42 is missing"},
		{"a member called after nothing", `{"{{sam}}": 1}`, `{"43":1}`, "not known"},
		{"captured and used", `{"a": {{x:id}}, "b": {{x}}}`, `{"a":5,"b":5}`, ""},
		{"captured and different", `{"a": {{x:id}}, "b": {{x}}}`, `{"a":5,"b":6}`, `"6", want "5"`},
		{"a type that does not exist", `{"a": {{x:colour}}}`, `{"a":5}`, "no type colour"},
		{"repeated text", `"{{ab*3}}"`, `"ababab"`, ""},
		{"a cursor", `"{{:cursor}}"`, `"AZaz09-_"`, ""},
		{"a cursor that needs escaping", `"{{:cursor}}"`, `"AZ+/="`, "not of the type cursor"},
		{"items", `{"a": {{2 items}}}`, `{"a":[1,2]}`, ""},
		{"fewer items", `{"a": {{2 items}}}`, `{"a":[1]}`, "body.a"},
		{"a quote before a placeholder", `{"a\"": {{:id}}, "b": "\\"}`, `{"a\"":1,"b":"\\"}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(matchBody(tt.want, tt.got, map[string]string{"jo": "42"}), "; ")
			if tt.problem == "" && got != "" || !strings.Contains(got, tt.problem) {
				t.Errorf("got %q, want %q", got, tt.problem)
			}
		})
	}
}

func TestScriptMatchPlain(t *testing.T) {
	vars := map[string]string{"jo": "42"}
	for _, tt := range []struct{ want, got, problem string }{
		{"a,b\n1,x", "a,b\r\n1,x\r\n", ""},
		{"a,b\n1,x", "a,b\n1,y\n", `line 2 is "1,y"`},
		{"a", "a\nb", "2 lines, want 1"},
		{"{{jo}}.{{sam:id}}", "42.7", ""},
		{"{{sam}}", "7", ""},
		{"{{jo}}", "43", "line 1"},
		{"{{sam:id}}", "x", "line 1"},
		{"{{pat}}", "x", "not known"},
	} {
		got := strings.Join(matchPlain(tt.want, tt.got, vars), "; ")
		if tt.problem == "" && got != "" || !strings.Contains(got, tt.problem) {
			t.Errorf("%q: %q: got %q, want %q", tt.want, tt.got, got, tt.problem)
		}
	}
}

func TestScriptExpand(t *testing.T) {
	vars := map[string]string{"jo": "42", "other.admin": "7"}
	for text, want := range map[string]string{
		"/members/{{jo}}?x={{other.admin}}": "/members/42?x=7",
		"{{é*3}}":                           "ééé",
		"{{hex 00ff}}":                      "\x00\xff",
		"{}{ }":                             "{}{ }",
	} {
		if got, err := expand(text, vars); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"{{sam}}", "{{x*y}}", "{{jo:id}}"} {
		if got, err := expand(text, maps.Clone(vars)); err == nil {
			t.Errorf("%s: %q, want an error", text, got)
		}
	}
	if got, err := fill(`{"a": 1{{fill 10}}}`); err != nil || got != `{"a": 1  }` {
		t.Errorf("fill: %q, %v", got, err)
	}
}
