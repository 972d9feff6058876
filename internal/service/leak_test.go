package service

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
	"frontdesk/internal/wire"
)

// Whichever way a note comes in, it never gets out to somebody outside the team. A
// word is planted in each note and searched for in everything that leaves.
func TestNothingInternalLeaks(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		t.Parallel()
		asked := newModel(t, modelsAnswer)
		told := newReceiver(t)
		w := newWorkplace(t, url, func(c *company) {
			c.hooks = privateHooks()
			c.ai = func(s *store.Store) suggest.Provider {
				p, err := suggest.NewModel(suggest.Config{URL: asked.URL + "/v1", Key: "sk-test", Model: "small-one"})
				must(t, err)
				return p
			}
		})
		direct := desk.NotifyDirect
		h, tickets := newDesk(w, func(n *desk.NewCollection) { n.Settings.Notify = &direct })
		_, err := h.CreateWebhook(ctx, h.caller(), desk.GivenWebhook{URL: &told.URL})
		must(t, err)
		p := &planter{helpdesk: h, tickets: tickets}
		p.prepare()
		var words []string
		for i, way := range waysIn {
			word := fmt.Sprintf("marker%dx%s", i, strings.ReplaceAll(way.name, " ", ""))
			way.plant(p, word)
			words = append(words, word)
		}
		h.rests()
		h.clock.move(time.Minute) // a model is asked only after a pause
		become(t, "a model that was asked", func() []string { return make([]string, asked.asked()) }, func(n []string) bool { return len(n) > 0 })
		h.rests()
		drafts := asked.asked()
		for _, r := range h.requests() { // what is drafted from it matters here, not the draft
			_, err := h.DraftReply(ctx, h.caller(), r.ID)
			wantKind(t, err, desk.Unavailable)
		}
		if asked.asked() == drafts {
			t.Error("no reply was drafted")
		}

		inside := h.everythingInside()
		for _, word := range words {
			if !strings.Contains(inside, word) {
				t.Errorf("%s was not planted", word)
			}
		}
		out := h.everythingOut()
		for _, c := range told.taken() {
			out["what a webhook is told"] += string(c.body)
		}
		out["the prompts of a model"] = strings.Join(asked.bodies, "\n")
		for place, text := range out {
			if len(text) < 20 {
				t.Errorf("%s is almost empty, so this tests nothing: %q", place, text)
			}
			for _, word := range words {
				if i := strings.Index(text, word); i >= 0 {
					t.Errorf("%s is in %s: …%.200s", word, place, text[max(0, i-60):])
				}
			}
		}
		for _, word := range words {
			found, err := h.SearchRequests(ctx, h.caller(), desk.RequestSearch{Query: word, OnlyPublic: true}, desk.Page{}, true)
			must(t, err)
			if len(found.Items) != 0 {
				t.Errorf("%s finds %d requests in public text", word, len(found.Items))
			}
		}
		for _, ts := range p.notes {
			if _, err := h.FindRequest(ctx, h.caller(), h.workspace.ID, h.triage, ts, RequestParts{}); desk.KindOf(err) != desk.NotFound {
				t.Errorf("a note is found by its message: %v", err)
			}
		}
	})
}

// planter has requests to plant words in.
type planter struct {
	*helpdesk
	tickets     string
	chat, api   desk.RequestID
	first       string // the first message of the chat request
	card        desk.Thread
	notes       []string // ids of chat messages that are notes
	publicReply sandbox.Message
}

func (p *planter) prepare() {
	p.t.Helper()
	p.first = p.says(p.oskar, p.help, "The scanner in the hall is dead, can you help?").TS
	p.become("open <The scanner in the hall is dead, can you help?")
	p.chat = p.requests()[0].ID
	p.card = p.helpdesk.card(0)
	p.publicReply = p.replies(p.maya, p.card.Channel, p.card.Message, "We will look at it")
	p.api = p.creates("My invoice is wrong, please send another one")
	p.posted(p.api)
	p.threadBecomes(p.help, p.first, "The scanner in the hall is dead, can you help?", "We will look at it")
}

