package sandbox

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// try posts a message and returns the status, 0 if no answer came.
func (w *world) try(c, text string) int {
	w.t.Helper()
	req := must(http.NewRequest("POST", w.url+"/sandbox/api/chat.postMessage", strings.NewReader(args("channel", c, "text", text).Encode())))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+w.in.BotToken)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	io.Copy(io.Discard, res.Body)
	res.Body.Close()
	return res.StatusCode
}

func (w *world) newest(c string) string {
	w.t.Helper()
	return must(w.s.As(w.owner).History(w.ctx, c, 1))[0].Text
}

func TestAnswersAreLost(t *testing.T) {
	w, c := quiet(t)
	set := func(f ...Fault) {
		t.Helper()
		if err := w.s.SetFaults(FaultPlan{Faults: f}); err != nil {
			t.Fatal(err)
		}
	}
	set(Fault{Kind: DropAnswer, Method: "chat.postMessage", Count: 1})
	w.bot("auth.test")
	want(t, "dropped", []any{w.try(c, "a"), w.newest(c)}, []any{0, "a"})
	want(t, "after that", w.try(c, "b"), 200)
	want(t, "struck", w.s.Faults().Faults[0].Struck, 1)

	set(Fault{Kind: ErrorAnswer, Count: 1})
	want(t, "an error after it was done", []any{w.try(c, "c"), w.newest(c)}, []any{500, "c"})

	set(Fault{Kind: RateLimit, Count: 2, Delay: Duration(7 * time.Second)})
	want(t, "not done", []any{w.try(c, "d"), w.newest(c)}, []any{429, "c"})
	res, o := w.do(must(http.NewRequest("POST", w.url+"/sandbox/api/auth.test", nil)))
	want(t, "storm", []any{res.StatusCode, res.Header.Get("Retry-After"), o["error"]}, []any{429, "7", "ratelimited"})

	set(Fault{Kind: LateAnswer, Count: 1, Delay: Duration(4 * time.Second)})
	answered := make(chan int, 1)
	go func() { answered <- w.try(c, "e") }()
	w.clock.await(4 * time.Second)
	want(t, "done before it is answered", w.newest(c), "e")
	want(t, "answered", len(answered), 0)
	want(t, "holding", w.s.Faults().Faults[0].Holding, 1)
	want(t, "settled while an answer is held back", w.s.underway.settle(w.ctx), nil)
	w.clock.Advance(4 * time.Second)
	want(t, "late", <-answered, 200)
	want(t, "holding", w.s.Faults().Faults[0].Holding, 0)
}

func TestUploadsAreSpoiltToo(t *testing.T) {
	w, c := quiet(t)
	o := w.bot("files.getUploadURLExternal", "filename", "a.txt", "length", "1")
	if err := w.s.SetFaults(FaultPlan{Faults: []Fault{{Kind: ErrorAnswer, Method: "upload", Count: 1}, {Kind: DropAnswer, Method: "download"}}}); err != nil {
		t.Fatal(err)
	}
	status, _ := w.upload(http.MethodPost, text(o, "upload_url"), "x")
	want(t, "upload", status, 500)
	w.bot("files.completeUploadExternal", "files", `[{"id":"`+text(o, "file_id")+`"}]`, "channel_id", c)
	req := must(http.NewRequest("GET", text(w.bot("files.info", "file", text(o, "file_id")), "file", "url_private"), nil))
	req.Header.Set("Authorization", "Bearer "+w.in.BotToken)
	if res, err := http.DefaultClient.Do(req.Clone(w.ctx)); err == nil {
		t.Errorf("the download answered %d", res.StatusCode)
	}
	if err := w.s.SetFaults(FaultPlan{}); err != nil {
		t.Fatal(err)
	}
	res, _ := w.do(req)
	want(t, "download", res.StatusCode, 200)
}

