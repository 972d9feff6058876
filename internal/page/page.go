// Package page serves the pages that people without an account open through a
// signed link: where they answer a survey, and where they download a file that was
// too large for a mail. The package knows HTTP and HTML, needs no script in the
// browser, and shows only what the link is about.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
)

// mostForm is the largest form, in bytes. 2,000 characters take up to four bytes
// each, and a form encodes each byte in up to three.
const mostForm = 64 << 10

// mostToken is longer than the token of any link.
const mostToken = 200

// formTime is how long a form may take to arrive.
const formTime = 15 * time.Second

type server struct {
	service *service.Service
	limits  *limits
	log     *slog.Logger
}

// New returns the pages below /survey/ and /file/.
func New(surveys *service.Service, log *slog.Logger) http.Handler {
	s := &server{service: surveys, limits: newLimits(), log: log}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /survey/{token}", s.show)
	mux.HandleFunc("POST /survey/{token}", s.takeAnswer)
	mux.HandleFunc("/survey/{token}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", "GET, HEAD, POST")
		s.write(w, http.StatusMethodNotAllowed, view{Heading: "That is not possible", Message: "This page can be opened and answered, and nothing else."})
	})
	mux.HandleFunc("GET /file/{token}", s.download)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.fail(w, r, errNothing) })
	// A page of another site must not send an answer for somebody.
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.write(w, http.StatusForbidden, view{Heading: "That came from elsewhere", Message: "The answer was sent from another page. Open the link of the survey, and answer there."})
	}))
	return guard.Handler(mux)
}

var errNothing = desk.Errorf(desk.NotFound, "There is nothing at this address.")

//go:embed style.css
var style string

//go:embed survey.html
var surveyHTML string

var surveyTemplate = template.Must(template.New("survey").Parse(surveyHTML))

// policy lets the browser load the style and send the form, and nothing else.
var policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}()

// view is the content of the page.
type view struct {
	Style   template.CSS
	Heading string
	Message string // a sentence, or empty
	Problem string // what is wrong with the answer, or empty
	Title   string // of the request
	Answer  string // the given answer in words; empty until then
	Points  []point
	Comment string
	Asks    bool // whether it asks for a comment
	Again   bool // whether it was answered and can still be changed
}

// point is one of the possible answers.
type point struct {
	Value   int
	Label   string
	Sign    string
	Checked bool
}

// admit returns the token of a link, or writes why the link is not accepted.
func (s *server) admit(w http.ResponseWriter, r *http.Request) (token string, ok bool) {
	token = r.PathValue("token")
	switch {
	case len(token) > mostToken:
		s.fail(w, r, errNothing)
	case !s.limits.allow(token):
		w.Header().Set("Retry-After", "60")
		s.write(w, http.StatusTooManyRequests, view{Heading: "One moment, please", Message: "This page was opened very often just now. Please try again in a minute."})
	default:
		return token, true
	}
	return "", false
}

func (s *server) show(w http.ResponseWriter, r *http.Request) {
	token, ok := s.admit(w, r)
	if !ok {
		return
	}
	p, err := s.service.SurveyPage(r.Context(), token)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.write(w, http.StatusOK, viewOf(p))
}

func (s *server) takeAnswer(w http.ResponseWriter, r *http.Request) {
	token, ok := s.admit(w, r)
	if !ok {
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(formTime))
	r.Body = http.MaxBytesReader(w, r.Body, mostForm)
	if err := r.ParseForm(); err != nil {
		s.write(w, http.StatusBadRequest, view{Heading: "That did not arrive", Message: "The answer was too long, or was cut off on its way. Please go back and send it again."})
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	value, err := strconv.Atoi(r.PostForm.Get("value"))
	if err != nil {
		value = 0
	}
	answer := desk.SurveyAnswer{Value: &value}
	if r.PostForm.Has("comment") {
		comment := strings.ReplaceAll(r.PostForm.Get("comment"), "\r\n", "\n") // forms end lines with CRLF
		answer.Comment = &comment
	}
	err = s.service.AnswerSurvey(r.Context(), token, answer)
	if desk.KindOf(err) == desk.Invalid {
		s.showProblem(w, r, token, answer, err)
		return
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	http.Redirect(w, r, r.URL.Path, http.StatusSeeOther) // otherwise a reload would send it again
}

// showProblem shows the form once more, with the answer and what is wrong with it.
func (s *server) showProblem(w http.ResponseWriter, r *http.Request, token string, a desk.SurveyAnswer, wrong error) {
	p, err := s.service.SurveyPage(r.Context(), token)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	v := viewOf(p)
	for i := range v.Points {
		v.Points[i].Checked = v.Points[i].Value == *a.Value
	}
	if a.Comment != nil {
		v.Comment = *a.Comment
	}
	v.Problem = "Please choose one of the answers."
	if e := (*desk.Error)(nil); errors.As(wrong, &e) {
		for _, f := range e.Fields {
			if f.Field == "comment" {
				v.Problem = "The comment " + f.Message + "."
			}
		}
	}
	s.write(w, http.StatusBadRequest, v)
}

func viewOf(p desk.SurveyPage) view {
	v := view{Heading: "How did we do?", Title: p.Title, Comment: p.Survey.Comment, Asks: p.Survey.HasComment}
	if p.Survey.AnsweredAt != nil {
		v.Heading, v.Again = "Thank you!", true
		v.Answer = labels[p.Survey.Type][p.Survey.Value-1].Label
	}
	if !p.Open {
		v.Message = desk.ErrAnswered.Message
		return v
	}
	for i, l := range labels[p.Survey.Type] {
		l.Value, l.Checked = i+1, i+1 == p.Survey.Value
		v.Points = append(v.Points, l)
	}
	return v
}

var labels = map[desk.SurveyType][]point{
	desk.FivePointRating: {{Label: "Very unhappy", Sign: "1"}, {Label: "Unhappy", Sign: "2"}, {Label: "Neither", Sign: "3"}, {Label: "Happy", Sign: "4"}, {Label: "Very happy", Sign: "5"}},
	desk.TwoPointRating:  {{Label: "Not good", Sign: "👎"}, {Label: "Good", Sign: "👍"}},
}

// fail tells the visitor why there is no survey, as far as they may know.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := (*desk.Error)(nil)
	switch known := errors.As(err, &e); {
	case known && e.Kind == desk.NotFound:
		s.write(w, http.StatusNotFound, view{Heading: "There is no survey here", Message: e.Message})
	case known && e.Kind == desk.Refused:
		s.write(w, http.StatusConflict, view{Heading: "That is over", Message: e.Message})
	case known && e.Kind == desk.Unavailable:
		s.write(w, http.StatusServiceUnavailable, view{Heading: "One moment, please", Message: "That does not work just now. Please try again in a minute."})
	default:
		s.log.ErrorContext(r.Context(), "could not show a survey", "error", err)
		s.write(w, http.StatusInternalServerError, view{Heading: "That did not work", Message: "Something went wrong on our side. Please try again later."})
	}
}

func (s *server) write(w http.ResponseWriter, status int, v view) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	// The form itself must send an Origin. No other site may learn the address.
	h.Set("Referrer-Policy", "same-origin")
	w.WriteHeader(status)
	v.Style = template.CSS(style)
	if err := surveyTemplate.Execute(w, v); err != nil {
		s.log.Warn("could not write a survey page", "error", err)
	}
}
