package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/suggest"
)

// A server calls the model in its settings with the key in its settings. The key
// appears nowhere else: not in help, logs or answers.
func TestAModelBySettings(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		const secret = "sk-very-secret"
		asked := make(chan string, 10)
		model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			asked <- r.URL.Path + " " + r.Header.Get("Authorization") + " " + string(body)
			http.Error(w, "down", http.StatusInternalServerError)
		}))
		defer model.Close()
		in := install(t, url)
		token := in.account()
		in.env = append(in.env, "FRONTDESK_AI_KEY="+secret, "FRONTDESK_AI_URL="+model.URL+"/v1/", "FRONTDESK_LOG_LEVEL=debug")
		if help := in.mustRun("help"); strings.Contains(help, secret) || !strings.Contains(help, "FRONTDESK_AI_KEY") {
			t.Errorf("help says %s", help)
		}
		p := in.start("--ai-model", "small-one", "--ai-timeout", "5s", "--ai-budget", "100000")
		create := func(path, body string) []byte {
			t.Helper()
			status, answer, _, err := call{method: "POST", path: path, token: token, body: json.RawMessage(body)}.do(t.Context(), http.DefaultClient, p.url)
			if err != nil || status != http.StatusCreated {
				t.Fatalf("POST %s: %d %s, %v", path, status, answer, err)
			}
			return answer
		}
		create("/collections", `{"name": "API", "kind": "api"}`)
		made := create("/requests", `{"description": "The app crashes"}`)
		var m struct{ Request struct{ ID string } }
		must(t, json.Unmarshal(made, &m))
		if question := <-asked; !strings.HasPrefix(question, "/v1/chat/completions Bearer "+secret+" ") || !strings.Contains(question, "The app crashes") || !strings.Contains(question, `"model":"small-one"`) {
			t.Errorf("asked %s", question)
		}
		var got struct {
			Request struct {
				Title string
				AI    struct {
					Category  []string
					Sentiment string
				} `json:"ai_field_values"`
			}
		}
		await(t, "the rules' answer", func() bool {
			p.get(t, token, "/requests/"+m.Request.ID, &got)
			return got.Request.AI.Sentiment == "neutral" && len(got.Request.AI.Category) == 1 && got.Request.Title == "The app crashes"
		})
		var who struct {
			Me struct {
				HasModel bool `json:"has_model"`
			}
		}
		if p.get(t, token, "/me", &who); !who.Me.HasModel {
			t.Error("members are not told of the model")
		}
		await(t, "a line that says why", func() bool { return strings.Contains(p.logs.String(), "the server answered with status 500") })
		if strings.Contains(p.logs.String(), secret) {
			t.Errorf("the key is in the logs: %s", p.logs)
		}
	})
}

// Members ask the model of the AI fields, unless the operator does not want it.
func TestHelpCanBeTurnedOff(t *testing.T) {
	settings := aiSettings{AIURL: "https://ai.test/v1", AIModel: "m", AIHelp: true}
	model, err := settings.provider(nil)
	must(t, err)
	if settings.helper(model) != model {
		t.Error("members cannot ask the model")
	}
	if (aiSettings{AIHelp: true}).helper(suggest.Rules{}) != nil {
		t.Error("members can ask the rules")
	}
	if settings.AIHelp = false; settings.helper(model) != nil {
		t.Error("members can ask although it is turned off")
	}
}
