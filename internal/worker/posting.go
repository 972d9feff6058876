package worker

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
)

const (
	// callTime is how long one call may take. holdTime is how long the request is held
	// for it. Files take longer, at uploadSpeed bytes a second.
	callTime    = 25 * time.Second
	holdTime    = 40 * time.Second
	uploadSpeed = 128 << 10
)

func (w *Worker) postRequest(ctx context.Context, j *job.Job, a change.PostRequest) error {
	return chatJob(w.outside.WithChat(ctx, a.Account, func(i desk.Integration, c chat.Connector) error {
		p := poster{w: w, a: a, in: i, chat: c, holder: fmt.Sprintf("%s %d %d", w.process, j.ID, j.Attempt)}
		if err := p.hold(ctx); err != nil {
			return err
		}
		err := p.run(ctx)
		if desk.KindOf(err) == desk.Unavailable {
			return err // the call may still take effect, so nobody may try before the hold ends
		}
		return errors.Join(err, p.release(ctx))
	}))
}

// poster is one run of the job that posts what is pending for a request.
type poster struct {
	w      *Worker
	a      change.PostRequest
	in     desk.Integration
	chat   chat.Connector
	holder string
}

// hold holds the request for one call. If somebody else holds it, the job comes back
// later, although the holder posts what is new, too: it may be about to stop.
func (p poster) hold(ctx context.Context) error {
	return p.w.store.Write(ctx, p.a.Account, func(tx *store.Tx) error {
		held, err := tx.HoldTelling(p.a.Request, p.holder, tx.Now.Add(holdTime))
		if err == nil && !held {
			err = job.Snooze(time.Second)
		}
		return err
	})
}

func (p poster) release(ctx context.Context) error {
	return p.w.store.Write(context.WithoutCancel(ctx), p.a.Account, func(tx *store.Tx) error { return tx.ReleaseTelling(p.a.Request, p.holder) })
}

// run fetches the files that a message may have to include, and then posts one
// thing after the other.
func (p poster) run(ctx context.Context) error {
	if err := p.fetchFiles(ctx); err != nil {
		return err
	}
	for {
		shown, err := p.nextDraft(ctx)
		if errors.Is(err, errFilesWait) {
			if err := p.fetchFiles(ctx); err != nil {
				return err
			}
			continue
		}
		if err != nil || shown == nil {
			return err
		}
		shown.postedBefore = shown.External != ""
		call, cancel := context.WithTimeout(ctx, shown.time())
		err = p.postDraft(call, shown)
		cancel()
		if err := p.finishPost(ctx, shown, err); err != nil {
			return err
		}
	}
}

// draft is a posting together with what it is made of.
type draft struct {
	store.Posting
	request      desk.Request
	files        []desk.Attachment
	post         chat.Post // where and as whom to post it
	content      *chat.Content
	mention      []string // users to mention, unless they are away
	failure      string   // why it cannot be posted at all
	postedBefore bool     // it was posted before
}

// time returns how long posting may take.
func (n *draft) time() time.Duration { return postTime(n.files) }

// postTime returns how long posting a message with files may take.
func postTime(files []desk.Attachment) time.Duration {
	var size int64
	for _, f := range files {
		size += f.Size
	}
	return callTime + time.Duration(size/uploadSpeed)*time.Second
}

// errFilesWait says that a message with files came after files were last fetched.
// Posted now, it would lack them. A second attempt with the files would not find
// the first.
var errFilesWait = errors.New("files must be fetched first")

// nextDraft returns the next thing to post, or nil if there is none. It records the
// attempt and prolongs the hold.
func (p poster) nextDraft(ctx context.Context) (n *draft, err error) {
	err = p.w.store.Write(ctx, p.a.Account, func(tx *store.Tx) error {
		n = nil
		held, err := tx.HoldTelling(p.a.Request, p.holder, tx.Now.Add(holdTime))
		if err != nil {
			return err
		}
		if !held {
			return job.ErrLost
		}
		pending, ok, err := tx.NextPosting(p.a.Request)
		if err != nil || !ok {
			return err
		}
		if pending.FilesWait {
			return errFilesWait
		}
		n = &draft{Posting: pending}
		if err := p.compose(tx, n); err != nil {
			return err
		}
		if _, err := tx.HoldTelling(p.a.Request, p.holder, tx.Now.Add(holdTime-callTime+n.time())); err != nil {
			return err
		}
		return tx.TryPosting(pending)
	})
	return n, err
}

