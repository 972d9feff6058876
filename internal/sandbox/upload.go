package sandbox

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
)

// serveUpload receives the bytes of a file, raw or as a part of a form. The address
// is the permission, as in Slack.
func (s *Sandbox) serveUpload(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(http.MaxBytesReader(w, newUploadBody(w, r), s.cfg.MaxFile+1<<20))
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); strings.HasPrefix(kind, "multipart/") {
		r.Body = io.NopCloser(body)
		form, err := r.MultipartReader()
		if err != nil {
			http.Error(w, "The form cannot be read.", http.StatusBadRequest)
			return
		}
		if body, err = filePart(form); err != nil {
			http.Error(w, "The form has no file.", http.StatusBadRequest)
			return
		}
	}
	content, err := io.ReadAll(io.LimitReader(body, s.cfg.MaxFile+1))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge) || int64(len(content)) > s.cfg.MaxFile:
		http.Error(w, "The file is too large.", http.StatusRequestEntityTooLarge)
		return
	case err != nil:
		http.Error(w, "The file did not arrive whole.", http.StatusBadRequest)
		return
	}
	switch err := s.storeFile(r.Context(), r.PathValue("key"), content); {
	case Code(err) == "file_not_found":
		http.Error(w, "This is not an upload address, or its upload is complete.", http.StatusNotFound)
	case err != nil:
		s.broken(w, err)
	default:
		fmt.Fprintf(w, "OK - %d", len(content))
	}
}

// serveFile serves the bytes of a file to a caller who may see it. Like Slack it
// sends everybody else to a sign-in page, which answers 200. A caller that does not
// check would store that page as the file.
func (s *Sandbox) serveFile(w http.ResponseWriter, r *http.Request) {
	_, id, ok := strings.Cut(r.PathValue("file"), "-")
	if !ok {
		http.NotFound(w, r)
		return
	}
	var f fileRow
	var content []byte
	err := s.read(r.Context(), func(t *tx) error {
		a, err := t.bearer(bearerToken(r))
		if err != nil {
			return err
		}
		if err := a.need("files:read"); err != nil {
			return err
		}
		if f, err = t.seenFile(a, id); err == nil && f.Deleted {
			err = refuse("file_not_found")
		}
		if err != nil {
			return err
		}
		return t.Row("SELECT coalesce(content, '') FROM files WHERE id = $1", id).Scan(&content)
	})
	switch code := Code(err); {
	case code == "file_not_found":
		http.NotFound(w, r)
	case code != "":
		http.Redirect(w, r, s.url("/signin?%s", url.Values{"redir": {r.URL.Path}}.Encode()), http.StatusFound)
	case err != nil:
		s.broken(w, err)
	default:
		// A browser must not run anything that was uploaded here.
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'")
		w.Header().Set("Content-Type", mimetype(f.Name))
		if strings.Contains(r.URL.Path, "/download/") {
			w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
		}
		w.Write(content)
	}
}

func serveSignIn(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, "<!doctype html><title>Sign in</title><p>This file needs a token that may read files.</p>\n")
}

// filePart returns the first part of a form that is a file.
func filePart(form *multipart.Reader) (io.Reader, error) {
	for {
		p, err := form.NextPart()
		if err != nil {
			return nil, err
		}
		if p.FileName() != "" || p.FormName() == "file" {
			return p, nil
		}
	}
}
