package worker

import (
	"context"
	"errors"
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

func (w *Worker) postRequest(ctx context.Context, j *job.Job, a change.PostRequest) error {
	return chatJob(w.outside.WithChat(ctx, a.Account, func(i desk.Integration, c chat.Connector) error {
		p := poster{w: w, a: a, in: i, chat: c}
		return carrier{w: w, account: a.Account, holder: w.holderOf(j), next: p.next, refused: p.logRefusal}.run(ctx)
	}))
}

// poster composes what a request shows in the chat system.
type poster struct {
	w    *Worker
	a    change.PostRequest
	in   desk.Integration
	chat chat.Connector
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

// postTime returns how long posting a message with files may take.
func postTime(files []desk.Attachment) time.Duration {
	var size int64
	for _, f := range files {
		size += f.Size
	}
	return callTime + time.Duration(size/uploadSpeed)*time.Second
}

// next composes the next thing to do for a request. Files come first, because a
// message may have to include them: posted without them, a second attempt would not
// find the first.
func (p poster) next(tx *store.Tx) (*act, error) {
	if f, ok, err := tx.NextIncomingFile(p.a.Request); err != nil || ok {
		return p.fetchFile(f), err
	}
	pending, ok, err := tx.NextPosting(p.a.Request)
	if err != nil || !ok {
		return nil, err
	}
	n := &draft{Posting: pending, postedBefore: pending.External != ""}
	if err := p.compose(tx, n); err != nil {
		return nil, err
	}
	a := &act{lane: p.lane(), effect: &n.Effect, time: postTime(n.files), failure: n.failure}
	a.do = func(ctx context.Context) error { return p.postDraft(ctx, n) }
	a.settle = func(tx *store.Tx) error {
		if a.failure != "" || n.External == "" || n.postedBefore {
			return nil
		}
		if err := p.savePlace(tx, n); err != nil {
			return err
		}
		return p.w.applyReactions(tx, n.Channel, n.External)
	}
	return a, nil
}

func (p poster) lane() store.Lane { return store.Lane{Kind: store.RequestLane, ID: int64(p.a.Request)} }

func (p poster) logRefusal(a *act, reason error) {
	p.w.log.Warn("something could not be posted in the chat system", "account", int64(p.a.Account), "request", int64(p.a.Request), "post", a.effect.ID, "reason", reason)
}

// postDraft posts something new, or changes or removes what is posted already.
func (p poster) postDraft(ctx context.Context, n *draft) error {
	switch {
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
	post.Content = *n.content
	p.w.prepare(ctx, p.a.Account, &post, n.Effect, n.files)
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

// prepare gives a post its files, and what makes an attempt find those before it.
func (w *Worker) prepare(ctx context.Context, account desk.AccountID, post *chat.Post, e store.Effect, files []desk.Attachment) {
	post.Mark, post.Tried, post.Kept = e.Mark, e.TriedAt, e.Kept
	post.Keep = func(kept string) error {
		return w.store.Write(ctx, account, func(tx *store.Tx) error { return tx.KeepEffect(e, kept) })
	}
	for _, f := range files {
		post.Files = append(post.Files, chat.Upload{Name: f.Name, Size: f.Size, Open: func() (io.ReadCloser, error) { return w.openFile(ctx, f) }})
	}
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
	return w.outside.OpenFile(ctx, key)
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

// fetchFile fetches one file of a message from the chat system. A file that the
// chat system refuses is left out.
func (p poster) fetchFile(f store.IncomingFile) *act {
	var stored *desk.NewFile
	fetch := func(ctx context.Context) error {
		file, err := p.w.fetchFile(ctx, p.a.Account, p.chat, chat.File{ID: f.External, Name: f.Name, Type: f.Type})
		if isRefusal(err) {
			p.w.log.Warn("a file could not be fetched from the chat system", "account", int64(p.a.Account), "request", int64(p.a.Request), "file", f.External, "reason", err)
			return nil
		}
		if err == nil {
			stored = &file
		}
		return err
	}
	return &act{lane: p.lane(), time: callTime + desk.MostFile/uploadSpeed*time.Second, do: fetch, repeatable: true, settle: func(tx *store.Tx) error {
		waited, err := tx.DropIncomingFile(p.a.Request, f)
		if err != nil || !waited || stored == nil {
			return err
		}
		return tx.AddAttachment(desk.Message{ID: f.Message}, *stored)
	}}
}

// fetchFile fetches a file from the chat system and stores its bytes.
func (w *Worker) fetchFile(ctx context.Context, account desk.AccountID, c chat.Connector, f chat.File) (desk.NewFile, error) {
	r, err := c.File(ctx, f.ID)
	if err != nil {
		return desk.NewFile{}, err
	}
	defer r.Close()
	return w.outside.StoreFile(ctx, account, f.Name, f.Type, r)
}

// postAllPending queues jobs for all requests with something to post, after a time
// without a connection.
func (w *Worker) postAllPending(ctx context.Context, account desk.AccountID) error {
	return queueAll(ctx, w, account, (*store.Tx).PendingRequests, change.PostSoon)
}
