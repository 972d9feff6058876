package mail

import (
	"crypto/rand"
	"slices"
	"strings"
)

// mostReferences is how many mails a mail of ours refers to, besides the root.
const mostReferences = 20

// NewMessageID returns a message id that nobody can guess. It is decided before the
// first try to send, so that a second try is the same mail.
func NewMessageID(domain string) string { return strings.ToLower(rand.Text()) + "@" + domain }

// References returns the References of a mail: the root that all mails of the thread
// have, then the newest of the mails before, the answered one last. thread is the
// message ids of the thread, the oldest first.
func References(root string, thread []string, answered string) []string {
	refs := make([]string, 0, len(thread)+2)
	for _, id := range append(slices.Clone(thread), answered) {
		if id == "" || id == root || !validID(id) {
			continue
		}
		if i := slices.Index(refs, id); i >= 0 {
			refs = slices.Delete(refs, i, i+1)
		}
		refs = append(refs, id)
	}
	refs = refs[max(0, len(refs)-mostReferences):]
	return slices.Insert(refs, 0, root)
}

// Answers returns the message ids that a mail refers to, the nearest first, each once.
func (m Mail) Answers() (ids []string) {
	all := slices.Concat(m.References, m.InReplyTo)
	slices.Reverse(all)
	for _, id := range all {
		if !slices.Contains(ids, id) && len(ids) < 2*mostReferences {
			ids = append(ids, id)
		}
	}
	return ids
}

// mostID is the longest message id that is read. A line of a header holds no more.
const mostID = 990

// validID reports whether an id can stand in a header.
func validID(id string) bool {
	if id == "" || len(id) > mostID {
		return false
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] >= 0x7f || id[i] == '<' || id[i] == '>' {
			return false
		}
	}
	return true
}

// messageIDs reads the ids of a header such as References. Ids stand in angle brackets;
// words without them count only if they look like an id.
func messageIDs(value string) (ids []string) {
	for value != "" {
		start := strings.IndexByte(value, '<')
		bare := value
		if start >= 0 {
			bare = value[:start]
		}
		for word := range strings.FieldsFuncSeq(bare, func(r rune) bool { return strings.ContainsRune(" \t,;>", r) }) {
			if strings.Contains(word, "@") && validID(word) {
				ids = append(ids, word)
			}
		}
		if start < 0 {
			break
		}
		id, rest, closed := strings.Cut(value[start+1:], ">")
		if value = rest; !closed {
			break
		}
		// Relays fold long ids, and the fold becomes a space.
		if id = strings.ReplaceAll(strings.ReplaceAll(id, " ", ""), "\t", ""); validID(id) {
			ids = append(ids, id)
		}
	}
	return ids
}
