package store_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/heard"
	"frontdesk/internal/index"
	"frontdesk/internal/notify"
	"frontdesk/internal/preference"
	"frontdesk/internal/report"
	"frontdesk/internal/saved"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
	"frontdesk/internal/timeline"
)

// Accounts are walls: a transaction of one account neither sees nor changes
// anything of another, whatever ids it is given.

// neighbour is the other account, whose ids are tried.
type neighbour struct {
	account desk.Account
	admin   desk.Member
	second  desk.Member // another admin
	token   desk.MadeToken
	browser desk.MadeSession    // a session of the admin, who has a password, an invitation with the digest "theirs", and the OpenID subject "theirs"
	held    desk.IdempotencyKey // in flight
	done    desk.IdempotencyKey // answered
	slack   desk.Integration    // with the nonce "theirs"

	team       desk.TeamID     // source id S1
	collection desk.Collection // an API collection with a request channel
	chat       desk.Collection // with the channel C_NEIGHBOUR
	email      desk.Collection // with the address help@neighbour.example and a mailbox; a mail test "theirs" is under way
	listed     desk.Member     // a member with the chat collection only
	request    desk.Request
	child      desk.Request // of request
	message    desk.Message // with a file under the key "theirs", at C_NEIGHBOUR 1.1
	unplaced   desk.MessageID
	madeTS     string            // of the unplaced message
	posting    store.Posting     // of the message, at C_NEIGHBOUR 1.2
	tracker    desk.Integration  // with Zendesk
	link       desk.TicketLink   // of the request, to ticket 4711 there; held by "theirs"
	comment    store.LinkComment // to be posted on it, with the key "theirs"
	mail       store.Mail        // of the message, out, with the Message-ID theirs@neighbour.example and the digest "theirs"
	mailCopy   store.MailCopy    // of it, for kim@neighbour.example, who also takes part in the request and got an automatic answer
	entry      desk.HistoryEntry
	survey     desk.Survey       // of the request, with the nonce "theirs"; it is posted
	session    desk.AgentSession // of the request, with the external id "theirs"

	field    desk.CustomField // of customers, with the option 1
	note     desk.CustomField // also of customers, a text
	form     desk.TicketForm  // with a field
	hook     desk.Webhook     // held by "theirs"
	delivery desk.Delivery    // to it, waiting for the subject "theirs"
	schedule desk.Schedule    // of the policy
	policy   desk.SLAPolicy   // applies to the request
	customer desk.Customer    // with the channel C_NEIGHBOUR and the domain neighbour.example

	notice  store.NoticeID      // of the admin, by chat
	told    desk.Notification   // of the admin, about the request; it went out with the notice
	untold  desk.Notification   // also, and has not gone out
	view    desk.View           // of the admin, shared
	reply   desk.QuickReply     // also of the admin, shared
	jotted  desk.CustomerNote   // also of the admin, about the customer
	asked   report.Exploration  // also
	sent    report.Report       // of it, and
	letter  store.Letter        // that was written, with a copy for kim@neighbour.example
	board   report.Dashboard    // also, with a card of it
	waiting desk.WaitingMessage // of the admin, with a file
	taken   desk.WaitingMessage // taken back by them, with another file

	announcement desk.Announcement      // to C_NEIGHBOUR and C_OTHER_NEIGHBOUR; the first has a copy at 7.1 with a reply at 7.2
	copied       store.AnnouncementCopy // that copy
	uncopied     store.AnnouncementCopy // the other
}

func newNeighbour(t *testing.T, s *store.Store) (n neighbour) {
	n.account, n.admin = newAccount(t, s, "Neighbour")
	write(t, s, n.account.ID, func(tx *store.Tx) (err error) {
		if n.second, err = addMember(tx, "second@neighbour.example", desk.Admin); err != nil {
			return err
		}
		if err := recordUpdate(tx, n.admin); err != nil {
			return err
		}
		if n.token, err = addToken(tx, n.admin); err != nil {
			return err
		}
		if err := n.fillSignIn(tx); err != nil {
			return err
		}
		if n.held, err = tx.BeginKey(n.token.ID, "held", "owner"); err != nil {
			return err
		}
		if n.done, err = tx.BeginKey(n.token.ID, "done", "owner"); err != nil {
			return err
		}
		if n.slack, err = addChat(tx, "TNEIGHBOUR"); err != nil {
			return err
		}
		if err := n.fillChat(tx); err != nil {
			return err
		}
		if err := n.fillCustomers(tx); err != nil {
			return err
		}
		if err := n.fillAnnouncement(tx); err != nil {
			return err
		}
		return tx.FinishKey(n.done, desk.Answer{Status: 201, Body: []byte("theirs")})
	})
	sequence(t, s)
	must(t, index.Update(ctx, s, n.account.ID))
	return n
}

// fillSignIn gives the neighbour's admin every way to sign in.
func (n *neighbour) fillSignIn(tx *store.Tx) error {
	n.browser = desk.NewSession(n.admin, desk.Visitor{Browser: "theirs"}, tx.Now)
	linked, err := tx.LinkIdentity(n.admin.ID, "https://issuer.example", "theirs")
	return all(err, same("linked", linked, true), tx.AddToken(&n.browser.Token), tx.SetPassword(n.admin.ID, "theirs"), tx.SetInvitation(n.admin.ID, []byte("theirs"), tx.Now.Add(time.Hour)))
}

