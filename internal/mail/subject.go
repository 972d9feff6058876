package mail

import (
	"regexp"
	"strings"
)

// What mail programs put before the subject of a reply or of a forwarded mail, in the
// languages of people who never changed that setting. In Danish, VS is a forwarded mail
// and in Finnish a reply; it counts as a reply, which is more frequent.
var (
	replyPrefixes = []string{
		"re",            // English, French, Spanish, Russian and most others
		"aw", "antwort", // German
		"antw",       // Dutch
		"sv",         // Swedish, Danish, Norwegian, Icelandic
		"vs",         // Finnish, Estonian
		"réf", "rép", // French
		"r", "rif", // Italian
		"resp", "res", // Spanish, Portuguese
		"odp",               // Polish, Czech, Slovak
		"ynt", "cvp", "yan", // Turkish
		"vá",         // Hungarian
		"απ", "σχετ", // Greek
		"ответ", "отв", // Russian
		"відп",         // Ukrainian
		"răsp", "rasp", // Romanian
		"atb",           // Latvian, Welsh
		"bls",           // Indonesian
		"tl", "trả lời", // Vietnamese
		"回复", "回覆", "答复", "答覆", "回信", // Chinese
		"返信", "返", // Japanese
		"회신", "답장", "답", // Korean
		"השב", "תגובה", // Hebrew
		"رد", // Arabic
	}
	forwardPrefixes = []string{
		"fw", "fwd", "forward", // English
		"wg", "weitergeleitet", // German
		"doorst", "doorgest", // Dutch
		"vb", "vidarebefordrat", // Swedish
		"vl",           // Finnish
		"tr",           // French
		"i", "inoltra", // Italian
		"rv", "reenv", // Spanish
		"enc", "encaminhado", // Portuguese
		"pd", "przek", // Polish
		"ilt", "İlt", // Turkish
		"továbbítás", "továbbít", "tov", // Hungarian
		"πρθ",                        // Greek
		"пересл", "пер", "переслано", // Russian
		"переадр",           // Ukrainian
		"trs",               // Indonesian
		"ct", "chuyển tiếp", // Vietnamese
		"fs",             // Icelandic
		"转发", "轉寄", "转寄", // Chinese
		"転送",                            // Japanese
		"전달",                            // Korean
		"הועבר",                         // Hebrew
		"إعادة توجيه", "تحويل", "إعادة", // Arabic
	}
)

// subjectPrefix matches one prefix: RE:, Re[2]:, AW (3) :, 回复：
var (
	replyPrefix   = prefixPattern(replyPrefixes)
	forwardPrefix = prefixPattern(forwardPrefixes)
)

func prefixPattern(words []string) *regexp.Regexp {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = regexp.QuoteMeta(w)
	}
	return regexp.MustCompile(`^(?i:` + strings.Join(quoted, "|") + `)(?: ?[\[(^]\d{1,3}[\])]?)? ?[:：]\s*`)
}

// Title returns what a subject is about: without the prefixes of replies and forwarded
// mail, and without the key of a request, such as ACME-17. It may be empty.
func Title(subject, keyPrefix string) string {
	key := regexp.MustCompile(`^(?i:[\[(#]?` + regexp.QuoteMeta(keyPrefix) + `-\d{1,19}[\])]?)(?:[\s:,]+|$)`)
	for subject = plain(subject); ; {
		before := len(subject)
		for _, p := range []*regexp.Regexp{replyPrefix, forwardPrefix} {
			subject = subject[len(p.FindString(subject)):]
		}
		if keyPrefix != "" {
			subject = subject[len(key.FindString(subject)):]
		}
		if len(subject) == before {
			return subject
		}
	}
}

// RequestSubject is the subject of mail about a request that did not come by mail:
// ACME-17 The export fails.
func RequestSubject(key, title string) string {
	return strings.TrimSpace(plain(key + " " + title))
}

// ReplySubject is the subject of an answer to a mail. Programs that sort mail by its
// subject see one conversation.
func ReplySubject(subject string) string {
	subject = plain(subject)
	for {
		prefix := replyPrefix.FindString(subject)
		if prefix == "" {
			return strings.TrimSpace("Re: " + subject)
		}
		subject = subject[len(prefix):]
	}
}

// isReply reports whether a mail answers another one.
func (m Mail) isReply() bool {
	return len(m.InReplyTo) > 0 || len(m.References) > 0 || replyPrefix.MatchString(m.Subject)
}

// isForward reports whether a mail hands on another one.
func (m Mail) isForward() bool { return forwardPrefix.MatchString(m.Subject) }