func TestParseFault(t *testing.T) {
	f, err := ParseFault("drop_answer:method=chat.postMessage,probability=0.3,count=5")
	want(t, "fault", []any{f, err}, []any{Fault{Kind: DropAnswer, Method: "chat.postMessage", Probability: 0.3, Count: 5}, nil})
	f, err = ParseFault("down:delay=1h")
	want(t, "fault", []any{f.Delay, err}, []any{Duration(time.Hour), nil})
	for _, bad := range []string{"", "explode", "down:delay=soon", "down:count=x", "down:probability=x", "down:speed=1", "down:probability=2"} {
		if _, err := ParseFault(bad); err == nil {
			t.Errorf("%q is a fault", bad)
		}
	}
}

func TestDown(t *testing.T) {
	w, c := quiet(t)
	w.run()
	if err := w.s.SetFaults(FaultPlan{Faults: []Fault{{Kind: Down, Delay: Duration(time.Hour)}}}); err != nil {
		t.Fatal(err)
	}
	want(t, "refused", w.try(c, "x"), 0)
	w.heard(c, "queued")
	// The fault switches stay reachable.
	res, _ := w.operates("GET", "/sandbox/faults", "")
	want(t, "faults", res.StatusCode, 200)
	w.clock.await(poll)
	w.clock.Advance(59 * time.Minute)
	want(t, "still down", w.try(c, "x"), 0)
	want(t, "no events", len(w.rec.got), 0)
	w.clock.Advance(time.Minute)
	want(t, "up", w.try(c, "y"), 200)
	want(t, "event", w.rec.event("message", "")["text"], "queued")
}

// Nothing leaves a sandbox that is down, even if it went down while the queue was
// being read.
func TestDownMeanwhile(t *testing.T) {
	w, c := quiet(t)
	w.heard(c, "queued")
	d := newDispatcher(w.s)
	if err := d.look(w.ctx); err != nil {
		t.Fatal(err)
	}
	want(t, "due", len(d.queue), 1)
	if err := w.s.SetFaults(FaultPlan{Faults: []Fault{{Kind: Down}}}); err != nil {
		t.Fatal(err)
	}
	d.start(w.ctx)
	want(t, "on its way", len(d.flying), 0)
}

// An event gets the faults of the time it happened, not of its delivery.
func TestFaultsOfThen(t *testing.T) {
	w, c := quiet(t)
	lose := FaultPlan{Faults: []Fault{{Kind: LoseEvent}}}
	for _, step := range []struct {
		plan FaultPlan
		says string
	}{{lose, "lost"}, {FaultPlan{}, "told"}, {lose, "lost, too"}, {FaultPlan{}, "told at last"}, {lose, "lost as well"}} {
		if err := w.s.SetFaults(step.plan); err != nil {
			t.Fatal(err)
		}
		w.heard(c, step.says)
	}
	w.run()
	all := w.await(func(all []Delivery) bool {
		return !slices.ContainsFunc(all, func(d Delivery) bool { return d.State == "new" || d.State == "due" })
	})
	var states []string
	for _, d := range all {
		states = append(states, d.State)
	}
	want(t, "states", strings.Join(states, ", "), "lost, delivered, lost, delivered, lost")
}

