package mailbox

import (
	"net/smtp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"frontdesk/internal/mail"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// bodyOf returns what is between the tags of a page's body.
func bodyOf(page string) string {
	_, body, _ := strings.Cut(page, "<body>")
	body, _, _ = strings.Cut(body, "</body>")
	return strings.TrimSpace(body)
}

func TestPageShowsOnlyWhatIsHarmless(t *testing.T) {
	for name, tt := range map[string]struct{ html, want string }{
		"script":            {`<p>a<script>alert(1)</script></p>`, `<p>a</p>`},
		"handler":           {`<p onclick="alert(1)" onmouseover=x>a</p>`, `<p>a</p>`},
		"link":              {`<a href="https://a.test/x" target="_top" onclick="x">a</a>`, `<a href="https://a.test/x" rel="noopener noreferrer">a</a>`},
		"link to a script":  {`<a href="java&#10;script:alert(1)">a</a><a href=" JAVASCRIPT:x">b</a><a href="data:text/html,x">c</a><a href="/v1/rest/me">d</a>`, `<a>a</a><a>b</a><a>c</a><a>d</a>`},
		"remote image":      {`<img src="https://a.test/pixel.gif"><img src="//a.test/x.png" alt="Our logo"><img srcset="https://a.test/x 2x">`, `Our logo`},
		"own image":         {`<img src="cid:logo@x" width="20" alt="logo" onerror="x">`, `<img width="20" alt="logo" src="data:image/png;base64,UE5H"/>`},
		"image that is SVG": {`<img src="cid:drawing@x">`, ``},
		"picture elements":  {`<picture><source srcset="https://a.test/x"><img src="https://a.test/y" alt="z"></picture>`, `z`},
		"style with url":    {`<p style="background: url(https://a.test/x)">a</p><p style="background: u\72l(x)">b</p>`, `<p style="">a</p><p style="">b</p>`},
		"style":             {`<p style="color: red">a</p>`, `<p style="color: red">a</p>`},
		"form":              {`<form action="https://a.test"><input name="p"><button>Go</button><p>a</p></form>`, `<p>a</p>`},
		"frames":            {`<iframe src="https://a.test"></iframe><object data="x">b</object><embed src="x"><video src="x"></video>a`, `a`},
		"head":              {`<head><base href="https://a.test"><meta http-equiv="refresh" content="0;url=https://a.test"><link rel="stylesheet" href="https://a.test"><title>t</title></head>a`, `a`},
		"svg and math":      {`<svg><a xlink:href="javascript:x"><text>b</text></a><style>@import 'x'</style></svg><math href="x">c</math>a`, `a`},
		"noscript":          {`<noscript><img src="https://a.test"></noscript>a`, `a`},
		"hidden in text":    {`<p>&lt;script&gt;x&lt;/script&gt;</p>`, `<p>&lt;script&gt;x&lt;/script&gt;</p>`},
		"id and name":       {`<p id="root" name="x" class="y" data-x="z">a</p>`, `<p>a</p>`},
		"table":             {`<table width="100%" background="https://a.test/x"><tr><td bgcolor="#eee">a</td></tr></table>`, `<table width="100%"><tbody><tr><td bgcolor="#eee">a</td></tr></tbody></table>`},
		"history":           {`<p>new</p><p>On Monday, Jo wrote:</p><blockquote>old</blockquote>`, `<p>new</p><details><summary aria-label="Earlier mail">…</summary><p>On Monday, Jo wrote:</p><blockquote>old</blockquote></details>`},
		"only history":      {`<blockquote>old</blockquote>`, `<blockquote>old</blockquote>`},
		"nested deeply":     {strings.Repeat("<div>", 10_000) + "a", `<p>a</p>`},
		"answers between":   {`<p>On Monday, Jo wrote:</p><blockquote>old</blockquote>new`, `<p>On Monday, Jo wrote:</p><blockquote>old</blockquote>new`},
	} {
		t.Run(name, func(t *testing.T) {
			page := pageOf(mail.Mail{HTML: tt.html, Files: []mail.File{
				{ContentID: "logo@x", Type: "image/png", Content: []byte("PNG")}, {ContentID: "drawing@x", Type: "image/svg+xml", Content: []byte("<svg/>")}}})
			want(t, tt.html, bodyOf(string(page)), tt.want)
		})
	}
}

func TestPageStyles(t *testing.T) {
	kept := string(pageOf(mail.Mail{HTML: `<style>p.x { margin: 0 }</style><style>@import "https://a.test"</style><style>p { background: URL(x) }</style><p class="x">a</p>`}))
	if !strings.Contains(kept, "p.x { margin: 0 }") || strings.Contains(kept, "a.test") || strings.Contains(kept, "URL(") || !strings.Contains(kept, `<p class="x">`) {
		t.Error(kept)
	}
	for text, coloured := range map[string]bool{"<p>a</p>": false, `<p style="margin: 0">a</p>`: false, `<p style="color:#333">a</p>`: true, `<body bgcolor="#fff">a`: true, `<style>p { background: #eee }</style>a`: true} {
		page := string(pageOf(mail.Mail{HTML: text}))
		want(t, text, strings.Contains(page, "color-scheme: light;"), coloured)
	}
	want(t, "text", bodyOf(string(pageOf(mail.Mail{Text: "a <b>\nhttps://a.test\n\n> q"}))),
		`<p>a &lt;b&gt;<br/><a href="https://a.test" rel="noopener noreferrer">https://a.test</a></p><p>&gt; q</p>`)
}

// Whatever a mail has, its page has no element and no attribute that could do anything.
func FuzzPage(f *testing.F) {
	for _, text := range []string{"", "<p>a", "<svg><style><img src=x onerror=y>", "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">", "<style></style ><script>", "<table><a href='javascript:x'>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		page := pageOf(mail.Mail{HTML: text})
		doc := must(html.Parse(strings.NewReader(bodyOf(string(page)))))
		for n := range doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if !shownElements[n.Data] && n.Data != "html" && n.Data != "head" && n.Data != "body" && n.Data != "details" && n.Data != "summary" {
				t.Errorf("%q becomes a page with <%s>: %s", text, n.Data, page)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "href" && !isLink(a.Val) {
					t.Errorf("%q becomes a page with %s=%q", text, a.Key, a.Val)
				}
			}
		}
	})
}