func (p *planter) note(word string) *string {
	return ptr("<p>between us: <strong>" + word + "</strong></p>")
}

// file stores a file with a word in its name and in its bytes.
func (p *planter) file(word string) desk.NewFile {
	f, err := p.StoreFile(ctx, p.caller(), word+".txt", "text/plain", strings.NewReader("the bytes of "+word))
	must(p.t, err)
	return f
}

var waysIn = []struct {
	name  string
	plant func(p *planter, word string)
}{
	{"the API", func(p *planter, word string) { p.adds(p.chat, desk.NewMessage{HTML: p.note(word), Private: true}) }},
	{"the API with a file", func(p *planter, word string) {
		p.adds(p.api, desk.NewMessage{HTML: ptr("see"), Private: true, Files: []desk.NewFile{p.file(word)}})
	}},
	{"the API into the requesters thread", func(p *planter, word string) {
		p.adds(p.chat, desk.NewMessage{HTML: p.note(word), Private: true, Thread: p.first})
	}},
	{"the API as the bot with a state", func(p *planter, word string) {
		pending := desk.Pending
		p.adds(p.api, desk.NewMessage{HTML: p.note(word), Private: true, AsBot: true, State: &pending})
	}},
	{"triage", func(p *planter, word string) {
		p.notes = append(p.notes, p.replies(p.maya, p.card.Channel, p.card.Message, "// "+word+" is what I think").TS)
	}},
	{"triage in bold", func(p *planter, word string) {
		p.notes = append(p.notes, p.replies(p.maya, p.card.Channel, p.card.Message, "*//* "+word).TS)
	}},
	{"triage with a file", func(p *planter, word string) {
		_, err := p.box.As(p.priya).Upload(ctx, p.card.Channel, sandbox.Upload{Name: word + ".txt", Content: []byte(word), Comment: "// look at this", ThreadTS: p.card.Message})
		must(p.t, err)
	}},
	{"an edit that makes it a note", func(p *planter, word string) {
		_, err := p.box.As(p.maya).Edit(ctx, p.card.Channel, p.publicReply.TS, "// "+word)
		must(p.t, err)
		p.notes = append(p.notes, p.publicReply.TS)
	}},
	{"an edit of a note", func(p *planter, word string) {
		m := p.replies(p.maya, p.card.Channel, p.card.Message, "// first")
		become(p.t, "the note", p.lines, func(all []string) bool { return strings.Contains(strings.Join(all, "\n"), "//first") })
		_, err := p.box.As(p.maya).Edit(ctx, p.card.Channel, m.TS, word+" without the mark")
		must(p.t, err)
		p.notes = append(p.notes, m.TS)
	}},
	{"an import", func(p *planter, word string) {
		at, responder := p.clock.Now().Add(-time.Hour), true
		items := []desk.ImportedRequest{{Title: ptr("Old"), Requester: desk.Requester{Email: "jo@elsewhere.test"}, CreatedAt: &at, Messages: []desk.ImportedMessage{
			{Text: ptr("hello, my export is broken"), Responder: new(bool), CreatedAt: &at},
			{Text: ptr(word), Private: true, Responder: &responder, Author: desk.Requester{Email: "maya@acme.test"}, CreatedAt: &at},
		}}}
		_, err := p.ImportRequests(ctx, p.caller(), func() (n desk.ImportedRequest, err error) {
			if len(items) == 0 {
				return n, io.EOF
			}
			n, items = items[0], nil
			return n, nil
		})
		must(p.t, err)
	}},
	{"a merge", func(p *planter, word string) {
		other := p.creates("The same invoice again, it is still wrong")
		p.adds(other, desk.NewMessage{HTML: p.note(word), Private: true})
		_, err := p.MergeRequests(ctx, p.caller(), p.chat, desk.Merge{Requests: []desk.RequestID{other}})
		must(p.t, err)
	}},
	{"a split", func(p *planter, word string) {
		from := p.creates("Two things: the invoice and the address")
		p.adds(from, desk.NewMessage{HTML: p.note(word), Private: true})
		p.adds(from, desk.NewMessage{HTML: ptr("The address is another matter")})
		r, err := p.Request(ctx, p.caller(), from, RequestParts{Messages: true})
		must(p.t, err)
		_, err = p.SplitRequest(ctx, p.caller(), from, desk.Split{Messages: []desk.MessageID{r.Messages[1].ID, r.Messages[2].ID}})
		must(p.t, err)
	}},
}

