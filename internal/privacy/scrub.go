package privacy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"frontdesk/internal/desk"
)

// scrubber takes a person, or a customer with its people, out of texts and JSON.
type scrubber struct {
	*found
	alias string // the user id that takes the place of theirs
	words words
	who   map[string]bool // the user ids and folded addresses
}

// newScrubber returns the scrubber of what was found. The alias takes the place of
// user ids. A person may have several, each with its own row.
func newScrubber(f *found, alias string) scrubber {
	s := scrubber{found: f, alias: alias, who: map[string]bool{}}
	for _, e := range f.emails {
		s.words.add(word{text: lower(e), with: ErasedEmail, before: "._%+'-", after: "-"})
		s.who[e] = true
	}
	for i, u := range f.users {
		with := alias
		if i > 0 {
			with = fmt.Sprintf("%s-%d", alias, i+1)
		}
		s.words.add(word{text: lower(u), with: with})
		s.who[u] = true
	}
	for _, n := range f.names {
		s.words.add(word{text: lower(n), with: ErasedName})
	}
	if c := f.customer; c != nil {
		s.words.keep = c.keep
		for _, d := range c.domains {
			s.words.add(word{text: d, with: ErasedDomain, before: "-", after: "-", isHost: true, isDomain: true})
		}
		s.words.add(c.calledWord())
	}
	return s
}

// column takes the subject out of a column of a table, by its place among those with
// text and then JSON, of a row that belongs to a request.
func (s scrubber) column(t table, i int, value string, request int64) string {
	if i < len(strings.Fields(t.text)) {
		return s.text(value)
	}
	return s.json(value, request != 0 && has(s.requests, request))
}

// text replaces addresses, user ids, names and domains in a text.
func (s scrubber) text(text string) string { return s.words.replace(text) }

// json takes the person out of JSON. asked says that all of it is about a request
// that the person asked. What is no JSON is treated as a text.
func (s scrubber) json(text string, asked bool) string {
	w := walker{scrubber: s}
	changed, isJSON := rewriteJSON(text, func(v any) (any, bool) {
		v = w.value(v, asked)
		return v, w.changed
	})
	if !isJSON {
		return s.text(text)
	}
	return changed
}

// rewriteJSON returns a JSON text with its value changed. If nothing changed, or if the
// text is not JSON, it returns the text itself.
func rewriteJSON(text string, change func(v any) (is any, changed bool)) (rewritten string, isJSON bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // an id must not become a float
	var v any
	if err := d.Decode(&v); err != nil {
		return text, false
	}
	if _, err := d.Token(); err != io.EOF {
		return text, false
	}
	v, changed := change(v)
	if !changed {
		return text, true
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null", true // what was decoded can be encoded
	}
	return strings.TrimSuffix(b.String(), "\n"), true
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

// object takes the subject out of an object, which may be a message, a request, a
// customer or a person. Of a request that an erased customer has, everything goes that
// anybody said there; of a request that an erased person asked, what they said.
func (w *walker) object(o map[string]any, asked bool) {
	id := number(o["id"])
	_, isRequest := o["title"]
	asked = asked || isRequest && has(w.requests, id) || w.customer != nil && has(w.requests, number(o["request_id"]))
	_, isMessage := o["is_responder"]
	_, isWaiting := o["html_body"]
	if isMessage && has(w.messages, id) || asked && w.customer != nil && (isMessage || isWaiting) {
		w.message(o)
	}
	if asked {
		w.set(o, ErasedTitle, "title", "subject", "mail_subject")
		w.set(o, "", "comment", "body")
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
	if w.customer != nil {
		w.organisation(o, id)
	}
	for key, v := range o {
		o[key] = w.value(v, asked)
	}
}

// message takes everything out of a message that somebody said.
func (w *walker) message(o map[string]any) {
	w.set(o, ErasedText, "text")
	w.set(o, ErasedHTML, "html_body")
	files, _ := o["attachments"].([]any)
	for _, f := range files {
		if file, ok := f.(map[string]any); ok {
			w.set(file, ErasedFile, "name")
		}
	}
}

// organisation takes the erased customer out of an object that is the customer or
// refers to it by its id.
func (w *walker) organisation(o map[string]any, id int64) {
	if ref, ok := o["customer"].(map[string]any); ok && number(ref["id"]) == w.customer.id {
		w.set(ref, ErasedCustomer, "name")
	}
	if _, is := o["portal_config"]; !is || id != w.customer.id {
		return
	}
	w.set(o, ErasedCustomer, "name")
	for _, list := range []string{"domains", "channel_ids", "portal_users", "portal_allowed_user_emails"} {
		if all, ok := o[list].([]any); ok && len(all) > 0 {
			o[list], w.changed = []any{}, true
		}
	}
	if all, ok := o["custom_field_values"].(map[string]any); ok && len(all) > 0 {
		o["custom_field_values"], w.changed = map[string]any{}, true
	}
	for _, key := range []string{"owner", "external_system", "external_entity_id", "external_deal_id"} {
		if o[key] != nil {
			o[key], w.changed = nil, true
		}
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
		if text, ok := o[key].(string); ok && text != "" && (w.who[text] || w.who[lower(text)]) {
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
