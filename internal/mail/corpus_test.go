package mail

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files of the corpus; look at every difference")

// leastCorpus is how many awkward mails the corpus has at least.
const leastCorpus = 120

// Every mail of the corpus is read as its golden file says. The mails were written for
// this test, in the shapes that programs write. To add one, write NAME.eml, run the test
// with -update, and read NAME.golden.
func TestCorpus(t *testing.T) {
	names := corpus(t)
	if len(names) < leastCorpus {
		t.Errorf("the corpus has %d mails, want at least %d", len(names), leastCorpus)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		golden := strings.TrimSuffix(name, ".eml") + ".golden"
		got := describe(raw)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Error(err)
			continue
		}
		if got != string(want) {
			t.Errorf("%s is read as\n%s\nwant\n%s", filepath.Base(name), got, want)
		}
	}
	goldens, _ := filepath.Glob("testdata/corpus/*.golden")
	if len(goldens) != len(names) {
		t.Errorf("%d golden files for %d mails", len(goldens), len(names))
	}
}

// Whoever handed the mail on may have changed all line ends.
func TestCorpusReadsTheSameWithCRLF(t *testing.T) {
	for _, name := range corpus(t) {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(raw, []byte("\n")) {
			continue // its lines end in CR alone
		}
		lf := bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
		crlf := bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n"))
		if got, want := withoutSizes(describe(crlf)), withoutSizes(describe(lf)); got != want {
			t.Errorf("%s with CRLF is read as\n%s\nwant\n%s", filepath.Base(name), got, want)
		}
	}
}

func corpus(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/corpus/*.eml")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// withoutSizes removes the sizes of files: the lines of a text file are part of it.
func withoutSizes(description string) string {
	lines := strings.Split(description, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "File: ") {
			lines[i], _, _ = strings.Cut(l, " bytes")
			lines[i] = strings.TrimRight(lines[i], "0123456789")
		}
	}
	return strings.Join(lines, "\n")
}

// describe returns all that we understand of a mail, for people to check.
func describe(raw []byte) string {
	var out strings.Builder
	say := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&out, "%s: %s\n", name, value)
		}
	}
	m, err := Parse(raw)
	if err != nil {
		say("Error", err.Error())
		return out.String()
	}
	for _, f := range []struct {
		name string
		list []Address
	}{{"From", m.From}, {"Reply-To", m.ReplyTo}, {"To", m.To}, {"Cc", m.Cc}} {
		for _, a := range f.list {
			value := a.Email
			if a.Name != "" {
				value = a.Name + " <" + a.Email + ">"
			}
			if a.Misleading() {
				value += " (misleading)"
			}
			say(f.name, value)
		}
	}
	say("Subject", m.Subject)
	if title := Title(m.Subject, "ACME"); title != m.Subject {
		say("Title", fmt.Sprintf("%q", title))
	}
	if !m.Date.IsZero() {
		say("Date", m.Date.Format(time.RFC3339))
	}
	say("Message-ID", m.MessageID)
	say("In-Reply-To", strings.Join(m.InReplyTo, " "))
	say("References", strings.Join(m.References, " "))
	if m.Automatic {
		say("Automatic", "yes")
	}
	if checks := ReadChecks(m.Header, "mx.desk.example"); m.Header.has("Authentication-Results") || m.Header.has("X-Spam-Flag") {
		say("Verdict", Judge(m.Author(), checks).String())
	}
	for _, f := range m.Files {
		value := fmt.Sprintf("%s, %s, %d bytes", f.Name, f.Type, len(f.Content))
		if f.ContentID != "" {
			value += ", cid " + f.ContentID
		}
		if f.Inline {
			value += ", inline"
		}
		say("File", value)
	}
	if a, ok := m.Forwarded(); ok {
		say("Forwarded from", a.Name+" <"+a.Email+">")
	}
	if r, ok := m.Bounce(); ok {
		say("Bounce of", r.MessageID)
		for _, f := range r.Recipients {
			say("Bounce", fmt.Sprintf("%s, delayed %v, status %s: %s", f.Email, f.Delayed, f.Status, f.Detail))
		}
	}
	images := map[string]string{}
	for i, f := range m.Files {
		if f.Inline {
			images[f.ContentID] = fmt.Sprintf("/v1/rest/attachments/%d", i+1)
		}
	}
	written, whole := m.Written(images), m.Whole(images)
	fmt.Fprintf(&out, "\nWritten:\n%s\n", written)
	if whole != written {
		fmt.Fprintf(&out, "\nWhole:\n%s\n", whole)
	}
	return out.String()
}
