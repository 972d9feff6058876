package mail

import (
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
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
type Tokens struct{ reply, bounce, root, recipient seal.Signer }

const (
	recipientSize = 5
	markSize      = 10
)

// NewTokens returns the tokens of a server.
func NewTokens(k *seal.Key) Tokens {
	return Tokens{k.Signer("mail reply"), k.Signer("mail bounce"), k.Signer("mail root"), k.Signer("mail recipient")}
}

func (t Tokens) signer(p Purpose) seal.Signer {
	switch p {
	case Reply:
		return t.reply
	case Bounce:
		return t.bounce
	}
	return t.root
}

// letters is base32 in lower case.
var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Make returns the token of a recipient in a request's conversation. A Root has no
// recipient.
func (t Tokens) Make(p Purpose, account desk.AccountID, request desk.RequestID, recipient string) string {
	b := binary.AppendUvarint(nil, uint64(account))
	b = binary.AppendUvarint(b, uint64(request))
	mark := t.recipientMark(recipient)
	b = append(b, mark[:]...)
	return letters.EncodeToString(append(b, t.signer(p).Sign(b)[:markSize]...))
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
