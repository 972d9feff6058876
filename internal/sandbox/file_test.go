package sandbox

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"
)

// upload sends bytes to an upload address.
func (w *world) upload(method, address, content string) (int, string) {
	w.t.Helper()
	res, err := http.DefaultClient.Do(must(http.NewRequest(method, address, strings.NewReader(content))))
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode, string(must(io.ReadAll(res.Body)))
}

func TestUpload(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk", w.person("Maya"))
	root := text(w.bot("chat.postMessage", "channel", c, "text", "x"), "ts")
	o := w.bot("files.getUploadURLExternal", "filename", "Log File.txt", "length", "5", "alt_txt", "a log")
	id, address := text(o, "file_id"), text(o, "upload_url")
	files := `[{"id":"` + id + `","title":"The log"}]`
	w.refused("file_not_found", "files.completeUploadExternal", "files", files) // its bytes have not come
	w.refused("file_not_found", "files.info", "file", id)

	status, said := w.upload(http.MethodPost, address, "hello")
	want(t, "upload", []any{status, said}, []any{200, "OK - 5"})
	o = w.bot("files.completeUploadExternal", "files", files, "channel_id", c, "thread_ts", root, "initial_comment", "see here")
	want(t, "title", dig(o, "files", 0, "title"), "The log")
	want(t, "shares are not known yet", dig(o, "files", 0, "shares"), map[string]any{})
	status, _ = w.upload(http.MethodPost, address, "again")
	want(t, "upload after completion", status, 404)
	w.refused("file_not_found", "files.completeUploadExternal", "files", files)

	f := w.bot("files.info", "file", id)["file"]
	for name, v := range map[string]any{"name": "Log File.txt", "mimetype": "text/plain", "filetype": "txt", "size": 5, "user": w.in.BotUserID,
		"is_public": true, "channels": []string{c}, "alt_txt": "a log"} {
		want(t, name, dig(f, name), v)
	}
	m := dig(w.bot("conversations.replies", "channel", c, "ts", root), "messages", 1)
	want(t, "shared as", dig(f, "shares", "public", c, 0, "ts"), dig(m, "ts"))
	want(t, "thread", dig(f, "shares", "public", c, 0, "thread_ts"), root)
	want(t, "comment", dig(m, "text"), "see here")
	want(t, "files", dig(m, "files", 0, "id"), id)
	want(t, "upload", dig(m, "upload"), false)

	get := func(address, token string) (*http.Response, string) {
		req := must(http.NewRequest("GET", address, nil))
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		res := must(http.DefaultClient.Do(req))
		defer res.Body.Close()
		return res, string(must(io.ReadAll(res.Body)))
	}
	private := text(f, "url_private")
	res, body := get(private, w.in.BotToken)
	want(t, "download", []any{res.StatusCode, body, res.Header.Get("Content-Type")}, []any{200, "hello", "text/plain"})
	res, _ = get(text(f, "url_private_download"), w.token(w.person("Maya")))
	want(t, "disposition", res.Header.Get("Content-Disposition"), `attachment; filename="Log File.txt"`)
	// Without a token Slack answers 200 with a sign-in page.
	res, body = get(private, "")
	if res.StatusCode != 200 || !strings.Contains(body, "<!doctype html>") || body == "hello" {
		t.Errorf("without a token: %d %q", res.StatusCode, body)
	}
	if _, body = get(private, w.botWith("chat:write")); body == "hello" {
		t.Error("without files:read the file is given")
	}
	res, _ = get(w.url+"/sandbox/files-pri/"+w.team+"-F0/x", w.in.BotToken)
	want(t, "no such file", res.StatusCode, 404)
}

func TestUploadAsForm(t *testing.T) {
	w := newWorld(t)
	o := w.bot("files.getUploadURLExternal", "filename", "a.bin", "length", "3")
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	form.WriteField("filename", "a.bin")
	part := must(form.CreateFormFile("file", "a.bin"))
	part.Write([]byte{0, 1, 2})
	form.Close()
	res := must(http.Post(text(o, "upload_url"), form.FormDataContentType(), &b))
	res.Body.Close()
	want(t, "status", res.StatusCode, 200)
	// A file that is not shared belongs to its owner alone.
	w.bot("files.completeUploadExternal", "files", `[{"id":"`+text(o, "file_id")+`"}]`)
	want(t, "size", dig(w.bot("files.info", "file", text(o, "file_id")), "file", "size"), 3)
	w.refusedTo(w.token(w.person("Maya")), "file_not_found", "files.info", "file", text(o, "file_id"))
}

