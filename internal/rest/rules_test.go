package rest

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const rulesFile = "../../docs/rules.md"

// rule is a row of docs/rules.md.
type rule struct {
	id   string
	from string // where the rule comes from: contract or decisions and a heading, or own
	test string // package.TestName; empty if scripts prove it
}

var ruleRow = regexp.MustCompile("^\\| `([a-z]+(?:[.-][a-z]+)+)` \\| (.+) \\| (contract: .+|decisions: .+|own) \\| (?:`([a-z]+\\.Test[A-Za-z]+)`)? ?\\|$")

// parseRules reads the tables. Every row must be a rule.
func parseRules(text string) (rules []rule, problems []string) {
	for i, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| id ") {
			continue
		}
		match := ruleRow.FindStringSubmatch(line)
		if match == nil {
			problems = append(problems, fmt.Sprintf("line %d is no rule: %s", i+1, line))
			continue
		}
		rules = append(rules, rule{match[1], match[3], match[4]})
	}
	return rules, problems
}

// ruleProblems compares the rules with the scripts. exists reports whether there is
// such a test function.
func ruleProblems(rules []rule, scripts []script, exists func(test string) bool) (problems []string) {
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	known, proved := map[string]rule{}, map[string]bool{}
	for _, r := range rules {
		if _, twice := known[r.id]; twice {
			report("%s is there twice", r.id)
		}
		known[r.id] = r
	}
	for _, s := range scripts {
		for i, id := range s.rules {
			if _, ok := known[id]; !ok {
				report("the script %s proves %q, which is no rule", s.name, id)
			}
			if slices.Contains(s.rules[:i], id) {
				report("the script %s names %s twice", s.name, id)
			}
			proved[id] = true
		}
	}
	for _, r := range rules {
		switch {
		case r.test == "" && !proved[r.id]:
			report("%s is not proved by a script", r.id)
		case r.test != "" && proved[r.id]:
			report("%s is proved by a script and needs no %s", r.id, r.test)
		case r.test != "" && !exists(r.test):
			report("%s is proved by %s, which does not exist", r.id, r.test)
		}
	}
	return problems
}

var heading = regexp.MustCompile(`(?m)^#{1,3} \[?([^\]\n]+?)(?: \(additional[^)]*\))?(?:\]\(.*\))?$`)

// headingsOf returns the headings of pages, as rules name them.
func headingsOf(t *testing.T, pattern string) map[string]bool {
	t.Helper()
	pages, err := filepath.Glob(pattern)
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages are called %s (%v)", pattern, err)
	}
	found := map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range heading.FindAllStringSubmatch(string(text), -1) {
			found[match[1]] = true
		}
	}
	return found
}

// Each rule is on the page that its row names.
func TestRulesStandSomewhere(t *testing.T) {
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	rules, _ := parseRules(string(text))
	headings := map[string]map[string]bool{
		"contract":  headingsOf(t, filepath.Join(referenceFolder, "*.md")),
		"decisions": headingsOf(t, "../../docs/contract/decisions.md"),
	}
	for _, r := range rules {
		if where, what, ok := strings.Cut(r.from, ": "); ok && !headings[where][what] {
			t.Errorf("%s is said to stand in %s, under %q, which is no heading there", r.id, where, what)
		}
	}
}

func TestRules(t *testing.T) {
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	rules, problems := parseRules(string(text))
	if len(rules) == 0 {
		t.Fatal("no rules")
	}
	tests := running{}
	problems = append(problems, ruleProblems(rules, readScripts(t), func(test string) bool {
		folder, name, _ := strings.Cut(test, ".")
		return tests.hasTest(t, filepath.Join("..", folder), name)
	})...)
	for _, p := range problems {
		t.Error(p)
	}
	t.Logf("%d rules", len(rules))
}

// namedTest matches a test as a page names it.
var namedTest = regexp.MustCompile("`([a-z]+)\\.(Test[A-Za-z]+)`")

// Every test that the page on security names exists and runs.
func TestSecurityPageNamesTests(t *testing.T) {
	text, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	named := namedTest.FindAllStringSubmatch(string(text), -1)
	if len(named) < 30 {
		t.Errorf("only %d tests are named", len(named))
	}
	tests := running{}
	for _, match := range named {
		folder := filepath.Join("..", match[1])
		if match[1] == "frontdesk" {
			folder = "../../cmd/frontdesk"
		}
		if !tests.hasTest(t, folder, match[2]) {
			t.Errorf("%s.%s does not exist, or never runs", match[1], match[2])
		}
	}
}

// running has the tests of each package that was asked for, so that its files are parsed once.
type running map[string]map[string]bool

// hasTest looks for a test in those files of a package that make test runs. A test
// that needs a build tag or that always skips itself does not count.
func (r running) hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	if r[folder] == nil {
		r[folder] = testsOf(t, folder)
	}
	return r[folder][name]
}

