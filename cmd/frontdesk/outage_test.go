package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/smtp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// Whoever comes to a server without its database, it says so once for each kind. Mail
// servers and chat systems come again and again. The database goes away as soon as the
// server is up, while it may still be looking whether there is an account.
func TestOutageIsLoggedOnceForEachKind(t *testing.T) {
	t.Parallel()
	proxy, address := dbtest.StartProxy(t, dbtest.URL(t, sqldb.Postgres))
	in := install(t, address)
	in.account()
	in.env = append(in.env, "FRONTDESK_SLACK_CLIENT_ID=id", "FRONTDESK_SLACK_CLIENT_SECRET=secret", "FRONTDESK_SLACK_SIGNING_SECRET=signing")
	mail := freeAddr(t)
	p := in.start("--mail-domain", "reply.acme.test", "--mail-listen", mail)
	proxy.Set(func() { proxy.Cut = true })
	for range 3 {
		c, err := smtp.Dial(mail)
		must(t, err)
		must(t, c.Mail("jo@customer.test"))
		if err := c.Rcpt("inbox+x@acme.test"); err == nil || !strings.HasPrefix(err.Error(), "451") {
			t.Errorf("a mail server was told %v", err)
		}
		must(t, c.Quit())

		const event = `{"type":"event_callback","team_id":"T1","event_id":"Ev1","event":{"type":"app_uninstalled"}}`
		stamp := fmt.Sprint(time.Now().Unix())
		mac := hmac.New(sha256.New, []byte("signing"))
		fmt.Fprintf(mac, "v0:%s:%s", stamp, event)
		r, err := http.NewRequest("POST", p.url+"/integrations/slack/events", strings.NewReader(event))
		must(t, err)
		r.Header.Set("X-Slack-Request-Timestamp", stamp)
		r.Header.Set("X-Slack-Signature", fmt.Sprintf("v0=%x", mac.Sum(nil)))
		w, err := http.DefaultClient.Do(r)
		must(t, err)
		w.Body.Close()
		if w.StatusCode < 500 {
			t.Errorf("the chat system was told %s", w.Status)
		}
	}
	for _, kind := range []string{"the database is unavailable;", "take a mail in", "slack: a call was not taken"} {
		if n := strings.Count(p.logs.String(), `msg="`+kind); n != 1 {
			t.Errorf("%q was logged %d times:\n%s", kind, n, p.logs)
		}
	}
	proxy.Set(func() { proxy.Cut = false })
}