// postDraft posts something new, or changes or removes what is posted already.
func (p poster) postDraft(ctx context.Context, n *draft) error {
	switch {
	case n.failure != "":
		return nil
	case n.External != "":
		return p.revisePost(ctx, n)
	case n.content == nil && n.TriedAt.IsZero():
		return nil // it was removed before anybody saw it
	case n.content == nil:
		return p.retractPost(ctx, n)
	}
	there, err := p.presentUsers(ctx, n)
	if err != nil {
		return err
	}
	if n.Kind == desk.PostedNotice && len(there) == 0 {
		return nil // the user is away or does not want to be disturbed
	}
	if n.Kind == desk.PostedRoot && len(there) > 0 {
		n.content.HTML += mentions(there)
	}
	post := n.post
	post.Content, post.Mark, post.Tried, post.Kept = *n.content, n.Mark, n.TriedAt, n.Kept
	post.Keep = func(kept string) error {
		return p.w.store.Write(ctx, p.a.Account, func(tx *store.Tx) error { return tx.KeepPosting(n.Posting, kept) })
	}
	for _, f := range n.files {
		post.Files = append(post.Files, chat.Upload{Name: f.Name, Size: f.Size, Open: func() (io.ReadCloser, error) { return p.w.openFile(ctx, f) }})
	}
	at, err := p.chat.Post(ctx, post)
	if kind := desk.KindOf(err); post.By != nil && (kind == desk.Forbidden || kind == desk.NotFound) {
		// The author is not in the channel, or no longer lets us post as them. The bot
		// posts it for them.
		post.By, post.Kept = nil, ""
		at, err = p.chat.Post(ctx, post)
	}
	n.Channel, n.External = at.Channel, at.ID
	return err
}

// revisePost changes or removes what is posted. If it was posted as a person, only
// they may do that.
func (p poster) revisePost(ctx context.Context, n *draft) error {
	err := p.w.editAs(ctx, p.in, p.chat, n.post.By, chat.Ref{Channel: n.Channel, ID: n.External}, n.content)
	if err == nil && n.content == nil {
		n.Channel, n.External = "", ""
	}
	return err
}

// editAs changes a message of ours, or removes it if content is nil. It tries as
// the bot first, then as the person who posted it; by is nil if that was the bot.
func (w *Worker) editAs(ctx context.Context, i desk.Integration, bot chat.Connector, by *chat.Credential, at chat.Ref, content *chat.Content) error {
	err := bot.Edit(ctx, at, content)
	if desk.KindOf(err) != desk.Forbidden || by == nil {
		return err
	}
	person := w.outside.Chats[i.Kind].Connector(chat.Installation{Workspace: i.ExternalID, Name: i.Name, URL: i.URL, Bot: *by})
	if err = person.Edit(ctx, at, content); errors.Is(err, chat.ErrLost) {
		return desk.Errorf(desk.Forbidden, "The chat system no longer lets us act as the author of this message.") // not ErrLost, which would end the whole connection
	}
	return err
}

// retractPost removes what an earlier attempt may have posted. Only posting it
// again shows whether it did. If not, this posts a placeholder, which is removed at
// once.
func (p poster) retractPost(ctx context.Context, n *draft) error {
	post := n.post
	post.By, post.Content, post.Mark, post.Tried = nil, chat.Content{HTML: "<p>…</p>"}, n.Mark, n.TriedAt
	at, err := p.chat.Post(ctx, post)
	if err != nil {
		return err
	}
	n.Channel, n.External = at.Channel, at.ID
	return p.revisePost(ctx, n)
}

// presentUsers returns the users to mention, without those who are away. If the
// chat system is too busy to say who is away, all are mentioned.
func (p poster) presentUsers(ctx context.Context, n *draft) ([]string, error) {
	knows, ok := p.chat.(chat.Presence)
	if !ok || len(n.mention) == 0 {
		return n.mention, nil
	}
	absent, err := knows.Absent(ctx, n.mention)
	if desk.KindOf(err) == desk.Busy {
		return n.mention, nil
	}
	return slices.DeleteFunc(slices.Clone(n.mention), func(u string) bool { return absent[u] }), err
}

// mentions returns a line that mentions users.
func mentions(users []string) string {
	line := ""
	for _, u := range users {
		line += `<span data-user="` + html.EscapeString(u) + `">@` + html.EscapeString(u) + "</span> "
	}
	return markup.Sanitize("<p>" + line + "</p>")
}

func (w *Worker) openFile(ctx context.Context, f desk.Attachment) (io.ReadCloser, error) {
	key, err := blob.ParseKey(f.Key)
	if err != nil {
		return nil, err
	}
	return w.outside.Blobs.Open(ctx, key)
}

