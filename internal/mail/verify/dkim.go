package verify

import (
	"bytes"
	"errors"
	"strings"

	"github.com/emersion/go-msgauth/dkim"

	"frontdesk/internal/mail"
)

const (
	// mostSignatures is how many signatures are looked at, from the top.
	mostSignatures = 8
	// mostSignature bounds a signature, because work grows with the fields that it
	// names.
	mostSignature = 8 << 10
)

// checkDKIM returns the domains of the author's organisation with a valid signature.
// Signatures that leave a part of the body unsigned are not valid, nor those by keys of
// less than 1024 bits.
func checkDKIM(a *asker, author string, raw []byte, h mail.Header) (signed []string, unsure bool) {
	for _, value := range h.All("DKIM-Signature") {
		if len(value) > mostSignature {
			return nil, false
		}
	}
	if !sameHeader(raw, h) {
		return nil, false
	}
	found, err := dkim.VerifyWithOptions(bytes.NewReader(raw), &dkim.VerifyOptions{
		LookupTXT:        func(name string) ([]string, error) { return a.key(author, name) },
		MaxVerifications: mostSignatures,
	})
	if err != nil && !errors.Is(err, dkim.ErrTooManySignatures) {
		return nil, false
	}
	for _, v := range found {
		if v.Err == nil && coversAll(v.HeaderKeys, h) {
			signed = append(signed, ascii(v.Domain))
		}
	}
	return signed, a.unsure.Load()
}

// key returns the record of a key at selector._domainkey.domain. Others than those of
// the author's organisation are not asked for.
func (a *asker) key(author, name string) ([]string, error) {
	_, domain, _ := strings.Cut(name, "._domainkey.")
	if !related(author, ascii(domain)) {
		return nil, nothing(name)
	}
	records, err := a.txt(name)
	for _, r := range records {
		if len(r) > mostKey {
			return nil, nothing(name)
		}
	}
	return records, err
}

// sameHeader reports whether the signatures are about the header that we read. For DKIM a
// header ends with an empty line, for package mail also with a line that is no field.
// Otherwise somebody could put a header of their own and such a line before a signed
// mail: its signature would still be valid.
func sameHeader(raw []byte, h mail.Header) bool {
	fields := 0
	for line := range bytes.Lines(raw) {
		switch line = bytes.TrimRight(line, "\r\n"); {
		case len(line) == 0:
			return fields == len(h)
		case line[0] != ' ' && line[0] != '\t':
			fields++
		}
	}
	return false
}

// once are fields that a mail has only once. We read the first of several. A signature
// is about the last, unless it names the field more often.
var once = []string{
	"From", "Sender", "Reply-To", "To", "Cc", "Subject", "Date", "Message-ID", "In-Reply-To", "References",
	"MIME-Version", "Content-Type", "Content-Transfer-Encoding",
}

// coversAll reports whether nobody can have added a second field to a mail after it was
// signed.
func coversAll(signed []string, h mail.Header) bool {
	for _, name := range once {
		n := len(h.All(name))
		if n < 2 {
			continue
		}
		for _, s := range signed {
			if strings.EqualFold(s, name) {
				n--
			}
		}
		if n > 0 {
			return false
		}
	}
	return true
}
