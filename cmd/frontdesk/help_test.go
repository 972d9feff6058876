package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var updateHelp = flag.Bool("update", false, "rewrite testdata/help")

// Run with -args -update to rewrite the files, then read them: they are what
// people see.
func TestHelpIsAsInItsFile(t *testing.T) {
	t.Parallel()
	in := install(t, filepath.Join(t.TempDir(), "frontdesk.db"))
	for name, args := range map[string][]string{
		"help.txt":              {"help"},
		"help-demo.txt":         {"help", "demo"},
		"help-jobs.txt":         {"help", "jobs"},
		"help-serve.txt":        {"help", "serve"},
		"help-token-create.txt": {"help", "token", "create"},
		"help-audit-export.txt": {"help", "audit", "export"},
	} {
		got := in.mustRun(args...)
		path := filepath.Join("testdata", "help", name)
		if *updateHelp {
			must(t, os.WriteFile(path, []byte(got), 0o644))
		}
		want, err := os.ReadFile(path)
		must(t, err)
		if got != string(want) {
			t.Errorf("frontdesk %s differs from %s (go test -run %s -args -update rewrites it). It prints:\n%s", strings.Join(args, " "), path, t.Name(), got)
		}
		if same := in.mustRun(append(args[1:], "--help")...); same != got {
			t.Errorf("frontdesk %s --help prints something else:\n%s", strings.Join(args[1:], " "), same)
		}
		if same := in.mustRun(append([]string{"--log-level=info"}, args...)...); same != got {
			t.Errorf("frontdesk --log-level=info %s prints something else:\n%s", strings.Join(args, " "), same)
		}
	}
}

// Help goes to stdout and fits a terminal of 80 columns. It shows a command's own
// flags before the common ones.
func TestHelpOfEveryCommand(t *testing.T) {
	t.Parallel()
	in := install(t, filepath.Join(t.TempDir(), "frontdesk.db"))
	nodes := []*kong.Node{}
	var visit func(n *kong.Node)
	visit = func(n *kong.Node) {
		nodes = append(nodes, n)
		for _, c := range n.Children {
			visit(c)
		}
	}
	visit(commandLine(t).Model.Node)
	for _, n := range nodes {
		args := append([]string{"help"}, strings.Fields(n.Path())...)
		out, errs, code := in.run(args...)
		if code != 0 || errs != "" {
			t.Errorf("%q: exit %d, stderr %q", args, code, errs)
		}
		for _, line := range strings.Split(out, "\n") {
			if len([]rune(line)) > 80 {
				t.Errorf("%q: longer than 80 columns: %q", args, line)
			}
		}
		common := strings.Index(out, "\nCommon flags:\n")
		for _, f := range n.Flags {
			at := strings.Index(out, "\n  --"+f.Name)
			if at < 0 || n.Parent != nil && at > common {
				t.Errorf("%q: --%s is not before the common flags", args, f.Name)
			}
			if !f.IsBool() && f.PlaceHolder == "" {
				t.Errorf("%q: --%s has no placeholder", args, f.Name)
			}
		}
	}
}

// Help must work when a setting is wrong: people need it then.
func TestHelpWorksWithAWrongSetting(t *testing.T) {
	t.Parallel()
	in := install(t, filepath.Join(t.TempDir(), "frontdesk.db"))
	want := in.mustRun("help", "serve")
	in.env = append(in.env, "FRONTDESK_RATE_LIMIT=many", "FRONTDESK_CONFIG=/nowhere")
	if got := in.mustRun("help", "serve"); got != want {
		t.Errorf("help serve: %s", got)
	}
}

// Misuse goes to stderr with exit code 2, and says which help to read.
func TestMisuse(t *testing.T) {
	t.Parallel()
	in := install(t, filepath.Join(t.TempDir(), "frontdesk.db"))
	for _, c := range []struct{ args, want string }{
		{"", firstSteps},
		{"sreve", "frontdesk: unknown command sreve, did you mean \"serve\"?\nSee: frontdesk help\n"},
		{"help sreve", "frontdesk: unknown command sreve, did you mean \"serve\"?\nSee: frontdesk help\n"},
		{"--log-level=info help sreve", "frontdesk: unknown command sreve, did you mean \"serve\"?\nSee: frontdesk help\n"},
		{"elephant", "frontdesk: unknown command elephant\nSee: frontdesk help\n"},
		{"token craete", "frontdesk token: unknown command craete, did you mean \"create\"?\nSee: frontdesk help token\n"},
		{"jobs", "frontdesk jobs: expected one of \"dead\", \"retry\", \"discard\"\nSee: frontdesk help jobs\n"},
		{"serve now", "frontdesk serve: unexpected argument now\nSee: frontdesk help serve\n"},
		{"serve --adr=:80", "frontdesk serve: unknown flag --adr, did you mean \"--addr\"?\nSee: frontdesk help serve\n"},
		{"--colour", "frontdesk: unknown flag --colour\nSee: frontdesk help\n"},
		{"token create --email=a@b.test", "frontdesk token create: missing flags: --scope=SCOPE\nSee: frontdesk help token create\n"},
	} {
		out, errs, code := in.run(strings.Fields(c.args)...)
		if out != "" || errs != c.want || code != 2 {
			t.Errorf("frontdesk %s: exit %d\nstdout: %s\nstderr: %s\nwant:   %s", c.args, code, out, errs, c.want)
		}
	}
}

// People can guess the name of a variable from its flag, and the other way round.
func TestVariablesAreNamedAsTheirFlags(t *testing.T) {
	t.Parallel()
	for _, f := range commandLine(t).Model.Flags {
		if f.Name == "help" || f.Name == "version" {
			continue
		}
		want := "FRONTDESK_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if len(f.Envs) != 1 || f.Envs[0] != want {
			t.Errorf("--%s has the variables %q, want %s", f.Name, f.Envs, want)
		}
	}
}

// The flags of S3 used to be called --s-3-endpoint and so on. These names still
// work, but help does not show them.
func TestOldNamesOfFlags(t *testing.T) {
	t.Parallel()
	var c commands
	parser, err := newParser(t.Context(), &c)
	must(t, err)
	_, err = parser.Parse([]string{"version", "--s-3-endpoint=e", "--s-3-bucket=b", "--s-3-region=r", "--s-3-access-key=a", "--s-3-secret-key=s", "--s-3-prefix=p", "--s-3-path-style", "--s-3-insecure"})
	must(t, err)
	want := blobSettings{S3Endpoint: "e", S3Bucket: "b", S3Region: "r", S3AccessKey: "a", S3SecretKey: "s", S3Prefix: "p", S3PathStyle: true, S3Insecure: true}
	if c.Blob != want {
		t.Errorf("got %+v, want %+v", c.Blob, want)
	}
}

func commandLine(t *testing.T) *kong.Kong {
	parser, err := newParser(t.Context(), &commands{})
	must(t, err)
	return parser
}
