package mail

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/emersion/go-msgauth/dkim"
	"pgregory.net/rapid"

	"frontdesk/internal/markup"
)

func draft() Draft {
	return Draft{
		From: Address{"Acme Support", "support@desk.example"}, ReplyTo: Address{"Acme Support", "reply+abc@reply.desk.example"},
		To: []Address{{"Jo Park", "jo@customer.example"}}, Cc: []Address{{"", "kim@client.example"}},
		Subject: "ACME-17 The export fails", Date: time.Date(2026, 3, 3, 10, 15, 0, 0, time.FixedZone("", 3600)),
		MessageID: "m1@reply.desk.example", InReplyTo: "q1@customer.example", References: []string{"root@reply.desk.example", "q1@customer.example"},
		HTML: "<p>Please try <strong>again</strong>.</p>",
	}
}

func parsed(t interface {
	Helper()
	Fatal(...any)
}, d Draft) Mail {
	t.Helper()
	raw, err := d.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCompose(t *testing.T) {
	raw, err := draft().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	const want = `Date: Tue, 03 Mar 2026 10:15:00 +0100
From: "Acme Support" <support@desk.example>
Reply-To: "Acme Support" <reply+abc@reply.desk.example>
To: "Jo Park" <jo@customer.example>
Cc: <kim@client.example>
Subject: ACME-17 The export fails
Message-ID: <m1@reply.desk.example>
In-Reply-To: <q1@customer.example>
References: <root@reply.desk.example> <q1@customer.example>
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary="=_a7d7aa9f73216031e014e37e.1"

--=_a7d7aa9f73216031e014e37e.1
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Please try again.

--=_a7d7aa9f73216031e014e37e.1
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable

<!DOCTYPE html>
<html><body>
<p>Please try <strong>again</strong>.</p>
</body></html>

--=_a7d7aa9f73216031e014e37e.1--
`
	if got := strings.ReplaceAll(string(raw), "\r\n", "\n"); got != want {
		t.Errorf("the mail is\n%s", got)
	}
	again, _ := draft().Bytes()
	if !bytes.Equal(raw, again) {
		t.Error("the same draft makes another mail")
	}
	other := draft()
	other.ReplyTo.Email = "reply+xyz@reply.desk.example"
	copyOf, _ := other.Bytes()
	if bytes.Equal(raw, copyOf) || !bytes.Equal(raw, bytes.ReplaceAll(copyOf, []byte("+xyz@"), []byte("+abc@"))) {
		t.Error("the copies of two recipients differ in more than Reply-To")
	}
}

func TestComposeWithEverything(t *testing.T) {
	png := []byte("\x89PNG\r\n")
	d := draft()
	d.HTML = `<p>Look: <img src="/v1/rest/attachments/7" alt="a chart"> and &lt;img src="/v1/rest/attachments/7"</p>`
	d.Signature = "<p>Ada<br>Acme</p>"
	d.Quote = &Quote{Author: "Jo Park", Date: d.Date, HTML: "<p>It <em>fails</em>.</p>"}
	d.Images = map[string]File{"/v1/rest/attachments/7": {Name: "chart.png", Type: "image/png", ContentID: "i7@reply.desk.example", Content: png}}
	d.Files = []File{{Name: "Größe 2026.pdf", Type: "application/pdf", Content: []byte("%PDF")}, {Name: "mail.eml", Type: "message/rfc822", Content: []byte("a")}}
	d.Links = []Link{{Name: "video.mp4", Address: "https://desk.example/f?a=1&b=2", Bytes: 40 << 20}}
	d.Automatic = true
	m := parsed(t, d)
	if !m.Automatic || m.Header.Get("X-Auto-Response-Suppress") != "All" || m.Header.Get("Auto-Submitted") != "auto-replied" {
		t.Error("it does not say that no person wrote it")
	}
	if len(m.Files) != 3 || !m.Files[0].Inline || m.Files[0].Name != "chart.png" || m.Files[1].Name != "Größe 2026.pdf" || m.Files[2].Type != "application/octet-stream" {
		t.Errorf("files: %+v", m.Files)
	}
	const link = `<p><a href="https://desk.example/f?a=1&amp;b=2" rel="noopener noreferrer">video.mp4</a> (40.0 MB)</p>`
	images := map[string]string{"i7@reply.desk.example": "/v1/rest/attachments/7"}
	if got, want := m.Written(images), d.HTML+link; got != markup.Sanitize(want) {
		t.Errorf("written %s\nwant    %s", got, want)
	}
	const quoted = "<p>On 3 March 2026 10:15 +0100, Jo Park wrote:</p><blockquote><p>It <em>fails</em>.</p></blockquote>"
	if whole := m.Whole(images); !strings.HasSuffix(whole, quoted) || !strings.Contains(whole, "Ada<br>Acme") {
		t.Errorf("the whole is %s", whole)
	}
	const text = "Look: a chart and <img src=\"/v1/rest/attachments/7\"\n\nvideo.mp4 (40.0 MB): https://desk.example/f?a=1&b=2\n\n-- \nAda\nAcme\n\nOn 3 March 2026 10:15 +0100, Jo Park wrote:\n> It fails."
	if m.Text != text {
		t.Errorf("text %q\nwant %q", m.Text, text)
	}
	m.HTML = ""
	if got := m.Written(nil); strings.Contains(got, "fails") || strings.Contains(got, "Ada") || !strings.Contains(got, "Look") {
		t.Errorf("the text alone is read as %s", got)
	}
}

func TestComposeRefusesWhatCannotBeSent(t *testing.T) {
	for name, change := range map[string]func(*Draft){
		"no recipient":        func(d *Draft) { d.To, d.Cc = nil, nil },
		"no date":             func(d *Draft) { d.Date = time.Time{} },
		"no message id":       func(d *Draft) { d.MessageID = "" },
		"a wrong message id":  func(d *Draft) { d.MessageID = "a>\r\nBcc: x" },
		"a wrong reference":   func(d *Draft) { d.References = []string{"a b"} },
		"a wrong In-Reply-To": func(d *Draft) { d.InReplyTo = "a\nb" },
		"no sender":           func(d *Draft) { d.From = Address{} },
		"a line end in From":  func(d *Draft) { d.From.Email = "a@b.example\r\nBcc: x@y.example" },
		"two addresses":       func(d *Draft) { d.To[0].Email = "a@b.example, c@d.example" },
		"a wrong Reply-To":    func(d *Draft) { d.ReplyTo.Email = "x" },
		"a wrong test token":  func(d *Draft) { d.Test = "x\r\nBcc: x@y.example" },
		"files too large":     func(d *Draft) { d.Files = []File{{Content: make([]byte, MostAttached+1)}} },
	} {
		d := draft()
		change(&d)
		if raw, err := d.Bytes(); err == nil {
			t.Errorf("%s: %s", name, raw)
		}
	}
}

func TestAttachable(t *testing.T) {
	const mb = 1 << 20
	got := Attachable([]int64{10 * mb, 6 * mb, 5 * mb, 1})
	if want := []bool{true, false, true, false}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// checkComposed fails if anything that people may choose added a field to a mail, or
// changed another one. The reader is that of the standard library, not ours.
func checkComposed(t *rapid.T, d Draft) {
	raw, err := d.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.SplitSeq(raw, []byte("\r\n")) {
		if len(line) > 998 || bytes.ContainsAny(line, "\r\n\x00") {
			t.Fatalf("a line that no server takes: %q", line)
		}
	}
	if i := bytes.IndexFunc(raw, func(r rune) bool { return r > unicode.MaxASCII }); i >= 0 {
		t.Fatalf("a letter that not every server takes: %q", raw[i:])
	}
	msg, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	for name := range msg.Header {
		if !strings.Contains(" Date From Reply-To To Cc Subject Message-Id In-Reply-To References Mime-Version Content-Type ", " "+name+" ") {
			t.Fatalf("a field was added: %s", name)
		}
		if len(msg.Header[name]) != 1 {
			t.Fatalf("%s is there twice", name)
		}
	}
	for name, want := range map[string][]Address{"From": {d.From}, "To": d.To, "Cc": d.Cc, "Reply-To": {d.ReplyTo}} {
		list, err := msg.Header.AddressList(name)
		if err != nil || len(list) != len(want) {
			t.Fatalf("%s: %v, %v", name, list, err)
		}
		for i := range list {
			if list[i].Address != want[i].Email || plain(list[i].Name) != plain(want[i].Name) {
				t.Fatalf("%s: %+v, want %+v", name, list[i], want[i])
			}
		}
	}
	m, err := Parse(raw)
	if err != nil || m.Subject != plain(d.Subject) || m.From[0].Name != plain(d.From.Name) {
		t.Fatalf("%q from %q, %v", m.Subject, m.From[0].Name, err)
	}
}

// Control characters, quotes, encoded words and anything else in names and subjects
// reach no header.
func TestNothingIsInjectedIntoHeaders(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"\r\n", "\n", "\r", "Bcc: x@y.example", " ", "\t", "\x00", `"`, `\`, "<", ">", ",", ";", ":", "(", "=?utf-8?Q?a?=", "=?", "?=", "ü", "漢字",
		"\u2028", "\u202e", "\u0085", "a", "Jo", "\xff", strings.Repeat("long", 300), "@", "--=_", "."})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(pieces, 0, 8).Draw(t, "pieces"), "") })
	rapid.Check(t, func(t *rapid.T) {
		d := draft()
		d.From.Name, d.ReplyTo.Name, d.To[0].Name = text.Draw(t, "from"), text.Draw(t, "reply"), text.Draw(t, "to")
		d.Subject = text.Draw(t, "subject")
		d.HTML = markup.FromText(text.Draw(t, "text"))
		d.Quote = &Quote{Author: text.Draw(t, "author"), Date: d.Date, HTML: "<p>x</p>"}
		d.Files = []File{{Name: text.Draw(t, "file"), Type: text.Draw(t, "type"), ContentID: text.Draw(t, "id"), Content: []byte("x")}}
		checkComposed(t, d)
		m := parsed(t, d)
		if len(m.Files) != 1 || string(m.Files[0].Content) != "x" || m.Files[0].Name != fileName(d.Files[0]) {
			t.Fatalf("files %+v", m.Files)
		}
	})
}

// What we write and quote, we read without the quote.
func TestWhatIsWrittenIsReadBack(t *testing.T) {
	blocks := rapid.SampledFrom([]string{"<p>one</p>", "<p>a <strong>b</strong> &lt;c&gt;</p>", "<ul><li>x</li><li>y</li></ul>", "<pre>  code\n    more</pre>", "<p>On it:</p>", "<p>ü 漢字</p>", "<hr>", "<blockquote><p>a saying</p></blockquote>",
		`<p><a href="https://example.org/" rel="noopener noreferrer">link</a></p>`, "<p>Sent to you.</p>"})
	rapid.Check(t, func(t *rapid.T) {
		d := draft()
		d.Subject = "Re: x"
		d.HTML = markup.Sanitize("<p>Hello</p>" + strings.Join(rapid.SliceOfN(blocks, 0, 6).Draw(t, "blocks"), "") + "<p>Bye</p>")
		d.Signature = "<p>Ada</p>"
		d.Quote = &Quote{Author: "Jo", Date: d.Date, HTML: strings.Join(rapid.SliceOfN(blocks, 1, 3).Draw(t, "quoted"), "")}
		if got := parsed(t, d).Written(nil); got != d.HTML {
			t.Fatalf("read  %s\nwrote %s", got, d.HTML)
		}
	})
}

func TestSign(t *testing.T) {
	_, small, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	large, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []crypto.Signer{small, large} {
		testSign(t, key)
	}
	if record, err := DKIMRecord("a key"); err == nil {
		t.Errorf("a text has the record %s", record)
	}
}

func testSign(t *testing.T, private crypto.Signer) {
	record, err := DKIMRecord(private.Public())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := draft().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	signed, err := Signer{Domain: "desk.example", Selector: "s1", Key: private}.Sign(raw)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(mail []byte) error {
		found, err := dkim.VerifyWithOptions(bytes.NewReader(mail), &dkim.VerifyOptions{LookupTXT: func(domain string) ([]string, error) {
			if domain != "s1._domainkey.desk.example" {
				t.Errorf("asked for %s", domain)
			}
			return []string{record}, nil
		}})
		if err != nil {
			return err
		}
		return found[0].Err
	}
	if err := verify(signed); err != nil {
		t.Errorf("our own signature: %v", err)
	}
	for name, changed := range map[string][]byte{
		"body":        bytes.Replace(signed, []byte("Please"), []byte("Do not"), 1),
		"subject":     bytes.Replace(signed, []byte("ACME-17"), []byte("ACME-18"), 1),
		"second From": append([]byte("From: ceo@desk.example\r\n"), signed...),
	} {
		if verify(changed) == nil {
			t.Errorf("a changed %s passes", name)
		}
	}
	if m, err := Parse(signed); err != nil || m.Subject != draft().Subject {
		t.Errorf("%q, %v", m.Subject, err)
	}
}

func TestByteCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0 KB", 1: "1 KB", 1024: "1 KB", 1<<20 - 1: "1024 KB", 1 << 20: "1.0 MB", 40 << 20: "40.0 MB"} {
		if got := byteCount(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
