package page

import (
	"mime"
	"net/http"
	"strconv"
)

// download sends the file that a link leads to. Whatever the file is, a browser saves
// it and never runs it or shows it as part of this site.
func (s *server) download(w http.ResponseWriter, r *http.Request) {
	token, ok := s.admit(w, r)
	if !ok {
		return
	}
	f, bytes, err := s.service.LinkedFile(r.Context(), token)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer bytes.Close()
	h := w.Header()
	h.Set("Content-Type", f.Type)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "private, no-store")
	h.Set("Etag", strconv.Quote(strconv.FormatInt(int64(f.ID), 10))) // the bytes of a file never change
	http.ServeContent(w, r, "", f.CreatedAt, bytes)
}
