package listen

import (
	"net/smtp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/mail"
	"frontdesk/internal/mail/mailtest"
)

// A real mail server hands a mail over by LMTP: to whom it is for, as it was, and tells the
// sender of whom nobody knows.
func TestPostfix(t *testing.T) {
	r := &room{}
	_, at := serve(t, r, Options{LMTP: true}, "tcp", "127.0.0.1:0")
	postfix := mailtest.Postfix(t, at.String(), "acme.example", "elsewhere.example")
	client, err := smtp.Dial(postfix.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	content := "Subject: Hello\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nGrüße\r\n.dot\r\n"
	if err := client.Mail("jo@there.example"); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"help@acme.example", "nobody@elsewhere.example"} {
		if err := client.Rcpt(to); err != nil {
			t.Fatal(err)
		}
	}
	w, err := client.Data()
	if err != nil {
		t.Fatal(err)
	}
	w.Write([]byte(content + strings.Repeat("x", 3000) + "\r\n"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	report, err := mail.Parse([]byte(postfix.Delivered())) // which comes last
	if err != nil {
		t.Fatal(err)
	}
	bounce, _ := report.Bounce()
	if len(bounce.Recipients) != 1 || bounce.Recipients[0].Email != "nobody@elsewhere.example" || bounce.Recipients[0].Status != "5.1.1" {
		t.Errorf("reported: %+v", bounce)
	}
	taken := r.all()
	if len(taken) != 1 {
		t.Fatalf("taken: %+v", taken)
	}
	m := taken[0]
	if m.From != "jo@there.example" || !slices.Equal(m.To, []string{"help@acme.example"}) || !m.Peer {
		t.Errorf("the envelope is %+v", m.Envelope)
	}
	// Postfix folds long lines.
	if body := strings.ReplaceAll(m.content, "\r\n ", ""); !strings.HasSuffix(body, "Grüße\r\n.dot\r\n"+strings.Repeat("x", 3000)+"\r\n") {
		t.Errorf("taken is %q", m.content)
	}
}
