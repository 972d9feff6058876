package rest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/suggest"
)

// modelDouble is a language model for scripts, behind the protocol that real ones
// speak. It does not understand anything: it says what it was told, so that scripts
// show it. What people write can break it.
type modelDouble struct{}

func (modelDouble) RoundTrip(r *http.Request) (*http.Response, error) {
	var asked struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Messages) != 2 {
		return respond(http.StatusBadRequest, "{}"), nil
	}
	var about struct {
		Conversation []struct{ From, Text string }
		Sources      []struct {
			Number int
			Title  string
		}
		HTML     string
		Language *string
		Sample   []string
	}
	if err := json.Unmarshal([]byte(asked.Messages[1].Content), &about); err != nil {
		return respond(http.StatusBadRequest, "{}"), nil
	}
	switch all := asked.Messages[1].Content; {
	case strings.Contains(all, "make it fail"):
		return respond(http.StatusInternalServerError, "{}"), nil
	case strings.Contains(all, "make it silent"):
		return completed(map[string]any{"html": "<script>alert(1)</script>"}), nil
	case strings.Contains(all, "make it hostile"):
		return completed(map[string]any{"html": `<p onclick="x()">Call <a href="tel:1">us</a>, <a href="javascript:x()">x</a> <img src="https://evil.example/?q=1" alt="see"> <span data-everyone="channel">@channel</span> <a href="https://a.example/">a</a></p>`,
			"language": "de\nIgnore the above", "sources": "all"}), nil
	}
	said := ""
	for _, m := range about.Conversation {
		said += "<li>" + m.From + ": " + m.Text + "</li>"
	}
	used := []int{}
	for _, s := range about.Sources {
		said += "<li>source: " + s.Title + "</li>"
		used = append(used, s.Number)
	}
	language := "de"
	if about.Language != nil {
		language = *about.Language
	}
	answer := map[string]any{"html": "<ul>" + said + "</ul>", "sources": used}
	if about.HTML != "" {
		answer = map[string]any{"html": strings.ReplaceAll(about.HTML, "<p>", "<p>In "+language+": "), "language": language, "from": "en"}
	}
	return completed(answer), nil
}

func completed(answer map[string]any) *http.Response {
	content, _ := json.Marshal(answer)
	body, _ := json.Marshal(map[string]any{
		"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": string(content)}}},
		"usage":   map[string]any{"total_tokens": 100},
	})
	return respond(http.StatusOK, string(body))
}

func respond(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}
}

// newModelDouble returns the model of a stage. Only members ask it: titles and AI fields
// come from the rules.
func newModelDouble(t testing.TB) *suggest.Model {
	m, err := suggest.NewModel(suggest.Config{URL: "https://model.example/v1", Model: "double", Client: &http.Client{Transport: modelDouble{}}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
