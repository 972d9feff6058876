package markup

import "strings"

// Attachments is the path of our own attachments. It is the only relative address
// that an image may have.
const Attachments = "/v1/rest/attachments/"

var (
	linkSchemes  = [...]string{"https://", "http://", "mailto:", "tel:"}
	imageSchemes = linkSchemes[:2]
)

// LinkAddress returns an address that a link may lead to, or an empty string. It
// accepts only addresses with one of these schemes, after removing the characters
// that browsers ignore. A scheme hidden behind spaces, control characters or
// capitals is either recognised or refused.
func LinkAddress(address string) string {
	return withScheme(address, linkSchemes[:])
}

// imageAddress returns an address that an image may have, or an empty string.
func imageAddress(address string) string {
	if id, ours := strings.CutPrefix(address, Attachments); ours {
		return attachment(id)
	}
	return withScheme(address, imageSchemes)
}

// attachment returns the address of one of our attachments. It consists of plain
// path segments, none of which leads back up.
func attachment(path string) string {
	for segment := range strings.SplitSeq(path, "/") {
		if !identifier(segment) || strings.Trim(segment, ".") == "" {
			return ""
		}
	}
	return Attachments + path
}

func withScheme(address string, schemes []string) string {
	address = encoded(address)
	for _, scheme := range schemes {
		if len(address) <= len(scheme) || !strings.EqualFold(address[:len(scheme)], scheme) {
			continue
		}
		rest := address[len(scheme):]
		if strings.HasSuffix(scheme, "//") && (rest[0] == '/' || rest[0] == '?' || rest[0] == '#') {
			return "" // no host
		}
		if address[:len(scheme)] == scheme {
			return address
		}
		return scheme + rest
	}
	return ""
}

// encoded returns an address without surrounding spaces and without control
// characters. It encodes the characters that an address must not contain. Some of
// them would end the address in one of the places where we write it.
func encoded(address string) string {
	address = strings.TrimFunc(strings.ToValidUTF8(address, ""), func(r rune) bool { return r <= ' ' || isSpace(r) })
	if !strings.ContainsFunc(address, unfit) {
		return address
	}
	var out strings.Builder
	for _, r := range address {
		switch {
		case !unfit(r):
			out.WriteRune(r)
		case r > ' ' && r < 0x7f || r == ' ':
			const hex = "0123456789ABCDEF"
			out.WriteByte('%')
			out.WriteByte(hex[r>>4])
			out.WriteByte(hex[r&15])
		}
	}
	return out.String()
}

// unfit reports whether an address must not contain a character as it is.
func unfit(r rune) bool {
	return r <= ' ' || r >= 0x7f && r <= 0xa0 || strings.ContainsRune("\"<>\\^`{|}", r) || isSpace(r)
}

// mentionable reports whether a mention of this kind can have this target.
func mentionable(kind RunKind, target string) bool {
	if kind == Everyone {
		return target == "here" || target == "channel" || target == "everyone"
	}
	return kind.mention() && identifier(target)
}

// identifier reports whether an id looks like those of chat systems and our own.
// Ids also become part of markup other than HTML, so only a narrow form is allowed.
func identifier(id string) bool {
	for i := range len(id) {
		c := id[i]
		switch {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == '_', c == '-', c == '.':
		default:
			return false
		}
	}
	return id != "" && len(id) <= 128
}

// sigil returns the character that a mention begins with.
func sigil(kind RunKind) string {
	if kind == Channel {
		return "#"
	}
	return "@"
}
