package zendesk

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

const key = "1b4e28ba-2fa1-4d3b-883f-0016d3cca427"

// pageOf returns a page of audits in the published form. after is the cursor, and
// more says whether there is a next page.
func pageOf(after string, more bool, audits ...string) string {
	cursor := "null"
	if after != "" {
		cursor = `"` + after + `"`
	}
	return fmt.Sprintf(`{"audits":[%s],"meta":{"has_more":%v,"after_cursor":%s,"before_cursor":"b"},"links":{"next":null,"prev":null}}`, strings.Join(audits, ","), more, cursor)
}

func auditOf(id int, events ...string) string {
	return fmt.Sprintf(`{"id":%d,"ticket_id":17,"created_at":"2026-10-05T10:38:52Z","author_id":1,"via":{"channel":"web"},
		"metadata":{"system":{"client":"x"},"custom":{}},"events":[%s]}`, id, strings.Join(events, ","))
}

func commentOf(id int) string {
	return fmt.Sprintf(`{"id":%d,"type":"Comment","author_id":1,"body":"said","html_body":"<p>said %d</p>","plain_body":"said","public":true,"attachments":[],"audit_id":1}`, id, id)
}

const (
	change   = `{"id":900,"type":"Change","value":"open","previous_value":"new","field_name":"status"}`
	notified = `{"id":901,"type":"Notification","subject":"x","body":{"odd":1},"recipients":[1]}`
)

func audits(after, answer string) exchange {
	call := "GET tickets/17/audits?"
	if after != "" {
		call += "page[after]=" + after + "&"
	}
	return exchange{call: call + "page[size]=100", answer: answer}
}

func users(ids string) exchange {
	return exchange{call: "GET users/show_many?ids=" + ids, answer: `{"users":[{"id":1,"name":"Ada","email":"ada@acme.test","role":"agent"},{"id":2,"name":"Bob","email":null}],"count":2}`}
}

func TestComments(t *testing.T) {
	keyed := fmt.Sprintf(`{"id":12,"created_at":"2026-10-05T10:39:00Z","author_id":1,"metadata":{"custom":{"frontdesk_comment":%q,"other":{"x":1}}},
		"events":[{"id":120,"type":"Comment","author_id":2,"body":"b","html_body":"<p>ours\u0000</p>","public":false},{"id":121,"type":"Comment","author_id":1,"html_body":"<p>more</p>","public":true}]}`, key)
	odd := `{"id":13,"created_at":"2026-10-05T10:40:00Z","author_id":-1,"metadata":{"custom":[]},
		"events":[{"id":130,"type":"VoiceComment","body":"a < b","public":true},{"id":"131","type":"Comment","html_body":7},"?",{"id":132,"type":"Comment","author_id":3,"html_body":"<p>gone</p>"}]}`
	forged := `{"id":14,"created_at":"2026-10-05T10:41:00Z","author_id":1,"metadata":{"custom":{"frontdesk_comment":"x"}},"events":[` + commentOf(140) + `]}`
	s := expect(t, audits("", pageOf("end", false, auditOf(11, change, commentOf(110), notified), keyed, odd, forged)), users("1,2,3"))
	got, err := s.place.Comments(t.Context(), "17", "")
	check(t, err)
	at := func(minute, second int) time.Time { return time.Date(2026, 10, 5, 10, minute, second, 0, time.UTC) }
	ada, bob := tracker.Author{ID: "1", Name: "Ada", Email: "ada@acme.test"}, tracker.Author{ID: "2", Name: "Bob"}
	want := []tracker.Comment{
		{ID: "110", Author: ada, HTML: "<p>said 110</p>", At: at(38, 52)},
		{ID: "120", Key: key, Author: bob, HTML: "<p>ours</p>", Private: true, At: at(39, 0)},
		{ID: "121", Author: ada, HTML: "<p>more</p>", At: at(39, 0)},
		{ID: "130", Author: tracker.Author{ID: "-1", Name: "Zendesk"}, HTML: "<p>a &lt; b</p>", At: at(40, 0)},
		{ID: "132", Author: tracker.Author{ID: "3"}, HTML: "<p>gone</p>", At: at(40, 0)},
		{ID: "140", Author: ada, HTML: "<p>said 140</p>", At: at(41, 0)},
	}
	if !reflect.DeepEqual(got.Comments, want) {
		t.Errorf("got %+v\nwant %+v", got.Comments, want)
	}
	if got.More || got.Next == "" {
		t.Errorf("behind it is %q, and more is %v", got.Next, got.More)
	}
}