func TestWhatAMailServes(t *testing.T) {
	w := newWorld(t)
	source := strings.ReplaceAll(`From: "<script>" <x@evil.test>
To: ines@harborpine.test
Subject: =?utf-8?q?<img_src=3Dx>?=
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html

<script>alert(1)</script><p>Hello</p>
--b
Content-Type: text/html
Content-Disposition: attachment; filename="../x.html"

<script>alert(2)</script>
--b--
`, "\n", "\r\n")
	if err := smtp.SendMail(w.smtp, nil, "x@evil.test", []string{ines}, []byte(source)); err != nil {
		t.Fatal(err)
	}
	c := w.newest(ines, inbox)
	want(t, "subject", c.Subject, "<img src=x>")
	header, page := w.fetch("/mails/" + itoa(c.ID) + "/page")
	want(t, "page", []string{header.Get("Content-Type"), header.Get("Content-Security-Policy"), bodyOf(page)}, []string{"text/html; charset=utf-8", pagePolicy, "<p>Hello</p>"})
	if strings.Contains(pagePolicy, "allow-scripts") || strings.Contains(pagePolicy, "allow-top") || strings.Contains(pagePolicy, "allow-forms") {
		t.Error(pagePolicy)
	}
	header, got := w.fetch("/mails/" + itoa(c.ID) + "/source")
	want(t, "source", []string{header.Get("Content-Type"), header.Get("X-Content-Type-Options"), got}, []string{"text/plain; charset=utf-8", "nosniff", source})
	header, got = w.fetch("/mails/" + itoa(c.ID) + "/files/" + strconv.Itoa(c.Files[0].Number))
	want(t, "file", []string{header.Get("Content-Type"), header.Get("Content-Disposition"), header.Get("Content-Security-Policy"), strings.TrimSpace(got)},
		[]string{"application/octet-stream", "attachment; filename=x.html", "default-src 'none'; sandbox; frame-ancestors 'none'", "<script>alert(2)</script>"})
	for _, number := range []string{"7", "-1", "x"} {
		code, _ := w.call("GET", "/mails/"+itoa(c.ID)+"/files/"+number)
		want(t, "file "+number, code, 404)
	}
	// What is no mail can still be looked at.
	if err := smtp.SendMail(w.smtp, nil, "x@evil.test", []string{oskar}, []byte("hello\r\n")); err != nil {
		t.Fatal(err)
	}
	broken := w.newest(oskar, inbox)
	want(t, "broken", broken.Subject, "This mail cannot be read")
	_, page = w.fetch("/mails/" + itoa(broken.ID) + "/page")
	want(t, "its page", bodyOf(page), "<p>hello</p>")
}