// everythingInside returns everything that a member can read.
func (h *helpdesk) everythingInside() string {
	text := ""
	for _, r := range h.requests() {
		b, err := json.Marshal(wire.NewRequest(r))
		must(h.t, err)
		text += string(b)
	}
	return text
}

// everythingOut returns everything that others can read, by where.
func (h *helpdesk) everythingOut() map[string]string {
	out := map[string]string{"the requester's channels and threads": h.readBy(h.oskar, func(c sandbox.Conversation) bool { return c.ID != h.triage })}
	for _, user := range []string{h.maya, h.priya, h.oskar} {
		out["direct messages"] += h.readBy(user, func(c sandbox.Conversation) bool { return c.IsIM })
	}
	cards, err := h.box.As(h.maya).History(ctx, h.triage, 1000)
	must(h.t, err)
	out["cards"] = asJSON(h.t, cards)
	whispers, err := h.box.As(h.oskar).Ephemerals(ctx, h.help)
	must(h.t, err)
	out["whispers to the requester"] = "there are none, or these: " + asJSON(h.t, whispers)
	for after, more := int64(0), true; more; {
		feed, err := h.Events(ctx, h.caller(), after, 100)
		must(h.t, err)
		for _, e := range feed.Events {
			out["the feed"] += string(e.Data)
			after = e.Seq
		}
		more = feed.More
	}
	l, err := h.Requests(ctx, h.caller(), desk.RequestFilter{None: true, States: desk.States}, desk.Page{Limit: 100}, false)
	must(h.t, err)
	for _, r := range l.Items {
		out["requests without their messages"] += asJSON(h.t, wire.NewListedRequest(r))
	}
	found, err := h.SearchRequests(ctx, h.caller(), desk.RequestSearch{Query: "invoice", OnlyPublic: true}, desk.Page{}, true)
	must(h.t, err)
	for _, f := range found.Items {
		out["a search of what is public"] += asJSON(h.t, f.Highlights) + asJSON(h.t, wire.NewListedRequest(f.Request))
	}
	must(h.t, h.store.DB().Read(ctx, func(tx *sqldb.Tx) error {
		for place, column := range map[string]string{"the rows of events": "data FROM events", "the audit log": "after FROM audit_logs WHERE after IS NOT NULL",
			"the history": "after FROM request_changes", "waiting jobs": "args FROM jobs"} {
			rows, err := sqldb.Collect(tx, func(scan func(...any) error) (text string, err error) {
				err = scan(&text)
				return text, err
			}, "SELECT "+column)
			if err != nil {
				return err
			}
			out[place] = "these: " + strings.Join(rows, "\n") + strings.Repeat(" ", 20)
		}
		return nil
	}))
	return out
}

// readBy returns everything that somebody can read in some of their conversations,
// including threads and files.
func (h *helpdesk) readBy(user string, which func(sandbox.Conversation) bool) string {
	all, err := h.box.As(user).Conversations(ctx)
	must(h.t, err)
	text := "what " + user + " can read: "
	for _, c := range slices.DeleteFunc(all, func(c sandbox.Conversation) bool { return !which(c) }) {
		messages, err := h.box.As(user).History(ctx, c.ID, 1000)
		must(h.t, err)
		text += asJSON(h.t, messages)
		for _, m := range messages {
			if m.ReplyCount > 0 {
				thread, err := h.box.As(user).Thread(ctx, c.ID, m.TS)
				must(h.t, err)
				text += asJSON(h.t, thread)
			}
		}
	}
	return text
}

func asJSON(t testing.TB, v any) string {
	b, err := json.Marshal(v)
	must(t, err)
	return string(b)
}
