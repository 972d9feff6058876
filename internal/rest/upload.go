package rest

import (
	"context"
	"io"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
)

// upload is a form that has been read to its end: its texts, and its files, whose
// bytes are already stored.
type upload struct {
	texts    map[string]string
	files    []desk.NewFile
	problems desk.Problems
}

// text returns a text part, or nil if there is none.
func (u upload) text(name string) *string {
	if text, ok := u.texts[name]; ok {
		return &text
	}
	return nil
}

// flag reads a text part that is true or false. It returns false if there is none.
func (u *upload) flag(name string) bool {
	switch text, given := u.texts[name]; {
	case text == "true":
		return true
	case given && text != "false":
		u.problems.Add(name, "must be true or false")
	}
	return false
}

// number reads a text part that is a whole number. It returns nil if there is none.
func (u *upload) number(name string) *int64 {
	text, given := u.texts[name]
	if !given {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		u.problems.Add(name, "must be a whole number")
	}
	return &n
}

// numbers reads a text part that holds comma-separated whole numbers.
func (u *upload) numbers(name string) (ids []desk.WaitingFileID) {
	text, given := u.texts[name]
	if !given {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil {
			u.problems.Add(name, "must be comma-separated whole numbers")
			return nil
		}
		ids = append(ids, desk.WaitingFileID(n))
	}
	return ids
}

// problem returns the problems of the form, including missing required texts.
func (u upload) problem(required ...string) error {
	for _, name := range required {
		if u.text(name) == nil {
			u.problems.Add(name, "is required")
		}
	}
	return u.problems.Err()
}

// fileParts says which parts of a form are files.
type fileParts struct {
	name     string // the part that may be repeated
	numbered bool   // whether parts named after the id of a custom field are files, too
	text     string // an optional text part, which must not be overlooked if it comes as a file
}

func (f fileParts) has(part string) bool {
	return part == f.name || f.numbered && part != "" && strings.Trim(part, "0123456789") == ""
}

// withFiles reads the form of a call, stores its files as they arrive, and calls
// do. If nothing comes of it, the files are removed again.
func withFiles(c *call, field string, do func(upload) (any, error)) (any, error) {
	return withFileParts(c, fileParts{name: field}, do)
}

// withFileParts is withFiles for a form with several kinds of files.
func withFileParts(c *call, parts fileParts, do func(upload) (any, error)) (any, error) {
	var u upload
	if err := c.readUpload(&u, parts); err != nil {
		c.dropFiles(u) // no row refers to them yet
		c.drain()
		return nil, err
	}
	result, err := do(u)
	if err != nil && refused(err) {
		c.dropFiles(u)
	}
	return result, err
}

func (c *call) dropFiles(u upload) {
	c.server.service.DropFiles(context.WithoutCancel(c.ctx), u.files)
}

// refused reports whether an error guarantees that nothing was done. After any
// other error a row may refer to the files.
func refused(err error) bool {
	switch desk.KindOf(err) {
	case desk.Internal, desk.Unavailable:
		return false
	}
	return true
}

func (c *call) readUpload(u *upload, parts fileParts) error {
	u.texts = map[string]string{}
	held := 0
	for {
		p, err := c.form.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case p.isFile && parts.has(p.name):
			if err := c.storePart(u, parts, p); err != nil {
				return err
			}
		case p.isFile && p.name != "" && p.name == parts.text:
			u.problems.Add(p.name, "must be a text, not a file")
		case p.isFile: // an unknown file is ignored
		case parts.has(p.name):
			u.problems.Add(p.name, "must be files")
		default:
			text, err := p.text()
			if err != nil {
				return err
			}
			if held += len(p.name) + len(text); held > mostTexts {
				return errFormTooLarge
			}
			if _, twice := u.texts[p.name]; twice {
				u.problems.Add(p.name, "is given twice")
			}
			u.texts[p.name] = text
		}
	}
}

func (c *call) storePart(u *upload, parts fileParts, p *part) error {
	if len(u.files) == desk.MostFiles {
		return desk.TooManyFiles(parts.name)
	}
	source := &source{r: p.content}
	f, err := c.server.service.StoreFile(c.ctx, c.caller, p.fileName, p.media, source)
	switch {
	case source.err != nil:
		return c.form.end(source.err) // the client caused it
	case err != nil && c.ctx.Err() != nil:
		return c.form.end(err) // the client has gone, and the store noticed it first
	case err != nil:
		return err
	}
	if p.name != parts.name {
		id, ok := desk.FormKey(p.name).CustomField()
		if f.Field = id; !ok || id == 0 {
			u.problems.Add(p.name, "is not a custom field")
		}
	}
	u.files = append(u.files, f)
	return nil
}

// source remembers why it ended, so that a client's fault can be told from the
// store's.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
