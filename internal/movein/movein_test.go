package movein

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/desk"
)

var update = flag.Bool("update", false, "write what was read to testdata")

// shown is an item as the golden files have it.
func shown(it Item) map[string]any {
	show := map[string]any{"place": fmt.Sprintf("%s:%d", filepath.Base(it.File), it.Line), "id": it.ID}
	put := func(name string, value any, is bool) {
		if is {
			show[name] = value
		}
	}
	put("problems", it.Problems, len(it.Problems) > 0)
	put("left out", it.LeftOut, it.LeftOut != "")
	put("organization", it.Organization, it.Organization != "")
	put("files", it.Files, it.Files > 0)
	if n := it.Request; len(it.Problems) == 0 && it.LeftOut == "" {
		var said []map[string]any
		for _, m := range n.Messages {
			said = append(said, map[string]any{"html": m.HTML, "text": m.Text, "author": whoIs(m.Author), "responder": m.Responder, "private": m.Private, "at": m.CreatedAt})
		}
		show["request"] = map[string]any{"title": n.Title, "requester": whoIs(n.Requester), "assignee": n.Assignee, "state": n.State, "priority": n.Priority, "tags": n.Tags,
			"created": n.CreatedAt, "updated": n.UpdatedAt, "responded": n.FirstResponseAt, "solved": n.SolvedAt, "messages": said}
	}
	return show
}

func whoIs(who desk.Requester) string {
	return strings.TrimSpace(who.Name + " <" + who.Email + ">" + who.User)
}

func readAll(t testing.TB, s System, files ...string) (all []Item) {
	t.Helper()
	for it, err := range Read(context.Background(), s, files) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, it)
	}
	return all
}

func TestSamples(t *testing.T) {
	for _, c := range []struct {
		system System
		files  []string
	}{
		{Zendesk, []string{"zendesk-tickets.jsonl", "zendesk-people.json"}},
		{Zammad, []string{"zammad.json"}},
		{Chatwoot, []string{"chatwoot.json"}},
		{Frontdesk, []string{"frontdesk.jsonl"}},
	} {
		t.Run(string(c.system), func(t *testing.T) {
			var files []string
			for _, name := range c.files {
				files = append(files, filepath.Join("testdata", name))
			}
			var all []map[string]any
			for _, it := range readAll(t, c.system, files...) {
				all = append(all, shown(it))
			}
			got, err := json.MarshalIndent(all, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(bytes.ReplaceAll(bytes.ReplaceAll(got, []byte(`\u003c`), []byte("<")), []byte(`\u003e`), []byte(">")), '\n')
			golden := filepath.Join("testdata", string(c.system)+".golden")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("what was read differs from %s; it is\n%s", golden, got)
			}
		})
	}
}

// write puts a text into a file and returns its path.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

const ticket = `{"id":%d,"subject":"S","requester_id":1,"created_at":"2024-01-01T00:00:00Z"}`

func tickets(ids ...int) (all []string) {
	for _, id := range ids {
		all = append(all, fmt.Sprintf(ticket, id))
	}
	return all
}

