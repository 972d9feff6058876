// Package mail reads, understands and writes mail, as functions over values. It must
// not know how mail travels (SMTP, LMTP, IMAP), where it is kept, or what a request
// does with it.
//
// Mail in:
//
//   - Parse turns bytes into a Mail, or refuses them with a Refusal (parse.go).
//     Whatever is broken but can be read is read.
//   - Mail.Written is what this mail adds to a conversation: formatted text without
//     quoted history and signatures. Mail.Whole is all of it (quote.go).
//   - Title is a subject without Re:, Fwd: and our own key (subject.go).
//   - Judge says whether the sender is who the From claims (trust.go).
//   - Mail.Bounce reads what a mail server reports about a mail of ours (bounce.go), and
//     Mail.Forwarded who wrote a mail that was handed on (forward.go).
//
// Mail out:
//
//   - Draft.Bytes writes a mail, the same bytes for the same draft (compose.go).
//   - NewMessageID and References make a thread of mails (thread.go).
//   - Tokens makes the addresses that lead answers and bounces back (token.go).
//
// What comes out of Parse is untrusted. Header values and names have no control
// characters, and Written and Whole return the normal form of package markup. The
// fields HTML and Text are as they came.
package mail

import "time"

// Mail is a mail that was read. A field that the mail lacks, or that cannot be read,
// is zero.
type Mail struct {
	Header Header // in the order of the mail

	From    []Address // more than one only in odd mail; see Author
	ReplyTo []Address
	To, Cc  []Address
	Subject string
	Date    time.Time

	MessageID  string   // without angle brackets, as are all message ids here
	InReplyTo  []string // usually one
	References []string // the oldest first

	HTML  string // as the sender wrote it; empty if there is only text
	Text  string // empty if there is only HTML
	Cut   bool   // HTML or Text was longer than we read
	Files []File

	// Automatic says that no person wrote this mail to us: an answering machine, a
	// list, a report. It is never answered.
	Automatic bool
}

// Author is who wrote the mail. It is zero if From has no address, or several: then
// nobody can be held to be the author.
func (m Mail) Author() Address {
	if len(m.From) == 0 {
		return Address{}
	}
	for _, a := range m.From[1:] {
		if !a.Is(m.From[0].Email) {
			return Address{}
		}
	}
	return m.From[0]
}

// File is a part of a mail that is not its text: an attachment, an inline image, an
// invitation, a signature, a mail that was forwarded whole.
type File struct {
	Name      string // a plain file name, never empty
	Type      string // as in image/png, in lower case
	ContentID string // what HTML calls it: <img src="cid:…">
	Inline    bool   // HTML shows it
	Content   []byte
}
