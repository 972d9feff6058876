package slack

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/remote"
)

const (
	// patience is how long deliver may take. Slack waits three seconds.
	patience = 2500 * time.Millisecond
	// mostBody bounds the body of a call from Slack.
	mostBody = 1 << 20
)

// Connect gets what a person brings back from the authorize page, and the request,
// which says who they are. The message of a returned desk.Error is shown to them.
type Connect func(r *http.Request, state, code string) error

// Handler serves /integrations/slack/{manifest,callback,events,interactions}.
func (a *App) Handler(deliver chat.Deliver, connect Connect) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /integrations/slack/manifest", a.serveManifest)
	mux.HandleFunc("GET /integrations/slack/callback", a.callback(connect))
	mux.HandleFunc("POST /integrations/slack/events", a.signed(a.events(deliver)))
	mux.HandleFunc("POST /integrations/slack/interactions", a.signed(a.interactions(deliver)))
	return mux
}

func (a *App) serveManifest(w http.ResponseWriter, _ *http.Request) {
	guard(w)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(Manifest(a.cfg.PublicURL))
}

// guard sets the headers of all our answers.
func guard(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	w.Header().Set("Referrer-Policy", "no-referrer")
}

// errUnreadable is for a correctly signed body that makes no sense.
var errUnreadable = errors.New("the body cannot be read")

// signed serves only calls that Slack has signed. The answer is what next returns,
// as JSON, or empty for nil. An error makes Slack try again.
func (a *App) signed(next func(ctx context.Context, body []byte) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		guard(w)
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		// A body that trickles in would hold us forever. Not every writer supports
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
		if err := a.verify(r.Header, body, time.Now()); err != nil {
			a.cfg.Log.Warn("slack: refused an unverified call", "path", r.URL.Path, "error", err)
			http.Error(w, "The signature is not valid.", http.StatusUnauthorized)
			return
		}
		said, err := next(ctx, body)
		switch {
		case errors.Is(err, errUnreadable):
			http.Error(w, "The body cannot be read.", http.StatusBadRequest)
		case err != nil:
			a.cfg.Log.Error("slack: a call was not taken", "path", r.URL.Path, "error", err)
			http.Error(w, "It was not taken. Try again.", http.StatusInternalServerError)
		case said != nil:
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_ = json.NewEncoder(w).Encode(said) // the client has gone
		}
	}
}

// events handles what has happened in a workspace.
func (a *App) events(deliver chat.Deliver) func(context.Context, []byte) (any, error) {
	return func(ctx context.Context, body []byte) (any, error) {
		var e envelope
		if remote.ReadPatiently(body, &e) != nil {
			return nil, errUnreadable
		}
		switch e.Type {
		case "url_verification":
			return map[string]string{"challenge": e.Challenge}, nil
		case "app_rate_limited":
			a.cfg.Log.Warn("slack: events were left out because there were too many", "workspace", e.TeamID)
			return nil, nil
		case "event_callback":
		default:
			return nil, nil
		}
		ev, ok := e.event(func(id string) string { return a.workspace(id).url })
		if !ok {
			return nil, nil
		}
		return nil, deliver(ctx, ev)
	}
}

// interactions handles what people do with our buttons and forms.
func (a *App) interactions(deliver chat.Deliver) func(context.Context, []byte) (any, error) {
	return func(ctx context.Context, body []byte) (any, error) {
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return nil, errUnreadable
		}
		var i interaction
		if remote.ReadPatiently([]byte(form.Get("payload")), &i) != nil {
			return nil, errUnreadable
		}
		ev, ok := i.event(time.Now().UTC())
		if !ok {
			return nil, nil
		}
		err = deliver(ctx, ev)
		if wrong := (chat.Rejection)(nil); ev.Submission != nil && errors.As(err, &wrong) {
			return map[string]any{"response_action": "errors", "errors": wrong}, nil
		}
		return nil, err
	}
}
