package mail

import (
	"errors"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/markup"
)

// MostAttached is how many bytes of files a mail carries. Encoded they are a third more,
// which is what most servers take.
const MostAttached = 15 << 20

// Draft is a mail that is to be sent. Names, subject and texts may have anything in
// them. HTML, Signature and Quote.HTML are formatted text in the normal form of package
// markup; the plain text of the mail is made from the same.
type Draft struct {
	From    Address
	ReplyTo Address // none if it is zero
	To, Cc  []Address
	Subject string
	Date    time.Time

	MessageID  string
	InReplyTo  string
	References []string

	HTML      string
	Signature string
	Quote     *Quote // what the mail answers, if it is to be read again

	Images map[string]File // what HTML shows, by the address that it has there
	Files  []File          // at most MostAttached bytes together, with the images
	Links  []Link          // to the files that are too large to attach

	Automatic bool   // no person wrote it, so no program should answer it
	Test      string // the token of a test mail, which finds it again when it comes back
}

// TestHeader is where the token of a test mail stands.
const TestHeader = "X-Frontdesk-Test"

// Quote is an earlier message below a mail.
type Quote struct {
	Author string
	Date   time.Time
	HTML   string
}

// Link leads to a file.
type Link struct {
	Name, Address string
	Bytes         int64
}

// Attachable says which files of these sizes fit into a mail together. Small ones are
// not sacrificed for a large one that comes before them.
func Attachable(sizes []int64) []bool {
	fits := make([]bool, len(sizes))
	left := int64(MostAttached)
	for i, size := range sizes {
		if fits[i] = size <= left; fits[i] {
			left -= size
		}
	}
	return fits
}

