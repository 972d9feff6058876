package mail

import "strings"

// Forwarded returns who wrote the mail that this one hands on, as the mail says it: of a
// mail that is attached whole, or from the header that programs write above it. Anybody
// can write such a header.
func (m Mail) Forwarded() (author Address, ok bool) {
	var attached []Address
	for _, f := range m.Files {
		if f.Type == "message/rfc822" {
			if h, _, err := readHeader(f.Content, new(budget)); err == nil {
				attached = append(attached, parseAddresses(h.All("From")...)...)
			}
		}
	}
	if len(attached) == 1 && !m.Automatic {
		return attached[0], true
	}
	f := folder{lines: m.page().lines}
	for i, l := range f.lines {
		if forwardLine(l.text) || m.isForward() && (l.history || f.headerAt(i) > 0) {
			return f.authorAfter(i)
		}
	}
	return Address{}, false
}

// authorAfter returns the address of the From in the header that begins near line i.
func (f *folder) authorAfter(i int) (Address, bool) {
	for _, l := range f.lines[i:min(len(f.lines), i+8)] {
		if headerLabel(l.text) != labelFrom {
			continue
		}
		value := l.text[strings.IndexAny(l.text, ":：")+1:]
		if list := parseAddresses(value); len(list) == 1 {
			return list[0], true
		}
	}
	return Address{}, false
}
