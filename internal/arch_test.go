// Package internal_test holds the import table of the architecture: which of our packages may know which. It looks at the
// packages from outside, and must not import any of them.
package internal_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "frontdesk"

// anything in an entry allows every package of ours.
const anything = "*"

// parts is the row below the changes.
var parts = []string{"store", "saved", "heard", "timeline", "notify", "index", "insights", "chat", "tracker", "mail", "webhook", "suggest", "blob"}

// table says what each package may import of ours, outside its tests. Names are import paths without the module and
// without internal/. It is the plan: an entry may be there before its package is. Who adds a package adds its entry, in the
// row where it belongs, and to docs/ARCHITECTURE.md.
var table = map[string][]string{
	// Ground.
	"desk":       {"hours"},
	"hours":      {},
	"report":     {"desk", "hours"},
	"help":       {"desk", "markup"},
	"sqldb":      {},
	"search":     {"desk", "sqldb"}, // desk: how texts are folded
	"job":        {"sqldb"},
	"chain":      {"desk", "sqldb", "seal"},
	"journal":    {"desk", "wire", "sqldb", "seal", "chain"},
	"schema":     {},
	"wire":       {"desk", "hours", "report", "help", "markup", "preference"}, // markup: HTML is looked at once more where it leaves
	"stored":     {"desk", "report", "wire", "preference"},
	"seal":       {},
	"markup":     {},
	"preference": {"desk"},
	"outbound":   {},
	"remote":     {"desk", "outbound"}, // calls to other systems end in errors for our callers
	"limit":      {},
	"telemetry":  {},
	"web":        {},

	// Parts.
	"store":    {"desk", "hours", "report", "wire", "preference", "sqldb", "schema", "seal", "search", "job", "chain", "journal", "stored"},
	"saved":    {"desk", "hours", "report", "sqldb", "stored", "store"},
	"heard":    {"desk", "sqldb", "store"},
	"timeline": {"desk", "wire", "sqldb", "store"},
	"index":    {"desk", "sqldb", "search", "store"},
	"notify":   {"desk", "sqldb", "store"},
	"insights": {"desk", "sqldb"},
	"chat":     {"desk"},
	"tracker":  {"desk"},
	"mail":     {"desk", "seal", "markup"},

	"mail/listen":  {"mail"},
	"mail/relay":   {"desk"},
	"mail/verify":  {"mail"},
	"mail/mailbox": {"desk", "mail"},

	"webhook": {"desk", "wire", "outbound"},
	"suggest": {"desk", "wire", "outbound", "markup"},
	"blob":    {"desk", "wire", "outbound"},
	"move":    {"sqldb", "schema", "seal", "blob"},
	"backup":  {"desk", "sqldb", "schema", "seal", "chain", "blob", "stored"},
	"privacy": {"desk", "sqldb", "seal", "search", "chain", "store", "blob"},
	"movein":  {"desk", "wire"},

	// Changes, which happen inside a transaction; and the systems outside, which are called between transactions.
	"change":  {"report", "store", "heard", "notify", "preference", "chat", "suggest", "mail", "job", "desk", "seal", "markup"},
	"outside": {"change", "store", "chat", "tracker", "blob", "desk"},

	// Operations, and what works beside them. Neither knows the other.
	"service": slices.Concat(parts, []string{"privacy", "change", "outside", "job", "desk", "report", "help", "wire", "preference", "seal", "markup", "limit"}),
	"worker":  slices.Concat(parts, []string{"privacy", "mail/listen", "mail/relay", "mail/verify", "mail/mailbox", "change", "outside", "job", "desk", "report", "markup"}),

	// Edges. Connectors hand in what they hear through a function, so that they need not know the operations; and the
	// sandbox, being the outside world, knows nothing of the desk.
	"rest":            {"desk", "hours", "report", "help", "wire", "preference", "service", "seal", "limit"},
	"webapp":          {"desk", "service", "limit"},
	"page":            {"desk", "service"},
	"mcp":             {"desk", "wire", "service"},
	"chat/slack":      {"chat", "desk", "markup", "remote", "chat/slack/mrkdwn"},
	"chat/mattermost": {"chat", "desk", "remote", "outbound"},
	"tracker/zendesk": {"tracker", "desk", "markup", "remote"},
	"tracker/linear":  {"tracker", "desk", "markup", "remote"},
	"sandbox":         {"sqldb", "outbound", "sandbox/richtext"}, // calls to apps go where any call out may go
	"sandbox/mailbox": {"sandbox", "sqldb", "mail", "mail/listen", "markup"},

	// The sample account, made through the operations and in the world outside.
	"demo": {"desk", "hours", "service", "worker", "sandbox"},

	// Parts of a package at the edge, which only it imports.
	"chat/slack/mrkdwn": {"markup"},
	"sandbox/richtext":  {},

	// Wiring.
	"cmd/frontdesk": {anything},

	// What makes a file that is kept in the tree.
	"scripts/common-passwords": {"desk"},

	// What looks at the files for operators.
	"scripts/check-deploy": {},

	// What looks at the tests.
	"scripts/test-times": {},
	"scripts/mutants":    {},

	// Support for tests and measurements. Nothing above may import these.
	"hours/hourstest":             {"hours"},
	"sqldb/dbtest":                {"sqldb", "schema"},
	"blob/blobtest":               {"blob"},
	"markup/markuptest":           {},
	"chat/chattest":               {"chat", "desk"},
	"tracker/trackertest":         {"tracker", "desk"}, // the suite that every tracker passes
	"tracker/zendesk/zendesktest": {},                  // the systems themselves, as the world outside has them
	"tracker/linear/lineartest":   {},
	"mail/mailtest":               {},
	"rest/reference":              {"desk"}, // docs/api, for the test that writes and checks it
	"bench":                       {anything},
	"chaos/cluster":               {},
	"chaos":                       {"chaos/cluster", "chat/slack", "sandbox", "sqldb", "sqldb/dbtest"}, // the world outside, and the tables to compare with
}

