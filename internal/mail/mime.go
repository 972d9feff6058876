package mail

import (
	"bytes"
	"html"
	"strings"

	"frontdesk/internal/markup"
)

// parser walks the parts of a mail.
type parser struct {
	budget budget
	files  []File
	text   int  // how many bytes of text were read
	cut    bool // there was more
}

// segment is a piece of the text, in one or both of its forms.
type segment struct{ html, text string }

// part reads one part of a mail and returns its text. Files are collected. A part
// without a type has the type that is usual where it stands.
func (p *parser) part(h Header, body []byte, level int, usual string) ([]segment, error) {
	kind, params := parseParams(h.Get("Content-Type"))
	if !strings.Contains(kind, "/") {
		kind = usual
	}
	if subtype, multi := strings.CutPrefix(kind, "multipart/"); multi && params["boundary"] != "" {
		if level++; level > MostLevels {
			return nil, refuse(MostLevels, "levels of parts within parts")
		}
		segments, found, err := p.multipart(subtype, params["boundary"], body, level)
		if err != nil || found {
			return segments, err
		}
	}
	if strings.HasPrefix(kind, "multipart/") {
		kind = "text/plain" // no part was found, so this is all there is
	}
	return p.leaf(h, kind, params, body), nil
}

// multipart reads the parts between boundaries. It reports whether there was any.
func (p *parser) multipart(subtype, boundary string, body []byte, level int) (all []segment, found bool, err error) {
	usual := "text/plain"
	if subtype == "digest" {
		usual = "message/rfc822"
	}
	delimiter := []byte("--" + boundary)
	var forms [][]segment
	_, body, last := cutDelimiter(body, delimiter)
	for body != nil && !last {
		var part []byte
		part, body, last = cutDelimiter(body, delimiter)
		if err := p.budget.takePart(); err != nil {
			return nil, true, err
		}
		h, content, err := readHeader(part, &p.budget)
		if err != nil {
			return nil, true, err
		}
		segments, err := p.part(h, content, level, usual)
		if err != nil {
			return nil, true, err
		}
		forms, found = append(forms, segments), true
	}
	if subtype == "alternative" {
		return oneOf(forms), found, nil
	}
	for _, segments := range forms {
		all = append(all, segments...)
	}
	return all, found, nil
}

// cutDelimiter returns what stands before the next delimiter and what stands after it;
// after is nil if there is no delimiter. last reports whether it was the closing one.
func cutDelimiter(body, delimiter []byte) (before, after []byte, last bool) {
	for from := 0; ; {
		i := bytes.Index(body[from:], delimiter)
		if i < 0 {
			return body, nil, false
		}
		i += from
		from = i + len(delimiter)
		if i > 0 && body[i-1] != '\n' {
			continue // in the middle of a line
		}
		line, rest := cutLine(body[from:])
		line = bytes.TrimRight(line, " \t")
		if last = bytes.Equal(line, []byte("--")); len(line) > 0 && !last {
			continue // the beginning of a longer boundary
		}
		before = bytes.TrimSuffix(bytes.TrimSuffix(body[:i], []byte{'\n'}), []byte{'\r'})
		if rest == nil {
			rest = []byte{}
		}
		return before, rest, last
	}
}

// oneOf joins the forms of a multipart/alternative, which say the same: the first that
// has text, and the last that has HTML.
func oneOf(forms [][]segment) []segment {
	var one segment
	for _, segments := range forms {
		h, t := joinSegments(segments)
		if h != "" {
			one.html = h
		}
		if one.text == "" && (h == "" || len(segments) == 1) {
			one.text = t
		}
	}
	if one == (segment{}) {
		return nil
	}
	return []segment{one}
}

// joinSegments returns the text of all segments in both forms. A segment without HTML
// is converted if others have it, and the other way round.
func joinSegments(segments []segment) (inHTML, inText string) {
	var anyHTML, anyText bool
	for _, s := range segments {
		anyHTML, anyText = anyHTML || s.html != "", anyText || s.text != ""
	}
	var h, t []string
	for _, s := range segments {
		if s.html == "" && s.text != "" && anyHTML {
			s.html = "<div>" + strings.ReplaceAll(html.EscapeString(s.text), "\n", "<br>\n") + "</div>"
		} else if s.text == "" && s.html != "" && anyText {
			s.text = markup.PlainText(s.html)
		}
		if s.html != "" {
			h = append(h, s.html)
		}
		if s.text != "" {
			t = append(t, s.text)
		}
	}
	return strings.Join(h, "\n"), strings.Join(t, "\n")
}

// leaf reads a part that has no parts. It is text that people are to read, or a file.
func (p *parser) leaf(h Header, kind string, params map[string]string, body []byte) []segment {
	disposition, more := parseParams(h.Get("Content-Disposition"))
	name := more["filename"]
	if name == "" {
		name = params["name"]
	}
	content := decodeBody(body, h.Get("Content-Transfer-Encoding"))
	switch {
	case kind == "text/x-amp-html", kind == "text/watch-html":
		return nil // the same text once more, for programs that we are not
	case kind != "text/plain" && kind != "text/html", disposition == "attachment", name != "" && (disposition != "" || p.text > 0):
		p.addFile(File{Name: name, Type: kind, ContentID: contentID(h), Content: content})
		return nil
	}
	charset := params["charset"]
	if kind == "text/html" {
		if charset == "" {
			charset = charsetOfHTML(content)
		}
		return []segment{{html: p.takeText(content, charset)}}
	}
	text := p.takeText(content, charset)
	if strings.EqualFold(params["format"], "flowed") {
		text = unflow(text, strings.EqualFold(params["delsp"], "yes"))
	}
	return []segment{{text: text}}
}

// takeText converts a text to UTF-8 with line feeds, and cuts what is too much.
func (p *parser) takeText(content []byte, charset string) string {
	left := mostText - p.text
	s := toUTF8(content[:min(len(content), left)], charset)
	if len(content) > left || len(s) > left {
		p.cut = true
		s = strings.ToValidUTF8(s[:min(len(s), left)], "") // without half a character at its end
	}
	p.text += len(s)
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Trim(strings.ReplaceAll(s, "\r", "\n"), "\n")
}

// addFile adds a file, once: an invitation often comes as a part and as a file.
func (p *parser) addFile(f File) {
	for _, other := range p.files {
		if f.Type == "text/calendar" || other.Type == "text/calendar" {
			if bytes.Equal(f.Content, other.Content) {
				return
			}
		}
	}
	f.Name = fileName(f)
	p.files = append(p.files, f)
}

// contentID returns what HTML calls a part.
func contentID(h Header) string { return strings.Trim(plain(h.Get("Content-ID")), "<> ") }

// unflow joins the lines of format=flowed (RFC 3676): a line that ends in a space goes
// on in the next, if both are quoted equally deep.
func unflow(text string, deleteSpace bool) string {
	var out strings.Builder
	depth, open := 0, false
	for line := range strings.SplitSeq(text, "\n") {
		content := strings.TrimLeft(line, ">")
		d := len(line) - len(content)
		content = strings.TrimPrefix(content, " ")
		if !open || d != depth {
			if out.Len() > 0 || open {
				out.WriteByte('\n')
			}
			out.WriteString(line[:d])
			if d > 0 {
				out.WriteByte(' ')
			}
		}
		depth, open = d, strings.HasSuffix(content, " ") && content != "-- "
		if open && deleteSpace {
			content = strings.TrimSuffix(content, " ")
		}
		out.WriteString(content)
	}
	return out.String()
}
