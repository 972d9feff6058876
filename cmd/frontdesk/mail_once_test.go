package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/smtp"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/mail"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// patienceOfMail is for a machine that stalls.
const patienceOfMail = 5 * time.Minute

// TestMailInOnce kills the server with kill -9 again and again while mail servers hand it
// mail. They send each mail again until it is acknowledged. In the end each is there once.
func TestMailInOnce(t *testing.T) {
	t.Parallel()
	receiveThroughKills(t, 200, 4)
}

func receiveThroughKills(t *testing.T, mails, kills int) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		t.Parallel()
		at := freeAddr(t)
		in := install(t, url)
		in.env = append(in.env, "FRONTDESK_MAIL_DOMAIN="+mailDomain, "FRONTDESK_MAIL_LISTEN="+at)
		token := in.account()
		p := in.start()
		p.post(t, token, "/collections", map[string]any{"name": "Help", "kind": "email", "email_config": map[string]any{"address": support}}, &struct{}{})
		began := time.Now()
		s := &mailSenders{at: at, numbers: make(chan int)}
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		var sending sync.WaitGroup
		for range 6 {
			sending.Go(func() { s.run(ctx) })
		}
		sending.Go(func() {
			defer close(s.numbers)
			for n := range mails {
				s.numbers <- n
			}
		})
		for kill := range kills {
			// A random moment, counted in mails instead of time.
			moment := (kill*mails + rand.N(mails)) / kills
			awaitFor(t, patienceOfMail, "the next kill", func() bool { return s.taken.Load() >= int64(moment) })
			p.Process.Kill()
			p.Wait()
			if problems := loggedProblems(p.logs.String()); problems != "" {
				t.Errorf("a start after a kill needed repair:\n%s", problems)
			}
			p = in.start()
		}
		sending.Wait()
		took := time.Since(began)
		if n := s.taken.Load(); n != int64(mails) {
			t.Fatalf("%d of %d mails were acknowledged", n, mails)
		}
		db := dbtest.Open(t, sqldb.Config{URL: url})
		for what, statement := range map[string]string{
			"mails that are there":        "SELECT count(*) FROM mails WHERE direction = 'in'",
			"message ids that are there":  "SELECT count(DISTINCT external_id) FROM mails",
			"requests":                    "SELECT count(*) FROM requests WHERE is_listed",
			"requests with another title": "SELECT count(DISTINCT title) FROM requests",
			"messages":                    "SELECT count(*) FROM messages WHERE source = 'email'",
			"tickets":                     "SELECT count(*) FROM tickets",
		} {
			if n := count(t, db, statement); n != mails {
				t.Errorf("%d %s, want %d", n, what, mails)
			}
		}
		if n := count(t, db, "SELECT count(*) FROM attachments"); n != (mails+attachEvery-1)/attachEvery {
			t.Errorf("%d attachments", n)
		}
		t.Logf("%d mails in, %d kills, %d mails sent again: each there once; %.0f/s with the kills", mails, kills, s.again.Load(), float64(mails)/took.Seconds())
		if s.again.Load() == 0 {
			t.Error("no kill fell into a mail")
		}
	})
}

// attachEvery is how many mails there are for one with a file.
const attachEvery = 10

// mailSenders are mail servers that hand mail over until it is acknowledged.
type mailSenders struct {
	at      string
	numbers chan int
	taken   atomic.Int64 // acknowledged
	again   atomic.Int64 // attempts that ended without an answer
}

func (s *mailSenders) run(ctx context.Context) {
	var c *smtp.Client
	for n := range s.numbers {
		for ctx.Err() == nil {
			var err error
			if c == nil {
				if c, err = smtp.Dial(s.at); err != nil {
					time.Sleep(time.Millisecond) // the server is down: do not spin
					continue
				}
			}
			if err = s.send(c, n); err == nil {
				s.taken.Add(1)
				break
			}
			s.again.Add(1)
			c.Close()
			c = nil
		}
	}
	if c != nil {
		c.Close()
	}
}