// addChat connects the account to a workspace.
func addChat(tx *store.Tx, workspace string) (desk.Integration, error) {
	i := desk.Integration{Kind: desk.Slack, Status: desk.StatusConnected, ExternalID: workspace, Name: workspace, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	if err := tx.AddIntegration(&i); err != nil {
		return i, err
	}
	if err := tx.SetNonce(i.ID, "theirs"); err != nil {
		return i, err
	}
	return i, tx.PutCredential(i.ID, "", []byte("secret of "+workspace))
}

// fillChat gives the neighbour a chat system and collections.
func (n *neighbour) fillChat(tx *store.Tx) (err error) {
	if n.team, err = addDirectory(tx, "NEIGHBOUR"); err != nil {
		return err
	}
	n.collection = desk.Collection{
		Name: "neighbour's API", Kind: desk.APICollection, Owner: ptr("U_NEIGHBOUR"), RequestChannel: ptr("C_REQUEST_NEIGHBOUR"), CreatedAt: tx.Now, UpdatedAt: tx.Now,
		Responders: []desk.Responder{{UserID: "U_NEIGHBOUR"}, {TeamID: n.team}, {EmailDomain: "neighbour.example"}},
	}
	n.chat = desk.Collection{Name: "neighbour's chat", Kind: desk.ChatCollection, TriageChannel: ptr("C_TRIAGE_NEIGHBOUR"), CreatedAt: tx.Now, UpdatedAt: tx.Now}
	for _, c := range []*desk.Collection{&n.collection, &n.chat} {
		if err := tx.AddCollection(c); err != nil {
			return err
		}
	}
	if n.email, err = addEmailCollection(tx, "help@neighbour.example"); err != nil {
		return err
	}
	if err := tx.AddMailTest(store.MailTest{ID: "theirs", Collection: n.email.ID, Address: "help@neighbour.example", SentAt: tx.Now}); err != nil {
		return err
	}
	if err := tx.SaveChannel(desk.Channel{ID: "C_NEIGHBOUR", Collection: &n.chat.ID, Active: true}); err != nil {
		return err
	}
	role := desk.Agent
	if n.listed, err = (desk.NewMember{Email: "listed@neighbour.example", Role: &role, Collections: &[]desk.CollectionID{n.chat.ID}}).Member(tx.Now); err != nil {
		return err
	}
	if err := tx.AddMember(&n.listed); err != nil {
		return err
	}
	if err := n.fillTurns(tx); err != nil {
		return err
	}
	if n.request, err = addRequest(tx, n.collection.ID, func(r *desk.Request) {
		r.Title, r.Author.User, r.Channel = "neighbour's", "U_NEIGHBOUR", &desk.ChannelRef{ID: "C_NEIGHBOUR"}
		r.ExternalID = "theirs"
		r.Thread, r.Triage = &desk.Thread{Channel: "C_NEIGHBOUR", Message: "1.1"}, &desk.Thread{Channel: "C_TRIAGE", Message: "2.1"}
	}); err != nil {
		return err
	}
	if n.child, err = addRequest(tx, n.collection.ID, func(r *desk.Request) { r.Parent, r.Source = &n.request.ID, desk.FromEmail }); err != nil {
		return err
	}
	n.message = desk.Message{Request: n.request.ID, Text: "neighbour's", Source: desk.SourceChat, Channel: "C_NEIGHBOUR", External: "1.1", CreatedAt: tx.Now}
	if err := tx.AddMessage(&n.message); err != nil {
		return err
	}
	if err := n.fillConversation(tx); err != nil {
		return err
	}
	if err := n.fillLink(tx); err != nil {
		return err
	}
	if err := n.fillSurvey(tx); err != nil {
		return err
	}
	if err := n.fillMail(tx); err != nil {
		return err
	}
	n.entry = changed(n.request, func(r *desk.Request) { r.Title = "before" }, tx.Now)
	return all(
		tx.AddHistory(&n.entry),
		tx.Record(desk.Change{By: by, Action: "request.created", Event: desk.RequestCreated, Resource: "Request", ID: fmt.Sprint(n.request.ID), After: n.request}),
		tx.AddAttachment(n.message, desk.NewFile{Key: "theirs", Name: "neighbour.txt", Sum: []byte("sum")}),
		tx.AddTicket(n.request.ID, desk.Ticket{ID: 1, Type: desk.Native, Key: "N-1", CreatedAt: tx.Now}))
}

// fillSurvey adds a survey about the neighbour's request and a session in which the
// virtual agent took part.
func (n *neighbour) fillSurvey(tx *store.Tx) error {
	n.survey = desk.Survey{Request: n.request.ID, Asked: n.request.ID, Type: desk.FivePointRating, TriggeredAt: tx.Now}
	n.session = desk.AgentSession{Request: n.request.ID, ExternalID: "theirs", StartedAt: tx.Now, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	return all(tx.AddSurvey(&n.survey, "theirs"), tx.AddAgentSession(&n.session),
		tx.SaveAgentSession(n.session, []desk.AgentEvent{{Type: desk.AgentAnswered, At: &tx.Now, Text: "theirs"}}))
}

// fillMail adds a mail of the neighbour's message, and who takes part by mail.
func (n *neighbour) fillMail(tx *store.Tx) (err error) {
	n.mail = store.Mail{Request: n.request.ID, Message: n.message.ID, Direction: desk.EmailOut, External: "theirs@neighbour.example", Digest: "theirs"}
	if err := tx.AddMail(&n.mail); err != nil {
		return err
	}
	may, err := tx.MayAutoReply("kim@neighbour.example", tx.Now)
	if err := all(err, same("answered", may, true), tx.AddMailCopies(n.mail, nil, []string{"kim@neighbour.example"}),
		tx.PutParticipant(desk.Participant{Request: n.request.ID, Email: "kim@neighbour.example", Status: desk.ParticipantActive})); err != nil {
		return err
	}
	var ok bool
	n.mailCopy, ok, err = tx.NextMailCopy(n.mail.ID)
	return all(err, same("a copy", ok, true), tx.TryEffect(n.mailCopy.Effect))
}

// fillLink links the neighbour's request to a ticket of another system.
func (n *neighbour) fillLink(tx *store.Tx) (err error) {
	n.tracker = desk.Integration{Kind: "zendesk", Status: desk.StatusConnected, ExternalID: "neighbour", CreatedAt: tx.Now, UpdatedAt: tx.Now}
	if err := tx.AddIntegration(&n.tracker); err != nil {
		return err
	}
	n.link = desk.TicketLink{Request: n.request.ID, Ticket: desk.Ticket{Type: desk.Zendesk, Key: "4711"}, Name: "4711", CreatedAt: tx.Now}
	if err := tx.AddLink(&n.link); err != nil {
		return err
	}
	n.link.External = "4711"
	held, err := tx.Hold(n.lane(), "theirs", tx.Now.Add(time.Hour))
	if err := all(err, same("held", held, true), tx.SaveLink(n.link), tx.AddComment(n.link.ID, n.message.ID, "theirs")); err != nil {
		return err
	}
	n.comment, _, err = tx.NextComment(n.link.ID)
	return err
}

// lane is the lane of the neighbour's link, which the neighbour holds.
func (n *neighbour) lane() store.Lane { return store.Lane{Kind: store.LinkLane, ID: int64(n.link.ID)} }

// fillConversation gives the neighbour's request its parts in the chat system.
func (n *neighbour) fillConversation(tx *store.Tx) error {
	unplaced := desk.Message{Request: n.request.ID, Text: "unplaced", Source: desk.SourceAPI, CreatedAt: tx.Now}
	if err := tx.AddMessage(&unplaced); err != nil {
		return err
	}
	unplaced.SaidAt = unplaced.CreatedAt
	n.unplaced, n.madeTS = unplaced.ID, unplaced.TS()
	if err := n.fillSuggestions(tx); err != nil {
		return err
	}
	err := all(
		tx.AddPosting(desk.Posting{Request: n.request.ID, Kind: desk.PostedMessage, Place: desk.InThread, Message: n.message.ID}, "theirs"),
		tx.AddIncomingFile(n.request.ID, store.IncomingFile{Message: n.message.ID, External: "F1"}),
		tx.ForgetMessage("C_NEIGHBOUR", "9.8"), heard.BeginReading(tx, "C_NEIGHBOUR"))
	if err != nil {
		return err
	}
	if _, err := heard.PutReaction(tx, desk.Reaction{Channel: "C_NEIGHBOUR", Message: "1.1", User: "U1", Emoji: "eyes", On: true, At: tx.Now}); err != nil {
		return err
	}
	var ok bool
	if n.posting, ok, err = tx.NextPosting(n.request.ID); err != nil || !ok {
		return all(err, same("a posting", ok, true))
	}
	n.posting.Channel, n.posting.External = "C_NEIGHBOUR", "1.2"
	return all(tx.SettleEffect(n.posting.Effect, ""), tx.AddPosting(desk.Posting{Request: n.request.ID, Kind: desk.PostedCard, Place: desk.InTriage}, "card"), tx.AddPosting(desk.Posting{Request: n.request.ID, Kind: desk.PostedSurvey, Place: desk.InThread}, "survey"))
}

// fillSuggestions adds suggestions for the neighbour's request, with a cost.
func (n *neighbour) fillSuggestions(tx *store.Tx) error {
	run, err := tx.BeginSuggestion(n.request.ID)
	if err != nil {
		return err
	}
	_, err = tx.FinishSuggestion(n.request.ID, run)
	_, saved := tx.SaveSuggested(n.request.ID, desk.AIFields{}, desk.AIFields{Emotion: &desk.Suggested[string]{Value: "neutral", By: desk.ByRules, At: tx.Now}})
	_, cost := tx.Exec("INSERT INTO suggestion_costs (account_id, day, tokens) VALUES ($1, $2, 100)", tx.Account, tx.Now.Unix()/86400)
	return all(err, saved, cost)
}

// fillTurns puts the neighbour's user into their team and gives them a turn. It
// also makes a member who is in the chat system mute both collections.
func (n *neighbour) fillTurns(tx *store.Tx) error {
	_, err := tx.Exec("INSERT INTO team_members (account_id, team_id, user_id, created_at) VALUES ($1, $2, 'U_NEIGHBOUR', 1)", tx.Account, n.team)
	return all(err,
		tx.TakeTurn(n.collection.ID, "U_NEIGHBOUR"), addUser(tx, "U_LISTED", n.listed.Email, false, false),
		tx.SavePreferences(n.admin.ID, preference.Preferences{Density: preference.Compact}), tx.SaveMute(n.collection.ID, n.listed.ID, desk.Mute{Muted: true}), tx.SaveMute(n.chat.ID, n.listed.ID, desk.Mute{Muted: true}))
}

// fillNotified begins to tell the admin something by chat.
func (n *neighbour) fillNotified(tx *store.Tx) (err error) {
	if n.notice, err = tx.AddNotice(store.Notice{Member: n.admin.ID, Way: desk.NoticeByChat}, "theirs"); err != nil {
		return err
	}
	var added []notify.New
	for _, mark := range []string{"told", "untold"} {
		added = append(added, notify.New{Notification: desk.Notification{Member: n.admin.ID, Kind: desk.NotificationAssigned, By: mark, CreatedAt: tx.Now}, Mark: mark, GoesOut: true})
	}
	if err := notify.Add(tx, n.request.ID, added, 10); err != nil {
		return err
	}
	l, err := notify.List(tx, n.admin.ID, desk.NotificationFilter{}, desk.Everything, desk.Page{Ascending: true})
	if err != nil {
		return err
	}
	n.told, n.untold = l.Items[0], l.Items[1]
	return notify.SetTold(tx, n.admin.ID, []desk.NotificationID{n.told.ID}, n.notice, 0)
}

// fillWebhook gives the neighbour a webhook with a delivery that waits for it.
func (n *neighbour) fillWebhook(tx *store.Tx) (err error) {
	if n.hook, err = addWebhook(tx); err != nil {
		return err
	}
	n.delivery = desk.Delivery{Webhook: n.hook.ID, Event: desk.Event{Type: desk.WebhookTest, Subject: "theirs", Data: []byte("{}")},
		Cause: desk.CauseTest, Status: desk.DeliveryWaiting, TryAt: &tx.Now, CreatedAt: tx.Now}
	if n.delivery.ID, err = tx.AddDelivery(n.delivery); err != nil {
		return err
	}
	n.delivery, err = tx.Delivery(n.hook.ID, n.delivery.ID)
	return err
}

// fillSLA gives the neighbour a schedule and a policy that applies to their
// request.
func (n *neighbour) fillSLA(tx *store.Tx) (err error) {
	if n.schedule, err = addSchedule(tx); err != nil {
		return err
	}
	if n.policy, err = addPolicy(tx, &n.schedule.ID); err != nil {
		return err
	}
	return all(tx.AddSLAStart(n.request.ID, n.request.SLAStart(true, tx.Now)), tx.SaveClocks(n.request.ID, nil, []desk.SLA{clockOf(n.policy, n.schedule, tx.Now)}),
		tx.BeginSLARecomputation(desk.RecomputeAll))
}

// fillWeb gives the neighbour what members save for themselves and what they have
// read.
func (n *neighbour) fillWeb(tx *store.Tx) error {
	n.view = desk.View{Member: n.admin.ID, Name: "neighbour's view", Shared: true, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	n.reply = desk.QuickReply{Member: n.admin.ID, Name: "neighbour's reply", HTML: "<p>neighbour</p>", Shared: true, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	n.waiting = desk.WaitingMessage{Request: n.request.ID, By: desk.Actor{ID: n.admin.ID, Source: desk.SourceAPI}, HTML: "<p>neighbour</p>", CreatedAt: tx.Now, SendAt: tx.Now}
	n.taken = n.waiting
	n.asked = report.Exploration{Member: n.admin.ID, Name: "neighbour's question", Query: desk.InsightsQuery{Measures: []string{"Requests.count"}}, Chart: report.TableChart, Shared: true, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	n.board = report.Dashboard{Member: n.admin.ID, Name: "neighbour's dashboard", Range: report.UsualRange, Shared: true, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	return all(saved.AddView(tx, &n.view), saved.AddExploration(tx, &n.asked), saved.AddDashboard(tx, &n.board), n.fillReport(tx), tx.AddQuickReply(&n.reply), tx.SetRead(n.admin.ID, n.request.ID, false), tx.SetFollow(n.admin.ID, n.request.ID, true),
		tx.AddWaitingMessage(&n.waiting, []desk.NewFile{{Key: "waits", Name: "neighbour", Sum: []byte{1}}}),
		tx.AddWaitingMessage(&n.taken, []desk.NewFile{{Key: "taken", Name: "neighbour", Sum: []byte{1}}}), tx.TakeBack(n.taken.ID))
}

// fillReport gives the neighbour a report and a letter.
func (n *neighbour) fillReport(tx *store.Tx) error {
	n.sent = report.Report{Dashboard: n.board.ID, Member: n.admin.ID, Every: report.Daily, Members: []desk.MemberID{n.admin.ID}, NextAt: tx.Now, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	n.letter = store.Letter{Mark: "theirs", Subject: "neighbour", HTML: "<p>neighbour</p>"}
	err := saved.AddReport(tx, &n.sent)
	_, adding := tx.AddLetter(&n.letter, []store.LetterCopy{{Effect: store.Effect{Mark: "mailed"}, Email: "kim@neighbour.example"}, {Effect: store.Effect{Mark: "posted", Channel: "C_NEIGHBOUR"}}})
	return all(err, adding)
}

// fillCustomers gives the neighbour a customer with values in custom fields.
func (n *neighbour) fillCustomers(tx *store.Tx) (err error) {
	if n.field, err = addCustomField(tx, desk.FieldSelect, "theirs"); err != nil {
		return err
	}
	if n.note, err = addCustomField(tx, desk.FieldText); err != nil {
		return err
	}
	if n.form, err = addTicketForm(tx, desk.FormField{Key: desk.FormTitle, Label: "theirs", Audience: desk.ForAll}); err != nil {
		return err
	}
	if err := n.fillNotified(tx); err != nil {
		return err
	}
	if err := n.fillWebhook(tx); err != nil {
		return err
	}
	if err := n.fillSLA(tx); err != nil {
		return err
	}
	if err := n.fillWeb(tx); err != nil {
		return err
	}
	crm := desk.HubSpot
	n.customer, err = addCustomer(tx, desk.Customer{
		Name: "neighbour's customer", Domains: []string{"neighbour.example"}, Channels: []string{"C_NEIGHBOUR"}, Collection: &n.chat.ID,
		PortalUsers: []desk.PortalUser{{Email: "user@neighbour.example", Role: desk.PortalAdmin}}, ExternalSystem: &crm, ExternalEntity: ptr("E1"),
		Values: desk.FieldValues{n.field.ID: {Type: desk.FieldSelect, Options: []desk.OptionID{1}}, n.note.ID: {Type: desk.FieldText, Text: "theirs"}},
	})
	if err != nil {
		return err
	}
	n.jotted = desk.CustomerNote{Customer: n.customer.ID, Author: n.admin.ID, Text: "neighbour's", CreatedAt: tx.Now}
	return tx.AddCustomerNote(&n.jotted)
}

// fillAnnouncement makes the neighbour announce something and somebody answer.
func (n *neighbour) fillAnnouncement(tx *store.Tx) (err error) {
	n.announcement = desk.Announcement{Name: "neighbour's news", Status: desk.AnnouncementPending, Source: desk.ChatMessage{Channel: "C_NEIGHBOUR", Message: "6.1"},
		Sender: desk.Sender{Kind: desk.NativeSender}, Recipients: []desk.Recipient{{Channel: "C_NEIGHBOUR", Collection: &n.chat.ID}, {Channel: "C_OTHER_NEIGHBOUR"}},
		Collections: []desk.CollectionID{0, n.chat.ID}, CreatedAt: tx.Now}
	if err := tx.AddAnnouncement(&n.announcement, func() string { return "theirs" }); err != nil {
		return err
	}
	id := n.announcement.ID
	if err := tx.KeepSource(id, 1, "neighbour's", []desk.NewFile{{Key: "announced", Name: "neighbour.txt"}}); err != nil {
		return err
	}
	if n.copied, _, err = tx.NextCopy(id); err != nil {
		return err
	}
	n.copied.External = "7.1"
	if err := all(tx.SettleEffect(n.copied.Effect, ""), tx.CountCopy(id, n.copied, ""), tx.WantResync(id), heard.PutReply(tx, "C_NEIGHBOUR", "7.1", "7.2", tx.Now)); err != nil {
		return err
	}
	if _, err := heard.PutReaction(tx, desk.Reaction{Channel: "C_NEIGHBOUR", Message: "7.1", User: "U1", Emoji: "tada", On: true, At: tx.Now}); err != nil {
		return err
	}
	n.uncopied, _, err = tx.NextCopy(id)
	sent := tx.Now
	n.announcement.SentAt = &sent
	return all(err, tx.SaveAnnouncementStatus(n.announcement))
}

// eachEffect calls fn for one of the neighbour's effects of each kind.
func (n *neighbour) eachEffect(fn func(store.Effect) error) error {
	return all(fn(n.posting.Effect), fn(n.comment.Effect), fn(n.copied.Effect), fn(n.uncopied.Effect), fn(n.mailCopy.Effect))
}

// home is the account whose transaction makes the attempts.
type home struct {
	account desk.Account
	admin   desk.Member
}

// walls has a check for each method of a transaction. A check fails with what came
// through the wall. Changes behind the wall are looked for afterwards.
var walls = map[string]func(tx *store.Tx, h home, n neighbour) error{
	"Announcement": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Announcement(n.announcement.ID, desk.Everything)
		return notFound(err)
	},
	"Announcements": func(tx *store.Tx, h home, n neighbour) error {
		var err error
		for _, q := range []desk.AnnouncementQuery{{Reach: desk.Everything}, {Reach: desk.Reach{IDs: []desk.CollectionID{0, n.chat.ID}}, Status: desk.AnnouncementPending}} {
			l, e := tx.Announcements(q)
			err = all(err, e, same("announcements", len(l.Items), 0))
		}
		return err
	},
	"AddAnnouncement": func(tx *store.Tx, h home, n neighbour) error {
		own := n.announcement
		own.Recipients, own.Collections = own.Recipients[1:], nil // theirs is no obstacle
		return tx.AddAnnouncement(&own, func() string { return "theirs" })
	},
	"RemoveAnnouncement": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveAnnouncement(n.announcement.ID) },
	"SaveAnnouncementStatus": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.announcement
		taken.Status, taken.SentAt = desk.AnnouncementIsSent, nil
		return tx.SaveAnnouncementStatus(taken)
	},
	"WantResync": func(tx *store.Tx, h home, n neighbour) error { return tx.WantResync(n.announcement.ID) },
	"RewriteAnnouncement": func(tx *store.Tx, h home, n neighbour) error {
		return tx.RewriteAnnouncement(n.announcement.ID, "taken")
	},
	"AnnouncementSource": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.AnnouncementSource(n.announcement.ID)
		return notFound(err)
	},
	"KeepSource": func(tx *store.Tx, h home, n neighbour) error {
		return tx.KeepSource(n.announcement.ID, 9, "taken", []desk.NewFile{{Key: "taken"}})
	},
	"NextCopy": func(tx *store.Tx, h home, n neighbour) error {
		_, ok, err := tx.NextCopy(n.announcement.ID)
		return all(err, same("next", ok, false))
	},
	"CountCopy": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.uncopied
		taken.PostedBy = "taken"
		return all(tx.CountCopy(n.announcement.ID, taken, ""), tx.CountCopy(n.announcement.ID, taken, "taken"))
	},
	"Hold": func(tx *store.Tx, h home, n neighbour) error {
		held, err := tx.Hold(n.lane(), "theirs", tx.Now) // an account's lanes are its own
		return all(err, same("held", held, true), tx.Release(n.lane(), "theirs"))
	},
	"Prolong": func(tx *store.Tx, h home, n neighbour) error {
		held, err := tx.Prolong(n.lane(), "theirs", tx.Now.Add(2*time.Hour))
		return all(err, same("held", held, false))
	},
	"Release":     func(tx *store.Tx, h home, n neighbour) error { return tx.Release(n.lane(), "theirs") },
	"TryEffect":   func(tx *store.Tx, h home, n neighbour) error { return n.eachEffect(tx.TryEffect) },
	"UntryEffect": func(tx *store.Tx, h home, n neighbour) error { return n.eachEffect(tx.UntryEffect) },
	"KeepEffect": func(tx *store.Tx, h home, n neighbour) error {
		return n.eachEffect(func(e store.Effect) error { return tx.KeepEffect(e, "taken") })
	},
	"SettleEffect": func(tx *store.Tx, h home, n neighbour) error {
		return n.eachEffect(func(e store.Effect) error { return tx.SettleEffect(e, "taken") })
	},
	"FailRecipients": func(tx *store.Tx, h home, n neighbour) error { return tx.FailRecipients(n.announcement.ID, "taken") },
	"FirstFree": func(tx *store.Tx, h home, n neighbour) error {
		free, err := tx.FirstFree(n.announcement.ID)
		return all(err, same("free", free.IsZero(), true))
	},
	"SyncedTo": func(tx *store.Tx, h home, n neighbour) error { return tx.SyncedTo(n.announcement.ID, 9) },
	"PendingAnnouncements": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.PendingAnnouncements(0, 10)
		return all(err, same("pending", len(found), 0))
	},
	"heard.IsCopy": func(tx *store.Tx, h home, n neighbour) error {
		is, err := heard.IsCopy(tx, "C_NEIGHBOUR", "7.1")
		return all(err, same("a copy", is, false))
	},
	"heard.PutReply": func(tx *store.Tx, h home, n neighbour) error {
		return heard.PutReply(tx, "C_NEIGHBOUR", "7.1", "7.2", tx.Now)
	},
	"heard.RemoveReply": func(tx *store.Tx, h home, n neighbour) error {
		return heard.RemoveReply(tx, "C_NEIGHBOUR", "7.1", "7.2")
	},
	"heard.RepliesAt": func(tx *store.Tx, h home, n neighbour) error {
		found, err := heard.RepliesAt(tx, "C_NEIGHBOUR", "7.1", tx.Now.Add(time.Hour))
		return all(err, same("replies", len(found), 0))
	},
	"heard.Engagement": func(tx *store.Tx, h home, n neighbour) error {
		e, err := heard.Engagement(tx, n.announcement)
		for _, c := range e.Channels {
			err = all(err, same("reactions", len(c.Reactions), 0), same("replies", len(c.Replies), 0), same("request", c.Request, 0))
		}
		return err
	},
	"Copies": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.Copies(n.announcement.ID, 0, 10)
		return all(err, same("copies", len(found), 0))
	},
	"heard.SentSince": func(tx *store.Tx, h home, n neighbour) error {
		found, err := heard.SentSince(tx, time.Time{})
		return all(err, same("sent", len(found), 0))
	},
	"heard.ReadCopies": func(tx *store.Tx, h home, n neighbour) error { return heard.ReadCopies(tx, n.announcement.ID) },
	"ThisAccount": func(tx *store.Tx, h home, n neighbour) error {
		a, err := tx.ThisAccount()
		return all(err, same("account", a.ID, h.account.ID))
	},
	"SaveAccount": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.account
		taken.Name = "taken"
		return tx.SaveAccount(taken) // it is saved as our own
	},
	"Member": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Member(n.admin.ID)
		return notFound(err)
	},
	"Members": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.Members(desk.Page{Limit: 100})
		for _, m := range l.Items {
			err = all(err, strange(m))
		}
		return err
	},
	"AddMember": func(tx *store.Tx, h home, n neighbour) error {
		_, err := addMember(tx, n.admin.Email, desk.Viewer) // no conflict
		return err
	},
	"SaveMember": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.admin
		taken.Name, taken.Role, taken.Collections = "taken", desk.Viewer, desk.Reach{IDs: []desk.CollectionID{n.chat.ID}}
		own := h.admin // the neighbour's collections are not available here
		own.Collections = taken.Collections
		err := all(tx.SaveMember(taken), tx.SaveMember(own))
		lists, e := sqldb.Collect(tx.Tx, scanText, "SELECT 'x' FROM member_collections WHERE account_id = $1", h.account.ID)
		return all(err, e, same("rows of lists", len(lists), 0))
	},
	"RemoveMember": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveMember(n.admin.ID) },
	"HasOtherAdmin": func(tx *store.Tx, h home, n neighbour) error {
		other, err := tx.HasOtherAdmin(h.admin.ID)
		return all(err, same("another admin", other, false))
	},
	"Collection": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Collection(n.collection.ID)
		return notFound(err)
	},
	"Collections": func(tx *store.Tx, h home, n neighbour) error {
		var err error
		for _, reach := range []desk.Reach{desk.Everything, {IDs: []desk.CollectionID{n.collection.ID, n.chat.ID}}} {
			l, e := tx.Collections(reach, desk.Page{Limit: 100})
			err = all(err, e, same("collections", len(l.Items), 0))
		}
		return err
	},
	"AddCollection": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.collection // their request channel is no obstacle here
		taken.Responders = []desk.Responder{{UserID: "U_NEIGHBOUR"}}
		return tx.AddCollection(&taken)
	},
	"SaveCollection": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.collection
		taken.Name, taken.Responders = "taken", []desk.Responder{{EmailDomain: "taken.example"}}
		err := tx.SaveCollection(taken)
		own, e := sqldb.Collect(tx.Tx, scanText, "SELECT email_domain FROM responders WHERE account_id = $1", h.account.ID)
		return all(err, e, same("responders of a collection that is not ours", len(own), 0))
	},
	"RemoveCollection": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveCollection(n.chat.ID) },
	"SaveEmailConfig": func(tx *store.Tx, h home, n neighbour) error {
		for _, to := range []desk.Collection{{}, {ID: n.email.ID, Email: &desk.EmailConfig{Address: "taken@neighbour.example", Mailbox: &desk.Mailbox{Password: ptr("taken")}}}} {
			if err := tx.SaveEmailConfig(n.email, to); err != nil && desk.KindOf(err) != desk.Conflict {
				return err
			}
		}
		own, err := addCollection(tx, "ours", desk.EmailCollection)
		taken := own
		taken.Email = &desk.EmailConfig{Address: "Help@Neighbour.example"}
		return all(err, same("kind of error", desk.KindOf(tx.SaveEmailConfig(own, taken)), desk.Conflict))
	},
	"OtherEmailCollection": func(tx *store.Tx, h home, n neighbour) error {
		id, err := tx.OtherEmailCollection(0)
		return all(err, same("an email collection", id == nil, true))
	},
	"MailboxOf": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.MailboxOf(n.email.ID)
		return notFound(err)
	},
	"SaveMailboxPosition": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.SaveMailboxPosition(store.Mailbox{Collection: n.email.ID, Mailbox: *n.email.Email.Mailbox, Password: "theirs"}, store.MailboxPosition{UIDValidity: 7}))
	},
	"SaveMailboxFailure": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.SaveMailboxFailure(store.Mailbox{Collection: n.email.ID, Mailbox: *n.email.Email.Mailbox, Password: "theirs"}, "taken"))
	},
	"AddMailTest": func(tx *store.Tx, h home, n neighbour) error {
		err := tx.AddMailTest(store.MailTest{ID: "ours", Collection: n.email.ID, Address: "help@neighbour.example", SentAt: tx.Now})
		_, found := tx.MailTest("ours")
		return all(err, notFound(found))
	},
	"MailTest": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.MailTest("theirs")
		return notFound(err)
	},
	"EndMailTest": func(tx *store.Tx, h home, n neighbour) error { return tx.EndMailTest("theirs") },
	"ResponderIDs": func(tx *store.Tx, h home, n neighbour) error {
		ids, err := tx.ResponderIDs(n.collection)
		return all(err, same("responders", len(ids), 0))
	},
	"Candidates": func(tx *store.Tx, h home, n neighbour) error {
		ids, err := tx.Candidates(desk.Collection{ID: n.collection.ID, AssignTeam: &n.team})
		return all(err, same("candidates", len(ids), 0))
	},
	"DeskUserIDs": func(tx *store.Tx, h home, n neighbour) error {
		ids, err := tx.DeskUserIDs(n.collection)
		return all(err, same("people at a desk", len(ids), 0))
	},
	"Turn": func(tx *store.Tx, h home, n neighbour) error {
		last, err := tx.Turn(n.collection.ID)
		return all(err, same("the last turn", last, ""))
	},
	"TakeTurn": func(tx *store.Tx, h home, n neighbour) error { return notFound(tx.TakeTurn(n.collection.ID, "taken")) },
	"Preferences": func(tx *store.Tx, h home, n neighbour) error {
		p, err := tx.Preferences(n.admin.ID)
		return all(err, same("density", p.Density, preference.Comfortable)) // theirs is compact
	},
	"SavePreferences": func(tx *store.Tx, h home, n neighbour) error {
		return tx.SavePreferences(n.admin.ID, preference.Usual())
	},
	"Concerned": func(tx *store.Tx, h home, n neighbour) error {
		concerned, err := tx.Concerned(n.request.ID, []string{"U_NEIGHBOUR", "U_LISTED"}, n.team, true, 10)
		return all(err, same("concerned", len(concerned), 0))
	},
	"AddNotice": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.AddNotice(store.Notice{Member: n.admin.ID, Way: desk.NoticeByChat}, "ours")
		return notFound(err)
	},
	"PendingNotice": func(tx *store.Tx, h home, n neighbour) error {
		_, ok, err := tx.PendingNotice(n.notice)
		return all(err, same("pending", ok, false))
	},
	"notify.Add": func(tx *store.Tx, h home, n neighbour) error {
		add := func(to desk.MemberID, about desk.RequestID) error {
			return notify.Add(tx, about, []notify.New{{Notification: desk.Notification{Member: to, Kind: desk.NotificationAssigned, CreatedAt: tx.Now}, Mark: "ours"}}, 1)
		}
		return all(notFound(add(n.admin.ID, n.request.ID)), notFound(add(h.admin.ID, n.request.ID)))
	},
	"notify.List": func(tx *store.Tx, h home, n neighbour) error {
		l, err := notify.List(tx, n.admin.ID, desk.NotificationFilter{}, desk.Everything, desk.Page{})
		return all(err, same("notifications", len(l.Items), 0))
	},
	"notify.One": func(tx *store.Tx, h home, n neighbour) error {
		_, err := notify.One(tx, n.told.ID, n.admin.ID, desk.Everything)
		return notFound(err)
	},
	"notify.Count": func(tx *store.Tx, h home, n neighbour) error {
		count, err := notify.Count(tx, n.admin.ID, desk.Everything)
		return all(err, same("unread", count, 0))
	},
	"notify.SetRead":  func(tx *store.Tx, h home, n neighbour) error { return notify.SetRead(tx, n.told.ID, n.admin.ID, true) },
	"notify.ReadUpTo": func(tx *store.Tx, h home, n neighbour) error { return notify.ReadUpTo(tx, n.untold.ID, n.admin.ID) },
	"notify.ReadOf":   func(tx *store.Tx, h home, n neighbour) error { return notify.ReadOf(tx, n.request.ID, n.admin.ID) },
	"notify.HasReadable": func(tx *store.Tx, h home, n neighbour) error {
		_, err := notify.HasReadable(tx, n.request.ID, desk.Everything, n.admin.ID)
		return notFound(err)
	},
	"notify.GoingOut": func(tx *store.Tx, h home, n neighbour) error {
		found, err := notify.GoingOut(tx, n.admin.ID, desk.Everything, 10)
		return all(err, same("going out", len(found), 0))
	},
	"notify.SetTold": func(tx *store.Tx, h home, n neighbour) error {
		return notify.SetTold(tx, n.admin.ID, []desk.NotificationID{n.untold.ID}, n.notice, 0)
	},
	"notify.Forget": func(tx *store.Tx, h home, n neighbour) error {
		return notify.Forget(tx, n.admin.ID, tx.Now.Add(time.Hour))
	},
	"notify.Sweep": func(tx *store.Tx, h home, n neighbour) error {
		more, err := notify.Sweep(tx, tx.Now.Add(time.Hour), 10)
		return all(err, same("more", more, false))
	},
	"notify.Of": func(tx *store.Tx, h home, n neighbour) error {
		found, err := notify.Of(tx, store.Notice{Effect: store.Effect{ID: int64(n.notice)}, Member: n.admin.ID, Way: desk.NoticeByChat}, desk.Everything)
		return all(err, same("notifications", len(found), 0))
	},
	"MayBeMember": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Users(desk.UserQuery{IDs: []string{"U_LISTED"}}) // whom this account does not have
		return all(err, same("member", tx.MayBeMember("U_LISTED", ""), true))
	},
	"Mute": func(tx *store.Tx, h home, n neighbour) error {
		m, err := tx.Mute(n.collection.ID, n.listed.ID)
		return all(err, same("muted", m.Muted, false))
	},
	"SaveMute": func(tx *store.Tx, h home, n neighbour) error {
		err := all(
			tx.SaveMute(n.collection.ID, n.listed.ID, desk.Mute{}), tx.SaveMute(n.collection.ID, n.second.ID, desk.Mute{Muted: true}),
			tx.SaveMute(n.collection.ID, h.admin.ID, desk.Mute{Muted: true})) // theirs is not ours to mute
		own, e := tx.Mute(n.collection.ID, h.admin.ID)
		return all(err, e, same("muted", own.Muted, false))
	},
	"Reader": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Reader(n.admin.ID)
		return notFound(err)
	},
	"SetRead": func(tx *store.Tx, h home, n neighbour) error {
		err := all(tx.SetRead(n.admin.ID, n.request.ID, true), tx.SetRead(h.admin.ID, n.request.ID, true), tx.SetRead(n.second.ID, n.request.ID, false))
		var rows int
		e := tx.Row("SELECT count(*) FROM request_reads WHERE account_id = $1", tx.Account).Scan(&rows)
		return all(err, e, same("read", rows, 0))
	},
	"SetFollow": func(tx *store.Tx, h home, n neighbour) error {
		err := all(tx.SetFollow(n.admin.ID, n.request.ID, false), tx.SetFollow(h.admin.ID, n.request.ID, true), tx.SetFollow(n.second.ID, n.request.ID, true))
		var rows int
		e := tx.Row("SELECT count(*) FROM request_reads WHERE account_id = $1", tx.Account).Scan(&rows)
		return all(err, e, same("followed", rows, 0))
	},
	"Follows": func(tx *store.Tx, h home, n neighbour) error {
		follows, err := tx.Follows(n.admin.ID, n.request.ID)
		return all(err, same("follows", follows, false))
	},
	"Followers": func(tx *store.Tx, h home, n neighbour) error {
		ids, err := tx.Followers(n.request.ID)
		return all(err, same("followers", len(ids), 0))
	},
	"Rows": func(tx *store.Tx, h home, n neighbour) error {
		rows, err := tx.Rows([]desk.RequestID{n.request.ID}, desk.Everything, n.admin.ID)
		return all(err, same("rows", len(rows), 0))
	},
	"KeptRow": func(tx *store.Tx, h home, n neighbour) error {
		_, _, err := tx.KeptRow(n.request.ID, desk.Everything, n.admin.ID)
		return notFound(err)
	},
	"Tags": func(tx *store.Tx, h home, n neighbour) error {
		tags, err := tx.Tags(desk.TagQuery{Limit: 10, Reach: desk.Everything})
		return all(err, same("tags", len(tags), 0))
	},
	"saved.View": func(tx *store.Tx, h home, n neighbour) error {
		_, err := saved.View(tx, n.view.ID, n.admin.ID)
		return notFound(err)
	},
	"saved.Views": func(tx *store.Tx, h home, n neighbour) error {
		views, err := saved.Views(tx, n.admin.ID)
		return all(err, same("views", len(views), 0))
	},
	"saved.AddView": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.view
		return notFound(saved.AddView(tx, &taken))
	},
	"saved.SaveView": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.view
		taken.Name = "taken"
		return saved.SaveView(tx, taken)
	},
	"saved.RemoveView": func(tx *store.Tx, h home, n neighbour) error { return saved.RemoveView(tx, n.view.ID) },
	"CustomerNote": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.CustomerNote(n.customer.ID, n.jotted.ID)
		return notFound(err)
	},
	"CustomerNotes": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.CustomerNotes(n.customer.ID, desk.Page{})
		return all(err, same("notes", len(l.Items), 0))
	},
	"AddCustomerNote": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.jotted
		return notFound(tx.AddCustomerNote(&taken))
	},
	"RemoveCustomerNote": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveCustomerNote(n.jotted.ID) },
	"timeline.Of": func(tx *store.Tx, h home, n neighbour) error {
		l, err := timeline.Of(tx, n.customer.ID, desk.Everything, desk.Page{})
		return all(err, same("entries", len(l.Items), 0))
	},
	"saved.Exploration": func(tx *store.Tx, h home, n neighbour) error {
		_, err := saved.Exploration(tx, n.asked.ID, n.admin.ID)
		return notFound(err)
	},
	"saved.RemovedExploration": func(tx *store.Tx, h home, n neighbour) error {
		_, err := saved.RemovedExploration(tx, n.asked.ID, n.admin.ID)
		return notFound(err)
	},
	"saved.Explorations": func(tx *store.Tx, h home, n neighbour) error {
		found, err := saved.Explorations(tx, n.admin.ID)
		return all(err, same("questions", len(found), 0))
	},
	"saved.AddExploration": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.asked
		return notFound(saved.AddExploration(tx, &taken))
	},
	"saved.SaveExploration": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.asked
		taken.Name = "taken"
		return saved.SaveExploration(tx, taken)
	},
	"saved.RemoveExploration":  func(tx *store.Tx, h home, n neighbour) error { return saved.RemoveExploration(tx, n.asked.ID) },
	"saved.RestoreExploration": func(tx *store.Tx, h home, n neighbour) error { return saved.RestoreExploration(tx, n.asked.ID) },
	"saved.Dashboard": func(tx *store.Tx, h home, n neighbour) error {
		_, err := saved.Dashboard(tx, n.board.ID, n.admin.ID)
		return notFound(err)
	},
	"saved.RemovedDashboard": func(tx *store.Tx, h home, n neighbour) error {
		_, err := saved.RemovedDashboard(tx, n.board.ID, n.admin.ID)
		return notFound(err)
	},
	"saved.Dashboards": func(tx *store.Tx, h home, n neighbour) error {
		found, err := saved.Dashboards(tx, n.admin.ID)
		return all(err, same("dashboards", len(found), 0))
	},
	"saved.AddDashboard": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.board
		return notFound(saved.AddDashboard(tx, &taken))
	},
	"saved.SaveDashboard": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.board
		taken.Name = "taken"
		return saved.SaveDashboard(tx, taken)
	},
	"saved.RemoveDashboard":  func(tx *store.Tx, h home, n neighbour) error { return saved.RemoveDashboard(tx, n.board.ID) },
	"saved.RestoreDashboard": func(tx *store.Tx, h home, n neighbour) error { return saved.RestoreDashboard(tx, n.board.ID) },
	"saved.Report": func(tx *store.Tx, h home, n neighbour) error {
		_, err := saved.Report(tx, n.sent.ID, n.admin.ID)
		return notFound(err)
	},
	"saved.Reports": func(tx *store.Tx, h home, n neighbour) error {
		found, err := saved.Reports(tx, n.admin.ID, true)
		return all(err, same("reports", len(found), 0))
	},
	"saved.AddReport": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.sent
		return notFound(saved.AddReport(tx, &taken))
	},
	"saved.SaveReport": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.sent
		taken.Stopped = "taken"
		return saved.SaveReport(tx, taken)
	},
	"saved.RemoveReport": func(tx *store.Tx, h home, n neighbour) error { return saved.RemoveReport(tx, n.sent.ID) },
	"MembersNamed": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.MembersNamed([]desk.MemberID{n.admin.ID})
		return all(err, same("members", len(found), 0))
	},
	"AddLetter": func(tx *store.Tx, h home, n neighbour) error {
		l := store.Letter{Mark: "theirs"} // no conflict
		isNew, err := tx.AddLetter(&l, nil)
		return all(err, same("the letter is new", isNew, true))
	},
	"Letter": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Letter(n.letter.ID)
		return notFound(err)
	},
	"NextLetterCopy": func(tx *store.Tx, h home, n neighbour) error {
		_, mailed, err := tx.NextLetterCopy(n.letter.ID, true)
		_, posted, other := tx.NextLetterCopy(n.letter.ID, false)
		return all(err, other, same("copies", mailed || posted, false))
	},
	"PostponeLetterCopy": func(tx *store.Tx, h home, n neighbour) error {
		return tx.PostponeLetterCopy(store.LetterCopy{Effect: store.Effect{ID: 1}}, tx.Now.Add(time.Hour))
	},
	"PendingLetters": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.PendingLetters(0, 10)
		return all(err, same("letters", len(found), 0))
	},
	"saved.ExplorationsNamed": func(tx *store.Tx, h home, n neighbour) error {
		found, err := saved.ExplorationsNamed(tx, []report.ExplorationID{n.asked.ID}, n.admin.ID)
		return all(err, same("questions", len(found), 0))
	},
	"QuickReply": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.QuickReply(n.reply.ID, n.admin.ID)
		return notFound(err)
	},
	"QuickReplies": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.QuickReplies(n.admin.ID, desk.Page{})
		return all(err, same("quick replies", len(l.Items), 0))
	},
	"AddQuickReply": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.reply
		return notFound(tx.AddQuickReply(&taken))
	},
	"SaveQuickReply": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.reply
		taken.Name = "taken"
		return tx.SaveQuickReply(taken)
	},
	"RemoveQuickReply": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveQuickReply(n.reply.ID) },
	"WaitingMessage": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.WaitingMessage(n.waiting.ID)
		return notFound(err)
	},
	"WaitingMessages": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.WaitingMessages(n.request.ID, n.admin.ID)
		return all(err, same("waiting", len(found), 0))
	},
	"AddWaitingMessage": func(tx *store.Tx, h home, n neighbour) error {
		theirs := n.waiting
		return notFound(tx.AddWaitingMessage(&theirs, nil))
	},
	"SetSent":   func(tx *store.Tx, h home, n neighbour) error { return tx.SetSent(n.waiting.ID, n.message.ID) },
	"SetFailed": func(tx *store.Tx, h home, n neighbour) error { return tx.SetFailed(n.waiting.ID, "taken") },
	"TakeBack":  func(tx *store.Tx, h home, n neighbour) error { return tx.TakeBack(n.waiting.ID) },
	"TakenFiles": func(tx *store.Tx, h home, n neighbour) error {
		files, err := tx.TakenFiles(n.admin.ID, []desk.WaitingFileID{n.taken.Files[0].ID})
		return all(err, same("files", len(files), 0))
	},
	"SweepWaiting": func(tx *store.Tx, h home, n neighbour) error { return tx.SweepWaiting(tx.Now.Add(time.Hour)) },
	"SweepMail":    func(tx *store.Tx, h home, n neighbour) error { return tx.SweepMail(tx.Now.Add(time.Hour)) },
	"EventsWithin": func(tx *store.Tx, h home, n neighbour) error {
		events, _, _, err := tx.EventsWithin(desk.Everything, 0, 100, false)
		return all(err, strange(events))
	},
	"MutedUsers": func(tx *store.Tx, h home, n neighbour) error {
		users, err := tx.MutedUsers(n.collection.ID)
		return all(err, same("users", len(users), 0))
	},
	"OldestCollection": func(tx *store.Tx, h home, n neighbour) error {
		id, err := tx.OldestCollection(desk.APICollection)
		return all(err, same("the oldest collection", id, 0))
	},
	"KnownCollections": func(tx *store.Tx, h home, n neighbour) error {
		known, err := tx.KnownCollections([]desk.CollectionID{n.collection.ID, n.chat.ID})
		return all(err, same("known", len(known), 0))
	},
	"KnownTeams": func(tx *store.Tx, h home, n neighbour) error {
		known, err := tx.KnownTeams([]desk.TeamID{n.team})
		return all(err, same("known", len(known), 0))
	},
	"KnownUsers": func(tx *store.Tx, h home, n neighbour) error {
		known, err := tx.KnownUsers([]string{"U_NEIGHBOUR"})
		return all(err, same("known", len(known), 0))
	},
	"UserIDByEmail": func(tx *store.Tx, h home, n neighbour) error {
		id, err := tx.UserIDByEmail("user@neighbour.example")
		return all(err, same("a user", id != nil, false))
	},
	"MembersWith": func(tx *store.Tx, h home, n neighbour) error {
		members, err := tx.MembersWith(n.chat.ID)
		return all(err, same("members", len(members), 0))
	},
	"Channel": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Channel("C_NEIGHBOUR")
		return notFound(err)
	},
	"Channels": func(tx *store.Tx, h home, n neighbour) error {
		var err error
		for _, f := range []desk.ChannelFilter{{Reach: desk.Everything}, {Reach: desk.Everything, Collection: n.chat.ID}, {Reach: desk.Reach{IDs: []desk.CollectionID{n.chat.ID}}}} {
			l, e := tx.Channels(f, desk.Page{Limit: 100})
			err = all(err, e, same("channels", len(l.Items), 0))
		}
		return err
	},
	"ChannelsOf": func(tx *store.Tx, h home, n neighbour) error {
		channels, err := tx.ChannelsOf([]desk.CollectionID{n.chat.ID})
		return all(err, same("channels", len(channels), 0))
	},
	"ChannelsNamed": func(tx *store.Tx, h home, n neighbour) error {
		channels, err := tx.ChannelsNamed([]string{"C_NEIGHBOUR"})
		return all(err, same("channels", len(channels), 0))
	},
	"ChannelUses": func(tx *store.Tx, h home, n neighbour) error {
		uses, err := tx.ChannelUses([]string{"C_NEIGHBOUR", "C_REQUEST_NEIGHBOUR", "C_TRIAGE_NEIGHBOUR"})
		return all(err, same("uses", len(uses), 0))
	},
	"SaveChannel": func(tx *store.Tx, h home, n neighbour) error {
		return tx.SaveChannel(desk.Channel{ID: "C_NEIGHBOUR", Owner: ptr("taken")})
	},
	"CheckRoom": func(tx *store.Tx, h home, n neighbour) error {
		return all(tx.CheckRoom(n.note), tx.CheckRoom(n.schedule), tx.CheckRoom(n.form), tx.CheckRoom(n.hook), tx.CheckRoom(n.reply), tx.CheckRoom(n.view), tx.CheckRoom(n.asked), tx.CheckRoom(n.board), tx.CheckRoom(n.sent), tx.CheckRoom(n.waiting))
	},
	"HasRoom": func(tx *store.Tx, h home, n neighbour) error {
		room, err := tx.HasRoom(n.chat.ID, desk.MostChannels)
		return all(err, same("room beside the neighbour's channels", room, true))
	},
	"CustomField": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.CustomField(n.field.ID)
		return notFound(err)
	},
	"CustomFields": func(tx *store.Tx, h home, n neighbour) error {
		fields, err := tx.CustomFields(desk.EntityCustomer)
		return all(err, same("fields", len(fields), 0))
	},
	"CustomFieldsNamed": func(tx *store.Tx, h home, n neighbour) error {
		fields, err := tx.CustomFieldsNamed([]desk.CustomFieldID{n.field.ID})
		return all(err, same("fields", len(fields), 0))
	},
	"AddCustomField": func(tx *store.Tx, h home, n neighbour) error {
		_, err := addCustomField(tx, desk.FieldSelect, "ours")
		return err
	},
	"SaveCustomField": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.field
		taken.Name, taken.Config.Options = "taken", []desk.FieldOption{{ID: 2, Value: "taken"}}
		err := tx.SaveCustomField(taken)
		own, e := sqldb.Collect(tx.Tx, scanText, "SELECT value FROM custom_field_options WHERE account_id = $1", h.account.ID)
		return all(err, e, same("options of a field that is not ours", len(own), 0))
	},
	"RemoveCustomField": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveCustomField(n.field.ID) },
	"TicketForm": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.TicketForm(n.form.ID)
		return notFound(err)
	},
	"TicketForms": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.TicketForms(desk.FormFilter{}, desk.Page{})
		for _, f := range l.Items {
			err = all(err, same("a form", f.ID == n.form.ID, false))
		}
		return err
	},
	"AddTicketForm": func(tx *store.Tx, h home, n neighbour) error {
		_, err := addTicketForm(tx)
		return err
	},
	"SaveTicketForm": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.form
		taken.Name, taken.Create.Fields = "taken", []desk.FormField{{Key: desk.FormStatus, Label: "taken", Audience: desk.ForAll}}
		err := tx.SaveTicketForm(taken)
		own, e := sqldb.Collect(tx.Tx, scanText, "SELECT label FROM ticket_form_fields WHERE account_id = $1", h.account.ID)
		return all(err, e, same("fields of a form that is not ours", len(own), 0))
	},
	"TicketFormOnceMade": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.TicketFormOnceMade(n.form.ID)
		return notFound(err)
	},
	"RemoveTicketForm": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveTicketForm(n.form.ID) },
	"TeamsBySource": func(tx *store.Tx, h home, n neighbour) error {
		teams, err := tx.TeamsBySource([]string{"S1"})
		for _, id := range teams {
			err = all(err, same("a team", id == n.team, false))
		}
		return err
	},
	"LongestText": func(tx *store.Tx, h home, n neighbour) error {
		longest, err := tx.LongestText(n.note.ID)
		return all(err, same("the longest text", longest, 0))
	},
	"Customer": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Customer(n.customer.ID)
		return notFound(err)
	},
	"Customers": func(tx *store.Tx, h home, n neighbour) error {
		crm := desk.HubSpot
		var err error
		for _, q := range []desk.CustomerQuery{
			{Reach: desk.Everything},
			{Reach: desk.Reach{IDs: []desk.CollectionID{n.chat.ID}}},
			{Reach: desk.Everything, Filters: []desk.CustomerFilter{{Field: desk.ByDomains, Operator: desk.Overlaps, Values: n.customer.Domains}}},
			{Reach: desk.Everything, Filters: []desk.CustomerFilter{{Field: desk.ByExternalEntity, System: crm, Entity: "E1"}}},
		} {
			l, e := tx.Customers(q)
			err = all(err, e, same("customers", len(l.Items), 0))
		}
		return err
	},
	"CustomersNamed": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.CustomersNamed([]desk.CustomerID{n.customer.ID})
		return all(err, same("customers", len(found), 0))
	},
	"CustomersOf": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.CustomersOf(n.customer.Channels)
		return all(err, same("customers", len(found), 0))
	},
	"CustomerFor": func(tx *store.Tx, h home, n neighbour) error {
		byChannel, err := tx.CustomerFor("C_NEIGHBOUR", "")
		byEmail, e := tx.CustomerFor("", "user@neighbour.example")
		return all(err, e, same("by channel", byChannel, 0), same("by email", byEmail, 0))
	},
	"AddCustomer": func(tx *store.Tx, h home, n neighbour) error {
		own, err := addCustomer(tx, desk.Customer{Domains: n.customer.Domains, Channels: n.customer.Channels}) // theirs is no obstacle
		got, e := tx.Customer(own.ID)
		return all(err, e, same("values", len(got.Values), 0))
	},
	"SaveCustomer": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.customer
		taken.Name, taken.Domains, taken.Channels, taken.PortalUsers, taken.Values = "taken", nil, nil, nil, nil
		return notFound(tx.SaveCustomer(n.customer, taken))
	},
	"Token": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Token(n.admin.ID, n.token.ID)
		return notFound(err)
	},
	"ValidTokens": func(tx *store.Tx, h home, n neighbour) error {
		have, err := tx.ValidTokens(n.admin.ID)
		return all(err, same("tokens", have, 0))
	},
	"Tokens": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.Tokens(n.admin.ID, desk.Page{Limit: 100})
		return all(err, same("tokens", len(l.Items), 0))
	},
	"AddToken": func(tx *store.Tx, h home, n neighbour) error {
		_, err := addToken(tx, n.admin) // it would act as the neighbour's admin
		return notFound(err)
	},
	"Session": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Session(n.admin.ID, n.browser.ID)
		return notFound(err)
	},
	"Sessions": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.Sessions(n.admin.ID, desk.Page{Limit: 100})
		return all(err, same("sessions", len(l.Items), 0))
	},
	"EndSessions": func(tx *store.Tx, h home, n neighbour) error { return tx.EndSessions(n.admin.ID, 0) },
	"Password": func(tx *store.Tx, h home, n neighbour) error {
		hash, err := tx.Password(n.admin.ID)
		return all(err, same("hash", hash, ""))
	},
	"SetPassword": func(tx *store.Tx, h home, n neighbour) error { return notFound(tx.SetPassword(n.admin.ID, "taken")) },
	"SetInvitation": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.SetInvitation(n.admin.ID, []byte("taken"), tx.Now.Add(time.Hour)))
	},
	"HasInvitation": func(tx *store.Tx, h home, n neighbour) error {
		has, err := tx.HasInvitation(n.admin.ID, []byte("theirs"))
		return all(err, same("invited", has, false))
	},
	"LinkIdentity": func(tx *store.Tx, h home, n neighbour) error {
		linked, err := tx.LinkIdentity(n.admin.ID, "https://issuer.example", "taken")
		own, e := tx.LinkIdentity(h.admin.ID, "https://issuer.example", "theirs") // no obstacle here
		return all(err, e, same("linked", linked, false), same("linked", own, true))
	},
	"RevokeTokens": func(tx *store.Tx, h home, n neighbour) error {
		got, err := tx.RevokeTokens(n.admin.ID)
		return all(err, same("revoked tokens", len(got), 0))
	},
	"RevokeToken": func(tx *store.Tx, h home, n neighbour) error { return tx.RevokeToken(n.token.ID) },
	"TouchToken":  func(tx *store.Tx, h home, n neighbour) error { return tx.TouchToken(n.token.ID, tx.Now.Add(time.Hour)) },
	"AuditLogs": func(tx *store.Tx, h home, n neighbour) error {
		var err error
		for _, f := range []desk.AuditLogFilter{{}, {Actor: n.admin.ID}, {Action: "member.created"}, {ResourceType: "Member", ResourceID: fmt.Sprint(n.admin.ID)}} {
			l, e := tx.AuditLogs(f, desk.Page{Limit: 100})
			err = all(err, e)
			for _, a := range l.Items {
				err = all(err, strange(a))
			}
		}
		return err
	},
	"AuditLogEnd": func(tx *store.Tx, h home, n neighbour) error { // the ids are shared by all accounts, the entries before them are not
		end, err := tx.AuditLogEnd()
		l, e := tx.AuditLogs(desk.AuditLogFilter{UpTo: end}, desk.Page{Limit: 100})
		return all(err, e, same("entries", len(l.Items), 0))
	},
	"Events": func(tx *store.Tx, h home, n neighbour) error {
		events, _, err := tx.Events(0, 100, false)
		for _, e := range events {
			err = all(err, strange(e))
		}
		return err
	},
	"EventsFor": func(tx *store.Tx, h home, n neighbour) error {
		events, _, err := tx.EventsFor(n.hook, 0, 100)
		return all(err, strange(events))
	},
	"EventsBetween": func(tx *store.Tx, h home, n neighbour) error {
		events, _, err := tx.EventsBetween(n.hook, time.Time{}, tx.Now.Add(time.Hour), nil, 100)
		return all(err, strange(events))
	},
	"EventAt": func(tx *store.Tx, h home, n neighbour) error {
		e, err := tx.EventAt(1)
		if desk.KindOf(err) == desk.NotFound {
			return nil
		}
		return all(err, strange(e))
	},
	"FeedEnd": func(tx *store.Tx, h home, n neighbour) error {
		end, err := tx.FeedEnd()
		return all(err, same("end", end, 0))
	},
	"Webhook": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Webhook(n.hook.ID)
		return notFound(err)
	},
	"Webhooks": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.Webhooks(desk.Page{})
		return all(err, same("webhooks", len(l.Items), 0))
	},
	"DeliverWebhookAt": func(tx *store.Tx, h home, n neighbour) error { // a job has no account, so the worker finds nothing
		if err := tx.DeliverWebhookAt(n.hook.ID, tx.Now); err != nil {
			return err
		}
		_, err := tx.Webhook(n.hook.ID)
		return notFound(err)
	},
	"EnabledWebhooks": func(tx *store.Tx, h home, n neighbour) error {
		hooks, err := tx.EnabledWebhooks()
		return all(err, same("webhooks", len(hooks), 0))
	},
	"AddWebhook": func(tx *store.Tx, h home, n neighbour) error {
		_, err := addWebhook(tx)
		return err
	},
	"SaveWebhook": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.hook
		taken.URL = "https://taken.example"
		return tx.SaveWebhook(taken)
	},
	"RemoveWebhook": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveWebhook(n.hook.ID) },
	"RotateSecret":  func(tx *store.Tx, h home, n neighbour) error { return tx.RotateSecret(n.hook.ID, "taken", tx.Now) },
	"MoveWebhook":   func(tx *store.Tx, h home, n neighbour) error { return tx.MoveWebhook(n.hook.ID, 99) },
	"Route": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Route(n.hook.ID)
		return notFound(err)
	},
	"AddDeliveries": func(tx *store.Tx, h home, n neighbour) error { return tx.AddDeliveries([]desk.Delivery{n.delivery}) },
	"AddDelivery": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.AddDelivery(n.delivery)
		return err
	},
	"SaveDelivery": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.delivery
		taken.Tries = 9
		return tx.SaveDelivery(taken)
	},
	"Delivery": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Delivery(n.hook.ID, n.delivery.ID)
		return notFound(err)
	},
	"Deliveries": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.Deliveries(n.hook.ID, desk.DeliveryFilter{}, desk.Page{})
		return all(err, same("deliveries", len(l.Items), 0))
	},
	"DueDeliveries": func(tx *store.Tx, h home, n neighbour) error {
		due, err := tx.DueDeliveries(n.hook.ID, 10)
		return all(err, same("due", len(due), 0))
	},
	"WaitingSubjects": func(tx *store.Tx, h home, n neighbour) error {
		waiting, err := tx.WaitingSubjects(n.hook.ID, []string{"theirs"})
		return all(err, same("waiting", len(waiting), 0))
	},
	"ReleaseLine": func(tx *store.Tx, h home, n neighbour) error { return tx.ReleaseLine(n.hook.ID, "theirs") },
	"NextTry": func(tx *store.Tx, h home, n neighbour) error {
		_, waits, err := tx.NextTry(n.hook.ID)
		return all(err, same("waits", waits, false))
	},
	"TryAgain":    func(tx *store.Tx, h home, n neighbour) error { return tx.TryAgain(n.hook.ID) },
	"SkipWaiting": func(tx *store.Tx, h home, n neighbour) error { return tx.SkipWaiting(n.hook.ID) },
	"SweepDeliveries": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.SweepDeliveries(tx.Now.Add(time.Hour))
		return err
	},
	"AdminUsers": func(tx *store.Tx, h home, n neighbour) error {
		users, err := tx.AdminUsers()
		return all(err, same("users", len(users), 0))
	},
	"Record": func(tx *store.Tx, h home, n neighbour) error { return recordUpdate(tx, n.admin) },
	"KeySession": func(tx *store.Tx, h home, n neighbour) error {
		session, err := tx.KeySession(99999999, "done")
		return all(err, same("whose key it is", session, 99999999))
	},
	"BeginKey": func(tx *store.Tx, h home, n neighbour) error {
		var err error
		for _, name := range []string{"held", "done"} { // here they are neither held nor answered
			k, e := tx.BeginKey(n.token.ID, name, "other owner")
			err = all(err, e, same("an answer", k.Answer != nil, false))
		}
		return err
	},
	"FinishKey": func(tx *store.Tx, h home, n neighbour) error {
		if err := tx.FinishKey(n.held, desk.Answer{Status: 200}); desk.KindOf(err) != desk.Conflict {
			return fmt.Errorf("finishing gives %v, want Conflict", err)
		}
		return nil
	},
	"Integration": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Integration(n.slack.ID)
		return notFound(err)
	},
	"Integrations": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.Integrations(desk.Page{})
		return all(err, same("integrations", len(l.Items), 0))
	},
	"Chat": func(tx *store.Tx, h home, n neighbour) error {
		if _, err := tx.Chat(); !errors.Is(err, desk.ErrNotConnected) {
			return fmt.Errorf("got %v, want not connected", err)
		}
		return nil
	},
	"Workspaces": func(tx *store.Tx, h home, n neighbour) error {
		ids, err := tx.Workspaces(desk.Slack)
		return all(err, same("workspaces", len(ids), 0))
	},
	"AddIntegration": func(tx *store.Tx, h home, n neighbour) error {
		i := desk.Integration{Kind: desk.Slack, Status: desk.StatusPending, CreatedAt: tx.Now, UpdatedAt: tx.Now}
		return tx.AddIntegration(&i)
	},
	"SaveIntegration": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.slack
		taken.Status, taken.Name = desk.StatusLost, "taken"
		return tx.SaveIntegration(taken)
	},
	"NoteSync":          func(tx *store.Tx, h home, n neighbour) error { return tx.NoteSync(n.slack.ID) },
	"RemoveIntegration": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveIntegration(n.slack.ID) },
	"SetNonce":          func(tx *store.Tx, h home, n neighbour) error { return tx.SetNonce(n.slack.ID, "taken") },
	"TakeNonce": func(tx *store.Tx, h home, n neighbour) error {
		good, err := tx.TakeNonce(n.slack.ID, "theirs")
		return all(err, same("good", good, false))
	},
	"PutCredential": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.PutCredential(n.slack.ID, "", []byte("taken")))
	},
	"Credential": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Credential(n.slack.ID, "")
		return notFound(err)
	},
	"ForgetCredentials": func(tx *store.Tx, h home, n neighbour) error { return tx.ForgetCredentials(n.slack.ID) },
	"Users": func(tx *store.Tx, h home, n neighbour) error {
		var err error
		for _, q := range []desk.UserQuery{{}, {IDs: []string{"U_NEIGHBOUR"}}, {Text: "neighbour"}} {
			l, e := tx.Users(q)
			err = all(err, e, same("users", len(l.Items), 0))
		}
		return err
	},
	"PutUsers": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.PutUsers([]store.Report[desk.User]{{Is: desk.User{ID: "U_NEIGHBOUR", Name: "taken"}, Revision: 9}}, time.Time{})
		return err
	},
	"PutChannels": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.PutChannels([]store.Report[desk.Channel]{{Is: desk.Channel{ID: "C_NEIGHBOUR", Name: "taken"}, Revision: 9}}, time.Time{})
		return err
	},
	"Team": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Team(n.team, true)
		return notFound(err)
	},
	"Teams": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.Teams(true, desk.Page{})
		return all(err, same("teams", len(l.Items), 0))
	},
	"PutTeams": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.PutTeams("sandbox", []store.Report[desk.Team]{{Is: desk.Team{Name: "taken", SourceID: "S1"}, Revision: 9}}, time.Time{})
		return err
	},
	"Request": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Request(n.request.ID, desk.Everything)
		return notFound(err)
	},
	"Requests": func(tx *store.Tx, h home, n neighbour) error {
		var err error
		for _, f := range []desk.RequestFilter{{Reach: desk.Everything}, {Reach: desk.Everything, Collection: n.collection.ID},
			{Reach: desk.Reach{IDs: []desk.CollectionID{n.collection.ID}}}, {Reach: desk.Everything, AuthorEmails: []string{n.request.Author.Email}}} {
			l, e := tx.Requests(f, desk.Page{})
			err = all(err, e, same("requests", len(l.Items), 0))
		}
		return err
	},
	"CountRequests": func(tx *store.Tx, h home, n neighbour) error {
		var lists []desk.RequestList
		for _, f := range []desk.RequestFilter{{Reach: desk.Everything}, {Reach: desk.Everything, Collection: n.collection.ID}, {Reach: desk.Everything, Tags: []string{"theirs"}},
			{Reach: desk.Reach{IDs: []desk.CollectionID{n.collection.ID}}}, {Reach: desk.Everything, AuthorEmails: []string{n.request.Author.Email}}} {
			lists = append(lists, desk.RequestList{RequestFilter: f})
		}
		counts, err := tx.CountRequests(lists)
		for _, c := range counts {
			err = all(err, same("count", c, desk.RequestCount{}))
		}
		return err
	},
	"Children": func(tx *store.Tx, h home, n neighbour) error {
		ids, err := tx.Children(n.request.ID, desk.Everything)
		return all(err, same("children", len(ids), 0))
	},
	"AddRequest": func(tx *store.Tx, h home, n neighbour) error {
		_, err := addRequest(tx, n.collection.ID, nil)
		return notFound(err)
	},
	"AddRequests": func(tx *store.Tx, h home, n neighbour) error {
		theirs := newRequest(tx, n.collection.ID)
		return notFound(tx.AddRequests([]*desk.Request{&theirs}))
	},
	"SaveRequest": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.request
		taken.Title, taken.Tags = "taken", []string{"taken"}
		return tx.SaveRequest(n.request, &taken)
	},
	"RequestsNamed": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.RequestsNamed([]desk.RequestID{n.request.ID}, desk.Everything)
		return all(err, same("requests", len(found), 0))
	},
	"HasRequest": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.HasRequest(n.request.ID, desk.Everything))
	},
	"RequestsSeen": func(tx *store.Tx, h home, n neighbour) error {
		seen, err := tx.RequestsSeen([]desk.RequestID{n.request.ID}, desk.Everything)
		return all(err, same("requests", len(seen), 0))
	},
	"ChildrenOf": func(tx *store.Tx, h home, n neighbour) error {
		ids, err := tx.ChildrenOf([]desk.RequestID{n.request.ID}, 10)
		return all(err, same("children", len(ids), 0))
	},
	"Ancestors": func(tx *store.Tx, h home, n neighbour) error {
		above, err := tx.Ancestors(n.child.ID)
		return all(err, same("ancestors", len(above), 0))
	},
	"Belongings": func(tx *store.Tx, h home, n neighbour) error {
		have, err := tx.Belongings([]desk.RequestID{n.request.ID})
		return all(err, same("messages", len(have[0].Messages), 0), same("tickets", len(have[0].Tickets), 0),
			same("surveys", len(have[0].Surveys), 0), same("sessions", len(have[0].Sessions), 0))
	},
	"AddSurvey": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.AddSurvey(&desk.Survey{Request: n.child.ID, Type: desk.FivePointRating, TriggeredAt: tx.Now}, "taken"))
	},
	"Survey": func(tx *store.Tx, h home, n neighbour) error {
		_, _, err := tx.Survey(n.survey.ID)
		return notFound(err)
	},
	"SurveyAskedOf": func(tx *store.Tx, h home, n neighbour) error {
		_, _, ok, err := tx.SurveyAskedOf(n.request.ID)
		return all(err, same("a survey", ok, false))
	},
	"SaveSurvey": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.survey
		taken.Value, taken.AnsweredAt, taken.Comment = 1, &tx.Now, "taken"
		return tx.SaveSurvey(taken)
	},
	"RenewSurvey": func(tx *store.Tx, h home, n neighbour) error {
		shown, err := tx.RenewSurvey(n.survey)
		return all(err, same("shown", shown, false))
	},
	"AgentSession": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.AgentSession(n.session.ID, desk.Everything)
		return notFound(err)
	},
	"AgentSessionNamed": func(tx *store.Tx, h home, n neighbour) error {
		_, ok, err := tx.AgentSessionNamed("theirs")
		return all(err, same("a session", ok, false))
	},
	"AgentSessions": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.AgentSessions(desk.AgentSessionFilter{Request: n.request.ID, Reach: desk.Everything}, desk.Page{})
		return all(err, same("sessions", len(l.Items), 0))
	},
	"AddAgentSession": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.AddAgentSession(&desk.AgentSession{Request: n.request.ID, StartedAt: tx.Now, CreatedAt: tx.Now, UpdatedAt: tx.Now}))
	},
	"SaveAgentSession": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.session
		taken.Triggers = 9
		return tx.SaveAgentSession(taken, []desk.AgentEvent{{Type: desk.AgentTriggered, At: &tx.Now}})
	},
	"Move": func(tx *store.Tx, h home, n neighbour) error {
		col, err := addAPICollection(tx, "ours")
		if err != nil {
			return err
		}
		own, err := addRequest(tx, col, nil)
		if err != nil {
			return err
		}
		theirs := desk.MovedRequest{Messages: []desk.MessageID{n.message.ID}, Tickets: []int64{1}, Surveys: []desk.SurveyID{n.survey.ID}, Sessions: []desk.AgentSessionID{n.session.ID}}
		if err := tx.Move(theirs, n.request.ID, own.ID); desk.KindOf(err) != desk.Refused {
			return fmt.Errorf("taken: %v", err)
		}
		return notFound(tx.Move(desk.MovedRequest{}, own.ID, n.request.ID))
	},
	"MessagesSince": func(tx *store.Tx, h home, n neighbour) error {
		messages, err := tx.MessagesSince(n.request.ID, 0)
		return all(err, same("messages", len(messages), 0))
	},
	"AddHistory": func(tx *store.Tx, h home, n neighbour) error {
		e := n.entry
		return notFound(tx.AddHistory(&e))
	},
	"History": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.History(n.request.ID, desk.Page{})
		return all(err, same("entries", len(l.Items), 0))
	},
	"LatestHistory": func(tx *store.Tx, h home, n neighbour) error {
		entries, err := tx.LatestHistory(n.request.ID, 10)
		return all(err, same("entries", len(entries), 0))
	},
	"SetUndone": func(tx *store.Tx, h home, n neighbour) error { return tx.SetUndone([]desk.HistoryEntryID{n.entry.ID}) },
	"Making": func(tx *store.Tx, h home, n neighbour) error {
		making, err := tx.Making(n.request.ID)
		return all(err, same("a making", making != nil, false))
	},
	"AddMessage": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.AddMessage(&desk.Message{Request: n.request.ID, Text: "taken", CreatedAt: tx.Now}))
	},
	"AddMessages": func(tx *store.Tx, h home, n neighbour) error {
		theirs := []desk.Request{n.request}
		return all(tx.AddMessages(theirs), same("messages", len(theirs[0].Messages), 0))
	},
	"KeepMessages": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.KeepMessages([]desk.Message{{Request: n.request.ID, Text: "taken", CreatedAt: tx.Now}}))
	},
	"KeepPasts": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.KeepPasts([]store.Past{{Request: n.request.ID}}))
	},
	"RequestsImported": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.RequestsImported([]string{"theirs"})
		return all(err, same("imported", len(found), 0))
	},
	"UsersNamed": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.UsersNamed([]string{"U_NEIGHBOUR"})
		return all(err, same("users", len(found), 0))
	},
	"UsersByEmail": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.UsersByEmail([]string{"user@neighbour.example", ""})
		return all(err, same("users", len(found), 0))
	},
	"CustomersFor": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.CustomersFor([]string{"jo@neighbour.example"})
		return all(err, same("customers", len(found), 0))
	},
	"AddAttachment": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.AddAttachment(n.message, desk.NewFile{Key: "taken", Name: "taken"}))
	},
	"Attachment": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Attachment(1, desk.Everything)
		return notFound(err)
	},
	"NamedBlobs": func(tx *store.Tx, h home, n neighbour) error {
		named, err := tx.NamedBlobs([]string{"theirs", "waits", "taken"})
		return all(err, same("named", len(named), 0))
	},
	"RequestsAmong": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.RequestsAmong([]desk.RequestID{n.request.ID}, desk.RequestFilter{Reach: desk.Everything})
		return all(err, same("requests", len(found), 0))
	},
	"index.Search": func(tx *store.Tx, h home, n neighbour) error {
		var err error
		for _, reach := range []desk.Reach{desk.Everything, {IDs: []desk.CollectionID{n.collection.ID}}} {
			l, e := index.Search(tx, desk.RequestSearch{Query: "neighbour", RequestFilter: desk.RequestFilter{Reach: reach}}, desk.Page{})
			err = all(err, e, same("found", len(l.Items), 0))
		}
		return err
	},
	"AddTicket": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.AddTicket(n.request.ID, desk.Ticket{ID: 1, Type: desk.Native, Key: "taken", CreatedAt: tx.Now}))
	},
	"Message": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Message(n.message.ID)
		return notFound(err)
	},
	"SaveMessageEmail": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.message
		taken.Email = &desk.MessageEmail{Direction: desk.EmailOut, Status: desk.EmailFailed}
		return tx.SaveMessageEmail(taken)
	},
	"PublishMessage": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.message
		taken.HTML, taken.Private = "taken", true
		return tx.PublishMessage(taken)
	},
	"AddMail": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.AddMail(&store.Mail{Request: n.request.ID, Direction: desk.EmailIn, External: "ours"}))
	},
	"Mail": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Mail(n.mail.ID)
		return notFound(err)
	},
	"MailOf": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.MailOf(n.message.ID, desk.EmailOut)
		return notFound(err)
	},
	"HasMail": func(tx *store.Tx, h home, n neighbour) error {
		has, err := tx.HasMail("theirs")
		return all(err, same("has it", has, false))
	},
	"SentMail": func(tx *store.Tx, h home, n neighbour) error {
		sent, err := tx.SentMail("theirs@neighbour.example")
		return all(err, same("sent it", sent, false))
	},
	"MailsBefore": func(tx *store.Tx, h home, n neighbour) error {
		mails, err := tx.MailsBefore(n.request.ID, 0, 10)
		older, e := tx.MailsBefore(n.request.ID, n.mail.ID+1, 10)
		return all(err, e, same("mails", len(mails)+len(older), 0))
	},
	"RequestsOfMails": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.RequestsOfMails([]string{"theirs@neighbour.example"})
		return all(err, same("found", len(found), 0))
	},
	"AddMailCopies": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.AddMailCopies(n.mail, []string{"ours@home.example"}, nil))
	},
	"NextMailCopy": func(tx *store.Tx, h home, n neighbour) error {
		_, ok, err := tx.NextMailCopy(n.mail.ID)
		return all(err, same("a copy", ok, false))
	},
	"MailCopies": func(tx *store.Tx, h home, n neighbour) error {
		copies, err := tx.MailCopies(n.mail.ID)
		return all(err, same("copies", len(copies), 0))
	},
	"PostponeMailCopy": func(tx *store.Tx, h home, n neighbour) error {
		return tx.PostponeMailCopy(n.mailCopy, tx.Now.Add(time.Hour))
	},
	"FailMailCopy":  func(tx *store.Tx, h home, n neighbour) error { return tx.FailMailCopy(n.mailCopy, "taken") },
	"RenewMailCopy": func(tx *store.Tx, h home, n neighbour) error { return tx.RenewMailCopy(n.mailCopy) },
	"Participants": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.Participants(n.request.ID)
		return all(err, same("participants", len(found), 0))
	},
	"PutParticipant": func(tx *store.Tx, h home, n neighbour) error {
		taken := desk.Participant{Request: n.request.ID, Email: "kim@neighbour.example", Name: "taken", Status: desk.ParticipantRemoved}
		return notFound(tx.PutParticipant(taken))
	},
	"MayAutoReply": func(tx *store.Tx, h home, n neighbour) error {
		may, err := tx.MayAutoReply("kim@neighbour.example", tx.Now.Add(-time.Hour)) // each account answers by itself
		return all(err, same("may", may, true))
	},
	"MailSuccessor": func(tx *store.Tx, h home, n neighbour) error {
		id, err := tx.MailSuccessor(n.request.ID)
		return all(err, same("request", id, 0))
	},
	"OwnAddresses": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.OwnAddresses([]string{"help@neighbour.example"})
		return all(err, same("addresses", len(found), 0))
	},
	"MailTrouble": func(tx *store.Tx, h home, n neighbour) error {
		trouble, err := tx.MailTrouble(n.request.ID)
		return all(err, same("trouble", string(trouble), ""))
	},
	"MergedParticipants": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.MergedParticipants(n.request.ID)
		return all(err, same("participants", len(found), 0))
	},
	"MemberEmails": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.MemberEmails([]string{"second@neighbour.example"})
		return all(err, same("members", len(found), 0))
	},
	"MessageAt": func(tx *store.Tx, h home, n neighbour) error {
		_, _, err := tx.MessageAt("C_NEIGHBOUR", "1.1")
		return notFound(err)
	},
	"FirstMessage": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.FirstMessage(n.request.ID)
		return notFound(err)
	},
	"HasMessages": func(tx *store.Tx, h home, n neighbour) error {
		has, err := tx.HasMessages(n.request.ID)
		return all(err, same("has messages", has, false))
	},
	"EditMessage": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.message
		taken.HTML = "taken"
		return tx.EditMessage(taken)
	},
	"RemoveMessage": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveMessage(n.message.ID) },
	"PlaceMessage": func(tx *store.Tx, h home, n neighbour) error {
		return tx.PlaceMessage(n.unplaced, "taken", "taken", "")
	},
	"RequestAt": func(tx *store.Tx, h home, n neighbour) error {
		id, err := tx.RequestAt("C_NEIGHBOUR", "1.1")
		return all(err, same("request", id, 0))
	},
	"PublicRequestAt": func(tx *store.Tx, h home, n neighbour) error {
		id, err := tx.PublicRequestAt("C_NEIGHBOUR", "1.1")
		posted, e := tx.PublicRequestAt("C_NEIGHBOUR", "1.2")
		made, f := tx.PublicRequestAt("C_NEIGHBOUR", n.madeTS)
		return all(err, e, f, same("request", id, 0), same("request", posted, 0), same("request", made, 0))
	},
	"HasMade": func(tx *store.Tx, h home, n neighbour) error {
		has, err := tx.HasMade(n.request.ID, n.madeTS)
		return all(err, same("has it", has, false))
	},
	"TriagedAt": func(tx *store.Tx, h home, n neighbour) error {
		id, err := tx.TriagedAt("C_TRIAGE", "2.1")
		return all(err, same("request", id, 0))
	},
	"PostedAt": func(tx *store.Tx, h home, n neighbour) error {
		id, err := tx.PostedAt("C_NEIGHBOUR", "1.2")
		return all(err, same("request", id, 0))
	},
	"SaidAt": func(tx *store.Tx, h home, n neighbour) error {
		said, err := tx.SaidAt("C_NEIGHBOUR", "1.1")
		posted, e := tx.SaidAt("C_NEIGHBOUR", "1.2")
		return all(err, e, same("said", said.IsZero() && posted.IsZero(), true))
	},
	"MergedInto": func(tx *store.Tx, h home, n neighbour) error {
		id, err := tx.MergedInto(n.request.ID)
		return all(err, same("request", id, n.request.ID))
	},
	"Beside": func(tx *store.Tx, h home, n neighbour) error {
		before, after, err := tx.Beside("C_NEIGHBOUR", "U_NEIGHBOUR", tx.Now)
		return all(err, same("before", before, 0), same("after", after, 0))
	},
	"Answered": func(tx *store.Tx, h home, n neighbour) error {
		answered, err := tx.Answered(n.request, tx.Now.Add(time.Hour))
		return all(err, same("answered", answered, false))
	},
	"AnsweredLater": func(tx *store.Tx, h home, n neighbour) error {
		answered, concerns, err := tx.AnsweredLater(desk.Message{Request: n.request.ID}, ptr("U_LISTED"))
		return all(err, same("answered", answered, false), same("concerns", concerns, false))
	},
	"AnswerUnseen": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.AnswerUnseen(n.request.ID, 0, desk.Requester{})
		return all(err, same("answer", found.ID, 0))
	},
	"BackdateRequest": func(tx *store.Tx, h home, n neighbour) error {
		return tx.BackdateRequest(n.request.ID, tx.Now.Add(-time.Hour))
	},
	"heard.InheritedThreads": func(tx *store.Tx, h home, n neighbour) error {
		threads, err := heard.InheritedThreads(tx, "C_NEIGHBOUR", time.Time{}, 10)
		return all(err, same("threads", len(threads), 0))
	},
	"PostedParts": func(tx *store.Tx, h home, n neighbour) error {
		parts, err := tx.PostedParts(n.message.ID, desk.InThread)
		return all(err, same("parts", parts, 0))
	},
	"Asked": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Asked(n.request.ID)
		return notFound(err)
	},
	"ForgetMessage": func(tx *store.Tx, h home, n neighbour) error { return tx.ForgetMessage("C_NEIGHBOUR", "9.9") },
	"Forgotten": func(tx *store.Tx, h home, n neighbour) error {
		gone, err := tx.Forgotten("C_NEIGHBOUR", "9.8")
		return all(err, same("forgotten", gone, false))
	},
	"heard.PutReaction": func(tx *store.Tx, h home, n neighbour) error {
		news, err := heard.PutReaction(tx, desk.Reaction{Channel: "C_NEIGHBOUR", Message: "1.1", User: "U1", Emoji: "eyes", At: tx.Now})
		return all(err, same("news", news, true))
	},
	"heard.ReactionsAt": func(tx *store.Tx, h home, n neighbour) error {
		found, err := heard.ReactionsAt(tx, "C_NEIGHBOUR", "1.1")
		return all(err, same("reactions", len(found), 0))
	},
	"Responding": func(tx *store.Tx, h home, n neighbour) error {
		person, _, err := tx.Responding("U1")
		return all(err, same("email", person.Email, ""), same("teams", len(person.Teams), 0))
	},
	"AddPosting": func(tx *store.Tx, h home, n neighbour) error {
		return tx.AddPosting(desk.Posting{Request: n.request.ID, Kind: desk.PostedCard, Place: desk.InTriage}, "taken")
	},
	"RenewCard": func(tx *store.Tx, h home, n neighbour) error {
		renewed, err := tx.RenewCard(n.request.ID)
		return all(err, same("renewed", renewed, false))
	},
	"HasCard": func(tx *store.Tx, h home, n neighbour) error {
		has, err := tx.HasCard(n.request.ID)
		return all(err, same("has a card", has, false))
	},
	"RenewPostings": func(tx *store.Tx, h home, n neighbour) error {
		renewed, err := tx.RenewPostings(n.message.ID)
		return all(err, same("renewed", renewed, false))
	},
	"NextPosting": func(tx *store.Tx, h home, n neighbour) error {
		_, ok, err := tx.NextPosting(n.request.ID)
		return all(err, same("next", ok, false))
	},
	"NextKeys": func(tx *store.Tx, h home, n neighbour) error {
		first, err := tx.NextKeys(1)
		return all(err, same("the first key", first, desk.Key{Prefix: "HOME", Number: 1}))
	},
	"RequestKeyed": func(tx *store.Tx, h home, n neighbour) error {
		byKey, err := tx.RequestKeyed(desk.Key{Prefix: "NEIGHBOUR", Number: n.request.Number})
		byNumber, err2 := tx.RequestKeyed(desk.Key{Number: n.request.Number})
		return all(err, err2, same("by its key", byKey, 0), same("by its number", byNumber, 0))
	},
	"NumberRequests": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.NumberRequests(10)
		return err
	},
	"Tracker": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Tracker(desk.Zendesk)
		return notFound(err)
	},
	"AddLink": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.AddLink(&desk.TicketLink{Request: n.request.ID, Ticket: desk.Ticket{Type: desk.Zendesk}, Name: "taken", CreatedAt: tx.Now}))
	},
	"Links": func(tx *store.Tx, h home, n neighbour) error {
		links, err := tx.Links(n.request.ID)
		return all(err, same("links", len(links), 0))
	},
	"Link": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Link(n.link.ID)
		return notFound(err)
	},
	"LinkOf": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.LinkOf(n.request.ID, n.link.Ticket.ID)
		return notFound(err)
	},
	"RemoveLink": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveLink(n.link) },
	"LinksTo": func(tx *store.Tx, h home, n neighbour) error {
		links, err := tx.LinksTo(desk.Zendesk, "4711")
		return all(err, same("links", len(links), 0))
	},
	"UnreadLinks": func(tx *store.Tx, h home, n neighbour) error {
		links, err := tx.UnreadLinks(desk.Zendesk, tx.Now.Add(time.Hour), 0, 10)
		return all(err, same("links", len(links), 0))
	},
	"SaveLink": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.link
		taken.Ticket.Key, taken.StatusName = "taken", "taken"
		return tx.SaveLink(taken)
	},
	"ReadLink":    func(tx *store.Tx, h home, n neighbour) error { return tx.ReadLink(n.link.ID, tx.Now) },
	"AddComment":  func(tx *store.Tx, h home, n neighbour) error { return tx.AddComment(n.link.ID, n.message.ID, "taken") },
	"KeepComment": func(tx *store.Tx, h home, n neighbour) error { return tx.KeepComment(n.link.ID, n.message.ID, "taken") },
	"KnowsComment": func(tx *store.Tx, h home, n neighbour) error {
		known, err := tx.KnowsComment(n.link.ID, "", "theirs")
		return all(err, same("known", known, false))
	},
	"NextComment": func(tx *store.Tx, h home, n neighbour) error {
		_, more, err := tx.NextComment(n.link.ID)
		return all(err, same("a comment", more, false))
	},
	"PendingRequests": func(tx *store.Tx, h home, n neighbour) error {
		ids, err := tx.PendingRequests(0, 10)
		return all(err, same("pending", len(ids), 0))
	},
	"heard.BeginReading": func(tx *store.Tx, h home, n neighbour) error { return heard.BeginReading(tx, "C_NEIGHBOUR") },
	"heard.ReadingOf": func(tx *store.Tx, h home, n neighbour) error {
		_, err := heard.ReadingOf(tx, "C_NEIGHBOUR")
		return notFound(err)
	},
	"heard.ReadTo": func(tx *store.Tx, h home, n neighbour) error {
		return heard.ReadTo(tx, "C_NEIGHBOUR", tx.Now.Add(time.Hour))
	},
	"heard.OldestUnresolved": func(tx *store.Tx, h home, n neighbour) error {
		at, err := heard.OldestUnresolved(tx, "C_NEIGHBOUR", time.Time{})
		return all(err, same("at", at.IsZero(), true))
	},
	"heard.ReadChannels": func(tx *store.Tx, h home, n neighbour) error {
		channels, err := heard.ReadChannels(tx, "", 10)
		return all(err, same("channels", len(channels), 0))
	},
	"AddIncomingFile": func(tx *store.Tx, h home, n neighbour) error {
		return tx.AddIncomingFile(n.request.ID, store.IncomingFile{Message: n.message.ID, External: "taken"})
	},
	"Schedule": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Schedule(n.schedule.ID)
		return notFound(err)
	},
	"Schedules": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.Schedules(desk.Page{})
		return all(err, same("schedules", len(l.Items), 0))
	},
	"CurrentSchedules": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.CurrentSchedules()
		return all(err, same("schedules", len(found), 0))
	},
	"AddSchedule": func(tx *store.Tx, h home, n neighbour) error {
		_, err := addSchedule(tx)
		return err
	},
	"SaveSchedule": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.schedule
		taken.Name, taken.TimeZone = "taken", "UTC"
		return tx.SaveSchedule(n.schedule, &taken)
	},
	"RemoveSchedule": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveSchedule(n.schedule.ID) },
	"ScheduleUsers": func(tx *store.Tx, h home, n neighbour) error {
		policy, collection, err := tx.ScheduleUsers(n.schedule.ID)
		return all(err, same("users", policy+collection, ""))
	},
	"Calendar": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Calendar(n.schedule) // which the caller already has
		return err
	},
	"SLAPolicy": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.SLAPolicy(n.policy.ID)
		return notFound(err)
	},
	"SLAPolicies": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.SLAPolicies(desk.Page{})
		return all(err, same("policies", len(l.Items), 0))
	},
	"EnabledSLAPolicies": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.EnabledSLAPolicies()
		return all(err, same("policies", len(found), 0))
	},
	"LastSLAPosition": func(tx *store.Tx, h home, n neighbour) error {
		last, room, err := tx.LastSLAPosition()
		return all(err, same("last", last, 0), same("room", room, true))
	},
	"AddSLAPolicy": func(tx *store.Tx, h home, n neighbour) error {
		_, err := addPolicy(tx, nil)
		return err
	},
	"SaveSLAPolicy": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.policy
		taken.Name = "taken"
		return tx.SaveSLAPolicy(taken)
	},
	"RemoveSLAPolicy": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveSLAPolicy(n.policy.ID) },
	"SLAPolicyNames": func(tx *store.Tx, h home, n neighbour) error {
		names, err := tx.SLAPolicyNames([]desk.SLAPolicyID{n.policy.ID})
		return all(err, same("names", len(names), 0))
	},
	"CollectionSchedule": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.CollectionSchedule(n.collection.ID)
		return notFound(err)
	},
	"SLAStart": func(tx *store.Tx, h home, n neighbour) error {
		start, err := tx.SLAStart(n.request.ID)
		return all(err, same("known", start != nil, false))
	},
	"AddSLAStart": func(tx *store.Tx, h home, n neighbour) error {
		return tx.AddSLAStart(n.child.ID, n.child.SLAStart(false, tx.Now))
	},
	"StateChanges": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.StateChanges(n.request.ID)
		return all(err, same("changes", len(found), 0))
	},
	"Replies": func(tx *store.Tx, h home, n neighbour) error {
		found, err := tx.Replies(n.request.ID, tx.Now)
		return all(err, same("replies", found, 0))
	},
	"SaveClocks": func(tx *store.Tx, h home, n neighbour) error {
		theirs := []desk.SLA{clockOf(n.policy, n.schedule, tx.Now)}
		return all(tx.SaveClocks(n.request.ID, nil, theirs), tx.SaveClocks(n.request.ID, theirs, nil))
	},
	"SLARecomputation": func(tx *store.Tx, h home, n neighbour) error {
		r, _, err := tx.SLARecomputation()
		return all(err, same("scope", r.Scope, ""))
	},
	"BeginSLARecomputation": func(tx *store.Tx, h home, n neighbour) error { return tx.BeginSLARecomputation(desk.RecomputeOpen) },
	"MoveSLARecomputation": func(tx *store.Tx, h home, n neighbour) error {
		return tx.MoveSLARecomputation(9, desk.Position{At: tx.Now, ID: 9}, true)
	},
	"RebuildFacts": func(tx *store.Tx, h home, n neighbour) error {
		last, _, _, err := tx.RebuildFacts(n.request.ID-1, 1)
		return all(err, same("the neighbour's", last == n.request.ID, false))
	},
	"Discussion": func(tx *store.Tx, h home, n neighbour) error {
		said, err := tx.Discussion(n.request.ID)
		return all(err, same("messages", len(said), 0))
	},
	"BeginSuggestion": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.BeginSuggestion(n.request.ID)
		return notFound(err)
	},
	"Made": func(tx *store.Tx, h home, n neighbour) error {
		r, err := tx.Made(n.request)
		return all(err, same("clocks", len(r.SLAs), 0), same("values", len(r.Values), 0))
	},
	"FinishSuggestion": func(tx *store.Tx, h home, n neighbour) error {
		kept, err := tx.FinishSuggestion(n.request.ID, store.SuggestionRun{Number: 9})
		return all(err, same("kept", kept, false))
	},
	"SaveSuggested": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.SaveSuggested(n.request.ID, desk.AIFields{}, desk.AIFields{Emotion: &desk.Suggested[string]{Value: "taken", By: desk.ByRules}})
		return notFound(err)
	},
	"NextIncomingFile": func(tx *store.Tx, h home, n neighbour) error {
		_, ok, err := tx.NextIncomingFile(n.request.ID)
		return all(err, same("a file", ok, false))
	},
	"DropIncomingFile": func(tx *store.Tx, h home, n neighbour) error {
		dropped, err := tx.DropIncomingFile(n.request.ID, store.IncomingFile{Message: n.message.ID, External: "F1"})
		return all(err, same("dropped", dropped, false))
	},
	"ReleaseKey": func(tx *store.Tx, h home, n neighbour) error { return tx.ReleaseKey(n.held) },
	"RenewKey":   func(tx *store.Tx, h home, n neighbour) error { return tx.RenewKey(n.held) },
}

