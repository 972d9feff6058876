package service

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/help"
	"frontdesk/internal/index"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// prompt returns what a model was asked last.
func (m *model) prompt(t testing.TB) (instructions, matter string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.bodies) == 0 {
		t.Fatal("it was not asked")
	}
	var q struct {
		Messages []struct{ Content string }
	}
	must(t, json.Unmarshal([]byte(m.bodies[len(m.bodies)-1]), &q))
	return q.Messages[0].Content, q.Messages[1].Content
}

// find puts what was written into the search index.
func (a *asking) find() {
	a.t.Helper()
	for more := true; more; {
		var err error
		more, err = a.store.Sequence(ctx)
		must(a.t, err)
	}
	must(a.t, index.Update(ctx, a.store, a.account.ID))
}

// solves creates a request in a collection that was answered and solved.
func (a *asking) solves(collection desk.CollectionID, title, question, reply string) desk.RequestID {
	a.t.Helper()
	_, err := a.UpdateAccount(ctx, a.caller(), desk.AccountChange{APICollection: &collection})
	must(a.t, err)
	r, err := a.CreateRequest(ctx, a.caller(), desk.NewRequest{Title: &title, Description: question})
	must(a.t, err)
	a.says(a.agent, r.ID, reply, false)
	a.says(a.agent, r.ID, "between us: "+title, true)
	_, err = a.UpdateRequest(ctx, a.caller(), r.ID, desk.RequestChange{State: ptr(desk.Solved)})
	must(a.t, err)
	return r.ID
}

const helpful = `{"html":"<p>Empty the cache.</p>","language":"de","from":"en"}`

// everyHelp asks for help in each way.
func (a *asking) everyHelp(c Caller, r desk.RequestID, m desk.MessageID) map[string]error {
	text, language := "<p>It works.</p>", "de"
	return map[string]error{
		"summary":                errOf(a.Summary(ctx, c, r, help.GivenSummary{})),
		"draft":                  errOf(a.DraftReply(ctx, c, r)),
		"translation of a text":  errOf(a.TranslateText(ctx, c, r, help.GivenText{HTML: &text})),
		"translation of message": errOf(a.TranslateMessage(ctx, c, m, help.GivenTranslation{Language: &language})),
	}
}

// first returns the first message of a request.
func (a *asking) first(id desk.RequestID) desk.MessageID {
	a.t.Helper()
	r, err := a.Request(ctx, a.caller(), id, RequestParts{Messages: true})
	must(a.t, err)
	return r.Messages[0].ID
}

// Help stores, sends and records nothing, and counts in the budget.
func TestHelpChangesNothing(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		m := newModel(t, helpful)
		a := newAsking(t, url, m, func(c *suggest.Config, s *store.Store) { c.Budget = s.Budget(100_000) })
		id := a.asks("The export stops.")
		first := a.first(id)
		tables := []string{"requests", "messages", "events", "audit_logs", "jobs", "posts", "request_changes", "request_suggestions", "idempotency_keys"}
		count := func() (n []int) {
			for _, table := range tables {
				n = append(n, a.rows(table))
			}
			return n
		}
		before, was := count(), a.request(id)
		for name, err := range a.everyHelp(a.agent, id, first) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if after := count(); !slices.Equal(after, before) {
			t.Errorf("rows of %v: %v, before %v", tables, after, before)
		}
		if now := a.request(id); !reflect.DeepEqual(now, was) {
			t.Errorf("the request is %+v, was %+v", now, was)
		}
		if m.asked() != 4 || a.spent() != 4*340 {
			t.Errorf("asked %d times for %d tokens", m.asked(), a.spent())
		}
	})
}

// spent returns how many tokens were counted.
func (a *asking) spent() (n int) {
	a.t.Helper()
	must(a.t, a.store.DB().Read(ctx, func(tx *sqldb.Tx) error { return tx.Row("SELECT sum(tokens) FROM suggestion_costs").Scan(&n) }))
	return n
}

