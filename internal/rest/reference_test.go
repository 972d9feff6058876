package rest

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/rest/reference"
)

const referenceFolder = "../../docs/api"

var updateReference = flag.Bool("update", false, "write docs/api anew")

// docs/api is generated from the API document and the example scripts. `make docs`
// writes it.
func TestReference(t *testing.T) {
	pages := referencePages(t)
	had, err := filepath.Glob(filepath.Join(referenceFolder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if *updateReference {
		writeReference(t, pages, had)
		return
	}
	for _, path := range had {
		if _, ok := pages[filepath.Base(path)]; !ok {
			t.Errorf("%s is no page of the API document; make docs removes it", path)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		text, err := os.ReadFile(filepath.Join(referenceFolder, name))
		if err != nil {
			t.Errorf("%v; make docs makes it", err)
		} else if string(text) != pages[name] {
			t.Errorf("docs/api/%s is behind the API document or its examples; make docs makes it anew", name)
		}
	}
}

func referencePages(t *testing.T) map[string]string {
	t.Helper()
	files, err := fs.Sub(openapiFiles, "openapi")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := reference.Pages(reference.Source{Files: files, Examples: scriptExamples(readScripts(t), new(Server).routes())})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func writeReference(t *testing.T, pages map[string]string, had []string) {
	t.Helper()
	for _, path := range had {
		if _, ok := pages[filepath.Base(path)]; !ok {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.MkdirAll(referenceFolder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(referenceFolder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// scriptExamples takes the examples of the pages from the scripts with their names:
// example-requests.txt has those of requests.md. Exchanges of other operations only
// prepare something.
func scriptExamples(scripts []script, routes []route) (examples []reference.Example) {
	for _, s := range scripts {
		page, ok := strings.CutPrefix(s.name, "example-")
		if !ok {
			continue
		}
		values := shownValues()
		for _, step := range s.steps {
			e := reference.Example{Page: page + ".md", Operation: operationOf(step, routes), About: step.caption, Kind: step.kind()}
			e.From = "../../internal/rest/" + scriptFolder + "/" + s.name + ".txt"
			var problems [2]string
			e.Call, problems[0] = step.shownCall(values)
			e.Reply, problems[1] = step.shownReply(values)
			e.Problem = strings.Join(problems[:], "")
			if step.status < 300 {
				examples = append(examples, e)
			}
		}
	}
	return examples
}

// operationOf finds the route of a call: of several that match, the one with the
// fewest wildcards.
func operationOf(step scriptStep, routes []route) string {
	path, _, _ := strings.Cut(strings.TrimPrefix(step.target, prefix), "?")
	found, wild := "", -1
	for _, r := range routes {
		if r.method != step.method || !pathMatches(r.path, path) {
			continue
		}
		if n := strings.Count(r.path, "{"); wild < 0 || n < wild {
			found, wild = string(r.op), n
		}
	}
	return found
}

func pathMatches(pattern, path string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool { return w == g || strings.HasPrefix(w, "{") })
}

// shownValues returns what pages show for values that differ from run to run. An
// example that captures a value adds it.
func shownValues() map[string]string {
	return map[string]string{
		"account": "1", "admin": "1", "agent": "2", "viewer": "3", "team": "1", "integration": "1", "workspace": "T0ACME",
		"admin.token": "1", "admin.session": "2", "agent.session.secret": "…",
	}
}

// shownTypes are the captures whose value is not a number. Several captures of one
// kind are shown the same.
var shownTypes = map[string]string{
	"cursor": "AAABnh5hwkMAAAAAAAAAEc5S0m2rVw4X", "secret": "fd_7x2vq4mzk3n5ab6cd7ef2gh3ij4kl5mn6o", "prefix": "fd_7x2vq4mz",
	"request-id": "k3v5mxq2rjt7ab4c", "authorize": "https://slack.com/oauth/v2/authorize?client_id=…&state=…", "key": "ACME-17", "seconds": "1",
	"workspace": "T0ACME", "signing": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "link": "https://desk.example/…",
}

// firstShownID is the id of the first thing that an example creates.
const firstShownID = 11

// show replaces the values in a script's text by values that a page can show. A
// value may be used before it is captured, because the fields of a reply are
// compared in another order than they are written in.
func show(text string, values map[string]string) (shown, problem string) {
	for _, match := range placeholder.FindAllString(text, -1) {
		if c := capture.FindStringSubmatch(match); c != nil && c[1] != "" {
			values[c[1]] = shownValue(c[2], len(values))
		}
	}
	shown = placeholder.ReplaceAllStringFunc(text, func(p string) string {
		if c := capture.FindStringSubmatch(p); c != nil && c[1] == "" {
			return shownValue(c[2], len(values))
		} else if c != nil {
			return values[c[1]]
		}
		value, ok := values[p[2:len(p)-2]]
		if !ok {
			problem = p + " cannot be shown on a page"
		}
		return value
	})
	return shown, problem
}

// shownValue returns what is shown for a value of a type. Ids are numbered.
func shownValue(kind string, known int) string {
	if value, ok := shownTypes[kind]; ok {
		return value
	}
	return fmt.Sprint(firstShownID + known - len(shownValues()))
}

// kind returns the Content-Type of a call, or "" without a body.
func (step scriptStep) kind() string {
	for _, h := range step.header {
		if h[0] == "Content-Type" {
			return h[1]
		}
	}
	if step.body != "" {
		return "application/json"
	}
	return ""
}

// shownCall returns the call as a page shows it.
func (step scriptStep) shownCall(values map[string]string) (call, problem string) {
	call = step.method + " " + step.target
	if step.as != "nobody" { // who calls with a session
		call += "\nAuthorization: Bearer fd_…"
	}
	for _, h := range step.header {
		if h[0] != "Content-Type" && h[0] != "Authorization" {
			call += "\n" + h[0] + ": " + h[1]
		}
	}
	if kind := step.kind(); kind != "" {
		call += "\nContent-Type: " + kind
	}
	call, problem = show(call, values)
	body, bodyProblem := show(step.body, values)
	if body != "" {
		call += "\n\n" + reference.Layout(body)
	}
	return call, problem + bodyProblem
}

// shownReply returns the reply as a page shows it.
func (step scriptStep) shownReply(values map[string]string) (reply, problem string) {
	reply = fmt.Sprint(step.status)
	for _, h := range step.reply {
		reply += "\n" + h[0] + ": " + h[1]
	}
	reply, problem = show(reply, values)
	body, bodyProblem := show(step.want, values)
	if body != "" {
		reply += "\n\n" + reference.Layout(body)
	}
	return reply, problem + bodyProblem
}
