package rest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"frontdesk/internal/desk"
)

const (
	// mostImport is the maximum size of an import's body.
	mostImport = 64 << 20
	// mostImportPart is the maximum size of a part that is held as it was sent: a
	// message, or another field of a request.
	mostImportPart = 2 << 20
	// mostImporting limits the total size of the imports that are read at the same
	// time.
	mostImporting = 4 * mostImport
)

var (
	errImportTooLarge = desk.Errorf(desk.TooLarge, "The body is larger than 64 MiB.")
	errImportPart     = desk.Errorf(desk.TooLarge, "A message or another field of a request is larger than 2 MiB.")
	errImporting      = &desk.Error{Kind: desk.Unavailable, RetryAfter: 10 * time.Second, Message: "Too much is being imported right now. Try again shortly."}
)

// items is a JSON body {"requests": […]}, read as a stream. Only one message is
// held at a time in the form it was sent. If the call has a key, the content is
// fingerprinted while it is read.
type items struct {
	body   io.Reader // the raw body
	steady *steady   // the same body, to set its deadline
	text   *tidy
	json   *json.Decoder
	keyed  bool             // a fingerprint will be needed
	prints map[string]print // of the fields of the body
	begun  bool
	listed bool // the requests list has begun
	inList bool
	whole  bool     // the end of the body has been read
	list   sequence // fingerprint of the items that were read
	err    error    // why there are no more items; io.EOF at the end

	importing *atomic.Int64
	counted   int64 // this body's share of importing
}

// print is the fingerprint of a JSON value. Equal content has equal prints.
type print = [sha256.Size]byte

// sequence is the fingerprint of a list whose values are read one after the other.
type sequence struct {
	prints print // of all values so far
	n      int
}

func (s *sequence) add(p print) {
	s.prints = sha256.Sum256(append(s.prints[:], p[:]...))
	s.n++
}

func (s sequence) print() print { return sha256.Sum256(append([]byte("list"), s.prints[:]...)) }

// print returns the fingerprint of a value. It takes a third of the time that
// reading takes.
func (it *items) print(raw []byte) (p print) {
	if it.keyed {
		p = sha256.Sum256(canonical(raw))
	}
	return p
}

// printOf returns the fingerprint of an object. It does not depend on the order of
// the fields.
func printOf(members map[string]print) print {
	h := sha256.New()
	h.Write([]byte("object"))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(name))))
		h.Write([]byte(name))
		p := members[name]
		h.Write(p[:])
	}
	return print(h.Sum(nil))
}

func (c *call) checkImport() error {
	if c.req.ContentLength > mostImport {
		c.w.Header().Set("Connection", "close") // the rest is not read
		return errImportTooLarge
	}
	body := &steady{ReadCloser: c.req.Body, connection: http.NewResponseController(c.w), patience: c.server.bodyTime}
	c.items = newItems(http.MaxBytesReader(c.w, body, mostImport), c.req.Header.Get("Idempotency-Key") != "", &c.server.importing)
	c.items.steady = body
	return nil
}

func newItems(body io.Reader, keyed bool, importing *atomic.Int64) *items {
	it := &items{body: body, keyed: keyed, prints: map[string]print{}, importing: importing}
	it.text = &tidy{from: body, count: it.count}
	it.json = json.NewDecoder(it.text)
	it.json.UseNumber()
	return it
}

// count refuses a body that is more than the server can hold right now.
func (it *items) count(n int) error {
	it.counted += int64(n)
	if it.importing.Add(int64(n)) > mostImporting {
		return errImporting
	}
	return nil
}

// release gives back the body's share of importing when nothing of it is held any
// more.
func (it *items) release() {
	it.importing.Add(-it.counted)
	it.counted = 0
}

// importRequests imports requests with their history.
func (s *Server) importRequests(c *call) (any, error) {
	defer c.items.release()
	made, err := s.service.ImportRequests(c.ctx, c.caller, c.items.next)
	if err != nil {
		c.items.drain(c.w)
		return nil, err
	}
	return made, nil
}

// drain reads the rest of the body for a limited time. A client that is still
// sending would not see the response.
func (it *items) drain(w http.ResponseWriter) {
	deadline := time.Now().Add(drainTime)
	it.steady.until = deadline
	for it.err == nil && time.Now().Before(deadline) {
		_, _ = it.next()
	}
	for b := make([]byte, 32<<10); time.Now().Before(deadline); {
		if _, err := it.body.Read(b); err != nil {
			return
		}
	}
	w.Header().Set("Connection", "close")
}

// fingerprint reads the body to its end and returns its fingerprint.
func (it *items) fingerprint() ([]byte, error) {
	defer it.release()
	for it.err == nil {
		_, _ = it.next()
	}
	if it.err != io.EOF {
		return nil, it.err
	}
	p := printOf(it.prints)
	return p[:], nil
}

