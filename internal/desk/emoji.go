package desk

import (
	"fmt"
	"regexp"
	"strings"
)

// EmojiRules say what a reaction does to a request. Emoji are named without colons.
// An empty list turns a rule off.
type EmojiRules struct {
	Take    []string // assigns the request to the person who reacts, and is the first response
	Solve   []string
	Urgent  []string
	Ticket  []string
	Request []string // turns a conversation into a request
}

// MostEmoji bounds the emoji of one rule.
const MostEmoji = 20

// EmojiChange is a change to the rules. A given list replaces all emoji of a rule;
// nil leaves them.
type EmojiChange struct {
	Take, Solve, Urgent, Ticket, Request *[]string
}

func defaultEmoji() EmojiRules {
	return EmojiRules{
		Take:    []string{"eyes"},
		Solve:   []string{"white_check_mark"},
		Urgent:  []string{"rotating_light"},
		Ticket:  []string{"admission_tickets", "ticket"},
		Request: []string{"pushpin"},
	}
}

func (r *EmojiRules) apply(ch EmojiChange) {
	set(&r.Take, ch.Take)
	set(&r.Solve, ch.Solve)
	set(&r.Urgent, ch.Urgent)
	set(&r.Ticket, ch.Ticket)
	set(&r.Request, ch.Request)
}

// EmojiName returns the name of an emoji in its one stored form: without colons, in
// lower case, without skin tone.
func EmojiName(s string) string {
	return skinTone.ReplaceAllString(strings.Trim(strings.ToLower(strings.TrimSpace(s)), ":"), "")
}

var (
	skinTone   = regexp.MustCompile(`::skin-tone-[2-6]$`)
	emojiShape = regexp.MustCompile(`^[\p{L}\p{Nd}_+'-]{1,100}$`)
)

// check normalises the names. An emoji can have only one effect.
func (r *EmojiRules) check(p *Problems) {
	ruleOf := map[string]string{}
	for _, rule := range []struct {
		name  string
		emoji *[]string
	}{{"take", &r.Take}, {"solve", &r.Solve}, {"urgent", &r.Urgent}, {"ticket", &r.Ticket}, {"request", &r.Request}} {
		field := "emoji_config." + rule.name
		if !p.atMost(field, len(*rule.emoji), MostEmoji) {
			continue
		}
		names := make([]string, len(*rule.emoji)) // the caller's list is not modified
		for i, given := range *rule.emoji {
			names[i] = EmojiName(given)
			at := fmt.Sprintf("%s[%d]", field, i)
			switch other, taken := ruleOf[names[i]]; {
			case !emojiShape.MatchString(names[i]):
				p.Add(at, "must be the name of an emoji, 1 to 100 letters, digits, _, -, + and '")
			case !taken:
				ruleOf[names[i]] = rule.name
			case other == rule.name:
				p.Add(at, "is given twice")
			default:
				p.Add(at, "is already an emoji of %s", other)
			}
		}
		*rule.emoji = names
	}
}
