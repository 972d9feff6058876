package mrkdwn

import (
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/markup"
)

// entity reads what is in angle brackets at the beginning of s: a link, a mention
// or a date. n is its length, or 0 if it is none of these.
func entity(s string) (run markup.Run, n int) {
	end := strings.IndexAny(s[1:], "<>\n")
	if end <= 0 || s[1+end] != '>' {
		return run, 0
	}
	target, name, named := strings.Cut(s[1:1+end], "|")
	name, pictured := strings.CutPrefix(name, joint) // see writeImage
	name = label(name)
	n = end + 2
	if target == "" {
		return run, 0
	}
	switch target[0] {
	case '@':
		return mention(markup.User, target[1:], "@", name), n
	case '#':
		return mention(markup.Channel, target[1:], "#", name), n
	case '!':
		return command(target[1:], name), n
	}
	address := markup.LinkAddress(literal(target))
	if address == "" && !named {
		return run, 0
	}
	if pictured && strings.HasPrefix(address, "http") {
		if name == address {
			name = ""
		}
		return markup.Run{Kind: markup.Image, Target: address, Text: name}, n
	}
	if name == "" {
		name = address
		for _, scheme := range [...]string{"mailto:", "tel:"} {
			name = strings.TrimPrefix(name, scheme)
		}
	}
	return markup.Run{Text: name, Link: address}, n
}

// mention returns a mention or, if the id is not valid, its words.
func mention(kind markup.RunKind, id, sign, name string) markup.Run {
	if name == "" {
		name = id
	}
	if !strings.HasPrefix(name, sign) {
		name = sign + name
	}
	return markup.Run{Kind: kind, Target: id, Text: name}
}

// command reads an entity that begins with an exclamation mark.
func command(target, name string) markup.Run {
	word, rest, _ := strings.Cut(target, "^")
	switch word {
	case "subteam":
		return mention(markup.Team, rest, "@", name)
	case "here", "channel", "everyone":
		return mention(markup.Everyone, word, "@", "")
	case "group": // an old name for a private channel
		return mention(markup.Everyone, "channel", "@", "")
	case "date":
		return date(rest, name)
	}
	if name == "" {
		name = "@" + word
	}
	return markup.Run{Text: name}
}

// date returns the fallback text of a date, with its link.
func date(target, name string) markup.Run {
	seconds, format, _ := strings.Cut(target, "^")
	_, link, _ := strings.Cut(format, "^")
	if name == "" {
		name = seconds
		if n, err := strconv.ParseInt(seconds, 10, 40); err == nil {
			name = time.Unix(n, 0).UTC().Format("2006-01-02 15:04 UTC")
		}
	}
	return markup.Run{Text: name, Link: markup.LinkAddress(literal(link))}
}
