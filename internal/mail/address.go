package mail

import (
	"strings"
	"unicode"

	"frontdesk/internal/desk"
)

// Address is a mail address with the name of its owner, who may have chosen any name.
type Address struct {
	Name  string // without control characters; often empty
	Email string // bare, as in jo@example.com
}

// String returns the address as people read it: Jo <jo@example.com>.
func (a Address) String() string {
	if a.Name == "" {
		return a.Email
	}
	return a.Name + " <" + a.Email + ">"
}

// Domain returns the part after the @, in lower case.
func (a Address) Domain() string { return desk.EmailDomain(a.Email) }

// Is reports whether two addresses are the same mailbox.
func (a Address) Is(email string) bool {
	return a.Email != "" && desk.FoldEmail(a.Email) == desk.FoldEmail(email)
}

// Misleading reports whether the name looks like another address than the one that it
// stands for: "boss@example.com" <other@example.org>.
func (a Address) Misleading() bool {
	for word := range strings.FieldsFuncSeq(a.Name, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`<>()[]"',;:`, r) }) {
		// Look-alikes of the @ and of the dot deceive as well as the real ones.
		word = strings.NewReplacer("＠", "@", "﹫", "@", "。", ".", "．", ".").Replace(word)
		if validEmail(word) && !a.Is(word) {
			return true
		}
	}
	return false
}

// mostEmail is the longest address that mail can be sent to.
const mostEmail = 254

// validEmail reports whether mail can be sent to an address, and its text cannot be
// taken for anything else in a header. It allows more than the standard does, because
// people have had a..b@docomo.example for decades.
func validEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > mostEmail || at == len(s)-1 {
		return false
	}
	for _, r := range s {
		if r <= ' ' || r == unicode.ReplacementChar || r > unicode.MaxASCII && !unicode.In(r, unicode.L, unicode.M, unicode.N) ||
			strings.ContainsRune(`<>()[]\,;:"`, r) || r == 0x7f {
			return false
		}
	}
	domain := s[at+1:]
	return !strings.Contains(s[:at], "@") && domain[0] != '.' && domain[0] != '-' && !strings.Contains(domain, "..") &&
		strings.Trim(domain, ".") == domain && strings.IndexFunc(domain, func(r rune) bool { return r <= unicode.MaxASCII && !isDomain(byte(r)) }) < 0
}

func isDomain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_'
}

// parseAddresses reads a header such as To. It leaves out what has no valid address,
// and reads what programs write: groups, names without quotes that have a comma or a
// dot, semicolons between addresses, comments instead of names.
func parseAddresses(values ...string) (list []Address) {
	for _, value := range values {
		var loose string // the first half of: Doe, Jo <jo@example.com>
		for _, part := range splitAddresses(toUTF8([]byte(value), "")) {
			a, bracketed := part.address()
			switch {
			case a.Email == "":
				loose += part.text + ", "
				continue
			case bracketed && loose != "" && !part.quoted && a.Name != "":
				a.Name = plain(decodeWords(loose)) + " " + a.Name
			}
			loose = ""
			list = append(list, a)
		}
	}
	return list
}

// addressPart is what stands between two commas: its text without quotes and comments,
// the same with only the marks of quotes, what stands in angle brackets, and the last
// comment.
type addressPart struct {
	text, bare     string
	angle, comment string
	quoted         bool // the text has a part in quotes
	bracketed      bool
}

// splitAddresses splits a list at commas and semicolons, and drops the names of groups.
func splitAddresses(s string) (parts []addressPart) {
	var p addressPart
	var text, bare, angle, comment strings.Builder
	end := func() {
		p.text, p.bare = strings.TrimSpace(text.String()), bare.String()
		p.angle, p.comment = strings.TrimSpace(angle.String()), strings.TrimSpace(comment.String())
		if p.text != "" || p.angle != "" || p.comment != "" {
			parts = append(parts, p)
		}
		p = addressPart{}
		text.Reset()
		bare.Reset()
		angle.Reset()
		comment.Reset()
	}
	quoted, inAngle, depth := false, false, 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		out := &text
		if inAngle {
			out = &angle
		}
		if depth > 0 {
			out = &comment
		}
		if !quoted && depth == 0 && strings.HasPrefix(s[i:], "=?") {
			if _, rest, ok := cutWord(s[i:]); ok { // which may have a comma in it
				word := s[i : len(s)-len(rest)]
				out.WriteString(word)
				i += len(word) - 1
				continue
			}
		}
		switch {
		case c == '\\' && i+1 < len(s) && (quoted || depth > 0):
			i++
			out.WriteByte(s[i])
		case quoted:
			if c == '"' {
				quoted = false
			} else {
				out.WriteByte(c)
			}
		case depth > 0 && c != '(' && c != ')':
			out.WriteByte(c)
		case c == '"' && strings.IndexByte(s[i+1:], '"') >= 0: // a single quote is only a sign
			quoted = true
			p.quoted = p.quoted || !inAngle
			bare.WriteByte('"')
		case c == '(':
			depth++
			comment.Reset()
		case c == ')':
			depth = max(0, depth-1)
		case c == '<':
			if cleanEmail(angle.String()) != "" {
				end() // <a@example.com> <b@example.com>: nobody knows which one counts
			}
			inAngle, p.bracketed = true, true
			angle.Reset() // <<jo@example.com>>
		case c == '>':
			inAngle = false
		case c == ':' && !inAngle:
			text.Reset() // the name of a group, or mailto:
			bare.Reset()
			angle.Reset()
			p.bracketed = false
		case (c == ',' || c == ';') && !inAngle:
			end()
		default:
			out.WriteByte(c)
			if !inAngle {
				bare.WriteByte(c)
			}
		}
	}
	end()
	return parts
}

// address returns an address without an Email if the part has none.
func (p addressPart) address() (a Address, bracketed bool) {
	if p.bracketed {
		_, route, found := strings.Cut(p.angle, ":") // <@relay,@relay:jo@example.com>, <mailto:jo@example.com>
		if !found {
			route = p.angle
		}
		if email := cleanEmail(route); email != "" {
			a = Address{Name: plain(decodeWords(p.text)), Email: email}
			if a.Is(a.Name) {
				a.Name = ""
			}
			return a, true
		}
	}
	// Without brackets, an address is a word of its own. No part of it may come from
	// quotes: "jo smith"@example.com is not the mailbox of smith@example.com.
	for w := range strings.FieldsSeq(p.bare) {
		if email := cleanEmail(w); email != "" {
			name := plain(decodeWords(strings.Replace(p.text, w, "", 1)))
			if name == "" {
				name = plain(decodeWords(p.comment))
			}
			return Address{Name: name, Email: email}, false
		}
	}
	return Address{}, false
}

// cleanEmail returns a valid address with its domain in lower case, or nothing.
func cleanEmail(s string) string {
	s = strings.TrimSuffix(strings.Trim(s, " \t'"), ".")
	if !validEmail(s) {
		return ""
	}
	at := strings.LastIndexByte(s, '@')
	return s[:at] + "@" + desk.EmailDomain(s)
}