// outward are packages of the standard library that whoever calls another system needs.
var outward = []string{"context", "net", "net/http", "os", "os/exec"}

// vague names tell a reader nothing, and so collect whatever has no other home.
var vague = []string{"util", "common", "helpers", "misc", "shared", "base", "types", "models"}

// pkg is what `go list` says of a package.
type pkg struct {
	ImportPath string
	Name       string
	Doc        string
	GoFiles    []string
	Imports    []string // without those of its tests
}

// violations returns a sentence for each way in which pkgs depart from the rules; allowed is the import table.
func violations(pkgs []pkg, allowed map[string][]string) []string {
	var found []string
	report := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for _, p := range pkgs {
		name := short(p.ImportPath)
		if p.Doc == "" {
			report("%s has no package comment: say what it is for and what it must not know", name)
		}
		for _, word := range vague {
			if p.Name == word || slices.Contains(strings.Split(name, "/"), word) {
				report("%s is called %s, which says nothing: name it for what it does", name, word)
			}
		}
		may, planned := allowed[name]
		if !planned {
			report("%s is not in the import table", name)
			continue
		}
		for _, imp := range p.Imports {
			switch {
			case ours(imp):
				if !slices.Contains(may, anything) && !slices.Contains(may, short(imp)) {
					report("%s imports %s; of ours it may import %s", name, short(imp), list(may))
				}
			case name == "desk" && !standard(imp):
				report("desk imports %s; it may import only the standard library", imp)
			case name == "change" && slices.Contains(outward, imp):
				report("change imports %s; nothing outside the database happens inside a transaction", imp)
			}
		}
	}
	return found
}

func ours(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// standard tells the library's import paths from others by the dot: every other first element is a host name.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func short(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module+"/"), "internal/")
}

func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

func TestArchitecture(t *testing.T) {
	for _, v := range violations(packages(t), table) {
		t.Error(v)
	}
}

// mostLines is how many lines a package may have without its tests. One that has more does several things; give those that
// others could use a package of their own.
const mostLines = 10_000

func TestPackagesAreSmall(t *testing.T) {
	for _, p := range packages(t) {
		lines := 0
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join("..", strings.TrimPrefix(p.ImportPath, module+"/"), name))
			if err != nil {
				t.Fatal(err)
			}
			lines += strings.Count(string(text), "\n")
		}
		if lines > mostLines {
			t.Errorf("%s has %d lines; a package has at most %d", short(p.ImportPath), lines, mostLines)
		}
	}
}

