package zendesk

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/markup"
	"frontdesk/internal/tracker"
)

const (
	// usersAtOnce is how many users one call may ask for.
	usersAtOnce = 100
	// keyed is the metadata field of an audit that has the key of a comment of
	// ours. Only audits have it, and the list of comments does not.
	keyed = "frontdesk_comment"
)

// audit is a change of a ticket and the events in it.
type audit struct {
	ID        int64             `json:"id"`
	AuthorID  int64             `json:"author_id"`
	CreatedAt time.Time         `json:"created_at"`
	Events    []json.RawMessage `json:"events"`
	Metadata  struct {
		Custom json.RawMessage `json:"custom"`
	} `json:"metadata"`
}

// said is an event of an audit that adds a comment.
type said struct {
	ID       int64  `json:"id"`
	Type     string `json:"type"`
	AuthorID int64  `json:"author_id"`
	Body     string `json:"body"`
	HTMLBody string `json:"html_body"`
	Public   *bool  `json:"public"`
}

// comments returns the comments in an audit. A malformed one is left out, so that
// it does not block all later ones forever.
func (a audit) comments() (all []said) {
	for _, raw := range a.Events {
		var kind struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(raw, &kind) != nil || kind.Type != "Comment" && kind.Type != "VoiceComment" {
			continue
		}
		var s said
		if json.Unmarshal(raw, &s) == nil && s.ID != 0 {
			all = append(all, s)
		}
	}
	return all
}

var keys = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// key returns the key of our comment in an audit, or an empty string.
func (a audit) key() string {
	var custom map[string]json.RawMessage
	var key string
	if json.Unmarshal(a.Metadata.Custom, &custom) != nil || json.Unmarshal(custom[keyed], &key) != nil || !keys.MatchString(key) {
		return ""
	}
	return key
}

// Comments returns a page of a ticket's comments.
func (p *place) Comments(ctx context.Context, ticket, cursor string) (tracker.Comments, error) {
	id, err := numbered(ticket)
	if err != nil {
		return tracker.Comments{}, err
	}
	at, err := parsePosition(cursor)
	if err != nil {
		return tracker.Comments{}, err
	}
	page, after, err := p.audits(ctx, id, at.After)
	if at.After != "" && refused(err, http.StatusBadRequest, http.StatusUnprocessableEntity) {
		// Zendesk no longer accepts its cursor. Ours still says what was read.
		at = position{Last: at.Last, Begun: true}
		page, after, err = p.audits(ctx, id, "")
	}
	if err != nil {
		return tracker.Comments{}, err
	}
	all := tracker.Comments{Next: at.afterPage(page, after).String(), More: after != ""}
	for _, a := range at.unread(page) {
		key := a.key()
		for _, s := range a.comments() {
			all.Comments = append(all.Comments, s.kept(a, key))
			key = "" // a change of ours has one comment
		}
	}
	if err := p.fillAuthors(ctx, all.Comments); err != nil {
		return tracker.Comments{}, err
	}
	return all, nil
}

// audits returns a page of a ticket's audits, oldest first, and the cursor of the
// next page. The cursor is empty on the last page. An archived ticket has a single
// page.
func (p *place) audits(ctx context.Context, ticket, cursor string) (all []audit, after string, err error) {
	var got struct {
		Audits []audit `json:"audits"`
		Meta   paging  `json:"meta"`
	}
	r := paged("tickets/"+ticket+"/audits", cursor)
	if err := p.call(ctx, r, &got); err != nil {
		return nil, "", err
	}
	after, err = got.Meta.next(r, cursor)
	return got.Audits, after, err
}

// kept converts a comment for our callers. Its author has no name yet.
func (s said) kept(a audit, key string) tracker.Comment {
	author := s.AuthorID
	if author == 0 {
		author = a.AuthorID
	}
	text := s.HTMLBody
	if text == "" {
		text = markup.FromText(s.Body)
	}
	return tracker.Comment{
		ID: strconv.FormatInt(s.ID, 10), Key: key, Author: tracker.Author{ID: strconv.FormatInt(author, 10)},
		HTML: text, Private: s.Public != nil && !*s.Public, At: a.CreatedAt,
	}
}

// nobody is the author id of Zendesk itself.
const nobody = "-1"

// fillAuthors fills in the authors of comments. A deleted user has no name.
func (p *place) fillAuthors(ctx context.Context, comments []tracker.Comment) error {
	known := map[string]user{nobody: {Name: "Zendesk"}}
	var ids []string
	for _, c := range comments {
		if _, seen := known[c.Author.ID]; !seen {
			known[c.Author.ID] = user{}
			ids = append(ids, c.Author.ID)
		}
	}
	for some := range slices.Chunk(ids, usersAtOnce) {
		var got struct {
			Users []user `json:"users"`
		}
		if err := p.call(ctx, get("users/show_many", url.Values{"ids": {strings.Join(some, ",")}}), &got); err != nil {
			return err
		}
		for _, u := range got.Users {
			known[strconv.FormatInt(u.ID, 10)] = u
		}
	}
	for i := range comments {
		by := &comments[i].Author
		by.Name, by.Email = known[by.ID].Name, known[by.ID].Email
	}
	return nil
}
