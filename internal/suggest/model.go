package suggest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	defaultTimeout  = 15 * time.Second
	settleTimeout   = 5 * time.Second
	mostAnswerBytes = 64 << 10
	answerTokens    = 400 // estimated cost of an answer, besides the question
	mostUsage       = 1 << 20
)

// Config says which model to ask.
type Config struct {
	URL     string         // the part before /chat/completions: https://api.example.com/v1
	Key     string         // sent as a bearer token; empty sends none, for example to one's own server
	Model   string         // its name there
	Timeout time.Duration  // for the whole call. Defaults to 15 seconds.
	Budget  Budget         // nil: no limit
	Client  *http.Client   // nil: a plain one. Redirects are never followed.
	Extra   map[string]any // further fields of the question that the server wants: temperature, max_tokens. They cannot replace ours.
}

// Model asks a language model behind an OpenAI-compatible address. Suggest asks all
// its questions in one call, and uses the rules' answer for each that the model did not
// answer well. Ask asks anything else, and has no rules to fall back to.
type Model struct {
	config   Config
	endpoint string
	client   *http.Client
	rules    Rules
}

// NewModel checks the configuration. It does not call the server.
func NewModel(c Config) (*Model, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("the model's URL must begin with http:// or https:// and name a host")
	}
	if u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, errors.New("the model's URL must have no query, fragment or password")
	}
	if strings.TrimSpace(c.Model) == "" {
		return nil, errors.New("the model's name must not be empty")
	}
	if c.Timeout < 0 {
		return nil, errors.New("the model's time limit must not be negative")
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	client := &http.Client{}
	if c.Client != nil {
		copied := *c.Client
		client = &copied
	}
	// A redirect would send what people wrote to an address that nobody has
	// configured.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Model{config: c, endpoint: strings.TrimRight(c.URL, "/") + "/chat/completions", client: client}, nil
}

// Suggest asks the model, within its time and budget. The rules answer first, and
// their answers stay where the model's do not count.
func (m *Model) Suggest(ctx context.Context, d Discussion) Suggestion {
	s := m.rules.Suggest(ctx, d)
	if len(d.Messages) == 0 {
		return s // nothing to ask about
	}
	answer, err := m.Ask(ctx, question(d))
	if err != nil {
		s.because(err.Error())
		return s
	}
	reply(answer).apply(&s, d.Categories)
	return s
}

// because records why the rules answer instead of the model.
func (s *Suggestion) because(reason string) {
	s.Title.Reason = reason
	s.Priority.Reason = reason
	s.Categories.Reason = reason
	s.Sentiment.Reason = reason
	s.Emotion.Reason = reason
}

// post sends the question and returns the text of the answer and the tokens used,
// -1 if unknown.
func (m *Model) post(ctx context.Context, body []byte) (text string, used int, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.config.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.endpoint, bytes.NewReader(body))
	if err != nil {
		return "", 0, errors.New("the question could not be written")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if m.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+m.config.Key)
	}
	resp, err := m.client.Do(req)
	if err != nil {
		return "", spentOn(err), trouble(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", 0, fmt.Errorf("the server answered with status %d", resp.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswerBytes+1))
	switch {
	case err != nil:
		return "", -1, trouble(err)
	case len(data) > mostAnswerBytes:
		return "", -1, errors.New("the answer was too long")
	}
	return completion(data)
}

// completion reads the answer of the protocol.
func completion(data []byte) (text string, used int, err error) {
	var c struct {
		Choices []struct {
			Message struct {
				Content *string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
		Usage struct {
			Total *int `json:"total_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return "", -1, errors.New("the answer was not in the protocol")
	}
	used = -1
	if t := c.Usage.Total; t != nil && *t >= 0 && *t <= mostUsage {
		used = *t
	}
	if len(c.Choices) == 0 || c.Choices[0].Message.Content == nil {
		return "", used, errors.New("the answer was empty")
	}
	return *c.Choices[0].Message.Content, used, nil
}

// spentOn returns what a failed call has cost: unknown if the server may have begun
// to answer.
func spentOn(err error) int {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return -1
	}
	return 0
}

// trouble says what went wrong, without an address or a text in it.
func trouble(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return ErrSlow
	case errors.Is(err, context.Canceled):
		return ErrCancelled
	}
	return errors.New("the server could not be reached")
}
