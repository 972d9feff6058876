package slack_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/sandbox"
)

// sandboxFile, if set, makes the test binary serve a sandbox on that file. It runs
// as its own process, as Slack does, so that what happens to one side does not
// happen to the other.
const sandboxFile = "FRONTDESK_TEST_SANDBOX"

func TestMain(m *testing.M) {
	if file := os.Getenv(sandboxFile); file != "" {
		if err := serveSandbox(file, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// The suite waits much more than it computes.
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// doorCode gives access to what takes no token in the sandbox: apps, the authorize
// page and faults.
const doorCode = "the code from the log"

// place is what a sandbox prints when it is up.
type place struct {
	URL       string
	Workspace string
	People    []sandbox.User // the owner first
}

// serveSandbox serves until in ends, at the latest together with the parent. Each
// line of in is the id of a person, and is answered with their token.
func serveSandbox(file string, in io.Reader, out io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ready, ended := make(chan *sandbox.Sandbox, 1), make(chan error, 1)
	go func() {
		ended <- sandbox.Serve(ctx, l, sandbox.Config{
			Path: file, Workspace: &sandbox.WorkspaceConfig{Name: "Acme"}, Code: doorCode, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		}, func(s *sandbox.Sandbox) { ready <- s })
	}()
	var s *sandbox.Sandbox
	select {
	case s = <-ready:
	case err := <-ended:
		return err
	}
	teams, err := s.Workspaces(ctx)
	if err != nil {
		return err
	}
	people, err := s.Users(ctx, teams[0].ID)
	if err != nil {
		return err
	}
	say := json.NewEncoder(out)
	if err := say.Encode(place{"http://" + l.Addr().String(), teams[0].ID, people}); err != nil {
		return err
	}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		token, err := s.Token(ctx, lines.Text())
		if err != nil {
			return err
		}
		if err := say.Encode(token); err != nil {
			return err
		}
	}
	return nil // this ends everything, even if calls are still running
}

// process is a sandbox in its own process.
type process struct {
	place
	mu     sync.Mutex
	ask    io.Writer
	answer *json.Decoder
	tokens map[string]string
}

func startSandbox(t *testing.T) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), sandboxFile+"="+filepath.Join(t.TempDir(), "sandbox.db"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the sandbox: %v", err)
		}
		if stderr.Len() > 0 {
			t.Logf("the sandbox says:\n%s", stderr.String())
		}
	})
	p := &process{ask: in, answer: json.NewDecoder(out), tokens: map[string]string{}}
	if err := p.answer.Decode(&p.place); err != nil {
		t.Fatalf("start a sandbox: %v", err)
	}
	return p
}

// token returns a token for acting as a person.
func (p *process) token(user string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if token := p.tokens[user]; token != "" {
		return token, nil
	}
	if _, err := fmt.Fprintln(p.ask, user); err != nil {
		return "", err
	}
	var token string
	err := p.answer.Decode(&token)
	p.tokens[user] = token
	return token, err
}
