package linear

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"frontdesk/internal/desk"
)

const (
	address1      = "https://desk.test/hooks/linear/1"
	webhooksAsked = "query Webhooks($after: String) { webhooks(first: 100, after: $after) { nodes { id url secret enabled resourceTypes } pageInfo { hasNextPage endCursor } } }"
	ours          = `{"id":"w1","url":"` + address1 + `","secret":"s3","enabled":true,"resourceTypes":["Comment","Issue"]}`
	others        = `{"id":"w0","url":"https://other.test/","secret":"s0","enabled":true,"resourceTypes":["Issue"]},{"id":"w9","url":null,"secret":null,"enabled":true,"resourceTypes":["Issue"]}`
)

func listed(after, nodes, next string) exchange {
	page := `{"hasNextPage":false,"endCursor":null}`
	if next != "" {
		page = `{"hasNextPage":true,"endCursor":"` + next + `"}`
	}
	variables := `{"after":null}`
	if after != "" {
		variables = `{"after":"` + after + `"}`
	}
	return exchange{operation: "Webhooks", variables: variables, answer: `{"webhooks":{"nodes":[` + nodes + `],"pageInfo":` + page + `}}`}
}

func TestWatchFindsItsOwn(t *testing.T) {
	w, s := scripted(t, listed("", others, "c1"), listed("c1", ours, ""))
	want(t, "secret", must(w.Watch(t.Context(), address1)), "s3")
	want(t, "asked", s.asked, []string{webhooksAsked, webhooksAsked})
}

func TestWatchRenews(t *testing.T) {
	const renewed = `{"webhookUpdate":{"success":true,"webhook":{"id":"w1","secret":"s3"}}}`
	for name, there := range map[string]string{
		"disabled":   `{"id":"w1","url":"` + address1 + `","secret":"s3","enabled":false,"resourceTypes":["Comment","Issue"]}`,
		"half of it": `{"id":"w1","url":"` + address1 + `","secret":"s3","enabled":true,"resourceTypes":["Issue"]}`,
	} {
		w, s := scripted(t, listed("", there, ""), exchange{operation: "Renew", variables: `{"id":"w1","input":{"enabled":true,"resourceTypes":["Issue","Comment"],"secret":"s3"}}`, answer: renewed})
		want(t, name, must(w.Watch(t.Context(), address1)), "s3")
		want(t, "asked", s.asked[1], "mutation Renew($id: String!, $input: WebhookUpdateInput!) { webhookUpdate(id: $id, input: $input) { success webhook { id secret } } }")
	}
}

// A new webhook has a secret that cannot be guessed, and no two have the same.
func TestWatchMakesOne(t *testing.T) {
	secrets := map[string]bool{}
	for range 3 {
		var input map[string]any
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var body struct {
				OperationName string
				Variables     struct{ Input map[string]any }
			}
			b, _ := io.ReadAll(r.Body)
			json.Unmarshal(b, &body)
			if body.OperationName == "Webhooks" {
				io.WriteString(w, `{"data":{"webhooks":{"nodes":[`+others+`],"pageInfo":{"hasNextPage":false,"endCursor":null}}}}`)
				return
			}
			want(t, "operation", body.OperationName, "Watch")
			input = body.Variables.Input
			io.WriteString(w, `{"data":{"webhookCreate":{"success":true,"webhook":{"id":"w1","secret":null}}}}`)
		}))
		secret := must(connected(server.URL).Watch(t.Context(), address1))
		server.Close()
		want(t, "input", input, map[string]any{"url": address1, "label": "Frontdesk", "resourceTypes": []any{"Issue", "Comment"}, "allPublicTeams": true, "secret": secret})
		if len(secret) < 32 || secrets[secret] {
			t.Errorf("the secret is %q", secret)
		}
		secrets[secret] = true
	}
}

func TestUnwatch(t *testing.T) {
	w, s := scripted(t, listed("", others+","+ours, ""), exchange{operation: "Unwatch", variables: `{"id":"w1"}`, answer: `{"webhookDelete":{"success":true}}`})
	want(t, "unwatch", w.Unwatch(t.Context(), address1), nil)
	want(t, "asked", s.asked[1], "mutation Unwatch($id: String!) { webhookDelete(id: $id) { success } }")
	w, _ = scripted(t, listed("", others, ""))
	want(t, "nothing there", w.Unwatch(t.Context(), address1), nil)
	w, _ = scripted(t, listed("", ours, ""), exchange{operation: "Unwatch", variables: `{"id":"w1"}`, answer: refusedWith("Entity not found: Webhook", "invalid input", "INPUT_ERROR", "")})
	want(t, "gone meanwhile", w.Unwatch(t.Context(), address1), nil)
}

func TestWatchIsForbidden(t *testing.T) {
	no := refusedWith("You do not have permission", "forbidden", "FORBIDDEN", "Only admins.")
	w, _ := scripted(t, exchange{operation: "Webhooks", variables: `{"after":null}`, answer: no})
	_, err := w.Watch(t.Context(), address1)
	wantKind(t, "listing", err, desk.Forbidden)
	w, _ = scripted(t, listed("", `{"id":"w1","url":"`+address1+`","secret":"s3","enabled":false,"resourceTypes":["Issue"]}`, ""),
		exchange{operation: "Renew", variables: `{"id":"w1","input":{"enabled":true,"resourceTypes":["Issue","Comment"],"secret":"s3"}}`, answer: no})
	_, err = w.Watch(t.Context(), address1)
	wantKind(t, "renewing", err, desk.Forbidden)
	w, _ = scripted(t, listed("", ours, ""), exchange{operation: "Unwatch", variables: `{"id":"w1"}`, answer: no})
	wantKind(t, "ending", w.Unwatch(t.Context(), address1), desk.Forbidden)
}
