package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

const (
	// spoken is how many messages a request has.
	spoken = 5
	// callers is how many ask at once.
	callers = 16
	// slower is how much slower anything may be with ten times as much.
	slower = 2.0
)

// benchRequests compares a desk with many requests with one that has a tenth of
// them: what a call costs must not grow with what is there.
func benchRequests(ctx context.Context, engines map[sqldb.Engine]string) error {
	fmt.Printf("Requests over HTTP, %d connections: %d requests with %d messages, against %d with %d\n",
		callers, *requests, *requests*spoken, *requests/10, *requests/10*spoken)
	for _, engine := range names(engines) {
		few, err := newArchive(ctx, engine, engines[engine], *requests/10)
		if err != nil {
			return err
		}
		defer few.close()
		many, err := newArchive(ctx, engine, engines[engine], *requests)
		if err != nil {
			return err
		}
		defer many.close()
		for _, call := range requestCalls {
			if !strings.Contains(call.name, *calls) {
				continue
			}
			if err := compare(ctx, engine, call, few, many); err != nil {
				return fmt.Errorf("%s: %w", call.name, err)
			}
		}
	}
	return nil
}

// requestCall is something that is asked of a desk. Each makes some of the calls
// there are to make, which are then repeated.
type requestCall struct {
	name  string
	calls func(*archive) ([]string, error)
}

var requestCalls = []requestCall{
	{"get one", func(a *archive) ([]string, error) {
		return a.each(func(id int) string { return get("/requests/%d", id) }), nil
	}},
	{"get one with its messages", func(a *archive) ([]string, error) {
		return a.each(func(id int) string { return get("/requests/%d?include=messages", id) }), nil
	}},
	{"list 50, newest", func(*archive) ([]string, error) { return []string{get("/requests?limit=50")}, nil }},
	{"list 50, open", func(*archive) ([]string, error) { return []string{get("/requests?limit=50&state=open")}, nil }},
	{"list 50, of one author", func(a *archive) ([]string, error) {
		return a.each(func(id int) string { return get("/requests?limit=50&author_emails=%s", author(id, a.n)) }), nil
	}},
	{"page at 90% depth", func(a *archive) ([]string, error) {
		cursor, err := a.deepCursor()
		return []string{get("/requests?limit=50&next_cursor=%s", cursor)}, err
	}},
	{"search, a rare word", func(a *archive) ([]string, error) {
		// With a space behind it, or it would be a beginning.
		return a.each(func(id int) string { return get("/requests/search?limit=50&query=order%d+", id) }), nil
	}},
	{"search, a common word", func(*archive) ([]string, error) { return []string{get("/requests/search?limit=50&query=printer")}, nil }},
	{"search, two words", func(a *archive) ([]string, error) {
		return a.each(func(id int) string { return get("/requests/search?limit=50&query=%s+%s", word(id%100), word(id*7%100)) }), nil
	}},
	{"create", func(*archive) ([]string, error) {
		return []string{post("/requests", `{"description": "<p>The label printer prints everything twice since this morning. Can you help?</p>", "requester_email": "jo.7@customer.test"}`)}, nil
	}},
	{"add a message", func(a *archive) ([]string, error) {
		return a.each(func(id int) string {
			return post(fmt.Sprintf("/requests/%d/message", a.open(id)), `{"html_body": "<p>Please try again.</p>"}`)
		}), nil
	}},
	{"update", func(a *archive) ([]string, error) {
		return a.each(func(id int) string {
			return withBody("PATCH", fmt.Sprintf("/requests/%d", a.open(id)), fmt.Sprintf(`{"title": "Title %d"}`, id))
		}), nil
	}},
}

// compare asks both in turns and says how they compare.
func compare(ctx context.Context, engine sqldb.Engine, call requestCall, few, many *archive) error {
	small, err := call.calls(few)
	if err != nil {
		return err
	}
	large, err := call.calls(many)
	if err != nil {
		return err
	}
	var a, b, cpuA, cpuB []float64
	for range *rounds {
		rate, cpu, err := few.measureCalls(ctx, small)
		if err != nil {
			return err
		}
		a, cpuA = append(a, rate), append(cpuA, cpu)
		if rate, cpu, err = many.measureCalls(ctx, large); err != nil {
			return err
		}
		b, cpuB = append(b, rate), append(cpuB, cpu)
	}
	times := median(ratios(a, b))
	mark := "reached"
	if times > slower {
		mark = "MISSED"
	}
	fmt.Printf("  %-8s %-26s %7.0f/s, %6.3f ms of CPU each   with a tenth %7.0f/s, %6.3f ms   takes %.2f times as long (goal %.0f or less: %s)\n",
		engine, call.name, median(b), median(cpuB)/1000, median(a), median(cpuA)/1000, times, slower, mark)
	return nil
}

// archive is a server with a database of requests.
type archive struct {
	*child
	n    int
	drop func()
}

func (a *archive) close() {
	a.stop()
	a.drop()
}

// newArchive makes the database, fills it and starts the server.
func newArchive(ctx context.Context, engine sqldb.Engine, server string, n int) (*archive, error) {
	url, drop, err := freshURL(engine, server)
	if err != nil {
		return nil, err
	}
	b, err := openBase(ctx, url)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	token, err := b.fillRequests(ctx, n)
	if err == nil {
		err = b.db.Close()
	}
	if err != nil {
		return nil, err
	}
	fmt.Printf("  %-8s %d requests were filled in and indexed in %.0f s\n", engine, n, time.Since(began).Seconds())
	c, err := startChild(ctx, url, token)
	return &archive{child: c, n: n, drop: drop}, err
}

