package mail

import (
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

// oneLine fails if a text cannot stand in a header or in a title.
func oneLine(t *testing.T, what, s string) {
	t.Helper()
	if !desk.Storable(s) || strings.ContainsFunc(s, unicode.IsControl) || strings.TrimSpace(s) != s {
		t.Errorf("%s is %q", what, s)
	}
}

// Whatever bytes come in, what is read of them is clean and within the limits.
func FuzzParse(f *testing.F) {
	for _, name := range corpus(f) {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := Parse(raw)
		if err != nil {
			return
		}
		oneLine(t, "Subject", m.Subject)
		for _, list := range [][]Address{m.From, m.To, m.Cc, m.ReplyTo} {
			for _, a := range list {
				oneLine(t, "a name", a.Name)
				if !validEmail(a.Email) {
					t.Errorf("an address is %q", a.Email)
				}
			}
		}
		for _, id := range append(append(m.References, m.InReplyTo...), m.Answers()...) {
			if !validID(id) {
				t.Errorf("a message id is %q", id)
			}
		}
		if len(m.Files) > MostParts+1 || len(m.To)+len(m.Cc) > MostRecipients {
			t.Errorf("%d files, %d recipients", len(m.Files), len(m.To)+len(m.Cc))
		}
		for _, file := range m.Files {
			oneLine(t, "a file's name", file.Name)
			if file.Name == "" || len(file.Name) > mostFileName+len(".eml") || strings.ContainsAny(file.Name, `/\`) {
				t.Errorf("a file's name is %q", file.Name)
			}
		}
		for _, text := range []string{m.HTML, m.Text} {
			if !desk.Storable(text) || len(text) > 10*mostText {
				t.Errorf("a text has %d bytes, valid: %v", len(text), utf8.ValidString(text))
			}
		}
		if r, ok := m.Bounce(); ok {
			for _, failure := range r.Recipients {
				oneLine(t, "what a server says", failure.Detail)
			}
		}
		ReadChecks(m.Header, "mx.desk.example")
		checkWritten(t, m)
	})
}

// checkWritten fails if the text of a mail is not formatted text, or if it mentions
// people or shows what is not the mail's own.
func checkWritten(t *testing.T, m Mail) {
	t.Helper()
	for _, html := range []string{m.Written(nil), m.Whole(nil)} {
		if again := markup.Sanitize(html); again != html {
			t.Errorf("not in normal form: %q, then %q", html, again)
		}
		if strings.Contains(html, "<img") || strings.Contains(html, "<span") {
			t.Errorf("an image or a mention: %q", html)
		}
	}
}

// Quoting never loses all of a mail that has nothing else, and never fails.
func FuzzWritten(f *testing.F) {
	for _, name := range corpus(f) {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if m, err := Parse(raw); err == nil {
			f.Add(m.HTML, m.Text, m.Subject, len(m.References) > 0)
		}
	}
	f.Fuzz(func(t *testing.T, html, text, subject string, reply bool) {
		m := Mail{HTML: html, Text: text, Subject: subject}
		if reply {
			m.References = []string{"a@x"}
		}
		checkWritten(t, m)
		if m.Whole(nil) != "" && m.Written(nil) == "" {
			t.Errorf("nothing is left of %q", m.Whole(nil))
		}
	})
}

// What is read from an address list can be written, and is read again as the same.
func FuzzAddresses(f *testing.F) {
	for _, s := range []string{"Jo <jo@x.example>, kim@x.example (Kim)", `"a\"b" <a@b.c>; g: x@y.z;`, "=?utf-8?Q?=C3=BC,?= <a@b>", `"`, "<<<", "(((", "a@b@c", "\x00<a@b>", "'a@b'", `"x y"@z.example`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, a := range parseAddresses(value) {
			oneLine(t, "a name", a.Name)
			if !validEmail(a.Email) {
				t.Fatalf("%q has the address %q", value, a.Email)
			}
			written := encodeAddress(a)
			if strings.ContainsAny(written, "\r\n") {
				t.Fatalf("written as %q", written)
			}
			again := parseAddresses(written)
			want := a
			if a.Is(a.Name) {
				want.Name = ""
			}
			if len(again) != 1 || again[0] != want {
				t.Errorf("%+v is written %q and read as %+v", a, written, again)
			}
		}
	})
}

// Headers for people come out as one clean line, and what we write is read back.
func FuzzHeader(f *testing.F) {
	for _, s := range []string{"Hi", "=?utf-8?B?w7w=?= =?utf-8?q?=C3=BC?=", "=?utf-8?Q?a?=20b?=", "=?x?B?/w==?=", "=?=?=?", "a\r\nBcc: b", "\u202eabc", "=?utf-8*en?q?x?=", "text/plain; a*0*=utf-8''%C3; a*1=b; c=\"d\\\"e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		decoded := decodeText(value)
		oneLine(t, "a header", decoded)
		encoded := encodeText(decoded)
		if !isPlain(strings.ReplaceAll(encoded, "=?", "")) {
			t.Errorf("encoded as %q", encoded)
		}
		if again := decodeText(encoded); again != decoded {
			t.Errorf("%q is encoded as %q and decoded as %q", decoded, encoded, again)
		}
		_, params := parseParams(value)
		for name, v := range params {
			oneLine(t, "a parameter "+name, v)
		}
		oneLine(t, "a title", Title(value, "ACME"))
		name := fileName(File{Name: value})
		if _, params := parseParams("attachment; " + encodeParam("filename", name)); params["filename"] != name {
			t.Errorf("a file's name %q comes back as %q", name, params["filename"])
		}
		ReadChecks(Header{{"Authentication-Results", value}}, "mx")
		parseDate(value)
		messageIDs(value)
	})
}
