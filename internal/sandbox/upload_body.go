package sandbox

import (
	"io"
	"net/http"
	"time"
)

// uploadPause is how long a file may stand still on its way here. As a whole it
// may take as long as it takes.
const uploadPause = 30 * time.Second

// uploadBody is a body that may take longer than the server gives others.
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
