package movein

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

const (
	// mostRecord is the maximum size of a record. One record is held at a time.
	mostRecord = 64 << 20
	// mostAhead is how far a file is read beyond what is needed.
	mostAhead = 32 << 10
	// mostHead is how much of a file is looked at to find out its form.
	mostHead = 1 << 20
)

// record is an object in a file, or what is wrong with one.
type record struct {
	file    string
	line    int
	kind    kind // from the field that held it; unknown if none did
	fields  map[string]json.RawMessage
	problem string
}

// records returns the objects in files. A file is in one of two forms:
//
//   - JSON Lines: each line is an object. A line that is broken is one bad record.
//   - A JSON document: a list, or an object with lists in it, as APIs return them.
//     Several documents may follow each other. What comes after a mistake cannot be
//     read, because nothing says where the next record begins.
//
// Either may be compressed with gzip.
func records(ctx context.Context, f format, files []string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for _, file := range files {
			if err := readFile(ctx, f, file, func(r record) bool { return yield(r, nil) }); err != nil {
				if !errors.Is(err, errStopped) {
					yield(record{}, err)
				}
				return
			}
		}
	}
}

// errStopped says that nobody wants more records.
var errStopped = errors.New("stopped")

func readFile(ctx context.Context, f format, path string, found func(record) bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return readText(ctx, f, path, file, found)
}

func readText(ctx context.Context, f format, path string, in io.Reader, found func(record) bool) error {
	in = withContext{ctx, in}
	text, err := decompressed(in)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	head, _ := text.Peek(mostHead)
	w := walker{file: path, lists: f.lists(), found: func(r record) bool { return ctx.Err() == nil && found(r) }}
	if isLines(head) {
		err = w.lines(text)
	} else {
		err = w.document(text)
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// withContext is a reader that ends with its context.
type withContext struct {
	ctx context.Context
	io.Reader
}

func (r withContext) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// decompressed returns the text of a file. It refuses files that are something else.
func decompressed(in io.Reader) (*bufio.Reader, error) {
	text := bufio.NewReaderSize(in, mostHead)
	if head, _ := text.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(text)
		if err != nil {
			return nil, fmt.Errorf("the file begins like gzip, but is broken: %w", err)
		}
		text = bufio.NewReaderSize(unzipped, mostHead)
	}
	head, _ := text.Peek(4)
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = text.Discard(3)
	case bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")):
		return nil, errors.New("the file is UTF-16: convert it to UTF-8 first")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return nil, errors.New("the file is a zip file: unpack it first, and name the files in it")
	case bytes.HasPrefix(head, []byte("<")):
		return nil, errors.New("the file is XML or HTML: only JSON is read")
	}
	return text, nil
}

// isLines reports whether a file that begins like this has one object on each line.
// The first line of a document that is written over several lines does not end in a
// brace. Where the second line begins with one, the first ends in a colon or a bracket.
func isLines(head []byte) bool {
	const space = " \t\r\n"
	first, rest, ended := bytes.Cut(bytes.TrimLeft(head, space), []byte("\n"))
	first, rest = bytes.TrimRight(first, space), bytes.TrimLeft(rest, space)
	if !ended || len(first) == 0 || first[0] == '[' {
		return false
	}
	last := first[len(first)-1]
	return last == '}' || last != ':' && last != '[' && len(rest) > 0 && rest[0] == '{'
}

// walker finds the records in a text.
type walker struct {
	file  string
	lists map[string]kind
	found func(record) bool

	in     *ahead
	json   *json.Decoder
	before int // lines before the text
	buffer [mostAhead]byte
}

// lines reads each line by itself.
func (w *walker) lines(text *bufio.Reader) error {
	var line []byte
	for n := 1; ; n++ {
		var large bool
		var err error
		line, large, err = readLine(text, line[:0])
		switch {
		case large:
			if err := w.add(record{line: n, problem: tooLarge}); err != nil {
				return err
			}
		case len(bytes.TrimSpace(line)) > 0:
			w.begin(bytes.NewReader(line), n-1)
			if wrong := w.walk(); errors.Is(wrong, errStopped) {
				return wrong
			} else if wrong != nil {
				if wrong := w.add(record{line: n, problem: sentence(wrong)}); wrong != nil {
					return wrong
				}
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return w.add(record{line: n, problem: sentence(err) + "; the rest of the file was not read"})
		}
	}
}

// readLine reads a line into a buffer. Of a line that is too large, it keeps nothing.
func readLine(text *bufio.Reader, line []byte) (_ []byte, large bool, err error) {
	for {
		part, err := text.ReadSlice('\n')
		if large = large || len(line)+len(part) > mostRecord; large {
			line = line[:0]
		} else {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, large, err
		}
	}
}

// document reads a whole text.
func (w *walker) document(text io.Reader) error {
	w.begin(text, 0)
	err := w.walk()
	if err == nil || errors.Is(err, errStopped) {
		return err
	}
	line := w.line()
	n, _ := w.json.Buffered().Read(w.buffer[:])
	between := n - len(bytes.TrimLeft(w.buffer[:n], ", \t\r\n"))
	line += bytes.Count(w.buffer[:between], []byte("\n"))
	return w.add(record{line: line, problem: sentence(err) + "; the rest of the file was not read"})
}

func (w *walker) begin(text io.Reader, before int) {
	w.in, w.before = &ahead{from: text}, before
	w.json = json.NewDecoder(w.in)
}

func (w *walker) add(r record) error {
	if r.file = w.file; !w.found(r) {
		return errStopped
	}
	return nil
}

// walk reads values until the text ends.
func (w *walker) walk() error {
	for {
		t, err := w.token()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case t == json.Delim('{'):
			err = w.object(unknown)
		case t == json.Delim('['):
			err = w.list(unknown)
		default:
			err = w.add(record{line: w.line(), problem: "is not a JSON object"})
		}
		if err != nil {
			return err
		}
	}
}