func TestUploadErrors(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.MaxFile = 10 })
	c := w.channel("desk")
	w.refused("missing_argument", "files.getUploadURLExternal", "filename", "a", "length", "0")
	w.refused("missing_argument", "files.getUploadURLExternal", "filename", "a", "length", "x")
	w.refused("file_upload_size_restricted", "files.getUploadURLExternal", "filename", "a", "length", "11")
	w.refused("alt_txt_too_large", "files.getUploadURLExternal", "filename", "a", "length", "1", "alt_txt", strings.Repeat("x", 1001))
	w.refused("invalid_arguments", "files.getUploadURLExternal", "filename", "a")
	o := w.bot("files.getUploadURLExternal", "filename", "a", "length", "1")
	status, _ := w.upload(http.MethodPut, text(o, "upload_url"), strings.Repeat("x", 11))
	want(t, "too large", status, 413)
	status, _ = w.upload(http.MethodPut, w.url+"/sandbox/upload/v1/wrong", "x")
	want(t, "a wrong address", status, 404)
	status, _ = w.upload(http.MethodPut, text(o, "upload_url"), "x")
	want(t, "PUT", status, 200)
	files := `[{"id":"` + text(o, "file_id") + `"}]`
	w.refused("channel_not_found", "files.completeUploadExternal", "files", files, "channel_id", "C0")
	w.refused("not_in_channel", "files.completeUploadExternal", "files", files, "channel_id", w.general)
	w.refused("invalid_arguments", "files.completeUploadExternal", "files", "x")
	w.refused("invalid_arguments", "files.completeUploadExternal")
	w.refused("file_not_found", "files.completeUploadExternal", "files", `[{"id":"F0"}]`, "channel_id", c)
	w.refused("file_not_found", "files.info", "file", "F0")
	// A refusal leaves the upload as it was.
	w.bot("files.completeUploadExternal", "files", files, "channels", c)
}

func TestFilesList(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	c := w.channel("desk", maya)
	secret := must(w.s.As(maya).CreateChannel(w.ctx, "secret", true)).ID
	share := func(who, channel, name string) string {
		t.Helper()
		m := must(w.s.As(who).Upload(w.ctx, channel, Upload{Name: name, Content: []byte(name)}))
		w.clock.Advance(time.Second)
		return m.Files[0].ID
	}
	began := w.clock.Now().Unix()
	picture := share(maya, c, "Ship.PNG")
	log := share(w.owner, c, "log.txt")
	hidden := share(maya, secret, "hidden.pdf")
	// An unfinished upload is in no list.
	w.bot("files.getUploadURLExternal", "filename", "never.txt", "length", "5")
	ids := func(token string, pairs ...string) (all []string) {
		t.Helper()
		o := w.call(token, "files.list", args(pairs...))
		if o["ok"] != true {
			t.Fatal(o)
		}
		all = []string{}
		for _, f := range o["files"].([]any) {
			all = append(all, text(f, "id"))
		}
		return all
	}
	bot, hers := w.in.BotToken, w.token(maya)
	want(t, "the newest first", ids(bot), []string{log, picture})
	want(t, "of her own", ids(hers), []string{hidden, log, picture})
	want(t, "of a channel", ids(hers, "channel", secret), []string{hidden})
	want(t, "of a user", ids(bot, "user", maya), []string{picture})
	want(t, "of a type", ids(hers, "types", "images"), []string{picture})
	want(t, "of two types", ids(hers, "types", "images,pdfs"), []string{hidden, picture})
	want(t, "of a type that nobody makes", ids(hers, "types", "gdocs"), []string{})
	want(t, "of every type", ids(hers, "types", "gdocs,all"), []string{hidden, log, picture})
	want(t, "from", ids(bot, "ts_from", fmt.Sprint(began+1)), []string{log})
	want(t, "to", ids(bot, "ts_to", fmt.Sprint(began)), []string{picture})
	want(t, "to the fraction", ids(bot, "ts_to", fmt.Sprintf("%d.500000", began)), []string{picture})

	page := w.call(hers, "files.list", args("count", "2", "page", "2"))
	want(t, "second page", []any{dig(page, "files", 0, "id"), page["paging"]}, []any{picture, map[string]int{"count": 2, "total": 3, "page": 2, "pages": 2}})
	for _, beyond := range []string{"3", "9223372036854775807"} {
		want(t, "behind the last page", ids(hers, "count", "2", "page", beyond), []string{})
	}
	want(t, "the longest page", dig(w.bot("files.list", "count", "5000"), "paging", "count"), maxFileCount)

	// The places where it is shown are listed as far as the caller sees them.
	file := dig(w.call(hers, "files.list", args("channel", secret)), "files", 0)
	want(t, "shares", []any{dig(file, "groups"), dig(file, "shares", "private", secret, 0, "channel_name")}, []any{[]string{secret}, "secret"})
	if err := w.s.As(maya).Leave(w.ctx, secret); err != nil {
		t.Fatal(err)
	}
	want(t, "shares, out of the channel", dig(w.call(hers, "files.list", args("types", "pdfs")), "files", 0, "shares"), map[string]any{})
	want(t, "shares, out of the channel", dig(w.call(hers, "files.info", args("file", hidden)), "file", "shares"), map[string]any{})

	w.refused("unknown_type", "files.list", "types", "poems")
	w.refused("user_not_found", "files.list", "user", "U0")
	w.refused("channel_not_found", "files.list", "channel", secret)
	w.refused("invalid_arguments", "files.list", "page", "two")
	w.refused("invalid_arguments", "files.list", "count", "-1")
	w.refused("invalid_arguments", "files.list", "ts_from", "yesterday")
	want(t, "needed", w.refusedTo(w.botWith("files:write"), "missing_scope", "files.list")["needed"], "files:read")
}

