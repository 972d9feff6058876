package mail

import (
	"regexp"
	"strings"
)

// Report is what a mail server says about a mail of ours that it could not deliver.
type Report struct {
	MessageID  string // of our mail, if the report says it
	Recipients []Failure
}

// Failure is what happened to one recipient.
type Failure struct {
	Email   string
	Status  string // as in 5.1.1; empty if the server gives none
	Detail  string // what the server says in words
	Delayed bool   // the server still tries
}

// Bounce returns the report that a mail is. It reads RFC 3464, which most servers write,
// and what Exim and qmail write without it. Anybody can write such a mail: believe it
// only if it came to an address that only our mail had.
func (m Mail) Bounce() (r Report, ok bool) {
	for _, f := range m.Files {
		switch f.Type {
		case "message/delivery-status", "message/global-delivery-status":
			r.Recipients = append(r.Recipients, readStatus(f.Content)...)
		case "message/rfc822", "message/global", "text/rfc822-headers", "message/global-headers":
			if h, _, err := readHeader(f.Content, new(budget)); err == nil && r.MessageID == "" {
				r.MessageID = first(messageIDs(h.Get("Message-ID")))
			}
		}
	}
	if len(r.Recipients) == 0 {
		r.Recipients = m.failuresInText()
		if r.MessageID == "" && len(r.Recipients) > 0 {
			r.MessageID = first(messageIDs(messageIDLine.FindString(m.Text)))
		}
	}
	return r, len(r.Recipients) > 0
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// readStatus reads the groups of a delivery status. The first is about the mail, and
// each of the others about a recipient.
func readStatus(content []byte) (failures []Failure) {
	b := new(budget)
	for len(content) > 0 {
		h, rest, err := readHeader(content, b)
		if err != nil || len(rest) == len(content) {
			break
		}
		content = rest
		action := firstWord(h.Get("Action"))
		email := typedValue(h.Get("Original-Recipient")) // the one that we wrote to
		if cleanEmail(email) == "" {
			email = typedValue(h.Get("Final-Recipient"))
		}
		if email = cleanEmail(email); email == "" || action != "failed" && action != "delayed" {
			continue
		}
		failures = append(failures, Failure{
			Email:   email,
			Status:  statusShape.FindString(h.Get("Status")),
			Detail:  typedValue(decodeText(h.Get("Diagnostic-Code"))),
			Delayed: action == "delayed",
		})
	}
	return failures
}

// typedValue returns the value of a field such as rfc822; jo@example.com
func typedValue(value string) string {
	if kind, v, ok := strings.Cut(value, ";"); ok && !strings.ContainsAny(strings.TrimSpace(kind), " <@") {
		value = v
	}
	return strings.Trim(value, " \t<>")
}

var (
	statusShape   = regexp.MustCompile(`\b[245]\.\d{1,3}\.\d{1,3}\b`)
	messageIDLine = regexp.MustCompile(`(?im)^message-id:\s*<[^>\n]{1,990}>`)
	qmailAddress  = regexp.MustCompile(`(?m)^<([^>\s]{3,254})>:\s*$`)
)

// failuresInText reads reports without a status: Exim names the recipients in the
// header, and qmail in its text, each followed by what the other server said.
func (m Mail) failuresInText() (failures []Failure) {
	text := m.Text
	for _, a := range parseAddresses(m.Header.All("X-Failed-Recipients")...) {
		detail := ""
		if _, after, ok := strings.Cut(text, a.Email); ok {
			detail = firstParagraph(after)
		}
		failures = append(failures, Failure{Email: a.Email, Status: statusShape.FindString(detail), Detail: detail})
	}
	if len(failures) > 0 || !strings.Contains(text, "qmail") || !m.Automatic && m.Header.Get("Return-Path") != "" {
		return failures
	}
	for _, at := range qmailAddress.FindAllStringSubmatchIndex(text, MostRecipients) {
		detail := firstParagraph(text[at[1]:])
		if email := cleanEmail(text[at[2]:at[3]]); email != "" {
			failures = append(failures, Failure{Email: email, Status: statusShape.FindString(detail), Detail: detail})
		}
	}
	return failures
}

// mostDetail is how much of what a server says is kept.
const mostDetail = 500

// firstParagraph returns the first lines of a text up to an empty one, as one line.
func firstParagraph(text string) string {
	text = strings.TrimLeft(text, " \t\n:")
	text, _, _ = strings.Cut(text[:min(len(text), 4*mostDetail)], "\n\n")
	text = plain(text)
	return strings.ToValidUTF8(text[:min(len(text), mostDetail)], "")
}