func TestAccountsAreWalls(t *testing.T) {
	for _, name := range methods[*store.Tx](reflect.TypeFor[*sqldb.Tx]()) {
		if walls[name] == nil {
			t.Errorf("Tx.%s has no check that it keeps to its account", name)
		}
	}
	for _, name := range functions(t, "saved", "heard", "timeline", "index", "notify") {
		if walls[name] == nil {
			t.Errorf("%s has no check that it keeps to its account", name)
		}
	}
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		n := newNeighbour(t, s)
		c.move(time.Second) // a renewed lease would show
		before := everything(t, s, n.account.ID)
		for _, name := range slices.Sorted(maps.Keys(walls)) {
			var h home
			h.account, h.admin = newAccount(t, s, "Home")
			if err := s.Write(ctx, h.account.ID, func(tx *store.Tx) error { return walls[name](tx, h, n) }); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			after := everything(t, s, n.account.ID)
			sameRows(t, name, before, after)
			before = after
		}
	})
}

// The methods of the store itself are for the command line and for work outside the
// operations. Those that take an account affect only that account.
func TestStoreMethodsKeepToTheirAccount(t *testing.T) {
	checked := []string{"AddAccount", "Look", "Read", "Write", "SweepKeys", "VerifyAuditLog", "FollowAuditLog", "RetireUsers", "RetireTeams", "RetireChannels", "Derive", "Budget", "EventSeq", "EventID"}
	everyAccount := []string{"Accounts", "AddFirstAccount", "HasAccounts", "AuditedAccounts", "Bearer", "Bearers", "PasswordMembers", "Identified", "Identifiable", "CountTries", "ForgetTries", "TakeBackTries", "SweepTries", "Connected", "ChatOf", "TrackerAt", "CollectionsAt", "Mailboxes", "AddPostmasterMail", "PostmasterMails", "PostmasterMail", "MembersByEmail", "RunSequencer", "Sequence", "Unnumbered", "WithoutNumbers", "OnNumbered", "CheckKept", "DB", "Now", "Signer"}
	for _, name := range methods[*store.Store](nil) {
		if !slices.Contains(checked, name) && !slices.Contains(everyAccount, name) {
			t.Errorf("Store.%s is listed neither as checked here nor as made for every account", name)
		}
	}
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		n := newNeighbour(t, s)
		before := everything(t, s, n.account.ID)
		h, _ := newAccount(t, s, "Home") // AddAccount
		write(t, s, h.ID, func(tx *store.Tx) error { return same("account", tx.Account, h.ID) })
		read(t, s, h.ID, func(tx *store.Tx) error { return same("account", tx.Account, h.ID) })
		if err := s.Look(ctx, h.ID, func(tx *store.Tx) error { return same("account", tx.Account, h.ID) }); err != nil {
			t.Error(err)
		}
		c.move(desk.AnswerKept + time.Hour)
		must(t, s.SweepKeys(ctx, h.ID))
		budget := s.Budget(200)
		granted, err := budget.Reserve(ctx, h.ID, 150)
		must(t, all(err, same("granted", granted, true), budget.Settle(ctx, h.ID, 150, 1)))
		nobody := map[string]bool{}
		must(t, s.RetireUsers(ctx, h.ID, nobody, s.Now()))
		must(t, s.RetireTeams(ctx, h.ID, nobody, s.Now()))
		must(t, s.RetireChannels(ctx, h.ID, nobody, s.Now()))
		must(t, index.Update(ctx, s, h.ID))
		must(t, s.Derive(ctx, h.ID, func(tx *store.Tx) error { return same("account", tx.Account, h.ID) }))
		sameRows(t, "after AddAccount, Write, Read, SweepKeys and Retire…", before, everything(t, s, n.account.ID))

		sql(t, s, "UPDATE audit_logs SET action = 'forged' WHERE account_id = $1", n.account.ID)
		if _, err := s.VerifyAuditLog(ctx, h.ID); err != nil {
			t.Errorf("VerifyAuditLog: another account's broken chain is found: %v", err)
		}
	})
}

