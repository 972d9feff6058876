package lineartest

import (
	"net/http"
	"strconv"
	"testing"
	"time"
)

func TestLimits(t *testing.T) {
	c := newClock()
	w := newWorld(t, Config{Now: c.Now, RequestsPerHour: 60})
	ask := func() said {
		got, err := w.try(`{ viewer { id name } }`, nil)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := ask()
	same(t, "the limit", got.header.Get("X-RateLimit-Requests-Limit"), "60")
	same(t, "what is left", got.header.Get("X-RateLimit-Requests-Remaining"), "59")
	same(t, "when it is full", got.header.Get("X-RateLimit-Requests-Reset"), strconv.FormatInt(c.Now().Add(time.Minute).UnixMilli(), 10))
	same(t, "what it cost", got.header.Get("X-Complexity"), "2") // an object and two properties
	same(t, "of", got.header.Get("X-RateLimit-Complexity-Limit"), "3000000")
	same(t, "what is left of that", got.header.Get("X-RateLimit-Complexity-Remaining"), "2999998")
	for range 59 {
		same(t, "a call", ask().status, http.StatusOK)
	}
	got = ask()
	if got.status != http.StatusBadRequest || len(got.errors) != 1 || got.errors[0].Extensions.Code != "RATELIMITED" || got.errors[0].Extensions.Type != "ratelimited" || got.data != nil {
		t.Errorf("too many: %+v", got)
	}
	same(t, "none is left", got.header.Get("X-RateLimit-Requests-Remaining"), "0")
	c.pass(time.Minute)
	same(t, "a minute later", ask().status, http.StatusOK)
	same(t, "and at once", ask().status, http.StatusBadRequest)
	w.key = w.ada.Key()
	same(t, "with another key", ask().status, http.StatusBadRequest)
	w.key = w.bob.Key()
	same(t, "somebody else's", ask().status, http.StatusOK)
}

func TestComplexity(t *testing.T) {
	w := newWorld(t, Config{})
	for query, want := range map[string]string{
		`{ viewer { id } }`:                            "2",
		`{ issues(first: 10) { nodes { id title } } }`: "12",
		`{ issues { nodes { id } } }`:                  "55",
	} {
		got, err := w.try(query, nil)
		if err != nil {
			t.Fatal(err)
		}
		same(t, query, got.header.Get("X-Complexity"), want)
	}
	w.refused("too complex", http.StatusBadRequest, "INPUT_ERROR", "too complex", `{ issues(first: 250) { nodes { comments(first: 250) { nodes { id } } } } }`, nil)
	same(t, "what was run", w.s.Calls()["issues"], 2)
}

func TestFaults(t *testing.T) {
	w := newWorld(t, Config{})
	w.ada.CreateIssue(w.team.ID, "Printer burns", "")
	say := func(body string) (said, error) {
		return w.try(saying, args{"input": args{"issueId": "ENG-1", "body": body}})
	}
	for _, tt := range []struct {
		name   string
		fault  Fault
		status int // 0 for no answer
		made   bool
	}{
		{"dropped before", Fault{}, 0, false},
		{"dropped after", Fault{After: true}, 0, true},
		{"a fault before", Fault{Status: 502}, 502, false},
		{"a fault after", Fault{Status: 503, After: true}, 503, true},
		{"too many", Fault{Pause: 30 * time.Second}, 400, false},
		{"too many, whatever else is said", Fault{Pause: 30 * time.Second, After: true, Status: 502}, 400, false},
		{"on this", Fault{On: "commentCreate", Status: 500}, 500, false},
	} {
		before := len(w.s.Comments("ENG-1"))
		w.s.Fail(tt.fault)
		got, err := say(tt.name)
		if (err != nil) != (tt.status == 0) || got.status != tt.status || got.data != nil {
			t.Errorf("%s: got %+v, %v", tt.name, got, err)
		}
		if made := len(w.s.Comments("ENG-1")) > before; made != tt.made {
			t.Errorf("%s: made is %v", tt.name, made)
		}
		if tt.fault.Pause > 0 {
			same(t, "left", got.header.Get("X-RateLimit-Requests-Remaining"), "0")
			same(t, "the code", got.errors[0].Extensions.Code, "RATELIMITED")
			reset, err := strconv.ParseInt(got.header.Get("X-RateLimit-Requests-Reset"), 10, 64)
			if wait := time.Until(time.UnixMilli(reset)); err != nil || wait < 20*time.Second || wait > 31*time.Second {
				t.Errorf("the next may come in %v, %v", wait, err)
			}
		}
		if got, err = say("again"); err != nil || got.status != http.StatusOK {
			t.Errorf("after %s: %+v, %v", tt.name, got, err)
		}
	}
	w.s.Fail(Fault{On: "issueUpdate", Status: 500, Times: 2})
	if got, _ := say("x"); got.status != http.StatusOK {
		t.Errorf("a fault of another call: %+v", got)
	}
	for i, want := range []int{500, 500, 200} {
		got, _ := w.try(moving, args{"id": "ENG-1", "input": args{"title": "It burns"}})
		same(t, "time "+strconv.Itoa(i), got.status, want)
	}
	w.s.Fail(Fault{On: "commentCreate", Status: 500, Skip: 2})
	for i, want := range []int{200, 200, 500, 200} {
		got, _ := say("x")
		same(t, "with two before, time "+strconv.Itoa(i), got.status, want)
	}
	w.s.Fail(Fault{Status: 500, Times: 2})
	say("x")
	same(t, "still to go wrong", w.s.Heal(), 1)
	same(t, "and then", w.s.Heal(), 0)
	if got, err := say("x"); err != nil || got.status != http.StatusOK {
		t.Errorf("healed: %+v, %v", got, err)
	}
}

func TestPause(t *testing.T) {
	c := newClock()
	w := newWorld(t, Config{Now: c.Now})
	w.s.Pause(time.Minute)
	for _, wait := range []string{"60", "30"} {
		got, _ := w.try("{ viewer { id } }", nil)
		same(t, "refused", []any{got.status, got.header.Get("Retry-After"), got.header.Get("X-RateLimit-Requests-Remaining")}, []any{400, wait, "0"})
		c.pass(30 * time.Second)
	}
	same(t, "then", w.query("viewer.id", "{ viewer { id } }", nil), w.ada.ID)
	w.s.Pause(time.Minute)
	w.s.Heal()
	same(t, "healed", w.query("viewer.id", "{ viewer { id } }", nil), w.ada.ID)
}
