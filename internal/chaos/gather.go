package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/sqldb"
)

// account is the only account of the desk.
const account = 1

// pending are rows that are there only while something is to be done, by what their number says.
var pending = map[string]string{
	"jobs are left":                             "SELECT count(*) FROM jobs WHERE dead_at IS NULL",
	"lanes are held":                            "SELECT count(*) FROM lanes WHERE account_id = $1",
	"posts are pending":                         "SELECT count(*) FROM posts WHERE account_id = $1 AND wanted > shown AND failure = ''",
	"copies of announcements are pending":       "SELECT count(*) FROM announcement_recipients WHERE account_id = $1 AND wanted > shown AND failure = ''",
	"mails are pending":                         "SELECT count(*) FROM mail_copies WHERE account_id = $1 AND wanted > shown",
	"events have no number":                     "SELECT count(*) FROM events WHERE account_id = $1 AND seq IS NULL",
	"entries of the audit log have no number":   "SELECT count(*) FROM audit_logs WHERE account_id = $1 AND seq IS NULL",
	"events are on their way to the webhook":    "SELECT count(*) FROM deliveries WHERE account_id = $1 AND status = 'waiting'",
	"events of the workspace were not received": "",
}

// books reads what the desk has in the end.
type books struct {
	w  *world
	db *sqldb.DB
}

func openBooks(ctx context.Context, w *world) (*books, error) {
	db, err := sqldb.Open(ctx, sqldb.Config{URL: w.cluster.URL, Log: slog.New(slog.DiscardHandler)})
	return &books{w, db}, err
}

// settle waits until nothing is left to do, or until ctx ends. It returns what is left.
func (b *books) settle(ctx context.Context, log func(string, ...any)) (left map[string]int, err error) {
	const patience = 20 * time.Second // between two lines that say what is left
	said := time.Now()
	for {
		left = map[string]int{}
		total := 0
		for what, statement := range pending {
			db, args := b.db, []any{account}
			switch {
			case statement == "":
				db, statement, args = b.w.town.db, "/* every account: the workspace's own table */ SELECT count(*) FROM deliveries WHERE state IN ('new', 'due')", nil
			case !strings.Contains(statement, "$1"):
				args = nil
			}
			n := 0
			if err := db.Read(context.WithoutCancel(ctx), func(tx *sqldb.Tx) error { return tx.Row(statement, args...).Scan(&n) }); err != nil {
				return nil, fmt.Errorf("%s: %w", what, err)
			}
			if n > 0 {
				left[what] = n
			}
			total += n
		}
		if total == 0 || ctx.Err() != nil {
			return left, nil
		}
		if time.Since(said) > patience {
			log("waiting: %s", counted(left))
			said = time.Now()
		}
		pause(ctx, 200*time.Millisecond)
	}
}

// texts calls row with each text that a statement finds.
func texts(ctx context.Context, db *sqldb.DB, row func(columns []string), columns int, statement string, args ...any) error {
	return db.Read(ctx, func(tx *sqldb.Tx) error {
		_, err := sqldb.Collect(tx, func(scan func(...any) error) (struct{}, error) {
			got := make([]string, columns)
			to := make([]any, columns)
			for n := range got {
				to[n] = &got[n]
			}
			err := scan(to...)
			row(got)
			return struct{}{}, err
		}, statement, args...)
		return err
	})
}

// gather fills the desk's side of a ledger.
func (b *books) gather(ctx context.Context, l *ledger, asked *load) error {
	l.found = map[string]int{}
	count := func(kinds ...string) func([]string) {
		return func(columns []string) {
			kind, mark := findMark(columns[0])
			for _, k := range kinds {
				if k == kind {
					l.found[kind+" "+mark]++
				}
			}
		}
	}
	if err := texts(ctx, b.db, count("request", "message"), 1, "SELECT text FROM messages WHERE account_id = $1 AND removed_at IS NULL", account); err != nil {
		return err
	}
	if err := texts(ctx, b.db, count("mail"), 1, "SELECT title FROM requests WHERE account_id = $1", account); err != nil {
		return err
	}
	if err := texts(ctx, b.db, count("announcement"), 1, "SELECT name FROM announcements WHERE account_id = $1", account); err != nil {
		return err
	}
	updates := count("update")
	if err := texts(ctx, b.db, func(c []string) {
		if before, after := titleOf(c[0]), titleOf(c[1]); before != after {
			updates([]string{after})
		}
	}, 2, "SELECT CAST(before AS TEXT), CAST(after AS TEXT) FROM audit_logs WHERE account_id = $1 AND action = 'request.updated'", account); err != nil {
		return err
	}
	if err := texts(ctx, b.db, func(c []string) {
		if t := asked.titles[c[0]]; t != nil {
			t.title = c[1]
			l.titles = append(l.titles, *t)
		}
	}, 2, "SELECT CAST(id AS TEXT), title FROM requests WHERE account_id = $1", account); err != nil {
		return err
	}
	for _, fill := range []func(context.Context, *ledger, *load) error{b.gatherFeed, b.gatherCopies, b.gatherMails, b.gatherDeadJobs} {
		if err := fill(ctx, l, asked); err != nil {
			return err
		}
	}
	return nil
}

func titleOf(text string) string {
	var r struct{ Title string }
	json.Unmarshal([]byte(text), &r) // what is not an object has no title
	return r.Title
}

// gatherFeed reads the whole feed, and the numbers of its events.
func (b *books) gatherFeed(ctx context.Context, l *ledger, asked *load) error {
	f := &follower{l: asked}
	var err error
	for more := true; more; {
		if more, err = f.page(ctx); err != nil {
			return err
		}
	}
	l.feed = f.got
	return b.db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		l.seqs, err = sqldb.Collect(tx, func(scan func(...any) error) (seq int64, err error) { return seq, scan(&seq) }, "SELECT seq FROM events WHERE account_id = $1 ORDER BY seq", account)
		return err
	})
}