// list reads the rest of a list of records.
func (w *walker) list(k kind) error {
	for w.more() {
		var raw json.RawMessage
		if err := w.value(&raw); err != nil {
			return err
		}
		r := record{line: w.line() - bytes.Count(raw, []byte("\n")), kind: k}
		if json.Unmarshal(raw, &r.fields) != nil || r.fields == nil {
			r.problem = "is not a JSON object"
		}
		if err := w.add(r); err != nil {
			return err
		}
	}
	_, err := w.token() // ]
	return err
}

// object reads the rest of an object. It is a record, unless one of its fields holds
// records.
func (w *walker) object(k kind) error {
	r := record{line: w.line(), kind: k, fields: map[string]json.RawMessage{}}
	size, holds := 0, false
	for w.more() {
		t, err := w.token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		if within, is := w.lists[name]; is && (k == unknown || k == inside) {
			held, err := w.held(within)
			if err != nil {
				return err
			}
			holds = holds || held
			continue
		}
		var raw json.RawMessage
		if err := w.value(&raw); err != nil {
			return err
		}
		if size += len(name) + len(raw); size > mostRecord {
			return errTooLarge
		}
		r.fields[name] = raw
	}
	if _, err := w.token(); err != nil { // }
		return err
	}
	if holds || k == inside {
		return nil
	}
	return w.add(r)
}

// held reads the value of a field that may hold records, and reports whether it does.
func (w *walker) held(k kind) (bool, error) {
	t, err := w.token()
	if err != nil {
		return false, err
	}
	switch t {
	case json.Delim('['):
		return true, w.list(k)
	case json.Delim('{'):
		return true, w.object(k)
	}
	return false, nil
}

func (w *walker) token() (json.Token, error) {
	w.allow()
	t, err := w.json.Token()
	return t, w.reason(err)
}

func (w *walker) more() bool {
	w.allow()
	return w.json.More()
}

func (w *walker) value(raw *json.RawMessage) error {
	w.allow()
	return w.reason(w.json.Decode(raw))
}

// reason returns why reading failed. The decoder hides it in some places.
func (w *walker) reason(err error) error {
	if err != nil && w.in.err != nil && w.in.err != io.EOF {
		return w.in.err
	}
	return err
}

// allow lets the decoder hold one more record.
func (w *walker) allow() { w.in.limit = w.json.InputOffset() + mostRecord + mostAhead }

// line returns the line of what is read next.
func (w *walker) line() int {
	n := w.before + w.in.lines + 1
	for rest := w.json.Buffered(); ; {
		got, err := rest.Read(w.buffer[:])
		n -= bytes.Count(w.buffer[:got], []byte("\n"))
		if err != nil {
			return n
		}
	}
}

// ahead is a text that a decoder reads in small parts, so that it holds little beyond
// the record that it reads.
type ahead struct {
	from  io.Reader
	limit int64
	given int64
	lines int
	err   error
}

func (a *ahead) Read(b []byte) (int, error) {
	left := a.limit - a.given
	if left <= 0 {
		a.err = errTooLarge
		return 0, a.err
	}
	n, err := a.from.Read(b[:min(int64(len(b)), left, mostAhead)])
	a.given += int64(n)
	a.lines += bytes.Count(b[:n], []byte("\n"))
	a.err = err
	return n, err
}

const tooLarge = "is larger than 64 MiB"

var errTooLarge = errors.New(tooLarge)

// sentence says why a text cannot be read.
func sentence(err error) string {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return "is not valid JSON: it ends in the middle"
	case errors.As(err, &syntax):
		return "is not valid JSON: " + syntax.Error()
	}
	return err.Error()
}
