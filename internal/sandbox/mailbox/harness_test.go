package mailbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/smtp"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"frontdesk/internal/mail"
	"frontdesk/internal/mail/listen"
)

const (
	ines  = "ines@harborpine.test"
	oskar = "oskar@harborpine.test"
)

// product stands in for the product's mail server. It knows support@ and reply+…@ of
// acme.test.
type product struct {
	got    chan received
	answer func(mail.Mail) // called before a mail is taken, if not nil
}

type received struct {
	listen.Envelope
	source string
	mail.Mail
}

func (p *product) Knows(_ context.Context, address string) error {
	if name, _, _ := strings.Cut(address, "@"); name != "support" && !strings.HasPrefix(name, "reply+") {
		return mail.Refusal{Reason: "Nobody here has this address."}
	}
	return nil
}

func (p *product) Take(_ context.Context, e listen.Envelope, content io.Reader) error {
	source, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	m, err := mail.Parse(source)
	if err != nil {
		return err
	}
	if m.Subject == "Spam" {
		return mail.Refusal{Reason: "We do not want this."}
	}
	if p.answer != nil {
		p.answer(m)
	}
	e.To = append([]string{}, e.To...)
	p.got <- received{e, string(source), m}
	return nil
}

// world is a mailbox between people and the product.
type world struct {
	*testing.T
	box     *Mailbox
	cfg     Config
	product *product
	smtp    string // the address of the mailbox's SMTP server
	http    *httptest.Server
}

func newWorld(t *testing.T, change ...func(*Config)) *world {
	w := &world{T: t, product: &product{got: make(chan received, 100)}}
	server := listen.New(w.product, listen.Options{Name: "mail.acme.test", Log: slog.New(slog.DiscardHandler)})
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	go server.Serve(l)
	t.Cleanup(func() { server.Shutdown(context.Background()) })
	w.cfg = Config{Path: filepath.Join(t.TempDir(), "mail.db"), Server: l.Addr().String(), Domains: []string{"Acme.test"}, Log: slog.New(slog.DiscardHandler),
		People: []Person{{"Ines Duarte", ines, "Harbor & Pine"}, {"Oskar Nyman", oskar, "Harbor & Pine"}}}
	for _, c := range change {
		c(&w.cfg)
	}
	w.open()
	t.Cleanup(func() { w.close() })
	return w
}

func (w *world) open() {
	w.box = must(Open(w.Context(), w.cfg))
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	w.smtp = l.Addr().String()
	go w.box.SMTP.Serve(l)
	w.http = httptest.NewServer(w.box.Handler("/mailbox", nil))
}

func (w *world) close() {
	w.box.EndStreams()
	w.http.Close()
	if err := w.box.Close(); err != nil {
		w.Error(err)
	}
}

// deliver sends a mail to the mailbox as the product does.
func (w *world) deliver(d mail.Draft, to ...string) error {
	source, err := d.Bytes()
	if err != nil {
		w.Fatal(err)
	}
	return smtp.SendMail(w.smtp, nil, "bounce+1@acme.test", to, source)
}

// call calls the mailbox as its page does, and returns the status and the answer.
func (w *world) call(method, path string, values ...string) (int, map[string]any) {
	query := url.Values{}
	for i := 0; i < len(values); i += 2 {
		query.Set(values[i], values[i+1])
	}
	request := must(http.NewRequest(method, w.http.URL+"/mailbox"+path+"?"+query.Encode(), nil))
	return w.do(request)
}

func (w *world) do(request *http.Request) (int, map[string]any) {
	w.Helper()
	response := must(http.DefaultClient.Do(request))
	defer response.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		w.Fatal(request.URL.Path, err)
	}
	return response.StatusCode, answer
}

// fetch reads something that is not JSON.
func (w *world) fetch(path string) (http.Header, string) {
	response := must(http.Get(w.http.URL + "/mailbox" + path))
	defer response.Body.Close()
	return response.Header, string(must(io.ReadAll(response.Body)))
}

// send sends a draft as the page does.
func (w *world) send(d Draft, files ...string) (int, string) {
	w.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("draft", string(must(json.Marshal(d))))
	for i := 0; i < len(files); i += 2 {
		must(must(form.CreateFormFile("files", files[i])).Write([]byte(files[i+1])))
	}
	form.Close()
	request := must(http.NewRequest("POST", w.http.URL+"/mailbox/mails", &body))
	request.Header.Set("Content-Type", form.FormDataContentType())
	status, answer := w.do(request)
	said, _ := answer["message"].(string)
	return status, said
}

// mustSend sends a draft that is taken.
func (w *world) mustSend(d Draft, files ...string) {
	w.Helper()
	if status, said := w.send(d, files...); status != 200 {
		w.Fatal(status, said)
	}
}

// list shows the threads of a box in short: subject, number of mails and unread ones.
func (w *world) list(owner string, in box) []string {
	w.Helper()
	all := []string{}
	for _, t := range must(w.box.threads(w.Context(), owner, in)) {
		all = append(all, fmt.Sprintf("%s %d/%d", t.Subject, t.Count, t.Unread))
	}
	return all
}

// newest returns the newest mail of the first thread of a box.
func (w *world) newest(owner string, in box) copyOf {
	w.Helper()
	threads := must(w.box.threads(w.Context(), owner, in))
	if len(threads) == 0 {
		w.Fatal("there is no mail in the ", in, " of ", owner)
	}
	mails := must(w.box.thread(w.Context(), owner, threads[0].ID))
	return mails[len(mails)-1]
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got\n%v\nwant\n%v", what, got, want)
	}
}