// gatherCopies compares the copies of announcements with what stands in the workspace.
func (b *books) gatherCopies(ctx context.Context, l *ledger, _ *load) error {
	stands := map[string]int{}
	if err := texts(ctx, b.w.town.db, func(c []string) {
		if kind, mark := findMark(c[1]); kind == "announcement" {
			stands[c[0]+" "+mark]++
		}
	}, 2, "/* every account: the workspace's own table */ SELECT conversation_id, body FROM messages WHERE app_id <> ''"); err != nil {
		return err
	}
	var ids [][]string
	if err := texts(ctx, b.db, func(c []string) { ids = append(ids, c) }, 2, "SELECT CAST(id AS TEXT), name FROM announcements WHERE account_id = $1 ORDER BY id", account); err != nil {
		return err
	}
	for _, a := range ids {
		var got struct {
			Announcement struct {
				Recipients []struct {
					Channel string `json:"channel_id"`
					Status  string
				}
			}
		}
		if err := b.w.ask(ctx, "GET", "/announcements/"+a[0], nil, &got); err != nil {
			return err
		}
		for _, r := range got.Announcement.Recipients {
			l.copies = append(l.copies, copied{mark: a[1], channel: r.Channel, status: r.Status, stands: stands[r.Channel+" "+a[1]]})
		}
	}
	return nil
}

// gatherMails reads every request through the API: what became of its mails, and whether its file is there.
func (b *books) gatherMails(ctx context.Context, l *ledger, asked *load) error {
	mailed := map[string]bool{}
	path := "/requests?limit=100&include=messages&state=none,open,in_progress,pending,solved,closed"
	for at := path; ; {
		var page struct {
			Requests []struct {
				Messages []struct {
					Text        string
					Attachments []struct{ ID int64 }
					Email       *struct {
						Recipients []struct{ Status string }
					}
				}
			}
			Metadata struct {
				Next *string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		if err := b.w.ask(ctx, "GET", at, nil, &page); err != nil {
			return err
		}
		for _, r := range page.Requests {
			for _, m := range r.Messages {
				kind, mark := findMark(m.Text)
				if want, ok := asked.files[mark]; ok {
					f := filed{mark: mark, problem: "it is not attached"}
					if len(m.Attachments) == 1 {
						f.problem = b.compareFile(ctx, m.Attachments[0].ID, want)
					}
					l.files = append(l.files, f)
				}
				if kind != "message" || m.Email == nil {
					continue
				}
				mailed[mark] = true
				for _, to := range m.Email.Recipients {
					l.mails = append(l.mails, mailedOf(b.w.relay, mark, to.Status))
				}
			}
		}
		if page.Metadata.Next == nil {
			break
		}
		at = path + "&next_cursor=" + url.QueryEscape(*page.Metadata.Next)
	}
	for mark, wanted := range asked.mails {
		if wanted && !mailed[mark] && l.found["message "+mark] > 0 {
			l.mails = append(l.mails, mailedOf(b.w.relay, mark, "not to be sent"))
		}
	}
	return nil
}

func mailedOf(y *relay, mark, status string) mailed {
	y.mu.Lock()
	defer y.mu.Unlock()
	return mailed{mark, status, y.stored[mark]}
}

// compareFile says what is wrong with a file.
func (b *books) compareFile(ctx context.Context, id int64, want string) string {
	req, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("%s/v1/rest/attachments/%d", b.w.url(), id), nil)
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Authorization", "Bearer "+b.w.token)
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer r.Body.Close()
	got, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		return err.Error()
	case r.StatusCode != http.StatusOK:
		return r.Status
	case string(got) != want:
		return fmt.Sprintf("it has %d bytes that are not those that were sent", len(got))
	}
	return ""
}

// gatherDeadJobs notes the jobs that were given up.
func (b *books) gatherDeadJobs(ctx context.Context, l *ledger, _ *load) error {
	return texts(ctx, b.db, func(c []string) { l.odd["a job was given up: "+c[0]+": "+c[1]]++ }, 2, "SELECT kind, last_error FROM jobs WHERE dead_at IS NOT NULL")
}

// replicaReads returns how many reads a replica has answered, as the nodes have counted since they were last started.
func (w *world) replicaReads(ctx context.Context) (all int, err error) {
	for _, o := range w.nodes {
		req, err := http.NewRequestWithContext(ctx, "GET", "http://"+o.operations+"/metrics", nil)
		if err != nil {
			return 0, err
		}
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			return 0, err
		}
		for line := range strings.Lines(string(text)) {
			if count, ok := strings.CutPrefix(line, "frontdesk_db_replica_reads_total "); ok {
				n, err := strconv.Atoi(strings.TrimSpace(count))
				if err != nil {
					return 0, err
				}
				all += n
			}
		}
	}
	return all, nil
}

// said finds the level and the message in a line of a log.
var said = regexp.MustCompile(`level=(\w+) msg=("(?:[^"\\]|\\.)*"|\S+)`)

// scanLogs counts what the nodes logged, by level and message, and notes panics.
func scanLogs(folder string, l *ledger) map[string]int {
	counted := map[string]int{}
	paths, _ := filepath.Glob(filepath.Join(folder, "node*.log"))
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			if m := said.FindStringSubmatch(line); m != nil && (m[1] == "ERROR" || m[1] == "WARN") {
				counted[m[1]+" "+strings.Trim(m[2], `"`)]++
			}
			if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.Contains(line, "msg=panic") {
				l.odd["a node panicked: "+strings.TrimSpace(line)]++
			}
		}
	}
	return counted
}
