package tracker

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"frontdesk/internal/desk"
)

const (
	// patience is how long deliver may take. Linear waits five seconds, Zendesk
	// ten.
	patience = 4 * time.Second
	// mostBody bounds the body of a call.
	mostBody = 1 << 20
)

// Header has the HTTP headers of a call.
type Header = http.Header

// Deliver handles what a system has sent to the address of an integration. Once it
// returns nil, the consequences are on disk.
type Deliver func(ctx context.Context, kind desk.IntegrationKind, id desk.IntegrationID, h Header, body []byte) error

// Handler serves POST /integrations/{system}/{id}/events for the given systems.
// They send there what Watch asked for. If it could not be taken, they are asked to
// send it again.
func Handler(systems []System, deliver Deliver, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	for _, s := range systems {
		mux.Handle("POST /integrations/"+s.Name()+"/{id}/events", receiver(desk.IntegrationKind(s.Name()), deliver, log))
	}
	return mux
}

func receiver(kind desk.IntegrationKind, deliver Deliver, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		// A slow body must not hold us forever. Not every ResponseWriter supports
		// this.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(patience))
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			http.Error(w, "The body is too large.", http.StatusRequestEntityTooLarge)
			return
		} else if err != nil {
			http.Error(w, "The body did not arrive whole.", http.StatusBadRequest)
			return
		}
		err = deliver(ctx, kind, desk.IntegrationID(id), r.Header, body)
		switch desk.KindOf(err) {
		case desk.NotFound:
			http.NotFound(w, r)
		case desk.Forbidden:
			log.Warn("a call of a ticket system is not believed", "system", string(kind), "integration", id, "error", err)
			http.Error(w, "The signature is not valid.", http.StatusUnauthorized)
		case desk.Invalid:
			http.Error(w, "The body cannot be read.", http.StatusBadRequest)
		default:
			if err != nil {
				log.Error("a call of a ticket system was not taken", "system", string(kind), "integration", id, "error", err)
				// Zendesk sends it again after a 503 that says when, and after no other
				// failure. Linear does so after any.
				w.Header().Set("Retry-After", "5")
				http.Error(w, "It was not taken. Try again.", http.StatusServiceUnavailable)
			}
		}
	})
}
