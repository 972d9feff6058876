package slack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
)

// postFiles posts a message with files, which cannot carry a mark. Slack takes
// three steps: a place for each file, its bytes, and the completion that makes the
// message. Only the last step is visible, so:
//
//  1. The files' ids are kept before it is tried.
//  2. A later try asks where those files were shared. If they are in the
//     channel, that message is the one.
//  3. If they are nowhere, they are completed again. If Slack does not know them
//     then, it has either forgotten them, or the earlier try was completed just
//     now. So we ask once more where they are, and upload again only what is
//     still nowhere.
func (c *connector) postFiles(ctx context.Context, p chat.Post) (chat.Ref, error) {
	if p.Keep == nil {
		return chat.Ref{}, desk.Errorf(desk.Internal, "A post with files has nowhere to keep their ids.")
	}
	// The bot sees only where a person's file is shared, and only if the bot is
	// there itself. Otherwise we would never learn what became of the file.
	if p.By != nil {
		if _, _, err := c.page(ctx, chat.Span{Channel: p.Channel, Limit: 1}); err != nil {
			return chat.Ref{}, err
		}
	}
	if p.Kept != "" {
		if at, found, err := c.finish(ctx, p, strings.Split(p.Kept, ",")); err != nil || found {
			return at, err
		}
	}
	var ids []string
	for _, f := range p.Files {
		id, err := c.upload(ctx, c.as(p.By), f)
		if err != nil {
			return chat.Ref{}, err
		}
		ids = append(ids, id)
	}
	if err := p.Keep(strings.Join(ids, ",")); err != nil {
		return chat.Ref{}, fmt.Errorf("keep the files of a post: %w", err)
	}
	return c.complete(ctx, p, ids)
}

// finish adopts what an earlier try has done with its files, or completes it. It
// returns false if Slack no longer has them.
func (c *connector) finish(ctx context.Context, p chat.Post, ids []string) (at chat.Ref, found bool, err error) {
	ts, err := c.share(ctx, p.Channel, ids[0], false)
	if err != nil || ts != "" {
		return chat.Ref{Channel: p.Channel, ID: ts}, true, err
	}
	if at, err = c.complete(ctx, p, ids); remote.CodeOf(err) != "file_not_found" {
		return at, true, err
	}
	ts, err = c.share(ctx, p.Channel, ids[0], false)
	return chat.Ref{Channel: p.Channel, ID: ts}, ts != "", err
}

// upload sends the bytes of a file to Slack, where nobody sees them yet.
func (c *connector) upload(ctx context.Context, who caller, f chat.Upload) (id string, err error) {
	var place struct {
		URL string `json:"upload_url"`
		ID  string `json:"file_id"`
	}
	args := url.Values{"filename": {f.Name}, "length": {strconv.FormatInt(f.Size, 10)}}
	if err := c.app.call(ctx, who, "files.getUploadURLExternal", args, &place); err != nil {
		return "", err
	}
	if !c.app.trusts(place.URL) {
		return "", unknown("upload", errors.New("its address is not Slack's"))
	}
	body, err := f.Open()
	if err != nil {
		return "", fmt.Errorf("open a file to post: %w", err)
	}
	defer body.Close()
	return place.ID, c.app.send(ctx, place.URL, body, f.Size)
}

// uploadSpeed is in bytes a second. A slower upload is abandoned.
const uploadSpeed = 128 << 10

// send sends bytes to the address that Slack returned. The address is the
// permission.
func (a *App) send(ctx context.Context, address string, body io.Reader, size int64) error {
	ctx, cancel := context.WithTimeout(ctx, callTime+time.Duration(size/uploadSpeed)*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, io.NopCloser(body))
	if err != nil {
		return unknown("upload", err)
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", "application/octet-stream")
	res, err := a.remote.Client().Do(req)
	if err != nil {
		return unknown("upload", err)
	}
	defer res.Body.Close()
	io.Copy(io.Discard, io.LimitReader(res.Body, 1<<10))
	switch res.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusTooManyRequests:
		return remote.Busy(called, remote.RetryAfter(res.Header))
	case http.StatusRequestEntityTooLarge:
		return &desk.Error{Kind: fileTooBig.kind, Message: fileTooBig.message}
	}
	return unknown("upload", fmt.Errorf("it answered %d", res.StatusCode))
}

// complete makes the message of uploaded files and finds its name, which the answer
// does not contain.
func (c *connector) complete(ctx context.Context, p chat.Post, ids []string) (chat.Ref, error) {
	type uploaded struct {
		ID string `json:"id"`
	}
	var files []uploaded
	for _, id := range ids {
		files = append(files, uploaded{id})
	}
	args := url.Values{"files": {encode(files)}, "channel_id": {p.Channel}}
	setGiven(args, "thread_ts", p.Thread)
	// Blocks may replace the comment, but a coloured bar is not possible.
	text := toMrkdwn(p.HTML)
	if needsBlocks(p.Content) {
		args.Set("blocks", encode(blocksOf(p.Content)))
	} else {
		setGiven(args, "initial_comment", text)
	}
	if err := c.app.call(ctx, c.as(p.By), "files.completeUploadExternal", args, &struct{}{}); err != nil {
		return chat.Ref{}, err
	}
	ts, err := c.share(ctx, p.Channel, ids[0], true)
	if err == nil && ts == "" {
		err = unknown("files.info", errors.New("the files are not shared yet"))
	}
	return chat.Ref{Channel: p.Channel, ID: ts}, err
}

const (
	// shareTime is how long we wait for files to be shared. Slack shares them after
	// it has answered, when it has examined them.
	shareTime = 15 * time.Second
	// We ask at growing intervals.
	firstLook, lastLook = 100 * time.Millisecond, 2 * time.Second
)

// share returns the ts of the message that shows a file in a channel, or empty if
// there is none. It waits a while for a file that Slack knows or that was just
// completed.
func (c *connector) share(ctx context.Context, channel, id string, completed bool) (ts string, err error) {
	patience := shareTime
	if end, ok := ctx.Deadline(); ok {
		// Leave time for what follows, because otherwise no try would ever get
		// there.
		patience = min(patience, time.Until(end)/2)
	}
	end := time.Now().Add(patience)
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		var got struct {
			File file `json:"file"`
		}
		err := c.app.call(ctx, c.bot(), "files.info", url.Values{"file": {id}}, &got)
		missing := remote.CodeOf(err) == "file_not_found"
		if err != nil && !missing {
			return "", err
		}
		ts := got.File.sharedIn(channel)
		if ts != "" || missing && !completed || time.Now().Add(pause).After(end) {
			return ts, nil
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return "", unknown("files.info", ctx.Err())
		}
	}
}
