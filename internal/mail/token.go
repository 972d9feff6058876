package mail

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"regexp"
	"slices"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
)

// Purpose is what a token is for. A token of one purpose is worth nothing for another.
type Purpose string

const (
	Reply  Purpose = "reply"  // the address that answers go to: reply+TOKEN@domain
	Bounce Purpose = "bounce" // the envelope's sender, to which failures are reported
	Root   Purpose = "root"   // the message id that all mails of a thread refer to
	Inbox  Purpose = "in"     // the address to which mail for a collection can be forwarded
	Test   Purpose = "test"   // what stands in the header of a test mail
)

// Token says which conversation a mail belongs to, and to whom of it we wrote.
type Token struct {
	Account   desk.AccountID
	Request   desk.RequestID
	recipient [recipientSize]byte
}

// Tokens makes and opens tokens. It keeps nothing: a token has everything in it, and a
// mark of it that only the holder of the key can make.
//
//	account, request   as varints
//	recipient          5 bytes of a keyed mark of the address
//	mark               10 bytes, over the purpose and all of the above
//
// All of it is written in the letters a to z and the digits 2 to 7, because mail
// programs change the case of addresses. It has at most 53 characters, so that even
// bounce+TOKEN fits into the 64 that a local part may have.
type Tokens struct{ reply, bounce, root, inbox, test, recipient seal.Signer }

const (
	recipientSize = 5
	markSize      = 10
)

// NewTokens returns the tokens of a server.
func NewTokens(k *seal.Key) Tokens {
	return Tokens{k.Signer("mail reply"), k.Signer("mail bounce"), k.Signer("mail root"), k.Signer("mail inbox"), k.Signer("mail test"), k.Signer("mail recipient")}
}

func (t Tokens) signer(p Purpose) seal.Signer {
	switch p {
	case Reply:
		return t.reply
	case Bounce:
		return t.bounce
	case Inbox:
		return t.inbox
	case Test:
		return t.test
	}
	return t.root
}

// letters is base32 in lower case.
var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Make returns the token of a recipient in a request's conversation. A Root has no
// recipient. For an Inbox use MakeInbox, and for a Test MakeTest.
func (t Tokens) Make(p Purpose, account desk.AccountID, request desk.RequestID, recipient string) string {
	b := binary.AppendUvarint(nil, uint64(account))
	b = binary.AppendUvarint(b, uint64(request))
	mark := t.recipientMark(recipient)
	b = append(b, mark[:]...)
	return letters.EncodeToString(append(b, t.signer(p).Sign(b)[:markSize]...))
}

// MakeInbox returns the token of a collection's address.
func (t Tokens) MakeInbox(account desk.AccountID, collection desk.CollectionID) string {
	return t.Make(Inbox, account, desk.RequestID(collection), "")
}

// MakeTest returns the token of a new test mail. Only who reads the mail can know it.
func (t Tokens) MakeTest(account desk.AccountID, collection desk.CollectionID) string {
	return t.Make(Test, account, desk.RequestID(collection), rand.Text())
}

// OpenInbox reads a token that MakeInbox made.
func (t Tokens) OpenInbox(token string) (desk.AccountID, desk.CollectionID, bool) {
	opened, ok := t.Open(Inbox, token)
	return opened.Account, desk.CollectionID(opened.Request), ok
}

// Open reads a token, in any case. It reports whether the token was made here for this
// purpose, and tells nothing about one that was not.
func (t Tokens) Open(p Purpose, token string) (opened Token, ok bool) {
	token = strings.ToLower(token)
	b, err := letters.DecodeString(token)
	if err != nil || len(b) < recipientSize+markSize || letters.EncodeToString(b) != token {
		return Token{}, false // the last condition: one token, one way to write it
	}
	content, mark := b[:len(b)-markSize], b[len(b)-markSize:]
	if !t.signer(p).Check(mark, content) {
		return Token{}, false
	}
	account, n := binary.Uvarint(content)
	request, n2 := binary.Uvarint(content[max(n, 0):])
	if n <= 0 || n2 <= 0 || len(content) != n+n2+recipientSize {
		return Token{}, false
	}
	opened = Token{Account: desk.AccountID(account), Request: desk.RequestID(request)}
	copy(opened.recipient[:], content[n+n2:])
	return opened, true
}

// IsFor reports whether a token was made for this recipient.
func (t Tokens) IsFor(token Token, recipient string) bool {
	mark := t.recipientMark(recipient)
	return subtle.ConstantTimeCompare(mark[:], token.recipient[:]) == 1
}

func (t Tokens) recipientMark(recipient string) (mark [recipientSize]byte) {
	copy(mark[:], t.recipient.Sign([]byte(desk.FoldEmail(recipient))))
	return mark
}

// Address returns the address of a token: reply+TOKEN@domain. That of a Root serves as a
// message id.
func (p Purpose) Address(token, domain string) string { return string(p) + "+" + token + "@" + domain }

// CutPlus splits the local part of an address at its first plus: support+TOKEN.
func CutPlus(email string) (base, tag string) {
	local, _, _ := strings.Cut(email, "@")
	base, tag, _ = strings.Cut(local, "+")
	return base, tag
}

// longTag is what stands in an address in place of a token. Links may have its signs
// escaped, and so may quoted-printable, which also breaks lines anywhere.
var longTag = regexp.MustCompile(`(?i)(\+|%2b|=2b|&#43;)(?:=\r?\n|[a-z2-7]){24,}(@|%40|=40|&#64;)`)

// BlankTokens removes the tokens of reply addresses from a text. Who has a token can
// write into a conversation, so people are not shown them.
func BlankTokens(text string) string { return longTag.ReplaceAllString(text, "$1…$2") }

// base64Lines are lines that may be a part in base64.
var base64Lines = regexp.MustCompile(`(?m)(?:^[A-Za-z0-9+/]{4,}={0,2}\r?\n?)+`)

// BlankSource removes the tokens of reply addresses from the bytes of a mail, also from
// parts in base64. Everything else stays as it is.
func BlankSource(raw []byte) []byte {
	raw = base64Lines.ReplaceAllFunc(raw, func(lines []byte) []byte {
		text, err := base64.StdEncoding.DecodeString(strings.NewReplacer("\r", "", "\n", "").Replace(string(lines)))
		if err != nil || !longTag.Match(text) {
			return lines
		}
		var b bytes.Buffer
		for code := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString([]byte(BlankTokens(string(text))))), 76) {
			b.Write(code)
			b.WriteString("\r\n")
		}
		return b.Bytes()
	})
	return []byte(BlankTokens(string(raw)))
}