// Without a model, help is refused with a sentence, after what the caller cannot see and
// before what is wrong with the input.
func TestHelpWithoutAModel(t *testing.T) {
	a := newAsking(t, dbtest.URL(t, sqldb.SQLite), nil, nil)
	id := a.asks("The export stops.")
	for name, err := range a.everyHelp(a.agent, id, a.first(id)) {
		if err != errNoModel {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range a.everyHelp(a.agent, 999_999, 999_999) {
		if desk.KindOf(err) != desk.NotFound {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
	if _, err := a.TranslateText(ctx, a.agent, id, help.GivenText{}); err != errNoModel {
		t.Errorf("a wrong text: %v", err)
	}
	me, err := a.Me(ctx, a.agent)
	if err != nil || me.HasModel {
		t.Errorf("%v, has a model: %v", err, me.HasModel)
	}
	with := newAsking(t, dbtest.URL(t, sqldb.SQLite), newModel(t, helpful), nil)
	if me, err := with.Me(ctx, with.caller()); err != nil || !me.HasModel {
		t.Errorf("%v, has a model: %v", err, me.HasModel)
	}
}

// Whatever is wrong with a model is said in a sentence, and nothing that it said is.
func TestHelpSaysWhatIsWrong(t *testing.T) {
	m := newModel(t, helpful)
	a := newAsking(t, dbtest.URL(t, sqldb.SQLite), m, func(c *suggest.Config, _ *store.Store) { c.Timeout = 200 * time.Millisecond })
	id := a.asks("The export stops.")
	first := a.first(id)
	const secret = "sk-test hunter2"
	for _, tt := range []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request)
		want   string
	}{
		{"slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "took too long"},
		{"gone", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "could not be asked"},
		{"wrong key", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, secret, http.StatusUnauthorized) }, "could not be asked"},
		{"no JSON", says(secret), "could not be used"},
		{"no text", says(`{"html": 7}`), "could not be used"},
		{"only a script", says(`{"html": "<script>x()</script>"}`), "could not be used"},
		{"far too long", says(`{"html": "` + strings.Repeat("x", 20_000) + `"}`), "could not be used"},
	} {
		m.will(tt.answer)
		for name, err := range a.everyHelp(a.agent, id, first) {
			e, ok := err.(*desk.Error)
			if !ok || e.Kind != desk.Unavailable || !strings.Contains(e.Message, tt.want) || e.RetryAfter == 0 || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s, %s: %v", tt.name, name, err)
			}
		}
	}
	gone, leave := context.WithCancel(ctx)
	m.will(func(_ http.ResponseWriter, r *http.Request) {
		leave()
		<-r.Context().Done()
	})
	if _, err := a.DraftReply(gone, a.agent, id); desk.KindOf(err) != desk.Refused {
		t.Errorf("cancelled: %v", err)
	}
}

// A budget is shared with the AI fields, and an account has so many questions under way.
func TestHelpIsLimited(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		m := newModel(t, helpful)
		var budget int
		a := newAsking(t, url, m, func(c *suggest.Config, s *store.Store) { c.Budget = changing{s, &budget} })
		id := a.asks("The export stops.")
		ask := func() error { return errOf(a.Summary(ctx, a.agent, id, help.GivenSummary{})) }

		// The last question that fits, and the first that does not.
		budget = 1_000_000
		must(t, ask())
		_, matter := m.prompt(t)
		if matter == "" {
			t.Fatal("nothing was asked")
		}
		needs := len(m.bodies[0])/3 + 700
		budget = 340 + needs
		must(t, ask())
		if budget = 2*340 + needs - 1; true {
			err := ask()
			if e, ok := err.(*desk.Error); !ok || e.Kind != desk.Busy || !strings.Contains(e.Message, "midnight") || e.RetryAfter != 15*time.Hour || m.asked() != 2 {
				t.Errorf("over budget: %v, asked %d times", err, m.asked())
			}
		}
		a.clock.move(15 * time.Hour)
		must(t, ask())

		// Eight at once.
		budget = 0
		answer, asked := make(chan struct{}), make(chan struct{})
		m.will(func(w http.ResponseWriter, r *http.Request) {
			asked <- struct{}{}
			<-answer
			says(helpful)(w, r)
		})
		results := make(chan error, mostAsking)
		for range mostAsking {
			go func() { results <- ask() }()
			<-asked
		}
		if err := ask(); desk.KindOf(err) != desk.Busy {
			t.Errorf("the ninth: %v", err)
		}
		close(answer)
		for range mostAsking {
			must(t, <-results)
		}
		m.will(says(helpful))
		must(t, ask())
	})
}