// fillRequests makes an account with requests, and its search index.
func (b *base) fillRequests(ctx context.Context, n int) (token string, err error) {
	account, token, err := b.fill(ctx)
	if err != nil {
		return "", err
	}
	var col desk.Collection
	if err := b.store.Write(ctx, account, func(tx *store.Tx) error {
		col = desk.Collection{Name: "API", Kind: desk.APICollection, CreatedAt: tx.Now, UpdatedAt: tx.Now}
		if err := tx.AddCollection(&col); err != nil {
			return err
		}
		a, err := tx.ThisAccount()
		if err != nil {
			return err
		}
		a.APICollection = col.ID
		return tx.SaveAccount(a)
	}); err != nil {
		return "", err
	}
	const atOnce = 200
	began := time.Now().Add(-time.Duration(n) * 10 * time.Minute)
	for first := 0; first < n; first += atOnce {
		err := b.store.Write(ctx, account, func(tx *store.Tx) error {
			var messages []desk.Message
			for i := first; i < min(first+atOnce, n); i++ {
				r := sample(col, i, n, began.Add(time.Duration(i)*10*time.Minute))
				if err := tx.AddRequest(&r); err != nil {
					return err
				}
				messages = append(messages, talk(r, i)...)
			}
			return tx.KeepMessages(messages)
		})
		if err != nil {
			return "", err
		}
	}
	return token, b.store.IndexRequests(ctx, account)
}

// sample is the request with a number. Most are closed, as they are with age.
func sample(col desk.Collection, i, n int, at time.Time) desk.Request {
	state := desk.Closed
	switch i % 40 {
	case 0, 1:
		state = desk.Open
	case 2:
		state = desk.InProgress
	case 3:
		state = desk.Pending
	case 4, 5, 6:
		state = desk.Solved
	}
	return desk.Request{
		Title: fmt.Sprintf("%s %s with order%d", word(i), word(i*3+1), i), TitleBy: desk.ByRules, State: &state, Priority: desk.Normal, PriorityBy: desk.ByRules,
		Author: desk.Requester{Name: "Jo", Email: author(i, n)}, Collection: desk.CollectionRef{ID: col.ID}, Source: desk.FromAPI,
		CreatedAt: at, UpdatedAt: at, LastMessageAt: at,
	}
}

// author is who asks: of n requests, each has twenty.
func author(i, n int) string { return fmt.Sprintf("jo.%d@customer.test", i%(n/20)) }

// talk is what is said in it.
func talk(r desk.Request, i int) []desk.Message {
	all := make([]desk.Message, spoken)
	random := rand.New(rand.NewPCG(uint64(i), 1))
	for j := range all {
		words := make([]string, 30)
		for k := range words {
			words[k] = word(int(random.ExpFloat64() * 300))
		}
		text := strings.Join(words, " ")
		if random.IntN(3) == 0 {
			text += " printer"
		}
		all[j] = desk.Message{Request: r.ID, Author: r.Author, HTML: "<p>" + text + "</p>", Text: text, Responder: j%2 == 1, Source: desk.SourceImport,
			CreatedAt: r.CreatedAt.Add(time.Duration(j) * time.Minute)}
	}
	return all
}

// word is the word with a number, of 4,096 that nobody says.
func word(i int) string {
	const first, second = "bdfgklmnprstvwzj", "aeiouyaeiouyaeio"
	var b strings.Builder
	for n := i % 4096; b.Len() < 6; n /= 16 {
		b.WriteByte(first[n%16])
		b.WriteByte(second[(n/3)%16])
	}
	return b.String()
}

// each makes calls for some of the requests.
func (a *archive) each(fn func(id int) string) []string {
	all := make([]string, 500)
	random := rand.New(rand.NewPCG(7, 7))
	for i := range all {
		all[i] = fn(1 + random.IntN(a.n))
	}
	return all
}

// open is a request that can be changed, near one.
func (a *archive) open(id int) int { return min(id-id%40+1, a.n) }

// deepCursor is the cursor behind nine tenths of the list.
func (a *archive) deepCursor() (string, error) {
	before := time.Now().Add(-time.Duration(a.n) * 9 * time.Minute).UTC().Format(time.RFC3339)
	r, err := http.NewRequest("GET", "http://"+a.addr+"/v1/rest/requests?limit=50&before="+before, nil)
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+a.token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	var page struct {
		Metadata struct {
			Next string `json:"next_cursor"`
		} `json:"response_metadata"`
	}
	if err := json.Unmarshal(body, &page); err != nil || page.Metadata.Next == "" {
		return "", fmt.Errorf("no cursor in %.200s: %w", body, err)
	}
	// It was made with a bound that the calls do not have, which it does not know.
	return page.Metadata.Next, nil
}

// measureCalls asks for a round: answers a second, and the server's CPU time for
// each in microseconds.
func (a *archive) measureCalls(ctx context.Context, calls []string) (rate, cpu float64, err error) {
	before, began := a.cpu(), time.Now()
	rate, err = loadCalls(ctx, a.addr, a.token, calls, callers, *length)
	answers := rate * time.Since(began).Seconds()
	return rate, float64((a.cpu() - before).Microseconds()) / answers, err
}

func get(path string, args ...any) string { return "GET /v1/rest" + fmt.Sprintf(path, args...) + "\n" }

func post(path, body string) string { return withBody("POST", path, body) }

// withBody is a call: the method and the path, and behind them the body.
func withBody(method, path, body string) string { return method + " /v1/rest" + path + "\n" + body }
