package mail

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// shapes write an answer to a mail as programs do: blocks of quoted lines, and of lines
// that were written between them.
var shapes = map[string]func(introduction string, blocks []block) Mail{
	"text": func(introduction string, blocks []block) Mail {
		out := introduction + "\n"
		for _, b := range blocks {
			for _, l := range b.lines {
				if b.quoted {
					out += "> "
				}
				out += l + "\n"
			}
		}
		return Mail{Text: out}
	},
	"Gmail": func(introduction string, blocks []block) Mail {
		return Mail{HTML: `<div class="gmail_quote"><div class="gmail_attr">` + html.EscapeString(introduction) + `<br></div>` +
			inHTML(blocks, `<blockquote class="gmail_quote">`) + `</div>`}
	},
	"Apple Mail": func(introduction string, blocks []block) Mail {
		return Mail{HTML: `<html><body><div><blockquote type="cite"><div>` + html.EscapeString(introduction) + `</div></blockquote>` +
			inHTML(blocks, `<blockquote type="cite">`) + `</div></body></html>`}
	},
	"Thunderbird": func(introduction string, blocks []block) Mail {
		return Mail{HTML: `<div class="moz-cite-prefix">` + html.EscapeString(introduction) + `<br></div>` + inHTML(blocks, `<blockquote type="cite" cite="mid:a@x">`)}
	},
	"Outlook, text as HTML": func(introduction string, blocks []block) Mail {
		out := `<div class="PlainText">` + html.EscapeString(introduction) + "<br>"
		for _, b := range blocks {
			for _, l := range b.lines {
				if b.quoted {
					out += "&gt; "
				}
				out += html.EscapeString(l) + "<br>"
			}
		}
		return Mail{HTML: out + "</div>"}
	},
}

// block is some lines that are quoted, or that answer what is quoted.
type block struct {
	quoted bool
	lines  []string
}

func inHTML(blocks []block, quote string) string {
	out := ""
	for _, b := range blocks {
		lines := "<div>" + strings.Join(b.lines, "</div><div>") + "</div>"
		if b.quoted {
			lines = quote + lines + "</blockquote>"
		}
		out += lines
	}
	return out
}

// Whatever is written between quoted lines stays, and nothing that is quoted does.
func TestWhatStandsBetweenQuotedLinesStays(t *testing.T) {
	introductions := []string{
		"On Tue, Mar 3, 2026 at 10:15 AM Ada Desk <support@desk.example> wrote:",
		"Am 03.03.26 um 10:15 schrieb Ada Desk:",
		"Le 3 mars 2026 à 10:15, Ada Desk <support@desk.example> a écrit :",
		"2026年3月3日(火) 10:15 Ada Desk <support@desk.example>:",
	}
	endings := rapid.SampledFrom([]string{"", ".", "?", ":", " at 10:15:", ", as you wrote", " <jo@customer.example>", " --"})
	rapid.Check(t, func(t *rapid.T) {
		var blocks []block
		answers := 0
		for i := range rapid.IntRange(2, 8).Draw(t, "blocks") {
			b := block{quoted: i%2 == 0}
			for n := range rapid.IntRange(1, 3).Draw(t, "lines") {
				word := "answer"
				if b.quoted {
					word = "question"
				} else {
					answers++
				}
				b.lines = append(b.lines, fmt.Sprintf("%s%d.%d%s", word, i, n, endings.Draw(t, "ending")))
			}
			blocks = append(blocks, b)
		}
		for name, shape := range shapes {
			m := shape(rapid.SampledFrom(introductions).Draw(t, "introduction"), blocks)
			m.Subject = "Re: Export fails"
			written := m.Written(nil)
			if got := strings.Count(written, "answer"); got != answers || strings.Contains(written, "question") || strings.Contains(written, "Ada") {
				t.Fatalf("%s: of %s%s\nthis is left: %s", name, m.HTML, m.Text, written)
			}
		}
	})
}

// A last line that a phone wrote goes, and one about a phone stays.
func TestDeviceLines(t *testing.T) {
	for text, want := range map[string]bool{
		"Sent from my iPhone": true, "Sent from Outlook for Android": true, "Get Outlook for iOS": true, "Sent with Proton Mail secure email.": true,
		"Von meinem iPhone gesendet": true, "Gesendet von Mail für Windows": true, "Envoyé de mon iPhone": true, "Enviado desde mi iPhone": true,
		"Enviado do meu iPhone": true, "Inviato da iPhone": true, "Verstuurd vanaf mijn iPhone": true, "Skickat från min iPhone": true, "Sendt fra min iPhone": true,
		"Lähetetty iPhonesta": true, "Wysłane z iPhone’a": true, "Odesláno z iPhonu": true, "Отправлено с iPhone": true, "iPhone’umdan gönderildi": true,
		"发自我的iPhone": true, "iPhoneから送信": true, "나의 iPhone에서 보냄": true,
		"Sent from my office": false, "Sent via courier": false, "Von meinem iPhone aus geht es nicht": false, "The iPhone is broken": false, "My phone: +49 30 1234": false, "": false,
		"Sent from my iPhone, which I bought last year and which has since then never shown this page as it should": false,
	} {
		if got := deviceLine(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
