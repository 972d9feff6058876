package privacy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/desk"
)

// scrubber takes a person out of texts and JSON.
type scrubber struct {
	*found
	alias string // the user id that takes the place of the person's
}

// column takes the person out of a column of a table, by its place among those with
// text and then JSON, of a row that belongs to a request.
func (s scrubber) column(t table, i int, value string, request int64) string {
	if i < len(strings.Fields(t.text)) {
		return s.text(value)
	}
	return s.json(value, request != 0 && has(s.requests, request))
}

// text replaces the person's addresses, user ids and names in a text.
func (s scrubber) text(text string) string {
	for _, e := range s.emails {
		text = replaceWord(text, e, ErasedEmail, "._%+'-", "-")
	}
	for i, u := range s.users {
		text = replaceWord(text, u, s.aliasOf(i), "", "")
	}
	for _, n := range s.names {
		text = replaceWord(text, n, ErasedName, "", "")
	}
	return text
}

// aliasOf returns what takes the place of a user id. A person may have several, each
// with its own row.
func (s scrubber) aliasOf(user int) string {
	if user == 0 {
		return s.alias
	}
	return fmt.Sprintf("%s-%d", s.alias, user+1)
}

// replaceWord replaces a word in a text, whatever the case of its letters. Letters,
// digits and the given characters beside it make it another word.
func replaceWord(text, word, with, before, after string) string {
	folded, small := lower(text), lower(word)
	if small == "" || !strings.Contains(folded, small) {
		return text
	}
	var b strings.Builder
	for from := 0; ; {
		at := strings.Index(folded[from:], small)
		if at < 0 {
			b.WriteString(text[from:])
			return b.String()
		}
		at += from
		end := at + len(small)
		last, _ := utf8.DecodeLastRuneInString(text[:at])
		next, _ := utf8.DecodeRuneInString(text[end:])
		b.WriteString(text[from:at])
		if isPart(last, before) || isPart(next, after) {
			b.WriteString(text[at:end])
		} else {
			b.WriteString(with)
		}
		from = end
	}
}

// lower folds ASCII only, which keeps the length.
func lower(s string) string { return desk.FoldEmail(s) }

func isPart(r rune, others string) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(others, r))
}

// json takes the person out of JSON. asked says that all of it is about a request
// that the person asked. What is no JSON is treated as a text.
func (s scrubber) json(text string, asked bool) string {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return s.text(text)
	}
	if _, err := d.Token(); err != io.EOF {
		return s.text(text)
	}
	w := walker{scrubber: s}
	v = w.value(v, asked)
	if !w.changed {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null" // what was decoded can be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// walker walks through a decoded value.
type walker struct {
	scrubber
	changed bool
}

func (w *walker) value(v any, asked bool) any {
	switch v := v.(type) {
	case string:
		return w.replace(v, w.text(v))
	case []any:
		for i := range v {
			v[i] = w.value(v[i], asked)
		}
	case map[string]any:
		w.object(v, asked)
	}
	return v
}

func (w *walker) replace(was, is string) string {
	w.changed = w.changed || was != is
	return is
}

// object takes the person out of an object, which may be a message they wrote, a
// request they asked, or they themselves.
func (w *walker) object(o map[string]any, asked bool) {
	id := number(o["id"])
	_, isRequest := o["title"]
	if _, isMessage := o["is_responder"]; isMessage && has(w.messages, id) {
		w.set(o, ErasedText, "text")
		w.set(o, ErasedHTML, "html_body")
		files, _ := o["attachments"].([]any)
		for _, f := range files {
			if file, ok := f.(map[string]any); ok {
				w.set(file, ErasedFile, "name")
			}
		}
	}
	asked = asked || isRequest && has(w.requests, id)
	if asked {
		w.set(o, ErasedTitle, "title", "subject", "mail_subject")
		w.set(o, "", "comment")
		w.values(o["custom_field_values"])
		w.values(o["values"])
		if o["metadata"] != nil {
			o["metadata"], w.changed = nil, true
		}
	}
	if w.isPerson(o) {
		w.set(o, ErasedName, "name", "author_name")
		w.set(o, "", "avatar")
	}
	for key, v := range o {
		o[key] = w.value(v, asked)
	}
}

// set sets fields that hold a text.
func (w *walker) set(o map[string]any, to string, keys ...string) {
	for _, key := range keys {
		if was, ok := o[key].(string); ok && was != "" {
			o[key] = w.replace(was, to)
		}
	}
}

// values takes the texts out of the values of custom fields, as the API shows them
// or as a history keeps them.
func (w *walker) values(of any) {
	all, _ := of.(map[string]any)
	for id, v := range all {
		switch v := v.(type) {
		case string:
			all[id] = w.replace(v, ErasedText)
		case map[string]any:
			if v["type"] == string(desk.FieldText) { // others could not be read again
				w.set(v, ErasedText, "text")
			}
		}
	}
}

// isPerson reports whether an object is the person, or has them as its author.
func (w *walker) isPerson(o map[string]any) bool {
	for _, key := range []string{"id", "user_id", "author_id", "email", "author_email"} {
		if text, ok := o[key].(string); ok && text != "" && (slices.Contains(w.users, text) || slices.Contains(w.emails, lower(text))) {
			return true
		}
	}
	return slices.Contains(w.members, number(o["id"])) && o["email"] != nil && o["name"] != nil
}

func has(sorted []int64, id int64) bool {
	_, found := slices.BinarySearch(sorted, id)
	return found
}

// number returns an id, or 0.
func number(v any) int64 {
	n, _ := v.(json.Number)
	id, _ := n.Int64()
	return id
}
