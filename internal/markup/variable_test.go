package markup

import (
	"fmt"
	"testing"
)

func TestFill(t *testing.T) {
	values := map[string]string{"customer": `Fern & <b>"Co"</b>`, "sender": "Mira", "channel": ""}
	for text, want := range map[string]string{
		"<p>Hi</p>":                      "<p>Hi</p> []",
		"<p>{customer}, {sender|us}</p>": "<p>Fern &amp; &lt;b&gt;&#34;Co&#34;&lt;/b&gt;, Mira</p> []",
		"<p>{channel}{channel}</p>":      "<p>{channel}{channel}</p> [channel]",
		"<p>{channel| a &amp; b }</p>":   "<p>a &amp; b</p> []",
		"<p>{channel|}</p>":              "<p></p> []",
		`<p><a href="https://x.test/{customer}">{customer|x}</a></p>`: `<p><a href="https://x.test/{customer}">Fern &amp; &lt;b&gt;&#34;Co&#34;&lt;/b&gt;</a></p> []`,
		"<p>{ customer } {1, 2} {<em>customer</em>}</p>":              "<p>{ customer } {1, 2} {<em>customer</em>}</p> []",
	} {
		filled, missing := Fill(text, values)
		if got := fmt.Sprint(filled, " ", missing); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}
