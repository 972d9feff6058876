package slack

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
)

// file is a file as Slack reports it.
type file struct {
	ID       string                       `json:"id"`
	Name     string                       `json:"name"`
	Title    string                       `json:"title"`
	Mimetype string                       `json:"mimetype"`
	Size     int64                        `json:"size"`
	Mode     string                       `json:"mode"`
	URL      string                       `json:"url_private"`
	Shares   map[string]map[string][]sent `json:"shares"` // by public or private, and by channel
}

// sent is a message that shows a file.
type sent struct {
	TS string `json:"ts"`
}

func (f *file) show() chat.File {
	return chat.File{ID: f.ID, Name: cmp.Or(f.Name, f.Title, f.ID), Type: f.Mimetype, Size: f.Size}
}

// sharedIn returns the ts of the first message that shows the file in a channel.
// Somebody may have shared it again later.
func (f *file) sharedIn(channel string) (ts string) {
	for _, room := range f.Shares {
		for _, s := range room[channel] {
			if ts == "" || after(ts, s.TS) {
				ts = s.TS
			}
		}
	}
	return ts
}

// File opens a file with the bot's token. The context covers the whole reading.
func (c *connector) File(ctx context.Context, id string) (io.ReadCloser, error) {
	var got struct {
		File file `json:"file"`
	}
	if err := c.app.call(ctx, c.bot(), "files.info", url.Values{"file": {id}}, &got); err != nil {
		return nil, err
	}
	if got.File.Mode == "tombstone" || got.File.URL == "" {
		return nil, &desk.Error{Kind: noFile.kind, Message: noFile.message}
	}
	if !c.app.trusts(got.File.URL) {
		return nil, desk.Errorf(desk.Forbidden, "The file is kept outside Slack.")
	}
	return c.app.download(ctx, c.bot(), &got.File)
}

// trusts reports whether an address may receive a token: the host of the API and,
// for Slack itself, all its hosts. Files that are only linked from Slack have
// addresses elsewhere.
func (a *App) trusts(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	api, err := url.Parse(a.cfg.API)
	if err != nil || u.Scheme != api.Scheme {
		return false
	}
	return u.Host == api.Host || api.Host == "slack.com" && strings.HasSuffix(u.Host, ".slack.com")
}

// download begins to read a file. Without permission, Slack redirects to a sign-in
// page or returns that page itself.
func (a *App) download(ctx context.Context, who caller, f *file) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	// Only the start of the answer has a time limit, because the file may be large.
	timer := time.AfterFunc(callTime, func() { cancel(context.DeadlineExceeded) })
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, nil)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+who.token)
	res, err := a.remote.Client().Do(req)
	timer.Stop()
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		cancel(nil)
		return nil, unknown("download", err)
	}
	if err := refusedDownload(res, f); err != nil {
		res.Body.Close()
		cancel(nil)
		return nil, err
	}
	return &download{res.Body, cancel}, nil
}

func refusedDownload(res *http.Response, f *file) error {
	page, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch {
	case res.StatusCode == http.StatusNotFound || res.StatusCode == http.StatusGone:
		return &desk.Error{Kind: noFile.kind, Message: noFile.message}
	case res.StatusCode == http.StatusTooManyRequests:
		return remote.Busy(called, remote.RetryAfter(res.Header))
	case res.StatusCode >= 300 && res.StatusCode < 500, res.StatusCode == http.StatusOK && page == "text/html" && f.Mimetype != page:
		return &desk.Error{Kind: desk.Forbidden, Message: "Slack does not let Frontdesk read this file."}
	case res.StatusCode != http.StatusOK:
		return unknown("download", fmt.Errorf("it answered %d", res.StatusCode))
	}
	return nil
}

// download is a file that is being read.
type download struct {
	body   io.ReadCloser
	cancel context.CancelCauseFunc
}

func (d *download) Read(b []byte) (int, error) {
	n, err := d.body.Read(b)
	if err != nil && err != io.EOF {
		err = unknown("download", err)
	}
	return n, err
}

func (d *download) Close() error {
	d.cancel(nil)
	return d.body.Close()
}