// read reads a page and returns the comments' ids.
func (s *script) read(cursor string) (ids string, next string, more bool) {
	s.t.Helper()
	got, err := s.place.Comments(s.t.Context(), "17", cursor)
	check(s.t, err)
	var all []string
	for _, c := range got.Comments {
		all = append(all, c.ID)
	}
	return strings.Join(all, " "), got.Next, got.More
}

// follow reads on from a cursor and checks the result.
func (s *script) follow(cursor string, want string, more bool) (next string) {
	s.t.Helper()
	ids, next, hasMore := s.read(cursor)
	if ids != want || hasMore != more || next == "" {
		s.t.Errorf("read %q, more %v, next %q; want %q, more %v", ids, hasMore, next, want, more)
	}
	return next
}

// TestPages shows that everything is read once, even comments that are added after
// the end was reached, on the last page or on new pages.
func TestPages(t *testing.T) {
	one, two, three, four, five := auditOf(1, commentOf(10)), auditOf(2, change), auditOf(3, commentOf(30)), auditOf(4, commentOf(40)), auditOf(5, commentOf(50))
	six := auditOf(6, commentOf(60))
	s := expect(t,
		audits("", pageOf("c2", true, one, two)), users("1"),
		audits("c2", pageOf("c3", false, three)), users("1"),
		audits("c2", pageOf("c3", false, three)),
		audits("c2", pageOf("c4", false, three, four)), users("1"),
		audits("c2", pageOf("c4", true, three, four)),
		audits("c4", pageOf("c5", false, five)), users("1"),
		audits("c4", pageOf("c6", false, five, six)), users("1"),
		audits("c4", pageOf("c6", false, five, six)),
	)
	at := s.follow("", "10", true)
	at = s.follow(at, "30", false)
	at = s.follow(at, "", false)
	at = s.follow(at, "40", false)
	at = s.follow(at, "", true) // the page is full now, and nothing on it is new
	at = s.follow(at, "50", false)
	at = s.follow(at, "60", false)
	s.follow(at, "", false)
}

// TestFirstPages shows the same for a ticket without comments.
func TestFirstPages(t *testing.T) {
	s := expect(t,
		audits("", pageOf("", false)),
		audits("", pageOf("", false, auditOf(1, change))),
		audits("", pageOf("", false, auditOf(1, change), auditOf(2, commentOf(20)))), users("1"),
	)
	at := s.follow("", "", false)
	at = s.follow(at, "", false)
	s.follow(at, "20", false)
}

// TestLostCursor shows that reading continues if Zendesk no longer accepts a
// cursor. It starts at the first page and leaves out what was read.
func TestLostCursor(t *testing.T) {
	one, two, three, four := auditOf(1, commentOf(10)), auditOf(2, commentOf(20)), auditOf(3, commentOf(30)), auditOf(4, commentOf(40))
	refused := exchange{call: "GET tickets/17/audits?page[after]=c2&page[size]=100", status: 400, answer: `{"error":"InvalidPaginationParameter","description":"Invalid cursor"}`}
	s := expect(t,
		audits("", pageOf("c2", true, one)), users("1"),
		audits("c2", pageOf("c4", false, two, three)), users("1"),
		refused, audits("", pageOf("d2", true, one)),
		audits("d2", pageOf("d3", true, two)),
		audits("d3", pageOf("d4", false, three, four)), users("1"),
	)
	at := s.follow("", "10", true)
	at = s.follow(at, "20 30", false)
	at = s.follow(at, "", true)
	at = s.follow(at, "", true)
	s.follow(at, "40", false)

	// Also if nothing of the page has been read yet.
	s = expect(t, audits("", pageOf("c2", true, one)), users("1"), refused, audits("", pageOf("d2", true, one)), audits("d2", pageOf("", false, two)), users("1"))
	at = s.follow("", "10", true)
	at = s.follow(at, "", true)
	s.follow(at, "20", false)

	// A first page that is refused is not requested again.
	s = expect(t, exchange{call: "GET tickets/17/audits?page[size]=100", status: 422, answer: `{}`})
	_, err := s.place.Comments(t.Context(), "17", "")
	fails(t, "refused", err, desk.Refused, "Zendesk refused")
}

