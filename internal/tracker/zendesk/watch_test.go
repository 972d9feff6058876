package zendesk

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/desk"
)

const (
	here     = "https://desk.test/hook/1"
	bothOf   = `["zen:event-type:ticket.comment_added","zen:event-type:ticket.status_changed"]`
	creating = `{"webhook":{"name":"Frontdesk","description":"Tells Frontdesk when a ticket changes.","endpoint":"` + here + `","http_method":"POST",
		"request_format":"json","status":"active","subscriptions":` + bothOf + `}}`
)

func hook(id, endpoint, status, subscriptions string) string {
	return fmt.Sprintf(`{"id":%q,"name":"x","endpoint":%q,"http_method":"POST","request_format":"json","status":%q,"subscriptions":%s,"created_by":"1"}`, id, endpoint, status, subscriptions)
}

func hooks(after string, next string, all ...string) exchange {
	call := "GET webhooks?"
	if after != "" {
		call += "page[after]=" + after + "&"
	}
	return exchange{call: call + "page[size]=100", answer: fmt.Sprintf(`{"webhooks":[%s],"meta":{"has_more":%v,"after_cursor":%q},"links":{}}`, strings.Join(all, ","), next != "", next)}
}

func secret(id string) exchange {
	return exchange{call: "GET webhooks/" + id + "/signing_secret", answer: `{"signing_secret":{"algorithm":"SHA256","secret":"shh"}}`}
}

func TestWatch(t *testing.T) {
	made := exchange{call: "POST webhooks", body: creating, status: 201, answer: `{"webhook":` + hook("01NEW", here, "active", bothOf) + `}`}
	other := hook("01OTHER", "https://other.test", "active", bothOf)
	for _, tt := range []struct {
		name  string
		calls []exchange
	}{
		{"the first", []exchange{hooks("", "", other), made, secret("01NEW")}},
		{"found", []exchange{hooks("", "", other, hook("01OLD", here, "active", bothOf)), secret("01OLD")}},
		{"found on another page", []exchange{hooks("", "p2", other), hooks("p2", "", hook("01OLD", here, "active", bothOf)), secret("01OLD")}},
		{"found twice", []exchange{hooks("", "", hook("01A", here, "active", bothOf), hook("01B", here, "active", bothOf)), {call: "DELETE webhooks/01B", status: 204}, secret("01A")}},
		{"stopped", []exchange{hooks("", "", hook("01OLD", here, "inactive", bothOf)), {call: "DELETE webhooks/01OLD", status: 204}, made, secret("01NEW")}},
		{"of too little", []exchange{hooks("", "", hook("01OLD", here, "active", `["zen:event-type:ticket.comment_added"]`)), {call: "DELETE webhooks/01OLD", status: 404, answer: "{}"}, made, secret("01NEW")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := expect(t, tt.calls...).place.Watch(t.Context(), here); err != nil || got != "shh" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestWatchFails(t *testing.T) {
	forbidden := exchange{status: 403, answer: `{"error":"Forbidden"}`}
	at := func(call, body string, it exchange) exchange { it.call, it.body = call, body; return it }
	for _, tt := range []struct {
		name  string
		calls []exchange
		kind  desk.Kind
		words string
	}{
		{"may not list", []exchange{at("GET webhooks?page[size]=100", "", forbidden)}, desk.Forbidden, "only an admin"},
		{"may not make", []exchange{hooks("", ""), at("POST webhooks", creating, forbidden)}, desk.Forbidden, "only an admin"},
		{"may not see the secret", []exchange{hooks("", "", hook("01A", here, "active", bothOf)), at("GET webhooks/01A/signing_secret", "", forbidden)}, desk.Forbidden, "only an admin"},
		{"not taken", []exchange{hooks("", ""), at("POST webhooks", creating, exchange{status: 400, answer: `{"errors":[{"code":"InvalidEndpoint","title":"Endpoint is not reachable","detail":"No."}]}`})},
			desk.Refused, "Endpoint is not reachable; No."},
		{"removed meanwhile", []exchange{hooks("", "", hook("01A", here, "active", bothOf)), at("GET webhooks/01A/signing_secret", "", exchange{status: 404, answer: "{}"})}, desk.Refused, "Try again"},
		{"no secret", []exchange{hooks("", "", hook("01A", here, "active", bothOf)), at("GET webhooks/01A/signing_secret", "", exchange{answer: "{}"})}, desk.Unavailable, ""},
		{"a lost answer", []exchange{hooks("", ""), at("POST webhooks", creating, exchange{before: hangUp})}, desk.Unavailable, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := expect(t, tt.calls...).place.Watch(t.Context(), here)
			fails(t, tt.name, err, tt.kind, tt.words)
		})
	}
}

func TestUnwatch(t *testing.T) {
	other := hook("01OTHER", here+"0", "active", bothOf)
	check(t, expect(t, hooks("", "", other)).place.Unwatch(t.Context(), here))
	check(t, expect(t, hooks("", "p2", hook("01A", here, "inactive", "[]"), other), hooks("p2", "", hook("01B", here, "active", bothOf)),
		exchange{call: "DELETE webhooks/01A", status: 204}, exchange{call: "DELETE webhooks/01B", status: 404, answer: "{}"}).place.Unwatch(t.Context(), here))
	err := expect(t, hooks("", "", hook("01A", here, "active", bothOf)), exchange{call: "DELETE webhooks/01A", status: 500}).place.Unwatch(t.Context(), here)
	fails(t, "not removed", err, desk.Unavailable, "")
}