// changing is a budget that a test changes; 0 is none.
type changing struct {
	store  *store.Store
	tokens *int
}

func (c changing) Reserve(ctx context.Context, a desk.AccountID, tokens int) (bool, error) {
	if *c.tokens == 0 {
		return true, nil
	}
	return c.store.Budget(*c.tokens).Reserve(ctx, a, tokens)
}

func (c changing) Settle(ctx context.Context, a desk.AccountID, reserved, used int) error {
	if *c.tokens == 0 {
		return nil
	}
	return c.store.Budget(*c.tokens).Settle(ctx, a, reserved, used)
}

// A draft is made from what the customer and the caller can read: quick replies of theirs
// and of all, and solved requests within their reach, which are told without people.
func TestWhatADraftIsMadeFrom(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		m := newModel(t, helpful)
		a := newAsking(t, url, m, nil)
		hers := a.newCollection("Hers", desk.APICollection)
		other := a.newCollection("Other", desk.APICollection)
		seen := a.solves(hers.ID, "Export of invoices stops for Ines", "Hi Mira,\nthe export of invoices stops. Call Ines Duarte at +49 30 1234567 or ines@harbor.example.", "Hello Ines, empty the cache of the export.")
		hidden := a.solves(other.ID, "Export of invoices stops in secret", "The export of invoices stops.", "Only they know the hidden trick.")
		_, err := a.UpdateAccount(ctx, a.caller(), desk.AccountChange{APICollection: &hers.ID})
		must(t, err)
		id := a.asks("The export of invoices stops again.")
		a.says(a.agent, id, "They never pay.", true)
		a.find()
		quick := func(c Caller, name, html string, shared bool) desk.QuickReplyID {
			t.Helper()
			q, err := a.CreateQuickReply(ctx, c, desk.GivenQuickReply{Name: &name, HTML: &html, Shared: &shared})
			must(t, err)
			return q.ID
		}
		all := quick(a.caller(), "Exports for all", "Exports work again.", true)
		own := quick(a.agent, "Exports of mine", "My export hint.", false)
		quick(a.caller(), "Exports of the admin", "Private export hint.", false)

		c := a.agent
		c.Role, c.Reach = desk.Agent, desk.Reach{IDs: []desk.CollectionID{hers.ID}}
		d, err := a.DraftReply(ctx, c, id)
		must(t, err)
		got := map[string]bool{}
		for _, s := range d.Sources {
			got[fmt.Sprint(s.Kind, " ", s.ID)] = true
		}
		want := map[string]bool{fmt.Sprint("quick_reply ", all): true, fmt.Sprint("quick_reply ", own): true, fmt.Sprint("request ", seen): true}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("sources %v, want %v", d.Sources, want)
		}
		instructions, matter := m.prompt(t)
		for _, secret := range []string{"never pay", "Ines", "Duarte", "Mira", "1234567", "harbor", "between us", "hidden trick", "secret", "Private export"} {
			if strings.Contains(matter, secret) {
				t.Errorf("%s is told: %s", secret, matter)
			}
		}
		for _, useful := range []string{"The export of invoices stops again.", "empty the cache of the export", "Exports work again.", "My export hint."} {
			if !strings.Contains(matter, useful) {
				t.Errorf("%q is not told: %s", useful, matter)
			}
		}
		if !strings.Contains(instructions, "nothing about other customers") {
			t.Errorf("the instructions are %s", instructions)
		}

		// Who sees more gets more, and the model says what it used.
		m.will(says(`{"html":"<p>Empty it.</p>","sources":[3, 4, 99]}`))
		d, err = a.DraftReply(ctx, a.caller(), id)
		must(t, err)
		if _, matter := m.prompt(t); !strings.Contains(matter, "hidden trick") || len(d.Sources) != 2 {
			t.Errorf("the admin is told %s from %v", matter, d.Sources)
		}
		if i := slices.IndexFunc(d.Sources, func(s help.Source) bool { return s.ID == int64(hidden) || s.ID == int64(seen) }); i < 0 || d.Sources[i].Key == "" || !strings.HasPrefix(d.Sources[i].Title, "Export of invoices stops") {
			t.Errorf("sources %+v", d.Sources)
		}

		// A request out of reach has no help at all.
		c.Reach = desk.Reach{IDs: []desk.CollectionID{other.ID}}
		for name, err := range a.everyHelp(c, id, a.first(id)) {
			if desk.KindOf(err) != desk.NotFound {
				t.Errorf("%s out of reach: %v", name, err)
			}
		}
	})
}

