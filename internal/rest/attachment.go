package rest

import (
	"io"
	"mime"
	"net/http"
	"strconv"

	"frontdesk/internal/desk"
)

// getAttachment gives the bytes of a file. A browser saves it and never runs or
// shows it as a part of this site, whatever it is.
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

// file is a file on its way out.
type file struct {
	desk.Attachment
	bytes io.ReadSeekCloser
}

// serve writes the file, or the range of it that was asked for.
func (f file) serve(w http.ResponseWriter, r *http.Request) {
	defer f.bytes.Close()
	h := w.Header()
	h.Set("Content-Type", f.Type)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Etag", strconv.Quote(strconv.FormatInt(int64(f.ID), 10))) // its bytes never change
	http.ServeContent(w, r, "", f.CreatedAt, f.bytes)
}