// A token acts in the account of its row, and only for a member of that account.
func TestBearerStaysInItsAccount(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		n := newNeighbour(t, s)
		h, _ := newAccount(t, s, "Home")
		b, ok, err := s.Bearer(ctx, n.token.Prefix)
		if err != nil || !ok || b.Account != n.account.ID || b.Member.ID != n.admin.ID {
			t.Fatalf("got %+v, %v, %v", b, ok, err)
		}
		// No method can write this. If such a row came about, it must not give
		// access.
		sql(t, s, "UPDATE tokens SET account_id = $1 WHERE id = $2", h.ID, n.token.ID)
		if b, ok, err := s.Bearer(ctx, n.token.Prefix); ok || err != nil {
			t.Errorf("a token of one account opens another: %+v, %v", b, err)
		}
	})
}

func TestMembersByEmailAreOfTheirAccounts(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		first, _ := newAccount(t, s, "First")
		second, _ := newAccount(t, s, "Second")
		third, _ := newAccount(t, s, "Third")
		for _, a := range []desk.Account{first, second, third} {
			write(t, s, a.ID, func(tx *store.Tx) error {
				m, err := addMember(tx, "Jo@Example.com", desk.Agent)
				if err == nil && a.ID == third.ID {
					err = tx.RemoveMember(m.ID)
				}
				return err
			})
		}
		found, err := s.MembersByEmail(ctx, "jo@EXAMPLE.com")
		must(t, err)
		if len(found) != 2 || found[0].Account != first.ID || found[0].AccountName != "First" || found[1].Account != second.ID || found[0].Member.Email != "Jo@Example.com" {
			t.Errorf("found %+v", found)
		}
		ids, err := s.Accounts(ctx)
		if want := []desk.AccountID{first.ID, second.ID, third.ID}; err != nil || !slices.Equal(ids, want) {
			t.Errorf("accounts %v, %v; want %v", ids, err, want)
		}
	})
}

