package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Example is a call that a test has made, and its response.
type Example struct {
	Page      string // the file that it is meant for
	Operation string // operationId
	Kind      string // the Content-Type of the call; a page shows the first example of each kind
	About     string // what it shows, in a few words
	From      string // the test that runs it, as a path from docs/api
	Call      string // the request line, headers, and after an empty line the body
	Reply     string // the status, relevant headers, and after an empty line the body
	Problem   string // why it cannot be shown
}

// examplesOf selects the examples of an operation.
func (b *book) examplesOf(page string, op *operation) (picked []Example) {
	kinds := map[string]bool{}
	for _, e := range b.examples {
		kind, _, _ := strings.Cut(e.Kind, ";")
		if e.Page != page || e.Operation != op.ID || kinds[kind] {
			continue
		}
		kinds[kind] = true
		picked = append(picked, e)
		if e.Problem != "" {
			b.problem("%s: %s: %s", e.From, e.About, e.Problem)
		}
	}
	if len(picked) == 0 {
		b.problem("%s needs an example on %s", op.ID, page)
	}
	return picked
}

func (e Example) write(w *strings.Builder) {
	fmt.Fprintf(w, "\n**Example** ([run in the tests](%s)): %s\n\n```http\n%s\n```\n\n```http\n%s\n```\n", e.From, e.About, e.Call, e.Reply)
}

// wide is the maximum length of a line of JSON. The parts of a longer value get
// their own lines.
const wide = 110

// Layout formats JSON for people: a value that fits on a line stays on one. It
// keeps the order of fields. It returns any other text unchanged.
func Layout(text string) string {
	var b bytes.Buffer
	if err := layout(&b, json.RawMessage(text), ""); err != nil {
		return text
	}
	return b.String()
}

func layout(b *bytes.Buffer, raw json.RawMessage, indent string) error {
	line, err := onOneLine(raw)
	if err != nil {
		return err
	}
	if len(indent)+len(line) <= wide || line[0] != '{' && line[0] != '[' {
		b.WriteString(line)
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	open, err := d.Token()
	if err != nil {
		return err
	}
	fmt.Fprint(b, open)
	for n := 0; d.More(); n++ {
		if n > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + indent + "  ")
		if open == json.Delim('{') {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name, err := encode(key)
			if err != nil {
				return err
			}
			b.WriteString(name + ": ")
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := layout(b, value, indent+"  "); err != nil {
			return err
		}
	}
	b.WriteString("\n" + indent + line[len(line)-1:])
	return nil
}

// onOneLine writes JSON with a space after each comma and colon.
func onOneLine(raw json.RawMessage) (string, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var b strings.Builder
	type level struct {
		object bool
		n      int
	}
	var levels []level
	for {
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		closes := token == json.Delim('}') || token == json.Delim(']')
		if depth := len(levels); depth > 0 && !closes {
			at := &levels[depth-1]
			switch {
			case at.object && at.n%2 == 1:
				b.WriteString(": ")
			case at.n > 0:
				b.WriteString(", ")
			}
			at.n++
		}
		switch t := token.(type) {
		case json.Delim:
			b.WriteString(t.String())
			if closes {
				levels = levels[:len(levels)-1]
			} else {
				levels = append(levels, level{object: t == '{'})
			}
		default:
			text, err := encode(token)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		}
		if len(levels) == 0 {
			break
		}
	}
	return b.String(), nil
}

// encode writes a value without the escapes that only HTML needs.
func encode(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
