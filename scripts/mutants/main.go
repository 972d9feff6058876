// Command mutants asks whether the tests notice when a guard of the product is gone. A guard is an if that refuses: its
// body is one return, and its condition is more than "did the last call fail". The command picks some from every
// package, always the same ones, takes each away by itself, and runs the tests until one fails.
//
//	scripts/with-postgres go run ./scripts/mutants [-n 40] [-list] [-keep]
//
// Each line of the table is a guard and the test that noticed, or MISSED. Tables of two states of the tests say whether a
// change of the tests lost something. The last table is kept in noticed.txt: the test that noticed then is tried first.
package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	count := flag.Int("n", 40, "how many guards")
	list := flag.Bool("list", false, "only name them")
	keep := flag.Bool("keep", false, "keep the table in noticed.txt")
	flag.Parse()
	if err := run(*count, *list, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

//go:embed noticed.txt
var noticedBefore string

const table = "scripts/mutants/noticed.txt"

func run(count int, list, keep bool) error {
	all, err := guards("internal", "cmd")
	if err != nil {
		return err
	}
	before := map[string]string{}
	for line := range strings.Lines(noticedBefore) {
		if guard, by, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			before[guard] = by
		}
	}
	missed := 0
	var kept strings.Builder
	for _, g := range pick(all, count) {
		if list {
			fmt.Println(g)
			continue
		}
		by, err := g.noticed(before[g.String()])
		if err != nil {
			return fmt.Errorf("%s: %w", g, err)
		}
		if by == "" {
			missed++
			by = "MISSED"
		}
		fmt.Printf("%s\t%s\n", g, by)
		fmt.Fprintf(&kept, "%s\t%s\n", g, by)
	}
	if list {
		return nil
	}
	fmt.Printf("%d of %d were missed\n", missed, count)
	if keep {
		return os.WriteFile(table, []byte(kept.String()), 0o644)
	}
	return nil
}

// guard is an if that refuses.
type guard struct {
	file, in  string // the function
	condition string
	from, to  int // where the condition is in the file
}

func (g guard) String() string { return fmt.Sprintf("%s %s: %s", g.file, g.in, g.condition) }

// guards finds all of them, but for those of code that tests alone use.
func guards(folders ...string) (all []guard, err error) {
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (strings.HasSuffix(path, "test") || d.Name() == "bench" || d.Name() == "testdata"):
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			found, err := guardsOf(path)
			all = append(all, found...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func guardsOf(path string) (all []guard, err error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		return nil, err
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			i, ok := n.(*ast.IfStmt)
			if !ok || i.Else != nil || len(i.Body.List) != 1 || !refuses(i.Body.List[0]) {
				return true
			}
			var text bytes.Buffer
			if err = format.Node(&text, files, i.Cond); err != nil || plain.MatchString(text.String()) {
				return true
			}
			all = append(all, guard{
				file: path, in: f.Name.Name, condition: strings.Join(strings.Fields(text.String()), " "),
				from: files.Position(i.Cond.Pos()).Offset, to: files.Position(i.Cond.End()).Offset,
			})
			return true
		})
	}
	return all, err
}

// plain conditions pass on a failure, and guard nothing themselves.
var plain = regexp.MustCompile(`^\w*(err|Err)\w* [!=]= nil$`)

// refuses reports whether a statement returns an error that is made there.
func refuses(s ast.Stmt) bool {
	r, ok := s.(*ast.ReturnStmt)
	if !ok || len(r.Results) == 0 {
		return false
	}
	switch last := r.Results[len(r.Results)-1].(type) {
	case *ast.CallExpr:
		return true
	case *ast.UnaryExpr:
		return last.Op == token.AND
	case *ast.Ident:
		return strings.HasPrefix(last.Name, "err") && last.Name != "err" || last.Name == "false"
	case *ast.SelectorExpr:
		return strings.HasPrefix(last.Sel.Name, "Err")
	}
	return false
}

// pick takes guards from all packages in turn, in an order that looks like chance and is always the same.
func pick(all []guard, count int) (picked []guard) {
	by := map[string][]guard{}
	var packages []string
	for _, g := range all {
		p := filepath.Dir(g.file)
		if by[p] == nil {
			packages = append(packages, p)
		}
		by[p] = append(by[p], g)
	}
	slices.Sort(packages)
	for _, p := range packages {
		slices.SortFunc(by[p], func(a, b guard) int { return strings.Compare(a.dice(), b.dice()) })
	}
	for round := 0; len(picked) < count; round++ {
		some := false
		for _, p := range packages {
			if round < len(by[p]) && len(picked) < count {
				picked, some = append(picked, by[p][round]), true
			}
		}
		if !some {
			break
		}
	}
	return picked
}

func (g guard) dice() string { return fmt.Sprintf("%x", sha256.Sum256([]byte(g.String()))) }

// noticed takes the guard away and runs tests: the one that noticed before, those of its own package, then those that stand
// on everything. It gives the first that fails.
func (g guard) noticed(before string) (by string, err error) {
	folder, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	text, err := os.ReadFile(g.file)
	if err != nil {
		return "", err
	}
	gone := fmt.Sprintf("%sfalse && (%s)%s", text[:g.from], text[g.from:g.to], text[g.to:])
	changed := filepath.Join(folder, "changed.go")
	if err := os.WriteFile(changed, []byte(gone), 0o600); err != nil {
		return "", err
	}
	original, err := filepath.Abs(g.file)
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err != nil {
		return "", err
	}
	plan := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(plan, overlay, 0o600); err != nil {
		return "", err
	}
	if p, test, ok := strings.Cut(before, " "); ok {
		if by, err := runTests(plan, p, "-run", "^"+test+"$"); by != "" || err != nil {
			return by, err
		}
	}
	tried := map[string]bool{}
	for _, p := range []string{"./" + filepath.Dir(g.file), "./internal/rest", "./internal/service", "./internal/webapp", "./cmd/frontdesk"} {
		if tried[p] {
			continue
		}
		tried[p] = true
		if by, err := runTests(plan, p); by != "" || err != nil {
			return by, err
		}
	}
	return "", nil
}

// runTests gives a package's test that fails with the overlay; empty where none does.
func runTests(overlay, p string, more ...string) (by string, err error) {
	// Without its guard, a loop may never end: what it fills is bounded, or it would take the machine with it.
	args := append([]string{"-c", `ulimit -v 8388608 && exec go test "$@"`, "go test",
		"-overlay", overlay, "-vet=off", "-failfast", "-parallel", "6", "-timeout", "15m"}, more...)
	out, err := exec.Command("sh", append(args, p)...).CombinedOutput()
	if exit := (*exec.ExitError)(nil); err == nil || !errors.As(err, &exit) {
		return "", err
	}
	if m := failed.FindSubmatch(out); m != nil {
		return p + " " + string(m[1]), nil
	}
	if bytes.Contains(out, []byte("[build failed]")) {
		return "", fmt.Errorf("without it nothing builds:\n%s", out)
	}
	return p, nil
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