// finishPost records the result of posting something. What the chat system refuses
// now, it would refuse again, so the refusal is recorded and the next thing gets
// its turn. After any other error the job tries again.
func (p poster) finishPost(ctx context.Context, n *draft, err error) error {
	switch kind := desk.KindOf(err); {
	case errors.Is(err, chat.ErrLost):
		return err
	case kind == desk.NotFound, kind == desk.Forbidden, kind == desk.Invalid, kind == desk.Refused, kind == desk.TooLarge:
		n.failure = err.Error()
	case err != nil:
		return err
	}
	if n.failure != "" {
		p.w.log.Warn("something could not be posted in the chat system", "account", int64(p.a.Account), "request", int64(p.a.Request),
			"kind", string(n.Kind), "place", string(n.Place), "reason", n.failure)
	}
	return p.w.store.Write(ctx, p.a.Account, func(tx *store.Tx) error {
		if err := tx.FinishPosting(n.Posting, n.failure); err != nil || n.failure != "" || n.External == "" || n.postedBefore {
			return err
		}
		if err := p.savePlace(tx, n); err != nil {
			return err
		}
		return p.w.applyReactions(tx, n.Channel, n.External)
	})
}

// savePlace saves where something of ours was posted. It queues reading the thread,
// because somebody may have answered before we knew where it is.
func (p poster) savePlace(tx *store.Tx, n *draft) error {
	at := desk.Thread{Workspace: p.in.ExternalID, Channel: n.Channel, Message: n.External}
	at.URL = p.w.outside.Chats[p.in.Kind].Link(chat.Installation{Workspace: p.in.ExternalID, URL: p.in.URL}, chat.Ref{Channel: n.Channel, ID: n.External}, "")
	switch n.Kind {
	case desk.PostedMessage:
		if n.Place != desk.InThread || n.Part > 0 {
			return nil
		}
		return tx.PlaceMessage(n.Message, n.Channel, n.External, n.post.Thread)
	case desk.PostedRoot, desk.PostedCard:
		r, err := tx.Request(n.Request, desk.Everything)
		if err != nil {
			return err
		}
		before := r.Clone()
		if n.Kind == desk.PostedCard {
			r.Triage = &at
		} else {
			r.Thread = &at
			if err := tx.PlaceMessage(n.Message, n.Channel, n.External, ""); err != nil {
				return err
			}
		}
		if err := tx.SaveRequest(before, &r); err != nil {
			return err
		}
		return readThreadSoon(tx, n.Channel, n.External)
	}
	return nil
}

// fetchFiles fetches the files of a request's messages from the chat system.
func (p poster) fetchFiles(ctx context.Context) error {
	for {
		var files []store.IncomingFile
		err := p.w.store.Read(ctx, p.a.Account, func(tx *store.Tx) (err error) {
			files, err = tx.IncomingFiles(p.a.Request)
			return err
		})
		if err != nil || len(files) == 0 {
			return err
		}
		for _, f := range files {
			if err := p.fetchFile(ctx, f); err != nil {
				return err
			}
			if err := p.hold(ctx); err != nil {
				return err
			}
		}
	}
}

// fetchFile fetches one file. A file that the chat system refuses is left out.
func (p poster) fetchFile(ctx context.Context, f store.IncomingFile) error {
	stored, err := p.storeFile(ctx, f)
	switch kind := desk.KindOf(err); {
	case errors.Is(err, chat.ErrLost):
		return err
	case kind == desk.NotFound, kind == desk.Forbidden, kind == desk.Invalid, kind == desk.Refused, kind == desk.TooLarge:
		p.w.log.Warn("a file could not be fetched from the chat system", "account", int64(p.a.Account), "request", int64(p.a.Request), "file", f.External, "reason", err)
	case err != nil:
		return err
	}
	missing := err != nil
	return p.w.store.Write(ctx, p.a.Account, func(tx *store.Tx) error {
		waited, err := tx.DropIncomingFile(p.a.Request, f)
		if err != nil || !waited || missing {
			return err
		}
		return tx.AddAttachment(desk.Message{ID: f.Message}, stored)
	})
}

func (p poster) storeFile(ctx context.Context, f store.IncomingFile) (desk.NewFile, error) {
	r, err := p.chat.File(ctx, f.External)
	if err != nil {
		return desk.NewFile{}, err
	}
	defer r.Close()
	return p.w.outside.StoreFile(ctx, p.a.Account, f.Name, f.Type, r)
}

// postAllPending queues jobs for all requests with something to post, after a time
// without a connection.
func (w *Worker) postAllPending(ctx context.Context, account desk.AccountID) error {
	const atOnce = 200
	for after := desk.RequestID(0); ; {
		var ids []desk.RequestID
		err := w.store.Write(ctx, account, func(tx *store.Tx) (err error) {
			if ids, err = tx.Untold(after, atOnce); err != nil {
				return err
			}
			for _, id := range ids {
				if err := change.PostSoon(tx, id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(ids) < atOnce {
			return err
		}
		after = ids[len(ids)-1]
	}
}
