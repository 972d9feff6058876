package sandbox

import (
	"io"
	"net/http"
	"time"
)

// uploadPause is how long an upload may stall. The whole upload may take as long as
// it needs.
const uploadPause = 30 * time.Second

// uploadBody is a body that may take longer than the server allows others.
type uploadBody struct {
	io.ReadCloser
	connection *http.ResponseController
}

func newUploadBody(w http.ResponseWriter, r *http.Request) uploadBody {
	return uploadBody{r.Body, http.NewResponseController(w)}
}

func (u uploadBody) Read(b []byte) (int, error) {
	_ = u.connection.SetReadDeadline(time.Now().Add(uploadPause)) // there is none without a connection
	return u.ReadCloser.Read(b)
}
