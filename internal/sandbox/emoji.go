package sandbox

import (
	"context"
	"net/url"
	"regexp"
	"strings"
)

// NewEmoji is an emoji that a member adds to the workspace: a picture at an
// address, or another name for an existing one.
type NewEmoji struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	AliasFor string `json:"alias_for"`
}

// ownEmojiPattern is narrower than the pattern for reactions, because a skin tone
// is not a name.
var ownEmojiPattern = regexp.MustCompile(`^[a-z0-9_+'-]{1,100}$`)

// maxEmojiURL bounds the address of a picture, in bytes.
const maxEmojiURL = 2000

// aliasMark begins the value of an emoji that is an alias.
const aliasMark = "alias:"

// emoji returns a team's own emoji by name.
func (t *tx) emoji(team string) map[string]string {
	type pair struct{ name, value string }
	rows := rowsOf(t, func(scan func(...any) error) (p pair, err error) {
		err = scan(&p.name, &p.value)
		return p, err
	}, "SELECT name, value FROM emoji WHERE team_id = $1 ORDER BY n", team)
	all := map[string]string{}
	for _, p := range rows {
		all[p.name] = p.value
	}
	return all
}

// AddEmoji adds an emoji to this person's workspace. It returns invalid_name,
// invalid_alias or name_taken.
func (p Person) AddEmoji(ctx context.Context, n NewEmoji) error {
	return p.do(ctx, func(t *tx, a *actor) error {
		value, err := t.emojiValue(a.Team, n)
		if err != nil {
			return err
		}
		err = t.runOr("name_taken", "INSERT INTO emoji (team_id, name, value, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
			a.Team, n.Name, value, t.millis())
		if err == nil {
			t.record(event{name: "emoji_changed", team: a.Team, says: object{"subtype": "add", "name": n.Name, "value": value}})
		}
		return err
	})
}

// emojiValue returns the value of an emoji in the list.
func (t *tx) emojiValue(team string, n NewEmoji) (string, error) {
	if !ownEmojiPattern.MatchString(n.Name) {
		return "", refuse("invalid_name")
	}
	if n.AliasFor != "" {
		var known string
		err := t.Row("SELECT value FROM emoji WHERE team_id = $1 AND name = $2", team, n.AliasFor).Scan(&known)
		if err != nil {
			return "", missing(err, "invalid_alias")
		}
		if strings.HasPrefix(known, aliasMark) {
			return known, nil // an alias of an alias points to the picture
		}
		return aliasMark + n.AliasFor, nil
	}
	u, err := url.Parse(n.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || len(n.URL) > maxEmojiURL {
		return "", invalid("an emoji has the http address of a picture in url, or the name of another in alias_for")
	}
	return n.URL, nil
}

// RemoveEmoji removes an emoji from this person's workspace, with its aliases. It
// returns emoji_not_found if the workspace does not have it.
func (p Person) RemoveEmoji(ctx context.Context, name string) error {
	return p.do(ctx, func(t *tx, a *actor) error {
		gone := rowsOf(t, scanText, "SELECT name FROM emoji WHERE team_id = $1 AND (name = $2 OR value = $3) ORDER BY n",
			a.Team, name, aliasMark+name)
		if len(gone) == 0 {
			return refuse("emoji_not_found")
		}
		t.run("DELETE FROM emoji WHERE team_id = $1 AND (name = $2 OR value = $3)", a.Team, name, aliasMark+name)
		t.record(event{name: "emoji_changed", team: a.Team, says: object{"subtype": "remove", "names": gone}})
		return nil
	})
}

// actEmoji adds an emoji to the workspace or removes one.
func actEmoji(ctx context.Context, p Person, what struct {
	NewEmoji
	Remove bool `json:"remove"`
}) (object, error) {
	if what.Remove {
		return object{}, p.RemoveEmoji(ctx, what.Name)
	}
	return object{}, p.AddEmoji(ctx, what.NewEmoji)
}

func emojiList(c *call) (object, error) {
	return object{"emoji": c.emoji(c.a.Team), "cache_ts": showTS(c.now.UnixMicro())}, nil
}
