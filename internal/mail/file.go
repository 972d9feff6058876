package mail

import (
	"strings"
	"unicode/utf8"
)

// defaultNames are the names of files that came without one.
var defaultNames = map[string]string{
	"text/calendar": "invite.ics", "text/plain": "text.txt", "text/html": "text.html", "text/csv": "table.csv",
	"image/jpeg": "image.jpg", "image/png": "image.png", "image/gif": "image.gif", "image/webp": "image.webp", "image/heic": "image.heic",
	"application/pdf": "document.pdf", "application/ms-tnef": "winmail.dat",
	"application/pgp-signature": "signature.asc", "application/pgp-encrypted": "pgp-version.txt",
	"application/pkcs7-signature": "smime.p7s", "application/x-pkcs7-signature": "smime.p7s",
	"application/pkcs7-mime": "smime.p7m", "application/x-pkcs7-mime": "smime.p7m",
	"message/delivery-status": "delivery-status.txt", "message/disposition-notification": "disposition.txt", "text/rfc822-headers": "headers.txt",
}

// mostFileName is how many bytes of a file's name are kept.
const mostFileName = 150

// fileName returns a name that is only a name: no folders, nothing that a system would
// take for something else.
func fileName(f File) string {
	name := f.Name
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Trim(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"|?*`, r) {
			return '_'
		}
		return r
	}, plain(name)), ". ")
	if name == "" {
		name = defaultNames[f.Type]
	}
	if name == "" && f.Type == "message/rfc822" {
		name = "mail.eml"
		if h, _, err := readHeader(f.Content, new(budget)); err == nil {
			if s := fileName(File{Name: decodeText(h.Get("Subject")), Type: "application/octet-stream"}); h.has("Subject") {
				name = s + ".eml"
			}
		}
	}
	if name == "" {
		name = "attachment.bin"
	}
	return cutFileName(name)
}

// cutFileName shortens a name before its extension.
func cutFileName(name string) string {
	if len(name) <= mostFileName {
		return name
	}
	ext := ""
	if i := strings.LastIndexByte(name, '.'); i >= 0 && len(name)-i <= 10 {
		name, ext = name[:i], name[i:]
	}
	name = name[:mostFileName-len(ext)]
	for !utf8.ValidString(name) {
		name = name[:len(name)-1]
	}
	return strings.TrimRight(name, ". ") + ext
}
