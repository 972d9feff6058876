package slack

import (
	"errors"
	"html/template"
	"net/http"

	"frontdesk/internal/desk"
)

// callbackPage says in a sentence how connecting went.
var callbackPage = template.Must(template.New("callback").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Frontdesk and Slack</title>
<p>{{.}}</p>
</html>
`))

func showPage(w http.ResponseWriter, status int, sentence string) {
	guard(w)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = callbackPage.Execute(w, sentence) // the reader may have gone
}

// callback serves the address that Slack sends a person back to from the authorize
// page.
func (a *App) callback(connect Connect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		switch {
		case q.Get("error") == "access_denied":
			showPage(w, http.StatusForbidden, "Slack was not connected, because access was declined there; go back to Frontdesk to try again.")
			return
		case q.Get("error") != "":
			showPage(w, http.StatusBadRequest, "Slack was not connected, because it reported “"+cut(q.Get("error"), 100)+"”; go back to Frontdesk to try again.")
			return
		case q.Get("code") == "" || q.Get("state") == "":
			showPage(w, http.StatusBadRequest, "This page is only reached from Slack; go back to Frontdesk to connect it.")
			return
		}
		err := connect(r, q.Get("state"), q.Get("code"))
		if err == nil {
			showPage(w, http.StatusOK, "Slack is connected, and you can close this page.")
			return
		}
		a.cfg.Log.Warn("slack: connecting failed", "error", err)
		sentence := "Slack was not connected, because something went wrong here; go back to Frontdesk to try again."
		if e := (*desk.Error)(nil); errors.As(err, &e) && e.Kind != desk.Internal {
			sentence = "Slack was not connected. " + e.Message
		}
		showPage(w, http.StatusBadGateway, sentence)
	}
}