// Bytes writes the mail: the same bytes for the same draft. It returns an error if an
// address or a message id cannot stand in a header, or the files are too large.
func (d Draft) Bytes() ([]byte, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	var w writer
	w.seedBoundaries(d.MessageID)
	w.header("Date", d.Date.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	w.header("From", encodeAddress(d.From))
	if d.ReplyTo != (Address{}) {
		w.header("Reply-To", encodeAddress(d.ReplyTo))
	}
	w.addresses("To", d.To)
	w.addresses("Cc", d.Cc)
	w.header("Subject", encodeText(plain(d.Subject)))
	w.header("Message-ID", "<"+d.MessageID+">")
	if d.InReplyTo != "" {
		w.header("In-Reply-To", "<"+d.InReplyTo+">")
	}
	if len(d.References) > 0 {
		w.header("References", "<"+strings.Join(d.References, "> <")+">")
	}
	if d.Automatic {
		kind := "auto-generated"
		if d.InReplyTo != "" {
			kind = "auto-replied"
		}
		w.header("Auto-Submitted", kind)
		w.header("X-Auto-Response-Suppress", "All")
	}
	if d.Test != "" {
		w.header(TestHeader, d.Test)
	}
	w.header("MIME-Version", "1.0")
	d.write(&w)
	return w.Bytes(), nil
}

func (d Draft) check() error {
	all := slices.Concat([]Address{d.From}, d.To, d.Cc)
	if d.ReplyTo != (Address{}) {
		all = append(all, d.ReplyTo)
	}
	for _, a := range all {
		if !validEmail(a.Email) {
			return fmt.Errorf("%q is not an address that mail can be sent to", a.Email)
		}
	}
	ids := append([]string{d.MessageID}, d.References...)
	if d.InReplyTo != "" {
		ids = append(ids, d.InReplyTo)
	}
	for _, id := range ids {
		if !validID(id) {
			return fmt.Errorf("%q is not a message id", id)
		}
	}
	if !isPlain(d.Test) {
		return fmt.Errorf("%q cannot stand in a header", d.Test)
	}
	size := 0
	for _, f := range slices.Concat(d.images(), d.Files) {
		size += len(f.Content)
	}
	switch {
	case size > MostAttached:
		return fmt.Errorf("the files are %d bytes; a mail carries at most %d", size, MostAttached)
	case len(d.To)+len(d.Cc) == 0:
		return errors.New("a mail needs a recipient")
	case d.Date.IsZero():
		return errors.New("a mail needs a date")
	}
	return nil
}

// images returns the images in the order of their addresses.
func (d Draft) images() (files []File) {
	for _, address := range slices.Sorted(maps.Keys(d.Images)) {
		files = append(files, d.Images[address])
	}
	return files
}

// write writes the body:
//
//	mixed                  if there are files
//	└ alternative
//	  ├ text/plain
//	  └ related            if there are images
//	    ├ text/html
//	    └ image…
func (d Draft) write(w *writer) {
	page := func() { w.text("html", d.page()) }
	if len(d.Images) > 0 {
		parts := append([]func(){page}, fileParts(w, d.images(), "inline")...)
		page = func() { w.group("related", parts...) }
	}
	both := func() { w.group("alternative", func() { w.text("plain", d.plainText()) }, page) }
	if len(d.Files) == 0 {
		both()
		return
	}
	w.group("mixed", append([]func(){both}, fileParts(w, d.Files, "attachment")...)...)
}

func fileParts(w *writer, files []File, disposition string) (parts []func()) {
	for _, f := range files {
		parts = append(parts, func() { w.file(f, disposition) })
	}
	return parts
}

// quoteDate is how a date is written above a quote.
const quoteDate = "2 January 2006 15:04 MST"

// introduction says who wrote a quote, in a form that our own Written finds again.
func (q Quote) introduction() string {
	return fmt.Sprintf("On %s, %s wrote:", q.Date.Format(quoteDate), plain(q.Author))
}

// page returns the mail as HTML.
func (d Draft) page() string {
	var out strings.Builder
	out.WriteString("<!DOCTYPE html>\n<html><body>\n")
	body := markup.Sanitize(d.HTML)
	for _, address := range slices.Sorted(maps.Keys(d.Images)) {
		// Only a tag has a < in normal form, so no text is changed.
		body = strings.ReplaceAll(body, `<img src="`+html.EscapeString(address)+`"`, `<img src="cid:`+html.EscapeString(d.Images[address].ContentID)+`"`)
	}
	out.WriteString(body)
	for _, l := range d.Links {
		fmt.Fprintf(&out, "\n<p><a href=\"%s\">%s</a> (%s)</p>", html.EscapeString(l.Address), html.EscapeString(plain(l.Name)), byteCount(l.Bytes))
	}
	if s := markup.Sanitize(d.Signature); s != "" {
		out.WriteString("\n<div>-- <br>" + s + "</div>")
	}
	if d.Quote != nil {
		out.WriteString("\n<p>" + html.EscapeString(d.Quote.introduction()) + "</p>\n<blockquote type=\"cite\">" + markup.Sanitize(d.Quote.HTML) + "</blockquote>")
	}
	out.WriteString("\n</body></html>\n")
	return out.String()
}

// plainText returns the mail as text.
func (d Draft) plainText() string {
	var out strings.Builder
	out.WriteString(markup.PlainText(d.HTML) + "\n")
	for _, l := range d.Links {
		fmt.Fprintf(&out, "\n%s (%s): %s\n", plain(l.Name), byteCount(l.Bytes), l.Address)
	}
	if s := markup.PlainText(d.Signature); s != "" {
		out.WriteString("\n-- \n" + s + "\n")
	}
	if d.Quote != nil {
		out.WriteString("\n" + d.Quote.introduction() + "\n")
		for line := range strings.SplitSeq(markup.PlainText(d.Quote.HTML), "\n") {
			out.WriteString(strings.TrimRight("> "+line, " ") + "\n")
		}
	}
	return out.String()
}

// byteCount returns a size for people.
func byteCount(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KB", (n+1023)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}