// next returns the next request, or io.EOF after the last. A problem with the
// request is in its Problem. A problem with the body is the error.
func (it *items) next() (n desk.ImportedRequest, err error) {
	if it.err != nil {
		return n, it.err
	}
	if n, err = it.read(); err != nil {
		it.err = it.end(err)
	}
	return n, it.err
}

func (it *items) read() (n desk.ImportedRequest, err error) {
	if !it.begun {
		it.begun = true
		if err := it.begin(); err != nil {
			return n, err
		}
	}
	for {
		switch more := it.more(); {
		case it.inList && more:
			return it.item()
		case it.inList:
			if _, err := it.token(); err != nil { // ]
				return n, err
			}
			it.inList, it.prints["requests"] = false, it.list.print()
		case more:
			if err := it.member(); err != nil {
				return n, err
			}
		default:
			return n, it.close()
		}
	}
}

// begin reads up to the first field of the object.
func (it *items) begin() error {
	switch t, err := it.token(); {
	case err == io.EOF:
		return desk.Errorf(desk.Invalid, "The body is empty. It must be a JSON object.")
	case err != nil:
		return err
	case t != json.Delim('{'):
		return desk.Errorf(desk.Invalid, "The body must be a JSON object.")
	}
	return nil
}

// close reads the end of the object. Nothing may follow it.
func (it *items) close() error {
	if _, err := it.token(); err != nil { // }
		return err
	}
	switch _, err := it.token(); {
	case err == nil:
		return desk.Errorf(desk.Invalid, "The body is not valid JSON: something follows the object.")
	case err != io.EOF:
		return err
	case !it.listed:
		return desk.Wrong("requests", "is required")
	}
	it.whole = true
	return io.EOF
}

// member reads a field of the body. Only requests is known.
func (it *items) member() error {
	name, err := it.key()
	if err != nil {
		return err
	}
	if name != "requests" {
		raw, err := it.value()
		it.prints[name] = it.print(raw)
		if err != nil {
			return err
		}
		o := object{members: map[string]json.RawMessage{name: raw}, problems: &desk.Problems{}}
		o.refuseFiles(filesInImport)
		return o.problem()
	}
	if it.listed {
		return desk.Wrong("requests", "is given twice")
	}
	t, err := it.token()
	if err == nil && t != json.Delim('[') {
		err = desk.Wrong("requests", "must be a list of objects")
	}
	it.listed, it.inList = true, true
	return err
}

// item reads one request.
func (it *items) item() (n desk.ImportedRequest, err error) {
	t, err := it.token()
	if err != nil {
		return n, err
	}
	o := object{members: map[string]json.RawMessage{}, problems: &desk.Problems{}}
	if t != json.Delim('{') {
		p, err := it.skip(t)
		it.list.add(p)
		o.problems.Add("", "must be an object")
		n.Problem = o.problem()
		return n, err
	}
	prints := map[string]print{}
	for it.more() {
		name, err := it.key()
		if err != nil {
			return n, err
		}
		if name == "messages" {
			n.Messages, prints[name], err = it.messages(o)
		} else {
			prints[name], err = it.keep(o, name)
		}
		if err != nil {
			return n, err
		}
	}
	if _, err := it.token(); err != nil { // }
		return n, err
	}
	it.list.add(printOf(prints))
	importedRequest(o, &n)
	n.Problem = o.problem()
	return n, nil
}

// importMembers are the fields of a request besides its messages. Other fields are
// ignored.
var importMembers = []string{"external_id", "title", "description", "requester", "assignee", "state", "priority", "tags", "customer_id",
	"custom_field_values", "created_at", "updated_at", "first_response_at", "solved_at", "closed_at"}

const filesInImport = "cannot be imported: send files with the messages that are added later"

// keep reads a field of a request into o. It treats null like a missing field,
// because the exports of other systems are full of nulls.
func (it *items) keep(o object, name string) (p print, err error) {
	raw, err := it.value()
	if err != nil {
		return p, err
	}
	delete(o.members, name) // of two fields with the same name, the last counts
	if (slices.Contains(importMembers, name) || slices.Contains(fileMembers, name)) && string(raw) != "null" {
		o.members[name] = raw
	}
	return it.print(raw), nil
}

// importedRequest reads a request from its fields.
func importedRequest(o object, n *desk.ImportedRequest) {
	o.refuseFiles(filesInImport)
	n.ExternalID, n.Title, n.Description = o.text("external_id"), o.text("title"), o.text("description")
	n.Requester = person(o, "requester")
	n.Assignee, n.State, n.Priority = o.text("assignee"), (*desk.State)(o.text("state")), (*desk.Priority)(o.text("priority"))
	o.read("tags", "a list of strings", &n.Tags)
	n.Customer = member[desk.CustomerID](o, "customer_id", "a number")
	n.Values = o.fieldInput("custom_field_values")
	n.CreatedAt, n.UpdatedAt, n.FirstResponseAt = o.moment("created_at"), o.moment("updated_at"), o.moment("first_response_at")
	n.SolvedAt, n.ClosedAt = o.moment("solved_at"), o.moment("closed_at")
}

