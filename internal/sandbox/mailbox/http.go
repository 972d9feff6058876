package mailbox

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"

	"frontdesk/internal/mail"
	"frontdesk/internal/sandbox"
)

// mostBody bounds a mail that the page sends.
const mostBody = mail.MostAttached + 2<<20

// Handler serves the mail program below a prefix, as in /mailbox: what the page of the
// web app reads and does. allow reports whether the person behind a request may use it;
// nil lets everybody in who reaches it. Whoever may, may be anybody here.
func (m *Mailbox) Handler(prefix string, allow func(*http.Request) (bool, error)) http.Handler {
	mux := http.NewServeMux()
	handle := func(method, path string, h handler) {
		mux.HandleFunc(method+" "+prefix+path, m.serve(allow, h))
	}
	handle("GET", "/people", m.servePeople)
	handle("GET", "/threads", m.serveThreads)
	handle("GET", "/threads/{id}", m.serveThread)
	handle("POST", "/threads/{id}/read", m.serveRead)
	handle("POST", "/mails", m.serveSend)
	handle("GET", "/mails/{id}/answer", m.serveAnswer)
	handle("GET", "/mails/{id}/page", m.servePage)
	handle("GET", "/mails/{id}/source", m.serveSource)
	handle("GET", "/mails/{id}/files/{number}", m.serveFile)
	handle("GET", "/stream", m.serveStream)
	// A browser sends its session whoever causes the request, so requests from pages
	// elsewhere must be refused.
	ours := http.NewCrossOriginProtection().Handler(mux)
	if m.cfg.AllowRemote {
		return ours
	}
	return sandbox.ThisMachine(m.cfg.URL, ours)
}

// A handler answers with JSON, or by itself if it returns nil.
type handler func(w http.ResponseWriter, r *http.Request) (any, error)

type object = map[string]any

// serve lets a caller in and answers with what a handler returns.
func (m *Mailbox) serve(allow func(*http.Request) (bool, error), h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "no-store")
		header.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
		allowed := true
		var err error
		if allow != nil {
			allowed, err = allow(r)
		}
		var answer any
		switch {
		case err == nil && !allowed:
			writeJSON(w, http.StatusForbidden, object{"message": "The mailbox is for people who are signed in."})
			return
		case err == nil:
			answer, err = h(w, r)
		}
		switch {
		case err != nil:
			m.fail(w, r, err)
		case answer != nil:
			writeJSON(w, http.StatusOK, answer)
		}
	}
}

func (m *Mailbox) fail(w http.ResponseWriter, r *http.Request, err error) {
	mistake, isMistake := errors.AsType[Mistake](err)
	refused, isRefused := errors.AsType[*Refused](err)
	status, said := http.StatusBadGateway, "The mail server does not answer."
	switch {
	case errors.Is(err, errGone):
		status, said = http.StatusNotFound, string(errGone)
	case isMistake:
		status, said = http.StatusUnprocessableEntity, string(mistake)
	case isRefused:
		status, said = http.StatusUnprocessableEntity, refused.Error()
	case errors.Is(err, errServer):
	default:
		status, said = http.StatusInternalServerError, "The mailbox failed."
	}
	if status >= 500 && r.Context().Err() == nil {
		m.cfg.Log.Error("mailbox: a call failed", "path", r.URL.Path, "error", err)
	}
	writeJSON(w, status, object{"message": said})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // fails only if the client has gone away
}

func (m *Mailbox) servePeople(_ http.ResponseWriter, r *http.Request) (any, error) {
	people, err := m.mailboxes(r.Context())
	if err != nil {
		return nil, err
	}
	contacts, err := m.cfg.Contacts(r.Context())
	return object{"people": people, "contacts": append([]string{}, contacts...), "can_forge": m.cfg.Authserv != ""}, err
}

func (m *Mailbox) serveThreads(_ http.ResponseWriter, r *http.Request) (any, error) {
	in := inbox
	if r.FormValue("box") == string(sent) {
		in = sent
	}
	list, err := m.threads(r.Context(), ownerOf(r.FormValue("owner")), in)
	return object{"threads": list}, err
}

func (m *Mailbox) serveThread(_ http.ResponseWriter, r *http.Request) (any, error) {
	mails, err := m.thread(r.Context(), ownerOf(r.FormValue("owner")), number(r, "id"))
	return object{"mails": mails}, err
}

func (m *Mailbox) serveRead(_ http.ResponseWriter, r *http.Request) (any, error) {
	return object{}, m.markRead(r.Context(), ownerOf(r.URL.Query().Get("owner")), number(r, "id"))
}

func (m *Mailbox) serveAnswer(_ http.ResponseWriter, r *http.Request) (any, error) {
	d, err := m.Answer(r.Context(), r.FormValue("owner"), number(r, "id"), r.FormValue("kind"))
	return object{"draft": d}, err
}

func (m *Mailbox) servePage(w http.ResponseWriter, r *http.Request) (any, error) {
	parsed, err := m.parsed(r.Context(), number(r, "id"))
	if err != nil {
		return nil, err
	}
	w.Header().Set("Content-Security-Policy", pagePolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(pageOf(parsed))
	return nil, nil
}

func (m *Mailbox) serveSource(w http.ResponseWriter, r *http.Request) (any, error) {
	source, err := m.source(r.Context(), number(r, "id"))
	if err != nil {
		return nil, err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(source)
	return nil, nil
}

// serveFile is a download, whatever the file is.
func (m *Mailbox) serveFile(w http.ResponseWriter, r *http.Request) (any, error) {
	parsed, err := m.parsed(r.Context(), number(r, "id"))
	n := number(r, "number")
	switch {
	case err != nil:
		return nil, err
	case n < 0 || n >= int64(len(parsed.Files)):
		return nil, errGone
	}
	f := parsed.Files[n]
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	_, _ = w.Write(f.Content)
	return nil, nil
}

// serveSend sends the mail of a form: the draft as JSON in the field draft, and files.
func (m *Mailbox) serveSend(w http.ResponseWriter, r *http.Request) (any, error) {
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	if err := r.ParseMultipartForm(mostBody); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, Mistake("The files are too large: a mail carries at most 15 MB.")
		}
		return nil, Mistake("The mail did not arrive whole.")
	}
	defer r.MultipartForm.RemoveAll()
	var d Draft
	if json.Unmarshal([]byte(r.FormValue("draft")), &d) != nil {
		return nil, Mistake("The mail did not arrive whole.")
	}
	for _, part := range r.MultipartForm.File["files"] {
		f, err := readPart(part)
		if err != nil {
			return nil, err
		}
		d.Files = append(d.Files, f)
	}
	return object{}, m.Send(r.Context(), d)
}

func readPart(part *multipart.FileHeader) (f mail.File, err error) {
	in, err := part.Open()
	if err != nil {
		return f, err
	}
	defer in.Close()
	f.Content, err = io.ReadAll(in)
	kind, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type"))
	f.Name, f.Type = part.Filename, kind
	return f, err
}

// number returns a number in the path, or -1, which nothing has.
func number(r *http.Request, name string) int64 {
	n, err := strconv.ParseInt(r.PathValue(name), 10, 64)
	if err != nil {
		return -1
	}
	return n
}