func (s *mailSenders) send(c *smtp.Client, n int) error {
	if err := c.Mail("jo@customer.example"); err != nil {
		return err
	}
	if err := c.Rcpt(support); err != nil {
		return err
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	lines := []string{"From: Jo <jo@customer.example>", "To: " + support, fmt.Sprintf("Subject: Question %d", n), fmt.Sprintf("Message-ID: <%d@customer.example>", n), "MIME-Version: 1.0"}
	if n%attachEvery == 0 {
		lines = append(lines, "Content-Type: multipart/mixed; boundary=b", "", "--b", "", "See the file, please.", "--b",
			"Content-Type: application/pdf", "Content-Disposition: attachment; filename=a.pdf", "", strings.Repeat("x", 900), "--b--")
	} else {
		lines = append(lines, "", "How does it work?")
	}
	if _, err := w.Write([]byte(mailOf(lines...))); err != nil {
		return err
	}
	return w.Close()
}

// A server that is asked to stop takes the mail that is on its way to the end.
func TestMailDuringShutdown(t *testing.T) {
	t.Parallel()
	url, at := dbtest.URL(t, sqldb.SQLite), freeAddr(t)
	in := install(t, url)
	in.env = append(in.env, "FRONTDESK_MAIL_DOMAIN="+mailDomain, "FRONTDESK_MAIL_LISTEN="+at)
	token := in.account()
	p := in.start()
	p.post(t, token, "/collections", map[string]any{"name": "Help", "kind": "email", "email_config": map[string]any{"address": support}}, &struct{}{})
	c, err := smtp.Dial(at)
	must(t, err)
	defer c.Close()
	must(t, c.Mail("jo@customer.example"))
	must(t, c.Rcpt(support))
	w, err := c.Data()
	must(t, err)
	_, err = w.Write([]byte(mailOf("From: jo@customer.example", "Subject: Just in time", "", "It begins")))
	must(t, err)
	must(t, p.Process.Signal(os.Interrupt))
	await(t, "the end of listening", func() bool {
		again, err := net.Dial("tcp", at)
		if err == nil {
			again.Close()
		}
		return err != nil
	})
	_, err = w.Write([]byte(mailOf("and ends.")))
	must(t, err)
	if err := w.Close(); err != nil {
		t.Errorf("the mail was answered with %v", err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("stopped with %v:\n%s", err, p.logs)
	}
	db := dbtest.Open(t, sqldb.Config{URL: url})
	if n := count(t, db, "SELECT count(*) FROM messages WHERE text LIKE 'It begins%and ends.'"); n != 1 {
		t.Errorf("the mail is there %d times", n)
	}
}

// TestMailOutOnce sends mail through a relay that breaks off after a mail, before or after
// it has stored it. No mail is stored twice, and what is called sent is stored.
func TestMailOutOnce(t *testing.T) {
	t.Parallel()
	sendThroughDrops(t, 60, 0)
}

func sendThroughDrops(t *testing.T, mails, kills int) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		t.Parallel()
		relay := startFlakyRelay(t)
		in := install(t, url)
		in.env = append(in.env, "FRONTDESK_MAIL_DOMAIN="+mailDomain, "FRONTDESK_MAIL_RELAY=smtp://"+relay.address)
		token := in.account()
		p := in.start()
		for _, collection := range []map[string]any{{"name": "API", "kind": "api"}, {"name": "Help", "kind": "email", "email_config": map[string]any{"address": support}}} {
			p.post(t, token, "/collections", collection, &struct{}{})
		}
		began := time.Now()
		for n := range mails {
			var made struct {
				Request struct{ ID string }
			}
			p.post(t, token, "/requests", map[string]any{"description": "How does it work?", "requester_email": fmt.Sprintf("jo.%d@customer.example", n)}, &made)
			kill := kills > 0 && n%(mails/kills) == mails/kills/2
			if kill {
				relay.holdNext()
			}
			p.post(t, token, "/requests/"+made.Request.ID+"/message", map[string]any{"html_body": "Like this."}, &struct{}{})
			if kill {
				await(t, "a mail that is not answered", relay.holds)
				p.Process.Kill()
				p.Wait()
				p = in.start()
			}
		}
		db := dbtest.Open(t, sqldb.Config{URL: url})
		awaitFor(t, patienceOfMail, "the end of sending", func() bool { return count(t, db, "SELECT count(*) FROM mail_copies WHERE wanted > shown") == 0 })
		took := time.Since(began)
		if problems := loggedProblems(p.logs.String()); problems != "" {
			t.Errorf("the server says:\n%s", problems)
		}
		relay.compare(t, mails, shownCopies(t, p, token), kills, took)
	})
}