// A summary reads notes and says so; a translation sees no more than it needs.
func TestWhatAModelIsToldForHelp(t *testing.T) {
	m := newModel(t, helpful)
	a := newAsking(t, dbtest.URL(t, sqldb.SQLite), m, nil)
	id := a.asks("Der Export hält an.")
	s, err := a.Summary(ctx, a.agent, id, help.GivenSummary{Language: ptr("en")})
	if err != nil || s.Notes || s.Messages != 1 || s.HTML != "<p>Empty the cache.</p>" || !s.At.Equal(a.clock.Now()) {
		t.Errorf("%v %+v", err, s)
	}
	a.says(a.agent, id, "They never pay.", true)
	s, err = a.Summary(ctx, a.agent, id, help.GivenSummary{})
	_, matter := m.prompt(t)
	if err != nil || !s.Notes || s.Messages != 2 || !strings.Contains(matter, `{"from":"internal note","text":"They never pay."}`) || strings.Contains(matter, "Jo") {
		t.Errorf("%v %+v, told %s", err, s, matter)
	}
	if _, err := a.TranslateText(ctx, a.agent, id, help.GivenText{HTML: ptr("It works.")}); err != nil {
		t.Error(err)
	}
	if _, matter := m.prompt(t); matter != `{"html":"\u003cp\u003eIt works.\u003c/p\u003e","sample":["Der Export hält an."]}` {
		t.Errorf("told %s", matter)
	}
	long := strings.Repeat("x", help.MostTranslated-7)
	for text, want := range map[string]desk.Kind{long: 0, long + "x": desk.Refused} {
		a.says(a.caller(), id, text, false)
		r, err := a.Request(ctx, a.caller(), id, RequestParts{Messages: true})
		must(t, err)
		_, err = a.TranslateMessage(ctx, a.agent, r.Messages[len(r.Messages)-1].ID, help.GivenTranslation{Language: ptr("en")})
		if err != nil && want == 0 || desk.KindOf(err) != want {
			t.Errorf("%d characters: %v", len(text), err)
		}
	}
	for range help.MostRead {
		a.says(a.caller(), id, "Noch immer.", false)
	}
	if s, err := a.Summary(ctx, a.agent, id, help.GivenSummary{}); err != nil || s.Messages != help.MostRead || s.LeftOut != 4 || s.Shortened != 0 {
		t.Errorf("%v %+v", err, s)
	}
}
