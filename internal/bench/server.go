package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"frontdesk/internal/desk"
	"frontdesk/internal/rest"
	"frontdesk/internal/schema"
	"frontdesk/internal/seal"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
	"frontdesk/internal/wire"
	"frontdesk/internal/worker"
)

// members is how many members the account of a benchmark has.
const members = 1000

// runServer runs a server of the benchmark: "bare", "hello", "receiver", or the
// address of a database. It prints where it listens and ends when its standard
// input does.
func runServer(ctx context.Context, what string) {
	var handler http.Handler
	token := "none"
	switch what {
	case "bare":
		handler = bareHandler()
	case "hello":
		handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") })
	case "receiver":
		handler = receiverHandler()
	default:
		b := openBase(ctx, what)
		defer b.db.Close()
		_, token = b.fill(ctx)
		go b.service.Run(ctx) // as frontdesk serve does
		go worker.New(worker.Config{Store: b.store}).Run(ctx, ctx)
		handler = rest.New(rest.Config{Service: b.service, Key: b.key, Log: slog.New(slog.DiscardHandler)})
	}
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Println(l.Addr(), token)
	s := &http.Server{Handler: handler}
	go s.Serve(l)
	defer s.Close()
	must(io.Copy(io.Discard, os.Stdin))
}

// bareHandler is the minimum that net/http can do: the same answer as a member,
// encoded each time.
func bareHandler() http.Handler {
	m := desk.Member{ID: 1, Email: "jo.1@acme.test", Name: "Jo", Role: desk.Agent, CreatedAt: time.Now(), UpdatedAt: time.Now()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/rest/members/{id}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"member": wire.NewMember(m)})
	})
	return mux
}

// base is an opened database with the layers above it.
type base struct {
	db      *sqldb.DB
	key     *seal.Key
	store   *store.Store
	service *service.Service
}

func openBase(ctx context.Context, url string) *base {
	db := must(sqldb.Open(ctx, sqldb.Config{URL: url}))
	must(db.Migrate(ctx, schema.Files))
	b := &base{db: db, key: seal.NewKey()}
	b.store = store.New(db, b.key, nil)
	b.service = service.New(service.Config{Store: b.store})
	return b
}

// fill makes an account with members and a token for its admin.
func (b *base) fill(ctx context.Context) (account desk.AccountID, secret string) {
	role := desk.Admin
	a, m, err := b.service.NewAccount(ctx, "Bench", desk.NewMember{Email: "admin@acme.test", Role: &role})
	check(err)
	check(b.store.Write(ctx, a.ID, func(tx *store.Tx) error {
		for i := range members {
			jo := desk.Member{Email: fmt.Sprintf("jo.%d@acme.test", i), Name: "Jo", Role: desk.Agent, CreatedAt: tx.Now, UpdatedAt: tx.Now}
			if err := tx.AddMember(&jo); err != nil {
				return err
			}
		}
		return nil
	}))
	t := must(b.service.NewToken(ctx, a.ID, m, desk.NewToken{Name: "bench", Scope: desk.ReadWrite}))
	return a.ID, t.Secret
}

// child is a server in its own process.
type child struct {
	cmd   *exec.Cmd
	stdin io.Closer
	addr  string
	token string
}

func startChild(ctx context.Context, what string) *child {
	c := &child{cmd: exec.CommandContext(ctx, must(os.Executable()), "-server", what)}
	c.cmd.Stderr = os.Stderr
	c.stdin = must(c.cmd.StdinPipe())
	out := must(c.cmd.StdoutPipe())
	check(c.cmd.Start())
	line := must(bufio.NewReader(out).ReadString('\n'))
	must(fmt.Sscan(line, &c.addr, &c.token))
	return c
}

func (c *child) stop() {
	c.stdin.Close()
	_ = c.cmd.Wait()
}

// cpu returns the CPU time that the process has used, without that of a database
// server.
func (c *child) cpu() time.Duration { return cpuOf(c.cmd.Process.Pid) }

// freshURL makes an empty database; drop removes it.
func freshURL(engine sqldb.Engine, server string) (url string, drop func()) {
	if engine == sqldb.SQLite {
		dir := must(os.MkdirTemp("", "frontdesk-bench-"))
		return filepath.Join(dir, "frontdesk.db"), func() { os.RemoveAll(dir) }
	}
	admin := must(sql.Open("pgx", server))
	name := fmt.Sprintf("bench_%d", time.Now().UnixNano())
	must(admin.Exec("CREATE DATABASE " + name))
	return inDatabase(server, name), func() {
		_, _ = admin.Exec("DROP DATABASE " + name + " WITH (FORCE)")
		admin.Close()
	}
}

func inDatabase(server, name string) string {
	u := must(url.Parse(server))
	u.Path = "/" + name
	return u.String()
}