// shownCopies returns what the API shows of each recipient's mail.
func shownCopies(t *testing.T, p *process, token string) map[string]string {
	all := map[string]string{}
	walk(t, p, token, "/requests?include=messages&limit=100", "next_cursor", func(body []byte) (next *string) {
		var page struct {
			Requests []struct {
				Messages []struct {
					Email *struct {
						Recipients []struct{ Email, Status string }
					}
				}
			}
			Metadata struct {
				Next *string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		must(t, json.Unmarshal(body, &page))
		for _, r := range page.Requests {
			for _, m := range r.Messages {
				if m.Email == nil {
					continue
				}
				for _, to := range m.Email.Recipients {
					all[to.Email] = to.Status
				}
			}
		}
		return page.Metadata.Next
	})
	return all
}

// flakyRelay is a mail server that breaks off at random.
type flakyRelay struct {
	address string

	mu     sync.Mutex
	stored map[string]int // how often each recipient's mail was stored
	ids    map[string]bool
	breaks map[string]int
	random *rand.Rand
	hold   bool // the next mail is not answered until its client is gone
	held   bool // there is such a mail
}

func startFlakyRelay(t *testing.T) *flakyRelay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	f := &flakyRelay{address: l.Addr().String(), stored: map[string]int{}, ids: map[string]bool{}, breaks: map[string]int{}, random: rand.New(rand.NewPCG(7, 20))}
	var talking sync.WaitGroup
	talking.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			talking.Go(func() { f.talk(conn) })
		}
	})
	t.Cleanup(func() { l.Close(); talking.Wait() }) // by then its clients are gone
	return f
}

// talk serves a client until it breaks off.
func (f *flakyRelay) talk(conn net.Conn) {
	defer conn.Close()
	say := func(line string) { fmt.Fprint(conn, line+"\r\n") }
	in := bufio.NewReader(conn)
	say("220 relay.example ESMTP")
	var to string
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		verb, _, _ := strings.Cut(line, " ")
		switch strings.ToUpper(verb) {
		case "RCPT":
			to = strings.Trim(line[len("RCPT TO:"):], "<>")
			say("250 OK")
		case "DATA":
			say("354 Go ahead")
			raw := ""
			for line != ".\r\n" {
				if line, err = in.ReadString('\n'); err != nil {
					return
				}
				raw += line
			}
			held := f.beginHolding()
			if held {
				in.ReadByte()
			}
			answer := f.take(to, raw)
			if held || answer == "" {
				return
			}
			say(answer)
		case "QUIT":
			say("221 Goodbye")
			return
		default:
			say("250 OK")
		}
	}
}

// holdNext makes the relay hold back the answer to the next mail until its client is gone.
func (f *flakyRelay) holdNext() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hold, f.held = true, false
}

func (f *flakyRelay) holds() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.held
}

// beginHolding reports whether the answer to a mail that came is to be held back.
func (f *flakyRelay) beginHolding() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.hold {
		return false
	}
	f.hold, f.held = false, true
	f.breaks["by a kill"]++
	return true
}

// take stores a mail or not, and returns what to answer, which is nothing if it breaks
// off.
func (f *flakyRelay) take(to, raw string) (answer string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	chance, answer := f.random.IntN(100), "250 Stored"
	switch {
	case chance < 10:
		f.breaks["before it was stored"]++
		return ""
	case chance < 20:
		f.breaks["after it was stored"]++
		answer = ""
	case chance < 25:
		f.breaks["with a request to come later"]++
		return "451 Later"
	}
	f.stored[to]++
	if m, err := mail.Parse([]byte(raw)); err == nil {
		f.ids[m.MessageID] = true
	}
	return answer
}

// compare compares what is stored with what the server says about it.
func (f *flakyRelay) compare(t *testing.T, mails int, shown map[string]string, kills int, took time.Duration) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	statuses, perhapsStored := map[string]int{}, 0
	for to, status := range shown {
		statuses[status]++
		switch n := f.stored[to]; {
		case n > 1:
			t.Errorf("the mail to %s is %s, and stored %d times", to, status, n)
		case status == "sent" && n == 0:
			t.Errorf("the mail to %s was not stored", to)
		case status == "perhaps_sent":
			perhapsStored += n
		case status != "sent":
			t.Errorf("the mail to %s is %s", to, status)
		}
	}
	if len(shown) != mails || len(f.ids) != len(f.stored) {
		t.Errorf("%d mails, want %d; %d recipients got %d message ids", len(shown), mails, len(f.stored), len(f.ids))
	}
	t.Logf("%d mails out, the relay broke off %v, %d kills: %v, of the perhaps sent %d are stored; none twice, none lost; %s",
		mails, f.breaks, kills, statuses, perhapsStored, took.Round(time.Second))
	if f.breaks["before it was stored"] == 0 || f.breaks["after it was stored"] == 0 || f.breaks["by a kill"] != kills ||
		perhapsStored == statuses["perhaps_sent"] || perhapsStored == 0 {
		t.Error("the run proves too little")
	}
}