func TestEventFaults(t *testing.T) {
	// texts returns the texts of the events that come at once, and after half a
	// minute.
	texts := func(t *testing.T, atOnce, later int, plan FaultPlan) (got []string) {
		w, c := quiet(t)
		if err := w.s.SetFaults(plan); err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			w.heard(c, fmt.Sprint(i))
		}
		w.run()
		w.await(func(all []Delivery) bool {
			return !slices.ContainsFunc(all, func(d Delivery) bool { return d.State == "new" })
		})
		for i := range atOnce + later {
			if i == atOnce {
				w.await(func(all []Delivery) bool {
					done := 0
					for _, d := range all {
						if d.State == "delivered" {
							done++
						}
					}
					return done == atOnce
				})
				w.clock.Advance(30 * time.Second)
			}
			got = append(got, text(w.rec.next().event(), "text"))
		}
		return got
	}
	all := "0 1 2 3 4 5 6 7 8 9"
	doubled := texts(t, 13, 0, FaultPlan{Faults: []Fault{{Kind: DuplicateEvent, Count: 3}}})
	counts := map[string]int{}
	for _, s := range doubled {
		counts[s]++
	}
	want(t, "duplicates", []int{counts["0"], counts["1"], counts["2"], counts["3"]}, []int{2, 2, 2, 1})

	want(t, "lost", strings.Join(texts(t, 8, 0, FaultPlan{Faults: []Fault{{Kind: LoseEvent, Method: "message.channels", Count: 2}}}), " "), "2 3 4 5 6 7 8 9")

	plan := FaultPlan{Seed: 4, Faults: []Fault{{Kind: ReorderEvent, Delay: Duration(5 * time.Second)}}}
	shuffled := strings.Join(texts(t, 0, 10, plan), " ")
	if shuffled == all {
		t.Error("the order is as it was")
	}
	want(t, "the same seed gives the same order", strings.Join(texts(t, 0, 10, plan), " "), shuffled)

	delayed := texts(t, 9, 1, FaultPlan{Faults: []Fault{{Kind: DelayEvent, Count: 1, Delay: Duration(20 * time.Second)}}})
	want(t, "delayed", strings.Join(delayed, " "), "1 2 3 4 5 6 7 8 9 0")
}

func TestFaultsAreDeterministic(t *testing.T) {
	strikes := func(seed uint64) (s string) {
		f := must(newFaults(FaultPlan{Seed: seed, Faults: []Fault{{Kind: DropAnswer, Probability: 0.3}, {Kind: LoseEvent, Probability: 0.5}}}, time.Time{}))
		for range 200 {
			s += map[bool]string{true: "x", false: "."}[f.call("m").drop]
			f.event("e") // another fault's decisions change nothing
		}
		return s
	}
	one := strikes(1)
	if one != strikes(1) || one == strikes(2) {
		t.Errorf("seed 1: %s, seed 2: %s", one, strikes(2))
	}
	if n := strings.Count(one, "x"); n < 35 || n > 85 {
		t.Errorf("of 200 calls %d were struck, want about 60", n)
	}
}

func TestFaultsOverHTTP(t *testing.T) {
	w := newWorld(t)
	send := func(method, body string) (int, map[string]any) {
		res, o := w.operates(method, "/sandbox/faults", body)
		return res.StatusCode, o
	}
	status, o := send("POST", `{"seed":7,"faults":[{"kind":"drop_answer","method":"chat.postMessage","probability":0.5,"count":3},{"kind":"late_answer","delay":"4s"}]}`)
	want(t, "set", []any{status, o["seed"], dig(o, "faults", 1, "delay")}, []any{200, 7, "4s"})
	want(t, "in force", len(w.s.Faults().Faults), 2)
	for _, bad := range []string{`{`, `{"faults":[{"kind":"explode"}]}`, `{"faults":[{"kind":"down","probability":2}]}`, `{"fault":[]}`,
		`{"faults":[{"kind":"down","delay":5}]}`, `{"faults":[{"kind":"down","count":-1}]}`} {
		status, _ = send("POST", bad)
		want(t, bad, status, 400)
	}
	want(t, "still in force", len(w.s.Faults().Faults), 2)
	status, _ = send("DELETE", "")
	want(t, "ended", []any{status, len(w.s.Faults().Faults)}, []any{200, 0})
	status, _ = send("PUT", "")
	want(t, "PUT", status, 405)
	if _, err := New(w.ctx, Config{Path: w.cfg.Path + "2", Faults: FaultPlan{Faults: []Fault{{Kind: "x"}}}}); err == nil {
		t.Error("a sandbox opens with a fault that does not exist")
	}
}