func TestFilesDelete(t *testing.T) {
	w := newWorld(t)
	w.run()
	maya := w.person("Maya")
	c := w.channel("desk", maya)
	m := must(w.s.As(maya).Upload(w.ctx, c, Upload{Name: "a.txt", Content: []byte("hello"), Comment: "see"}))
	id, address := m.Files[0].ID, m.Files[0].URLPrivate
	hers := w.token(maya)

	w.refused("cant_delete_file", "files.delete", "file", id)
	w.refused("file_not_found", "files.delete", "file", "F0")
	w.refused("invalid_arguments", "files.delete")
	want(t, "needed", w.refusedTo(w.botWith("files:read"), "missing_scope", "files.delete", "file", id)["needed"], "files:write")
	alone := must(w.s.As(w.owner).CreateChannel(w.ctx, "alone", true)).ID
	unseen := must(w.s.As(w.owner).Upload(w.ctx, alone, Upload{Name: "b.txt", Content: []byte("x")})).Files[0].ID
	w.refusedTo(hers, "file_not_found", "files.delete", "file", unseen)

	if o := w.call(hers, "files.delete", args("file", id)); o["ok"] != true {
		t.Fatal(o)
	}
	// Both are reported, in any order.
	heard := map[any]map[string]any{}
	for heard["message_changed"] == nil || heard["file_deleted"] == nil {
		e := w.rec.next().event()
		heard[e["type"]], heard[e["subtype"]] = e, e
	}
	e := heard["message_changed"]
	want(t, "the message", []any{dig(e, "message", "text"), dig(e, "message", "files"), dig(e, "previous_message", "files", 0, "name")},
		[]any{"see", []any{map[string]string{"id": id, "mode": "tombstone"}}, "a.txt"})
	want(t, "file_deleted", heard["file_deleted"]["file_id"], id)
	want(t, "history", dig(w.bot("conversations.history", "channel", c, "limit", "1"), "messages", 0, "files"), []any{map[string]string{"id": id, "mode": "tombstone"}})
	w.refusedTo(hers, "file_deleted", "files.delete", "file", id)
	w.refused("file_deleted", "files.info", "file", id)
	want(t, "list", w.bot("files.list")["files"], []any{})
	req := must(http.NewRequest("GET", address, nil))
	req.Header.Set("Authorization", "Bearer "+hers)
	res := must(http.DefaultClient.Do(req))
	res.Body.Close()
	want(t, "its bytes", res.StatusCode, 404)

	// The owner may delete anybody's file.
	other := must(w.s.As(maya).Upload(w.ctx, c, Upload{Name: "c.txt", Content: []byte("x")})).Files[0].ID
	if o := w.call(w.token(w.owner), "files.delete", args("file", other)); o["ok"] != true {
		t.Error(o)
	}
}
