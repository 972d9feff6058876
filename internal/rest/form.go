package rest

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"time"

	"frontdesk/internal/desk"
)

// mostText is the maximum size of a text part in a form.
const mostText = 1 << 20

// form is a multipart body, read as a stream. Only short text parts are ever held
// in memory. The parts are fingerprinted one by one as they are read, because a
// retry has another boundary and therefore other raw bytes.
type form struct {
	body    *steady
	reader  *multipart.Reader
	current *part
	prints  hash.Hash // fingerprint of the parts that were read
	err     error     // why there are no more parts; io.EOF at the end
}

// part is one part of a form. It is valid until the next part is read.
type part struct {
	name     string
	fileName string // empty for a text part
	media    string // the media type, as the client sent it
	isFile   bool
	content  io.Reader // hashes every byte that is read
	sum      hash.Hash
}

func (c *call) checkForm() error {
	media, params, err := mime.ParseMediaType(c.req.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return desk.Errorf(desk.Unsupported, "The body must be a form. Send it with Content-Type: multipart/form-data; boundary=….")
	}
	body := &steady{ReadCloser: c.req.Body, connection: http.NewResponseController(c.w), patience: c.server.bodyTime}
	if c.req.ContentLength > mostForm {
		c.unread = body
		c.w.Header().Set("Connection", "close")
		_ = body.connection.EnableFullDuplex() // linger reads after the response was sent
		return errFormTooLarge
	}
	limited := http.MaxBytesReader(c.w, body, mostForm)
	c.form = &form{body: body, reader: multipart.NewReader(limited, params["boundary"]), prints: sha256.New()}
	return nil
}

// mostForm is the maximum size of a form: the maximum number of files, and its text
// parts.
const mostForm = desk.MostFiles*desk.MostFile + mostTexts

// mostTexts is the maximum size of all text parts together, because they are held
// in memory.
const mostTexts = 16 << 20

var errFormTooLarge = desk.Errorf(desk.TooLarge, "The body is larger than a form with %d files of 100 MB can be.", desk.MostFiles)

func isForm(r *http.Request) bool {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return media == "multipart/form-data"
}

// steady is a body that must keep arriving. If the client sends nothing for as long
// as patience, the body is given up. The body as a whole may take any time.
type steady struct {
	io.ReadCloser
	connection *http.ResponseController
	patience   time.Duration
	until      time.Time // when it is given up in any case; zero for never
}

func (s *steady) Read(b []byte) (int, error) {
	deadline := time.Now().Add(s.patience)
	if !s.until.IsZero() && s.until.Before(deadline) {
		deadline = s.until
	}
	_ = s.connection.SetReadDeadline(deadline) // fails only if there is no connection
	n, err := s.ReadCloser.Read(b)
	if err == io.EOF {
		_ = s.connection.SetReadDeadline(time.Time{})
	}
	return n, err
}

// drainTime is how long the rest of a refused form is read and discarded. Many
// clients only read the response after they have sent everything. Without this they
// would see a broken connection instead of the response.
const drainTime = 30 * time.Second

// drain reads the rest of a form that was refused halfway, before the response is
// sent. While it is still a valid form it is read as one, because its fingerprint
// may be needed.
func (c *call) drain() {
	f := c.form
	f.body.until = time.Now().Add(c.server.drainTime)
	for f.err == nil {
		_, _ = f.next()
	}
	if _, err := io.Copy(io.Discard, f.body); err != nil {
		c.w.Header().Set("Connection", "close")
	}
}

// linger reads a form that was refused before it was read, after the response was
// sent. A client that reads the response early, or that sent Expect: 100-continue,
// sends no more of it.
func (c *call) linger() {
	if c.unread == nil {
		return
	}
	_ = c.unread.connection.Flush()
	c.unread.until = time.Now().Add(c.server.drainTime)
	_, _ = io.Copy(io.Discard, c.unread)
}

// next returns the next part of the form, or io.EOF after the last. A form that
// ends too early, or a body that is not a form, is Invalid.
func (f *form) next() (*part, error) {
	if err := f.pass(); err != nil {
		return nil, err
	}
	p, err := f.reader.NextRawPart()
	if err != nil {
		return nil, f.end(err)
	}
	// FileName is empty both for a text part and for a file without a name. Only
	// the presence of the parameter tells them apart.
	_, params, _ := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
	_, isFile := params["filename"]
	f.current = &part{name: p.FormName(), fileName: p.FileName(), media: p.Header.Get("Content-Type"), isFile: isFile, sum: sha256.New()}
	f.current.content = io.TeeReader(p, f.current.sum)
	if !desk.Storable(f.current.name) || !desk.Storable(f.current.fileName) {
		return nil, f.end(desk.Errorf(desk.Invalid, "The name of a part must be valid UTF-8 without the character U+0000."))
	}
	return f.current, nil
}

// pass reads the rest of the current part and adds the part to the fingerprint: its
// name, file name and content, each with its length.
func (f *form) pass() error {
	if f.err != nil || f.current == nil {
		return f.err
	}
	p := f.current
	f.current = nil
	if _, err := io.Copy(io.Discard, p.content); err != nil {
		return f.end(err)
	}
	kind := []byte{0}
	if p.isFile {
		kind[0] = 1
	}
	for _, field := range [][]byte{kind, []byte(p.name), []byte(p.fileName), p.sum.Sum(nil)} {
		f.prints.Write(binary.BigEndian.AppendUint32(nil, uint32(len(field))))
		f.prints.Write(field)
	}
	return nil
}

func (f *form) end(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case err == io.EOF, desk.KindOf(err) != desk.Internal:
		f.err = err
	case errors.As(err, &tooLarge):
		f.err = errFormTooLarge
	default:
		f.err = &desk.Error{Kind: desk.Invalid, Message: "The form ended before it was complete, or is not a valid form.", Err: err}
	}
	return f.err
}

// text reads a whole text part.
func (p *part) text() (string, error) {
	b, err := io.ReadAll(io.LimitReader(p.content, mostText+1))
	switch {
	case err != nil:
		return "", &desk.Error{Kind: desk.Invalid, Message: "The form ended before it was complete, or is not a valid form.", Err: err}
	case len(b) > mostText:
		return "", &desk.Error{Kind: desk.TooLarge, Message: p.name + " is larger than 1 MiB."}
	case !desk.Storable(string(b)):
		return "", &desk.Error{Kind: desk.Invalid, Message: p.name + " must be valid UTF-8 without the character U+0000.",
			Fields: []desk.FieldError{{Field: p.name, Message: "must be valid UTF-8 without the character U+0000"}}}
	}
	return string(b), nil
}

// formFingerprint reads the form to its end and returns its fingerprint.
func (c *call) formFingerprint() ([]byte, error) {
	for {
		if _, err := c.form.next(); err == io.EOF {
			return c.form.prints.Sum(nil), nil
		} else if err != nil {
			return nil, err
		}
	}
}