// What a file is, and where its records begin.
func TestForms(t *testing.T) {
	one, two := fmt.Sprintf(ticket, 1), fmt.Sprintf(ticket, 2)
	broken := "is not valid JSON: "
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"blank", "\n \n", ""},
		{"lines", one + "\n" + two + "\n", "1:1 2:2"},
		{"lines without an end", one + "\r\n\r\n" + two, "1:1 2:3"},
		{"byte order mark", "\xef\xbb\xbf" + one + "\n", "1:1"},
		{"gzip", zipped(one + "\n" + two), "1:1 2:2"},
		{"gzip, twice", zipped(one+"\n") + zipped(two), "1:1 2:2"},
		{"list", "[\n" + one + ",\n\n" + two + "]", "1:2 2:4"},
		{"list on one line", "[" + one + "," + two + "]", "1:1 2:1"},
		{"document", "{\"count\": 2,\n\"tickets\": [" + one + ",\n" + two + "],\n\"users\": []}", "1:2 2:3"},
		{"document of one", "{\"ticket\":\n" + one + "}", "1:2"},
		{"documents", "{\"tickets\":[" + one + "]}\n{\"tickets\":[" + two + "],\"next_page\":null}\n", "1:1 2:2"},
		{"over several lines", strings.ReplaceAll(one, ",", ",\n  ") + "\n" + two, "1:1 2:5"},
		{"broken line", one + "\n{\"id\":7,\n" + two, "1:1 :2(" + broken + "it ends in the middle) 2:3"},
		{"broken first line", "{\"id\":7,\n" + two, ":1(" + broken + "it ends in the middle) 2:2"},
		{"first line is none", "hello\n" + two, ":1(" + broken + "invalid character 'h' looking for beginning of value) 2:2"},
		{"no object", one + "\n7\n" + two, "1:1 :2(is not a JSON object) 2:3"},
		{"broken document", "[\n" + one + ",\n{\"id\" 7}]", "1:2 :3(" + broken + "invalid character '7' after object key; the rest of the file was not read)"},
		{"half a document", "[\n" + one + ",\n{\"id\":", "1:2 :3(" + broken + "it ends in the middle; the rest of the file was not read)"},
		{"half a gzip", zipped(one)[:40], ":1(is not valid JSON: it ends in the middle; the rest of the file was not read)"},
		{"another thing", "{\"colour\":\"red\"}\n", ":1(is not a record that is known: it has the fields \"colour\")"},
		{"latin 1", "{\"id\":1,\"subject\":\"caf\xe9\"}\n", ":1(subject must be valid UTF-8)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, it := range readAll(t, Zendesk, write(t, "file", c.text)) {
				text := fmt.Sprintf("%s:%d", it.ID, it.Line)
				if len(it.Problems) > 0 {
					text = fmt.Sprintf(":%d(%s)", it.Line, strings.Join(it.Problems, "; "))
				}
				got = append(got, text)
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

func TestOtherFiles(t *testing.T) {
	for text, want := range map[string]string{
		"PK\x03\x04....":          "is a zip file",
		"<?xml version='1.0'?>":   "is XML or HTML",
		"\xff\xfe{\x00":           "is UTF-16",
		"\x1f\x8b and not a gzip": "begins like gzip",
	} {
		for _, err := range Read(context.Background(), Zammad, []string{write(t, "export", text)}) {
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "export") {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
	for _, err := range Read(context.Background(), Zammad, []string{"/nowhere"}) {
		if err == nil {
			t.Error("read a file that does not exist")
		}
	}
}

// A line that is too large costs no memory, and those after it are read.
func TestLargeLine(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	fmt.Fprintln(w, fmt.Sprintf(ticket, 1))
	fmt.Fprint(w, `{"id":2,"subject":"`)
	for range mostRecord >> 20 {
		w.Write(bytes.Repeat([]byte("x"), 1<<20))
	}
	fmt.Fprintf(w, "\"}\n"+ticket, 3)
	w.Close()
	all := readAll(t, Zendesk, write(t, "large.gz", b.String()))
	if len(all) != 3 || len(all[1].Problems) != 1 || all[1].Problems[0] != tooLarge || all[1].Line != 2 || all[2].ID != "3" {
		t.Errorf("read %d: %+v", len(all), all)
	}
}

func TestLongHistory(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"id":1,"subject":"S","requester_id":1,"created_at":"2024-01-01T00:00:00Z","comments":[`)
	const n = desk.MostImportedMessages + 5
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		// The last ones come first.
		fmt.Fprintf(&b, `{"author_id":1,"body":"message %d","created_at":"2024-01-01T00:%02d:%02dZ"}`, n-1-i, (n-1-i)/60, (n-1-i)%60)
	}
	fmt.Fprintf(&b, `,{"author_id":1,"body":"%s","created_at":"2024-01-02T00:00:00Z"}]}`, strings.Repeat("é", desk.MostImportedText+1))
	it := readAll(t, Zendesk, write(t, "file", b.String()))[0]
	all := it.Request.Messages
	if len(all) != desk.MostImportedMessages || it.MessagesCut != 7 || it.TextsCut != 1 {
		t.Fatalf("%d messages, %d cut, %d texts cut", len(all), it.MessagesCut, it.TextsCut)
	}
	for i, want := range map[int]string{0: "message 0", 499: "message 499", 500: "7 messages are left out here, because an imported request has at most 1000.", 501: "message 507"} {
		if got := *all[i].Text; got != want {
			t.Errorf("message %d is %q, not %q", i, got, want)
		}
	}
	if last := *all[999].Text; !strings.HasSuffix(last, "é…") || !all[500].Private {
		t.Errorf("the last one ends in %q", last[len(last)-10:])
	}
}
