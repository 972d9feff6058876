package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// maxBody bounds the body of an API call, in bytes.
const maxBody = 4 << 20

// arguments are the arguments of one call, as text. JSON values that are not
// strings stay JSON.
type arguments map[string]string

func (a arguments) has(name string) bool    { _, ok := a[name]; return ok }
func (a arguments) flag(name string) bool   { return a[name] == "true" || a[name] == "1" }
func (a arguments) text(name string) string { return a[name] }

// raw returns a JSON argument, nil if it is missing.
func (a arguments) raw(name string) json.RawMessage {
	if a[name] == "" {
		return nil
	}
	return json.RawMessage(a[name])
}

// list returns an argument with several ids, separated by commas or in JSON.
func (a arguments) list(name string) []string {
	var list []string
	if json.Unmarshal([]byte(a[name]), &list) == nil {
		return list
	}
	for s := range strings.SplitSeq(a[name], ",") {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// limit returns the size of a page, def by default. Above most it returns most, or
// invalid_limit if strict.
func (a arguments) limit(def, most int, strict bool) (int, error) {
	s := a["limit"]
	if s == "" || s == "0" {
		return def, nil
	}
	n, err := strconv.Atoi(s)
	switch {
	case err != nil || n < 0, strict && n > most:
		return 0, refuse("invalid_limit")
	case n > most:
		return most, nil
	}
	return n, nil
}

// cursor returns where a page begins: the id after the word that starts the
// method's cursors. Empty means the beginning.
func (a arguments) cursor(word string) (string, error) {
	s := a["cursor"]
	if s == "" {
		return "", nil
	}
	b, err := base64.StdEncoding.DecodeString(s)
	id, ok := strings.CutPrefix(string(b), word+":")
	if err != nil || !ok || id == "" {
		return "", refuse("invalid_cursor")
	}
	return id, nil
}

func nextCursor(word, id string) object {
	if id == "" {
		return object{"next_cursor": ""}
	}
	return object{"next_cursor": base64.StdEncoding.EncodeToString([]byte(word + ":" + id))}
}

// bounds reads oldest, latest and inclusive as the first and the last ts to
// include. With oldest alone, Slack's page is at that end.
func (a arguments) bounds() (s span, err error) {
	s.latest = math.MaxInt64
	edge := int64(1)
	if a.flag("inclusive") {
		edge = 0
	}
	if text := a["oldest"]; text != "" && text != "0" {
		at, ok := parseTS(text)
		if !ok {
			return s, refuse("invalid_ts_oldest")
		}
		s.oldest, s.forward = at+edge, a["latest"] == ""
	}
	if text := a["latest"]; text != "" && text != "now" {
		at, ok := parseTS(text)
		if !ok {
			return s, refuse("invalid_ts_latest")
		}
		s.latest = at - edge
	}
	return s, nil
}

// readArguments reads the arguments of a call in the places and forms that the
// method accepts.
func readArguments(r *http.Request, m *method) (arguments, error) {
	args := arguments{}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, refuse("invalid_form_data")
	}
	args.add(query)
	if r.Method == http.MethodGet {
		return args, nil
	}
	header := r.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(header)
	switch {
	case header == "" && r.ContentLength == 0:
		return args, nil
	case header == "":
		return nil, refuse("missing_post_type")
	case err != nil:
		return nil, refuse("invalid_post_type")
	}
	switch kind {
	case "application/json":
		return readJSON(r, m, args)
	case "application/x-www-form-urlencoded", "text/plain":
		b, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
		if err != nil {
			return nil, refuse("request_timeout")
		}
		form, err := url.ParseQuery(string(b))
		if err != nil || len(b) > maxBody {
			return nil, refuse("invalid_form_data")
		}
		args.add(form)
	case "multipart/form-data":
		r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
		if err := r.ParseMultipartForm(maxBody); err != nil {
			return nil, refuse("invalid_form_data")
		}
		args.add(r.MultipartForm.Value)
	default:
		return nil, refuse("invalid_post_type")
	}
	return args, nil
}

func (a arguments) add(values map[string][]string) {
	for name, list := range values {
		a[name] = list[len(list)-1]
	}
}

// readJSON reads a JSON body. Slack's reading methods do not accept JSON and ignore
// it. Its writing methods then ignore the query and accept only the token in the
// header.
func readJSON(r *http.Request, m *method, args arguments) (arguments, error) {
	if !m.json {
		return args, nil
	}
	var body map[string]json.RawMessage
	d := json.NewDecoder(io.LimitReader(r.Body, maxBody))
	if err := d.Decode(&body); err != nil {
		var wrongType *json.UnmarshalTypeError
		if errors.As(err, &wrongType) {
			return nil, refuse("json_not_object")
		}
		return nil, refuse("invalid_json")
	}
	args = arguments{}
	for name, raw := range body {
		var s string
		switch {
		case name == "token" || string(raw) == "null":
		case json.Unmarshal(raw, &s) == nil:
			args[name] = s
		default:
			args[name] = string(raw)
		}
	}
	return args, nil
}