// methods returns the names of T's exported methods, without those of what it
// embeds.
func methods[T any](embedded reflect.Type) (names []string) {
	for m := range reflect.TypeFor[T]().Methods() {
		if embedded != nil {
			if _, promoted := embedded.MethodByName(m.Name); promoted {
				continue
			}
		}
		names = append(names, m.Name)
	}
	return names
}

// functions returns the exported functions of packages above the store that are given
// a transaction first.
func functions(t *testing.T, packages ...string) (names []string) {
	t.Helper()
	for _, pkg := range packages {
		before := len(names)
		files, err := filepath.Glob(filepath.Join("..", pkg, "*.go"))
		must(t, err)
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			must(t, err)
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() && len(f.Type.Params.List) > 0 && isTx(f.Type.Params.List[0].Type) {
					names = append(names, pkg+"."+f.Name.Name)
				}
			}
		}
		if len(names) == before {
			t.Errorf("no function of %s is given a transaction; is it called something else?", pkg)
		}
	}
	return names
}

// isTx reports whether a type is *store.Tx.
func isTx(e ast.Expr) bool {
	p, ok := e.(*ast.StarExpr)
	if !ok {
		return false
	}
	s, ok := p.X.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Tx" && fmt.Sprint(s.X) == "store"
}

// everything returns each row of an account, in every table that has account_id.
func everything(t *testing.T, s *store.Store, account desk.AccountID) []string {
	t.Helper()
	tables := accountTables(t)
	var lines []string
	must(t, s.DB().Read(ctx, func(tx *sqldb.Tx) (err error) {
		if lines, err = linesOf(tx, "SELECT * FROM accounts WHERE id = $1", account); err != nil {
			return err
		}
		for _, table := range tables {
			some, err := linesOf(tx, "SELECT * FROM "+table+" WHERE account_id = $1", account)
			if err != nil {
				return err
			}
			lines = append(append(lines, table), some...)
		}
		return nil
	}))
	return lines
}

func sameRows(t *testing.T, what string, before, after []string) {
	t.Helper()
	for _, line := range before {
		if !slices.Contains(after, line) {
			t.Errorf("%s: behind the wall this row changed: %s", what, line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			t.Errorf("%s: behind the wall this row is new: %s", what, line)
		}
	}
}

func all(errs ...error) error { return errors.Join(errs...) }

func same[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

func notFound(err error) error {
	if err == nil || desk.KindOf(err) != desk.NotFound {
		return fmt.Errorf("got %v, want NotFound", err)
	}
	return nil
}

// strange looks for the neighbour's name in anything that was read.
func strange(v any) error {
	text := fmt.Sprintf("%+v", v)
	for _, b := range []any{v} {
		if e, ok := b.(desk.Event); ok {
			text += string(e.Data)
		}
		if a, ok := b.(desk.AuditLog); ok {
			text += string(a.Before) + string(a.After)
		}
	}
	if strings.Contains(text, "neighbour") {
		return fmt.Errorf("it came through the wall: %s", text)
	}
	return nil
}
