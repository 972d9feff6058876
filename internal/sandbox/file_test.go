package sandbox

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
)

// upload sends bytes to an upload address as they are.
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
	// Without a token Slack answers 200 with a page to sign in at.
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
	// Shared with nobody, it is its owner's alone.
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