// packages lists the packages of the module that have code besides tests.
func packages(t *testing.T) []pkg {
	t.Helper()
	root := ".."

	// The test cache knows which directories this test has read, but not what a command has that it ran. Without this
	// walk a passing result would be remembered while packages change.
	for _, dir := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(_ string, _ fs.DirEntry, err error) error { return err })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}

	// -e: a package that does not compile is for the compiler to report.
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Name,Doc,GoFiles,Imports", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		if len(p.GoFiles) > 0 {
			pkgs = append(pkgs, p)
		}
	}
	if len(pkgs) == 0 {
		t.Fatal("go list found no packages")
	}
	return pkgs
}

// A misspelt name in the table would allow nothing, and nobody would notice until it is in the way.
func TestTableNamesKnownPackages(t *testing.T) {
	for name, may := range table {
		for _, imp := range may {
			if _, ok := table[imp]; !ok && imp != anything {
				t.Errorf("%s may import %s, which has no entry", name, imp)
			}
		}
	}
}

func TestViolations(t *testing.T) {
	allowed := map[string][]string{
		"desk":          {},
		"wire":          {"desk"},
		"store":         {"desk", "wire"},
		"store/util":    {},
		"change":        {"desk"},
		"planned":       {"desk"},
		"cmd/frontdesk": {anything},
	}
	good := []pkg{
		{ImportPath: "frontdesk/internal/desk", Name: "desk", Doc: "Package desk.", Imports: []string{"time", "encoding/json"}},
		{ImportPath: "frontdesk/internal/store", Name: "store", Doc: "Package store.",
			Imports: []string{"frontdesk/internal/desk", "example.org/driver"}},
		{ImportPath: "frontdesk/cmd/frontdesk", Name: "main", Doc: "Frontdesk.", Imports: []string{"frontdesk/internal/store"}},
	}
	if got := violations(good, allowed); len(got) != 0 {
		t.Errorf("violations of good packages: %q", got)
	}

	tests := []struct {
		name string
		bad  pkg
		want string
	}{
		{"import not allowed",
			pkg{ImportPath: "frontdesk/internal/store", Name: "store", Doc: "Package store.",
				Imports: []string{"frontdesk/internal/desk", "frontdesk/internal/rest"}},
			"store imports rest; of ours it may import desk, wire"},
		{"import where none is allowed",
			pkg{ImportPath: "frontdesk/internal/desk", Name: "desk", Doc: "Package desk.", Imports: []string{"frontdesk/internal/wire"}},
			"desk imports wire; of ours it may import nothing"},
		{"desk beyond the standard library",
			pkg{ImportPath: "frontdesk/internal/desk", Name: "desk", Doc: "Package desk.", Imports: []string{"golang.org/x/text"}},
			"desk imports golang.org/x/text; it may import only the standard library"},
		{"a change that could call another system",
			pkg{ImportPath: "frontdesk/internal/change", Name: "change", Doc: "Package change.", Imports: []string{"context"}},
			"change imports context; nothing outside the database happens inside a transaction"},
		{"not in the table",
			pkg{ImportPath: "frontdesk/internal/queue", Name: "queue", Doc: "Package queue."},
			"queue is not in the import table"},
		{"no package comment",
			pkg{ImportPath: "frontdesk/internal/wire", Name: "wire"},
			"wire has no package comment: say what it is for and what it must not know"},
		{"vague folder",
			pkg{ImportPath: "frontdesk/internal/store/util", Name: "text", Doc: "Package text."},
			"store/util is called util, which says nothing: name it for what it does"},
		{"vague name",
			pkg{ImportPath: "frontdesk/internal/wire", Name: "types", Doc: "Package types."},
			"wire is called types, which says nothing: name it for what it does"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := violations([]pkg{tt.bad}, allowed); len(got) != 1 || got[0] != tt.want {
				t.Errorf("got  %q\nwant [%q]", got, tt.want)
			}
		})
	}
}