// TestArchived shows that a ticket is not read from the beginning after it is
// archived, when Zendesk returns only one page.
func TestArchived(t *testing.T) {
	one, two, three := auditOf(1, commentOf(10)), auditOf(2, commentOf(20)), auditOf(3, commentOf(30))
	s := expect(t,
		audits("", pageOf("c2", true, one, two)), users("1"),
		audits("c2", `{"audits":[`+one+`,`+two+`,`+three+`],"count":3,"next_page":null}`), users("1"),
		audits("c2", `{"audits":[`+one+`,`+two+`,`+three+`],"count":3}`),
	)
	at := s.follow("", "10 20", true)
	at = s.follow(at, "30", false)
	s.follow(at, "", false)
}

func TestManyAuthors(t *testing.T) {
	var all, ids []string
	for i := 1; i <= 150; i++ {
		all = append(all, strings.Replace(auditOf(i, commentOf(i*10)), `"author_id":1,"body"`, fmt.Sprintf(`"author_id":%d,"body"`, i), 1))
		ids = append(ids, fmt.Sprint(i))
	}
	s := expect(t, audits("", pageOf("", false, all...)), users(strings.Join(ids[:100], ",")), users(strings.Join(ids[100:], ",")))
	s.read("")
}

func TestBadCursor(t *testing.T) {
	for _, cursor := range []string{"x", "c2", "====", "e30"} {
		s := expect(t)
		if cursor == "e30" { // {}, the beginning
			s = expect(t, audits("", pageOf("", false)))
		}
		_, err := s.place.Comments(t.Context(), "17", cursor)
		if cursor == "e30" {
			check(t, err)
			continue
		}
		fails(t, cursor, err, desk.Invalid, "Begin again")
	}
}

func TestCommentsFail(t *testing.T) {
	s := expect(t, audits("", pageOf("", false, auditOf(1, commentOf(10)))), exchange{call: "GET users/show_many?ids=1", status: 500})
	got, err := s.place.Comments(t.Context(), "17", "")
	fails(t, "nobody is introduced", err, desk.Unavailable, "")
	if got.Next != "" || got.Comments != nil {
		t.Errorf("got %+v", got)
	}
}

// TestNoWayOn shows that an answer without a next cursor does not count as the end.
func TestNoWayOn(t *testing.T) {
	for _, after := range []string{"", "c2"} {
		s := expect(t, audits("", pageOf("c2", true, auditOf(1, change))), audits("c2", pageOf(after, true, auditOf(2, change))),
			audits("", pageOf("c2", true, auditOf(1, change))), audits("c2", pageOf(after, true, auditOf(2, change))))
		_, err := s.place.Comments(t.Context(), "17", s.follow("", "", true))
		fails(t, "reading on", err, desk.Unavailable, "")
		_, err = s.place.Say(t.Context(), "17", tracker.Said{Key: key, HTML: "x", Again: true})
		fails(t, "looking for a comment", err, desk.Unavailable, "")
	}
}

// TestVanished shows that nothing is read twice if the last audit that was read no
// longer exists.
func TestVanished(t *testing.T) {
	one, two, three := auditOf(1, commentOf(10)), auditOf(2, commentOf(20)), auditOf(3, commentOf(30))
	s := expect(t, audits("", pageOf("", false, one, two)), users("1"), audits("", pageOf("", false, one, three)), users("1"))
	at := s.follow("", "10 20", false)
	s.follow(at, "30", false)
}
