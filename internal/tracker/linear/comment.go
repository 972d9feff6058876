package linear

import (
	"cmp"
	"context"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
	"frontdesk/internal/tracker"
)

const (
	// pageSize is the maximum number of comments on a page.
	pageSize = 50
	// settle is how long after its time a comment may become visible. Two comments
	// that are written together need not be committed in that order.
	settle = 10 * time.Second
)

// comment has the fields that we query. Exactly one of the authors is set.
type comment struct {
	ID        string
	Body      string // Markdown
	CreatedAt time.Time
	User      *struct {
		ID, Name, Email string
		IsMe            bool
	}
	ExternalUser *struct{ ID, Name, Email string } // a person in a connected chat or mailbox
	BotActor     *struct{ ID, Name string }        // an app
}

// Linear lists the newest first. So the last comments of a list are its oldest, and
// the page before them has the next ones.
const commentsQuery = `query Comments($id: String!, $filter: CommentFilter, $last: Int!, $before: String) {
  issue(id: $id) {
    comments(filter: $filter, last: $last, before: $before, orderBy: createdAt) {
      nodes {
        id body createdAt
        user { id name email isMe }
        externalUser { id name email }
        botActor { id name }
      }
      pageInfo { hasPreviousPage startCursor }
    }
  }
}`

// Comments returns a page of the comments of an issue.
//
// Linear's own cursors are positions in a list with the newest first. A comment
// with the same time as one that was read may be on either side of it, and a cursor
// becomes invalid if its comment is deleted. So our cursor is a time and the
// comments that were read since then:
//
//  1. Query the oldest comments since that time.
//  2. Leave out what was read before. If nothing is left, continue with the next
//     page.
//  3. The new cursor is a little before the newest of them.
//
// A comment that is imported with an old time is not found after a cursor.
func (w *workspace) Comments(ctx context.Context, ticket, cursor string) (tracker.Comments, error) {
	at, err := readMark(cursor)
	if err != nil {
		return tracker.Comments{}, err
	}
	variables := object{"id": ticket, "last": pageSize}
	if !at.since.IsZero() {
		variables["filter"] = object{"createdAt": object{"gte": at.since.Format(stampLayout)}}
	}
	for {
		var told struct {
			Issue struct {
				Comments struct {
					Nodes    []comment
					PageInfo struct {
						HasPreviousPage bool
						StartCursor     string
					}
				}
			}
		}
		if err := w.call(ctx, "Comments", commentsQuery, variables, &told); err != nil {
			return tracker.Comments{}, err
		}
		list := told.Issue.Comments
		fresh := slices.DeleteFunc(list.Nodes, func(c comment) bool { return at.has(c.ID) })
		more := list.PageInfo.HasPreviousPage && list.PageInfo.StartCursor != ""
		if len(fresh) == 0 && more {
			variables["before"] = list.PageInfo.StartCursor
			continue
		}
		slices.SortFunc(fresh, func(a, b comment) int {
			return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
		})
		page := tracker.Comments{More: more}
		for _, c := range fresh {
			page.Comments = append(page.Comments, c.comment())
			at.add(c.ID, c.CreatedAt)
		}
		page.Next = at.String()
		return page, nil
	}
}

// comment converts a comment. For a comment written with our key, Key is the id,
// because we choose the id. The owner of the key may have written other comments,
// and only the store of keys can tell these apart. Nothing in Linear is private,
// because the requester is not there.
func (c comment) comment() tracker.Comment {
	out := tracker.Comment{ID: c.ID, HTML: toHTML(c.Body), At: c.CreatedAt}
	switch {
	case c.User != nil:
		out.Author = tracker.Author{ID: c.User.ID, Name: c.User.Name, Email: c.User.Email}
		if c.User.IsMe {
			out.Key = c.ID
		}
	case c.ExternalUser != nil:
		out.Author = tracker.Author{ID: c.ExternalUser.ID, Name: c.ExternalUser.Name, Email: c.ExternalUser.Email}
	case c.BotActor != nil:
		out.Author = tracker.Author{ID: c.BotActor.ID, Name: c.BotActor.Name}
	}
	return out
}

const (
	sayMutation = `mutation Say($input: CommentCreateInput!) {
  commentCreate(input: $input) { success comment { id } }
}`
	saidQuery = `query Said($id: String!) {
  comment(id: $id) { id }
}`
)

// Say adds a comment whose id is its key, so that Linear itself prevents a second
// one. The whole workspace sees it, even if it is private, because the requester is
// not there.
func (w *workspace) Say(ctx context.Context, ticket string, s tracker.Said) (string, error) {
	body := toMarkdown(s.HTML)
	if body == "" {
		return "", desk.Errorf(desk.Invalid, "A comment must have a text.")
	}
	if s.Again {
		if found, err := w.hasComment(ctx, s.Key); found || err != nil {
			return s.Key, err
		}
	}
	var told struct {
		CommentCreate struct {
			Success bool
			Comment struct{ ID string }
		}
	}
	input := object{"id": s.Key, "issueId": ticket, "body": body}
	err := w.call(ctx, "Say", sayMutation, object{"input": input}, &told)
	switch {
	case remote.CodeOf(err) == "invalid input" && desk.KindOf(err) == desk.Refused:
		// Linear may refuse it because it exists: a call that we gave up on was
		// done after all.
		if found, _ := w.hasComment(ctx, s.Key); found {
			return s.Key, nil
		}
		return "", err
	case err != nil:
		return "", err
	case !told.CommentCreate.Success:
		return "", desk.Errorf(desk.Refused, "Linear did not take the comment.")
	}
	return told.CommentCreate.Comment.ID, nil
}

// hasComment reports whether there is a comment with a key.
func (w *workspace) hasComment(ctx context.Context, key string) (bool, error) {
	var told struct{ Comment struct{ ID string } }
	err := w.call(ctx, "Said", saidQuery, object{"id": key}, &told)
	if desk.KindOf(err) == desk.NotFound {
		return false, nil
	}
	return err == nil && told.Comment.ID != "", err
}
