package suggest

import (
	"strings"
	"testing"

	"frontdesk/internal/markup"
)

// counts are for the class "not a request".
type counts struct{ right, wrong, missed, kinds int }

func (c counts) precision() float64 { return ratio(c.right, c.right+c.wrong) }
func (c counts) recall() float64    { return ratio(c.right, c.right+c.missed) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

func TestJudgeCorpus(t *testing.T) {
	for _, half := range []struct {
		file  string
		known bool
		floor float64 // minimum recall
	}{
		// We insist on precision, so the minimum recall is a little below what was
		// reached. The later set is unusual. There a pleasantry may be mistaken for
		// a request, and is, but hardly the other way round.
		{"intake_tuning.tsv", true, 0.98},
		{"intake_held.tsv", false, 0.96},
		{"intake_later.tsv", false, 0.35},
	} {
		t.Run(half.file, func(t *testing.T) {
			per := map[string]*counts{"all": {}}
			for _, e := range corpus(t, half.file) {
				if per[e.language] == nil {
					per[e.language] = &counts{}
				}
				got := Judge(markup.FromText(e.text))
				if half.known && string(got) != e.label {
					t.Logf("%s: %q is %s, judged %s", e.language, e.text, e.label, got)
				}
				for _, c := range []*counts{per[e.language], per["all"]} {
					switch request := e.label == string(Request); {
					case !got.IsRequest() && !request:
						c.right++
						if string(got) == e.label {
							c.kinds++
						}
					case !got.IsRequest():
						c.wrong++
					case !request:
						c.missed++
					}
				}
			}
			for _, language := range append([]string{"all"}, languageNames...) {
				c := per[language]
				t.Logf("%-4s not a request: precision %.3f recall %.3f (%d right, %d wrong, %d missed; of the right ones %d of the right kind)",
					language, c.precision(), c.recall(), c.right, c.wrong, c.missed, c.kinds)
			}
			if p := per["all"].precision(); p < 0.98 {
				t.Errorf("precision %.3f, want at least 0.98", p)
			}
			if r := per["all"].recall(); r < half.floor {
				t.Errorf("recall %.3f, want at least %.2f", r, half.floor)
			}
		})
	}
}

func TestJudgeProbes(t *testing.T) {
	for _, e := range corpus(t, "intake_probes.tsv") {
		if got := Judge(markup.FromText(e.text)); got.IsRequest() != (e.label == string(Request)) {
			t.Errorf("%q is a %s, judged %s", e.text, e.label, got)
		}
	}
}

// What only HTML can express: mentions, code, quotes, pictures.
func TestJudgeHTML(t *testing.T) {
	tests := []struct {
		html string
		want Verdict
	}{
		{``, Request},
		{`<p> </p>`, Request},
		{`<p>thanks <span data-user="U1">@Mira Smith</span>!</p>`, Thanks},
		{`<p><span data-user="U1">@Mira</span> hi</p>`, Greeting},
		{`<p><span data-everyone="here">@here</span> good morning</p>`, Greeting},
		{`<p><span data-user="U1">@Mira</span></p>`, Request},
		{`<p>thanks, see <span data-channel="C1">#billing</span></p>`, Request},
		{`<p>ok <code>rm -rf</code></p>`, Request},
		{`<p>thanks</p><pre>panic: nil</pre>`, Request},
		{`<p>thanks <img src="https://a.example/b.png" alt="cat"></p>`, Request},
		{`<p>thanks <a href="https://a.example/">here</a></p>`, Request},
		{`<p><strong>Thank</strong> <em>you</em></p>`, Thanks},
		{`<p>ok<br>thanks</p><p>👍</p>`, Thanks},
		{`<blockquote><p>Is it broken?</p></blockquote><p>thanks, works now</p>`, Thanks},
		{`<blockquote><p>thanks</p></blockquote>`, Thanks},
		{`<blockquote><p>Is it broken?</p></blockquote>`, Request},
		{`<ul><li>thanks</li><li>the export fails</li></ul>`, Request},
		{`thanks &amp; best regards`, Thanks},
	}
	for _, tt := range tests {
		if got := Judge(tt.html); got != tt.want {
			t.Errorf("Judge(%q) = %s, want %s", tt.html, got, tt.want)
		}
	}
}

// Very long messages are requests, and are not even read.
func TestJudgeLength(t *testing.T) {
	for _, text := range []string{strings.Repeat("ok ", 61), strings.Repeat("thanks ", 2000), strings.Repeat("👍", 61)} {
		if got := Judge(text); got != Request {
			t.Errorf("Judge of %d bytes is %s", len(text), got)
		}
	}
	if got := Judge(strings.Repeat("ok ", 20)); got != Acknowledgement {
		t.Errorf("ok twenty times is %s", got)
	}
}
