package rest

import (
	"io"
	"mime"
	"net/http"
	"strconv"

	"frontdesk/internal/desk"
)

// getAttachment returns the bytes of a file. Whatever the file is, a browser saves
// it and never runs it or shows it as part of this site.
func (s *Server) getAttachment(c *call) (any, error) {
	id, err := id[desk.AttachmentID](c, "id")
	if err != nil {
		return nil, err
	}
	a, r, err := s.service.Attachment(c.ctx, c.caller, id)
	if err != nil {
		return nil, err
	}
	return file{a, r}, nil
}

// file is a stored file that is sent as the response.
type file struct {
	desk.Attachment
	bytes io.ReadSeekCloser
}

// serve writes the file, or the requested range of it.
func (f file) serve(w http.ResponseWriter, r *http.Request) {
	defer f.bytes.Close()
	h := w.Header()
	h.Set("Content-Type", f.Type)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Etag", strconv.Quote(strconv.FormatInt(int64(f.ID), 10))) // the bytes of a file never change
	http.ServeContent(w, r, "", f.CreatedAt, f.bytes)
}
