package mail

import (
	"bytes"
	"errors"
	"net/mail"
	"strings"
	"time"
)

// ErrNoMail says that the bytes are no mail: they do not begin with a header.
var ErrNoMail = errors.New("this is not a mail: it has no header")

// Parse reads a mail. It returns a Refusal if the mail is past a limit, and ErrNoMail if
// there is nothing to read. Everything else that is broken is read as well as possible.
//
// The work grows with the length of the mail and no faster: each level of nesting reads
// its bytes once, and limits are checked before the work that they bound.
func Parse(raw []byte) (Mail, error) {
	if len(raw) > MostBytes {
		return Mail{}, refuse(MostBytes>>20, "MiB")
	}
	raw = bytes.TrimLeft(raw, "\r\n")
	if !bytes.ContainsRune(raw, '\n') {
		raw = bytes.ReplaceAll(raw, []byte{'\r'}, []byte{'\n'})
	}
	var p parser
	h, body, err := readHeader(raw, &p.budget)
	switch {
	case err != nil:
		return Mail{}, err
	case len(h) == 0:
		return Mail{}, ErrNoMail
	}
	m := Mail{
		Header:     h,
		From:       parseAddresses(h.All("From")...),
		ReplyTo:    parseAddresses(h.All("Reply-To")...),
		To:         parseAddresses(h.All("To")...),
		Cc:         parseAddresses(h.All("Cc")...),
		Subject:    decodeText(h.Get("Subject")),
		Date:       parseDate(h.Get("Date")),
		InReplyTo:  messageIDs(h.Get("In-Reply-To")),
		References: messageIDs(h.Get("References")),
	}
	if len(m.To)+len(m.Cc) > MostRecipients {
		return Mail{}, refuse(MostRecipients, "recipients")
	}
	if ids := messageIDs(h.Get("Message-ID")); len(ids) > 0 {
		m.MessageID = ids[0]
	}
	m.Automatic = automatic(h)
	segments, err := p.part(h, body, 0, "text/plain")
	if err != nil {
		return Mail{}, err
	}
	m.HTML, m.Text = joinSegments(segments)
	m.Cut, m.Files = p.cut, p.files
	m.markInline()
	return m, nil
}

// automatic reports whether a mail says that no person wrote it to us. Reports of mail
// servers and receipts often forget to.
func automatic(h Header) bool {
	if kind, _ := parseParams(h.Get("Content-Type")); kind == "multipart/report" {
		return true
	}
	if word := firstWord(h.Get("Auto-Submitted")); word != "" && word != "no" {
		return true
	}
	switch firstWord(h.Get("Precedence")) {
	case "bulk", "junk", "list", "auto_reply":
		return true
	}
	if h.has("List-Id") {
		return true
	}
	return h.has("Return-Path") && strings.Trim(h.Get("Return-Path"), "<> \t") == ""
}

// dateLayouts are dates that programs write although the standard has another.
var dateLayouts = []string{
	time.RFC3339, time.ANSIC, time.UnixDate, time.RFC850,
	"Mon, 2 Jan 2006 15:04:05", "Mon, 2 January 2006 15:04:05 -0700", "2 Jan 2006 15:04", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05",
	"Mon, 02-Jan-2006 15:04:05 -0700", "Mon, 2 Jan 2006 15.04.05 -0700", "1/2/2006 3:04:05 PM",
}

// parseDate returns the zero time for what is no date, and for years that a calendar
// cannot mean.
func parseDate(value string) time.Time {
	value = strings.Join(strings.Fields(stripComments(value)), " ")
	t, err := mail.ParseDate(value)
	for i := 0; err != nil && i < len(dateLayouts); i++ {
		t, err = time.Parse(dateLayouts[i], value)
	}
	if err != nil || t.Year() < 1971 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// markInline finds the files that the HTML shows.
func (m *Mail) markInline() {
	if m.HTML == "" || len(m.Files) == 0 {
		return
	}
	shown := contentIDs(m.HTML)
	for i := range m.Files {
		f := &m.Files[i]
		f.Inline = f.ContentID != "" && shown[f.ContentID]
	}
}
