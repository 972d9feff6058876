package markup

import "strings"

// Attachments is where our own attachments are served; the only relative
// address that an image may have.
const Attachments = "/v1/rest/attachments/"

var (
	linkSchemes  = [...]string{"https://", "http://", "mailto:", "tel:"}
	imageSchemes = linkSchemes[:2]
)

// LinkAddress is an address that a link may lead to, or nothing. Only what
// begins with one of these schemes passes, after dropping what browsers drop:
// a scheme that is hidden behind spaces, control characters or capitals is
// either seen through or not recognised at all.
func LinkAddress(address string) string {
	return withScheme(address, linkSchemes[:])
}

// imageAddress is an address that an image may have, or nothing.
func imageAddress(address string) string {
	if id, ours := strings.CutPrefix(address, Attachments); ours {
		return attachment(id)
	}
	return withScheme(address, imageSchemes)
}

// attachment is the address of one of ours: plain path segments, none of which
// leads back up.
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

// encoded is an address without spaces around it and control characters in it,
// and with the characters encoded that no address may hold; some of them would
// end it in one of the places that we write it to.
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

// unfit finds the characters that an address cannot hold as they are.
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

// identifier reports whether an id is one that chat systems and we give out. It
// is written into other markup than HTML too, so its shape is kept narrow.
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

// sigil is the sign that a mention begins with.
func sigil(kind RunKind) string {
	if kind == Channel {
		return "#"
	}
	return "@"
}