func testsOf(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, file := range files {
		if built, err := build.Default.MatchFile(folder, filepath.Base(file)); err != nil {
			t.Fatal(err)
		} else if !built {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range testsThatRun(t, text) {
			all[name] = true
		}
	}
	return all
}

// testsThatRun returns the tests of a file that do not skip at the top level of their
// bodies.
func testsThatRun(t *testing.T, file []byte) (names []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "", file, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && f.Recv == nil && f.Type.Params.NumFields() == 1 && !slices.ContainsFunc(f.Body.List, skips) {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

// skips reports whether a statement is a call such as t.Skip.
func skips(s ast.Stmt) bool {
	e, _ := s.(*ast.ExprStmt)
	if e == nil {
		return false
	}
	call, _ := e.X.(*ast.CallExpr)
	if call == nil {
		return false
	}
	method, _ := call.Fun.(*ast.SelectorExpr)
	return method != nil && strings.HasPrefix(method.Sel.Name, "Skip")
}

// A test that exists but does not run proves nothing.
func TestRulesNeedTestsThatRun(t *testing.T) {
	const file = `package p
import "testing"
func TestRuns(t *testing.T) { if testing.Short() { t.Skip("only sometimes") } }
func TestSkipped(t *testing.T) { t.Helper(); t.Skipf("later"); t.Error() }
func TestHelped() {}
func (s suite) TestMethod(t *testing.T) {}
`
	for name, want := range map[string]bool{"TestRuns": true, "TestSkipped": false, "TestHelped": false, "TestMethod": false, "TestLost": false} {
		if got := slices.Contains(testsThatRun(t, []byte(file)), name); got != want {
			t.Errorf("%s runs: %v", name, got)
		}
	}
	tests := running{}
	if tests.hasTest(t, ".", "TestSoakModel") {
		t.Error("a test that needs a build tag is taken for one that runs")
	}
	if !tests.hasTest(t, ".", "TestRulesNeedTestsThatRun") {
		t.Error("this test is not found")
	}
}

const decisionsFile = "../../docs/contract/decisions.md"

// aliasRow matches a row of the table of aliases: where, what is sent, what it
// means, the rule.
var aliasRow = regexp.MustCompile("^\\| [^|]+ \\| .*`.+`.* \\| `.+` \\| `([a-z.-]+)` \\|$")

// aliasProblems compares the aliases that decisions.md promises with the rules,
// which scripts must prove.
func aliasProblems(text string, rules []rule) (problems []string) {
	_, table, found := strings.Cut(text, "| where | clients send | it means | rule |\n|---|---|---|---|\n")
	if !found {
		return []string{"there is no table of aliases"}
	}
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		line = strings.TrimSpace(line)
		match := aliasRow.FindStringSubmatch(line)
		if match == nil {
			problems = append(problems, "this alias has no rule: "+line)
			continue
		}
		i := slices.IndexFunc(rules, func(r rule) bool { return r.id == match[1] })
		switch {
		case i < 0:
			problems = append(problems, "the rule of an alias does not exist: "+match[1])
		case rules[i].test != "":
			problems = append(problems, "an alias needs a script, and no other test: "+match[1])
		}
	}
	return problems
}

// Every alias that is promised has a rule with a script.
func TestAliases(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	rules, _ := parseRules(read(rulesFile))
	decisions := read(decisionsFile)
	for _, p := range aliasProblems(decisions, rules) {
		t.Error(p)
	}
	// The check is worthless if it accepts everything.
	const header = "| where | clients send | it means | rule |\n|---|---|---|---|\n"
	broken := header + "| a | `x` | `y` | `find.alias` |\n| b | `x` | `y` |  |\n| c | `x` | `y` | `find.lost` |\n| d | `x` | `y` | `find.tested` |\n\n| e | `x` |\n"
	got := aliasProblems(broken, []rule{{id: "find.alias"}, {id: "find.tested", test: "rest.TestAliases"}})
	want := []string{"this alias has no rule: | b | `x` | `y` |  |", "the rule of an alias does not exist: find.lost", "an alias needs a script, and no other test: find.tested"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if len(aliasProblems("no table", nil)) != 1 {
		t.Error("a page without the table passes")
	}
}

func TestRuleProblems(t *testing.T) {
	rules, problems := parseRules("# Rules\n\n| id | rule | from | Go test |\n|---|---|---|---|\n" +
		"| `a.scripted` | A rule. | contract: Errors |  |\n" +
		"| `a.tested` | A rule. | own | `rest.TestRuleProblems` |\n" +
		"| `a.twice` | A rule. | own |  |\n" +
		"| `a.twice` | A rule. | own |  |\n" +
		"| `a.forgotten` | A rule. | decisions: Limits |  |\n" +
		"| `a.lost` | A rule. | own | `rest.TestLost` |\n" +
		"| `a.both` | A rule. | own | `rest.TestRuleProblems` |\n" +
		"| a.plain | A rule. | own |  |\n" +
		"| `a.nowhere` | A rule. | hearsay |  |\n")
	scripts := []script{
		{name: "one", rules: []string{"a.scripted", "a.twice", "a.both", "a.scripted"}},
		{name: "two", rules: []string{"a.unheard"}},
	}
	tests := running{}
	problems = append(problems, ruleProblems(rules, scripts, func(test string) bool {
		return tests.hasTest(t, ".", strings.TrimPrefix(test, "rest."))
	})...)
	want := []string{
		"line 12 is no rule: | a.plain | A rule. | own |  |",
		"line 13 is no rule: | `a.nowhere` | A rule. | hearsay |  |",
		"a.twice is there twice",
		"the script one names a.scripted twice",
		`the script two proves "a.unheard", which is no rule`,
		"a.forgotten is not proved by a script",
		"a.lost is proved by rest.TestLost, which does not exist",
		"a.both is proved by a script and needs no rest.TestRuleProblems",
	}
	if !slices.Equal(problems, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(problems, "\n     "), strings.Join(want, "\n     "))
	}
}
