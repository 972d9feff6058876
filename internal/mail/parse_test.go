package mail

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

const shortHeader = "From: jo@customer.example\r\nSubject: Hi\r\n"

// nested returns a mail with multiparts within each other.
func nested(levels int) []byte {
	var out strings.Builder
	out.WriteString(shortHeader)
	for i := range levels {
		fmt.Fprintf(&out, "Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n", i, i)
	}
	out.WriteString("Content-Type: text/plain\r\n\r\nInnermost\r\n")
	for i := levels - 1; i >= 0; i-- {
		fmt.Fprintf(&out, "--b%d--\r\n", i)
	}
	return []byte(out.String())
}

func withParts(n int) []byte {
	return []byte(shortHeader + "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + strings.Repeat("--b\r\n\r\nx\r\n", n) + "--b--\r\n")
}

// Each limit allows what is at it, and refuses one more, with a sentence for the sender.
func TestLimits(t *testing.T) {
	recipients := func(to, cc int) []byte {
		return []byte(shortHeader + "To: " + strings.Repeat("a@x.example, ", to) + "\r\nCc: " + strings.Repeat("b@x.example, ", cc) + "\r\n\r\nHi\r\n")
	}
	headerLines := func(n int) []byte {
		return []byte(shortHeader + "X-Long: a\r\n" + strings.Repeat("\tb\r\n", n-3) + "\r\nHi\r\n")
	}
	headerBytes := func(n int) []byte {
		return []byte(shortHeader + "X-Long: " + strings.Repeat("a", n-len(shortHeader)-len("X-Long: \r\n")) + "\r\n\r\nHi\r\n")
	}
	bodyOf := func(n int) []byte {
		return append([]byte(shortHeader+"Content-Type: application/octet-stream\r\n\r\n"), make([]byte, n-len(shortHeader)-len("Content-Type: application/octet-stream\r\n\r\n"))...)
	}
	for _, c := range []struct {
		name        string
		fits, large []byte
		want        string
	}{
		{"bytes", bodyOf(MostBytes), bodyOf(MostBytes + 1), "The mail has more than 40 MiB."},
		{"parts", withParts(MostParts), withParts(MostParts + 1), "The mail has more than 50 parts."},
		{"levels", nested(MostLevels), nested(MostLevels + 1), "The mail has more than 10 levels of parts within parts."},
		{"thirty levels", nested(1), nested(30), "The mail has more than 10 levels of parts within parts."},
		{"recipients", recipients(60, 40), recipients(60, 41), "The mail has more than 100 recipients."},
		{"header lines", headerLines(MostHeaderLines), headerLines(MostHeaderLines + 1), "The mail has more than 1000 header lines."},
		{"header bytes", headerBytes(MostHeaderBytes), headerBytes(MostHeaderBytes + 1), "The mail has more than 256 KiB of headers."},
	} {
		if m, err := Parse(c.fits); err != nil || m.Subject != "Hi" {
			t.Errorf("%s at the limit: %q, %v", c.name, m.Subject, err)
		}
		_, err := Parse(c.large)
		var r Refusal
		if !errors.As(err, &r) || r.Reason != c.want {
			t.Errorf("%s past the limit: %v, want %q", c.name, err, c.want)
		}
	}
}

// The header lines of parts count, too.
func TestLimitsCountTheHeadersOfParts(t *testing.T) {
	part := "--b\r\n" + strings.Repeat("X-A: b\r\n", 300) + "\r\nx\r\n"
	raw := shortHeader + "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + strings.Repeat(part, 4) + "--b--\r\n"
	if _, err := Parse([]byte(raw)); !errors.As(err, new(Refusal)) {
		t.Errorf("1,200 header lines in parts: %v", err)
	}
}

func TestLongTextIsCut(t *testing.T) {
	for _, kind := range []string{"plain", "html"} {
		body := strings.Repeat("ü", mostText) // two bytes each
		m, err := Parse([]byte(shortHeader + "Content-Type: text/" + kind + "; charset=utf-8\r\n\r\n" + body))
		if err != nil || !m.Cut || len(m.Text)+len(m.HTML) > mostText || strings.Contains(m.Text+m.HTML, "\ufffd") {
			t.Errorf("%s: cut %v, %d bytes, %v", kind, m.Cut, len(m.Text)+len(m.HTML), err)
		}
	}
}

// All parts of a mail share what is read of its text.
func TestLongTextInPartsIsCut(t *testing.T) {
	part := "--b\r\nContent-Type: text/html\r\n\r\n" + strings.Repeat("a", mostText*2/3) + "\r\n"
	m, err := Parse([]byte(shortHeader + "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + strings.Repeat(part, 5) + "--b--\r\n"))
	if err != nil || !m.Cut || strings.Count(m.HTML, "a") != mostText {
		t.Errorf("cut %v, %d bytes, %v", m.Cut, len(m.HTML), err)
	}
}

// Mails that are made to cost much cost no more than others of their length. Where the
// work grows faster than the mail, this test takes far more than the package's budget of
// scripts/test-times.
func TestHostileMailsCostLittle(t *testing.T) {
	const size = 256 << 10
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, raw := range map[string]string{
		"tags":            "Content-Type: text/html\n\n" + fill("<b>"),
		"one long line":   "Content-Type: text/html\n\n" + fill("a<b>b</b>"),
		"quotes":          "Content-Type: text/html\n\n" + fill("<blockquote>a"),
		"rules":           "Content-Type: text/html\n\n" + fill("<hr>"),
		"unclosed tag":    "Content-Type: text/html\n\n<a " + fill("x=1 "),
		"attributions":    "Subject: Re: x\n\n" + fill("On 3 Mar 2026 10:15 <a@b> wrote:\n"),
		"headers":         "Subject: Re: x\n\n" + fill("From: a\n"),
		"blank lines":     "Subject: Re: x\n\n" + fill("\n") + "> a",
		"marks and blank": "Subject: Re: x\n\n" + fill("\n> a\n\n"),
		"encoded words":   "Subject: " + strings.Repeat("=?utf-8?q?", 20_000) + "\n\nx",
		"brackets":        "To: " + strings.Repeat("<", 200_000) + "\n\nx",
		"quote signs":     "To: " + strings.Repeat(`"a" `, 50_000) + "\n\nx",
		"comments":        "To: " + strings.Repeat("(", 200_000) + "\n\nx",
		"ids":             "References: " + strings.Repeat("<", 200_000) + "\n\nx",
		"parameters":      "Content-Type: text/plain" + strings.Repeat(";a*1=b", 40_000) + "\n\nx",
		"boundaries":      "Content-Type: multipart/mixed; boundary=b\n\n" + fill("--bb\n"),
		"same boundaries": "Content-Type: multipart/mixed; boundary=b\n\n" + fill("x--b"),
		"utf-7":           "Content-Type: text/plain; charset=utf-7\n\n" + fill("+"),
		"flowed":          "Content-Type: text/plain; format=flowed\n\n" + fill("a \n"),
	} {
		m, err := Parse([]byte("From: jo@customer.example\n" + raw))
		if err != nil {
			if !errors.As(err, new(Refusal)) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		m.Written(nil)
		m.Bounce()
	}
}

func TestParseKeepsTheBytesOfFiles(t *testing.T) {
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	d := draft()
	d.Files = []File{{Name: "all.bin", Type: "application/octet-stream", Content: bytes.Repeat(all, 50)}}
	m := parsed(t, d)
	if len(m.Files) != 1 || !bytes.Equal(m.Files[0].Content, d.Files[0].Content) {
		t.Error("a file comes back changed")
	}
}