// person reads a requester, an assignee or an author.
func person(o object, name string) (who desk.Requester) {
	in := o.inside(name)
	in.dropNulls()
	in.read("email", "a string", &who.Email)
	in.read("id", "a string", &who.User)
	in.read("name", "a string", &who.Name)
	return who
}

func (o object) dropNulls() {
	maps.DeleteFunc(o.members, func(_ string, raw json.RawMessage) bool { return string(raw) == "null" })
}

// messages reads the messages of a request. If there are too many, that is the only
// problem it reports.
func (it *items) messages(o object) (all []desk.ImportedMessage, p print, err error) {
	t, err := it.token()
	if err != nil {
		return nil, p, err
	}
	if t != json.Delim('[') {
		p, err := it.skip(t)
		if t != nil {
			o.problems.Add("messages", "must be a list of objects")
		}
		return nil, p, err
	}
	var list sequence
	for it.more() {
		raw, err := it.value()
		if err != nil {
			return nil, p, err
		}
		list.add(it.print(raw))
		if len(all) < desk.MostImportedMessages {
			all = append(all, importedMessage(o, fmt.Sprintf("messages[%d]", len(all)), raw))
		}
	}
	if list.n > desk.MostImportedMessages {
		o.problems.Add("messages", "must have at most %d items; there are %d", desk.MostImportedMessages, list.n)
	}
	_, err = it.token() // ]
	return all, list.print(), err
}

func importedMessage(o object, name string, raw json.RawMessage) desk.ImportedMessage {
	in := o.element(name, raw)
	in.dropNulls()
	in.refuseFiles(filesInImport)
	return desk.ImportedMessage{HTML: in.text("html_body"), Text: in.text("text"), Author: person(in, "author"),
		Responder: in.flag("is_responder"), CreatedAt: in.moment("created_at"), Private: in.isSet("is_private")}
}

// more reports whether the list or object that is being read has more elements.
func (it *items) more() bool {
	it.allow()
	return it.json.More()
}

// allow sets the limit for the next part.
func (it *items) allow() { it.text.limit = it.json.InputOffset() + mostImportPart }

func (it *items) token() (json.Token, error) {
	it.allow()
	return it.json.Token()
}

// key reads the name of a field.
func (it *items) key() (string, error) {
	t, err := it.token()
	if err != nil {
		return "", err
	}
	name, _ := t.(string) // the decoder returns nothing else here
	if strings.ContainsRune(name, 0) {
		return "", errNUL
	}
	return name, nil
}

// value reads a whole value.
func (it *items) value() (raw json.RawMessage, err error) {
	it.allow()
	if err := it.json.Decode(&raw); err != nil {
		return nil, err
	}
	switch {
	case hasNUL(raw):
		return nil, errNUL
	case hasHalfPair(raw):
		return nil, errHalfPair
	}
	return raw, nil
}

// skip reads the rest of a value that starts with t and does not have the expected
// type.
func (it *items) skip(t json.Token) (p print, err error) {
	d, inside := t.(json.Delim)
	if !inside {
		raw, err := json.Marshal(t)
		return sha256.Sum256(raw), err
	}
	members := map[string]print{}
	var list sequence
	for it.more() {
		name := ""
		if d == '{' {
			if name, err = it.key(); err != nil {
				return p, err
			}
		}
		raw, err := it.value()
		if err != nil {
			return p, err
		}
		if d == '{' {
			members[name] = it.print(raw)
		} else {
			list.add(it.print(raw))
		}
	}
	if _, err = it.token(); d == '{' {
		return printOf(members), err
	}
	return list.print(), err
}

// end returns the reason why the body is not read any further, in words for the
// caller.
func (it *items) end(err error) error {
	var tooLarge *http.MaxBytesError
	var syntax *json.SyntaxError
	switch {
	case it.whole:
		return io.EOF
	case desk.KindOf(err) != desk.Internal:
		return err
	case errors.As(err, &tooLarge):
		return errImportTooLarge
	case errors.Is(err, errPartTooLarge):
		return errImportPart
	case errors.Is(err, errNotUTF8):
		return desk.Errorf(desk.Invalid, "The body is not valid UTF-8.")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return desk.Errorf(desk.Invalid, "The rest of the body did not arrive.")
	case errors.As(err, &syntax):
		return desk.Errorf(desk.Invalid, "The body is not valid JSON: %s.", plain(err))
	}
	return &desk.Error{Kind: desk.Invalid, Message: "The body ended before it was complete.", Err: err}
}
