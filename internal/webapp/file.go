package webapp

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// serveFile serves a file of the app. The names of the files in assets/ contain a digest
// of their content.
func (s *server) serveFile(w http.ResponseWriter, r *http.Request, name string) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, "assets/") {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'") // for an image that is opened directly
	if !compressible[path.Ext(name)] {
		http.ServeFileFS(w, r, s.files, name)
		return
	}
	h.Set("Vary", "Accept-Encoding")
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		http.ServeFileFS(w, r, s.files, name)
		return
	}
	packed, err := s.compressFile(name)
	if err != nil {
		http.Error(w, "The file cannot be read.", http.StatusInternalServerError)
		return
	}
	h.Set("Content-Encoding", "gzip")
	h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(packed))
}

// compressible lists the types of files that are worth compressing. The others are
// compressed already.
var compressible = map[string]bool{".js": true, ".css": true, ".svg": true}

// compressFile compresses a file at its first call and keeps the result. The files are few,
// and do not change until the next version.
func (s *server) compressFile(name string) ([]byte, error) {
	if packed, ok := s.packed.Load(name); ok {
		return packed.([]byte), nil
	}
	plain, err := fs.ReadFile(s.files, name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(plain); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	packed, _ := s.packed.LoadOrStore(name, b.Bytes())
	return packed.([]byte), nil
}
