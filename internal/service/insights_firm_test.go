package service

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/chat/slack"
	"frontdesk/internal/desk"
	"frontdesk/internal/hours"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// How a firm is set up, and how its setup changes in the course of the year.

// newFirm sets up an account.
func newFirm(t testing.TB, db *sqldb.DB, seed, number uint64, zone string, ends time.Time) *firm {
	t.Helper()
	ends = ends.Truncate(time.Millisecond)
	began := ends.AddDate(-1, -2, 0)
	f := &firm{
		company: &company{t: t, clock: &clock{now: began}, chats: []chat.System{slack.New(slack.Config{})}},
		dice:    rand.New(rand.NewPCG(seed, number)), workspace: fmt.Sprint("T", number), began: began, ends: ends,
		channels: map[string]string{}, threads: map[string]*talk{}, used: map[int64]bool{}, reacted: map[string]bool{}, idle: map[string]bool{},
		outside: []string{"ida@client0.example", "Omar@Client1.example", "lost@nowhere.example"},
	}
	var err error
	f.zone, err = time.LoadLocation(zone)
	must(t, err)
	f.process = f.on(store.New(db, insightsKey, f.clock.Now))
	f.insights = newBothEngines(t)
	f.account, f.admin, err = f.NewAccount(ctx, fmt.Sprint("Firm ", number), desk.NewMember{Email: fmt.Sprintf("admin%d@desk.example", number)})
	must(t, err)
	f.token = f.newToken(f.admin, desk.NewToken{Name: "test", Scope: desk.ReadWrite})
	_, err = f.UpdateAccount(ctx, f.caller(), desk.AccountChange{TimeZone: &zone, OnHoldAllowed: ptr(true)})
	must(t, err)
	_, err = f.Install(ctx, f.account.ID, desk.Slack, chat.Installation{Workspace: f.workspace, Name: "Firm", Bot: chat.Credential{User: "U_OURS", Token: "xoxb-" + f.workspace}})
	must(t, err)
	for _, text := range append(append(slices.Clone(asks), nods...), helps...) {
		f.idle[text] = !suggest.Judge(text).IsRequest()
	}
	if f.idle[asks[0]] || !f.idle[nods[0]] {
		t.Fatal("the rules do not read the texts as intended")
	}
	f.addPeople()
	f.addSchedules()
	f.addCollections()
	f.addCustomers()
	f.addPolicies()
	f.addFields()
	f.follow()
	return f
}

var insightsKey = seal.NewKey()

func (f *firm) addPeople() {
	f.t.Helper()
	must(f.t, f.store.Write(ctx, f.account.ID, func(tx *store.Tx) error {
		told := []store.Report[desk.User]{
			{Is: desk.User{ID: program, Name: "Program", IsBot: true}},
			{Is: desk.User{ID: "U_ADMIN", Name: "Admin", Email: f.admin.Email}},
		}
		for _, id := range append(slices.Clone(responding), requesting...) {
			told = append(told, store.Report[desk.User]{Is: desk.User{ID: id, Name: "User " + id, Email: emailOf(id)}})
		}
		_, err := tx.PutUsers(told, tx.Now)
		return err
	}))
	for id, name := range map[string]string{"C1": "help", "C2": "help", "C3": "Ärger & Söhne", "C4": "sales", "C5": "ticket's", "C6": "zz_nights"} {
		f.channels[id] = name
	}
	f.tellChannels(1)
}

// tellChannels tells the directory the names of the channels.
func (f *firm) tellChannels(revision int64) {
	f.t.Helper()
	must(f.t, f.store.Write(ctx, f.account.ID, func(tx *store.Tx) error {
		var told []store.Report[desk.Channel]
		for _, id := range slices.Sorted(maps.Keys(f.channels)) {
			told = append(told, store.Report[desk.Channel]{Revision: revision, Is: desk.Channel{ID: id, Name: f.channels[id], BotMember: true}})
		}
		_, err := tx.PutChannels(told, tx.Now)
		return err
	}))
}

var weekdays = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday}

// given returns a timetable as the API takes it.
func (s timetable) given(name string) desk.GivenSchedule {
	ranges := func(list [][2]int) (all []desk.GivenRange) {
		clock := func(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }
		for _, r := range list {
			all = append(all, desk.GivenRange{From: clock(r[0]), To: clock(r[1])})
		}
		return all
	}
	g := desk.GivenSchedule{Name: &name, TimeZone: &s.zone, Hours: map[string][]desk.GivenRange{}}
	for i, day := range weekdays {
		if len(s.week[day]) > 0 {
			g.Hours[hours.Weekdays[i]] = ranges(s.week[day])
		}
	}
	var holidays []desk.GivenHoliday
	for _, date := range slices.Sorted(maps.Keys(s.holidays)) {
		holidays = append(holidays, desk.GivenHoliday{Date: date, Hours: ranges(s.holidays[date])})
	}
	g.Holidays = &holidays
	return g
}

func (f *firm) addSchedules() {
	f.t.Helper()
	office := timetable{zone: f.zone.String(), week: map[time.Weekday][][2]int{}, holidays: map[string][][2]int{
		f.ends.AddDate(0, 0, -20).Format(time.DateOnly): nil, f.ends.AddDate(0, -3, 0).Format(time.DateOnly): {{600, 720}}}}
	nights := timetable{zone: "America/New_York", week: map[time.Weekday][][2]int{}}
	for i, day := range weekdays {
		if i < 5 {
			office.week[day] = [][2]int{{9 * 60, 12*60 + 30}, {13 * 60, 17*60 + 15}}
		}
		if i != 2 {
			nights.week[day] = [][2]int{{22 * 60, 6 * 60}}
		}
	}
	for i, s := range []timetable{office, nights} {
		made, err := f.CreateSchedule(ctx, f.caller(), s.given(fmt.Sprint("Schedule ", i)))
		must(f.t, err)
		f.schedules = append(f.schedules, &opening{made.ID, s, s.hours(f.began.AddDate(-1, 0, 0), f.ends)})
	}
}

func (f *firm) addCollections() {
	f.t.Helper()
	none, nobody := 0, desk.AssignNobody
	five, two, manual, tickets := desk.FivePointRating, desk.TwoPointRating, desk.TriggerManual, desk.ScopeTickets
	add := func(name string, kind desk.CollectionKind, schedule *opening, surveys desk.SurveyRulesChange, change func(*desk.NewCollection), channels ...string) {
		n := desk.NewCollection{Name: name, Kind: kind, Settings: desk.SettingsChange{GroupingMinutes: &none, Surveys: surveys}}
		for _, id := range responding {
			n.Responders = append(n.Responders, desk.Responder{UserID: id})
		}
		if schedule != nil {
			n.Settings.Schedule = desk.Just(schedule.id)
		}
		if change != nil {
			change(&n)
		}
		made, err := f.CreateCollection(ctx, f.caller(), n)
		must(f.t, err)
		if len(channels) > 0 {
			_, err = f.AddChannels(ctx, f.caller(), made.ID, channelsNamed(channels...))
			must(f.t, err)
		}
		f.collections = append(f.collections, &place{made, channels, schedule})
	}
	add("Support", desk.ChatCollection, f.schedules[0], desk.SurveyRulesChange{Enabled: ptr(true), Type: &five, DelayMinutes: ptr(60)},
		func(n *desk.NewCollection) { n.Owner = &responding[1] }, "C1", "C2", "C3")
	add("Sales", desk.ChatCollection, nil, desk.SurveyRulesChange{Enabled: ptr(true), Type: &two, Scope: &tickets},
		func(n *desk.NewCollection) { n.Settings.AllowBots, n.Settings.AutoAssign = ptr(true), &nobody }, "C4")
	add("API", desk.APICollection, nil, desk.SurveyRulesChange{Enabled: ptr(true), Type: &five, Trigger: &manual}, nil)
	add("Nights", desk.APICollection, f.schedules[1], desk.SurveyRulesChange{Enabled: ptr(true), Type: &two, DelayMinutes: ptr(1440)},
		func(n *desk.NewCollection) { n.RequestChannel = ptr("C6") })
	add("Tickets", desk.APICollection, f.schedules[0], desk.SurveyRulesChange{Enabled: ptr(true), Type: &five, Scope: &tickets},
		func(n *desk.NewCollection) { n.RequestChannel = ptr("C5") })
	add("Quiet", desk.APICollection, nil, desk.SurveyRulesChange{}, func(n *desk.NewCollection) { n.Settings.AutoAssign = &nobody })
}

func (f *firm) addCustomers() {
	f.t.Helper()
	add := func(in *place, parts desk.CustomerParts) {
		if in != nil {
			parts.Collection = desk.Just(in.ID)
		}
		f.customers = append(f.customers, &client{f.newCustomer(parts), in})
	}
	add(nil, desk.CustomerParts{Owner: desk.Just(responding[0]), Domains: &[]string{"client0.example"}})
	add(f.collections[0], desk.CustomerParts{Domains: &[]string{"client1.example"}}) // the owner of its collection counts as its owner
	add(nil, desk.CustomerParts{Domains: &[]string{"client2.example"}})
	add(f.collections[1], desk.CustomerParts{Channels: &[]string{"C4"}})
	add(nil, desk.CustomerParts{Owner: desk.Just(responding[2])})
}

func (f *firm) addPolicies() {
	f.t.Helper()
	add := func(p promising) {
		name := string(p.kind)
		g := desk.GivenSLAPolicy{Name: &name, Kind: &p.kind, TargetMinutes: &p.target, Conditions: &desk.GivenConditions{HasTicket: p.ticket}}
		if p.kind == desk.SLAOneTouch {
			g.TargetMinutes, g.MaxReplies = nil, &p.target
		}
		if p.collection != nil {
			g.Collection = desk.Just(p.collection.ID)
		}
		if p.priorities != nil {
			g.Conditions.Priorities = &p.priorities
		}
		if p.customers != nil {
			g.Conditions.Customers = &p.customers
		}
		if p.schedule != nil {
			g.Schedule = desk.Just(p.schedule.id)
		}
		made, err := f.CreateSLAPolicy(ctx, f.caller(), g)
		must(f.t, err)
		p.id = made.ID
		f.policies = append(f.policies, p)
	}
	whose := []desk.CustomerID{f.customers[0].ID, f.customers[3].ID}
	add(promising{kind: desk.SLAFirstResponse, priorities: []desk.Priority{desk.Urgent, desk.High}, target: 20})
	add(promising{kind: desk.SLAFirstResponse, customers: whose, target: 120, schedule: f.schedules[0]})
	add(promising{kind: desk.SLAFirstResponse, ticket: ptr(true), collection: f.collections[3], target: 90})
	add(promising{kind: desk.SLAFirstResponse, ticket: ptr(false), target: 300, schedule: f.schedules[1]})
	add(promising{kind: desk.SLAResolution, customers: whose, target: 60 * 24})
	add(promising{kind: desk.SLAResolution, priorities: []desk.Priority{desk.Normal}, target: 600, schedule: f.schedules[0]})
	add(promising{kind: desk.SLAResolution, collection: f.collections[1], ticket: ptr(false), target: 240})
	add(promising{kind: desk.SLAOneTouch, priorities: []desk.Priority{desk.Low, desk.Urgent}, target: 0})
	add(promising{kind: desk.SLAOneTouch, ticket: ptr(false), target: 1})
	add(promising{kind: desk.SLAOneTouch, customers: whose[:1], target: 2})
}

func (f *firm) addFields() {
	f.t.Helper()
	options := func(n int) *[]desk.GivenOption {
		list := make([]desk.GivenOption, n)
		for i := range list {
			list[i].Value = fmt.Sprint("Option ", i)
		}
		return &list
	}
	for _, n := range []desk.NewCustomField{
		{Name: "Product", Type: desk.FieldSelect, Config: desk.GivenConfig{Options: options(4)}},
		{Name: "Areas", Type: desk.FieldMultiSelect, Config: desk.GivenConfig{Options: options(5)}},
		{Name: "Seats", Type: desk.FieldNumber},
		{Name: "Wanted by", Type: desk.FieldDate},
		{Name: "Manager", Type: desk.FieldUser},
		{Name: "Remark", Type: desk.FieldText},
	} {
		n.Entity = desk.EntityRequest
		made, err := f.CreateCustomField(ctx, f.caller(), n)
		must(f.t, err)
		f.fields = append(f.fields, made)
	}
}

var (
	remarks = []string{"", "ÄRGER in Köln", "ärger", "ΟΔΟΣ Σίσυφος", "οδος", "ПРИВЕТ, мир", "100% _sure_", `'; DROP TABLE requests; --`, "a\\b", "日本語", "Ångström", "<b>bold</b>", "Ärger mit ΟΔΟΣ"}
	seats   = []string{"-3", "0", "0.5", "2", "2.0", "12", "12.25", "1000000", "7", "-0.125"}
)

// value returns a value of a field as it is given, and as it is counted.
func (f *firm) value(of desk.CustomField) (given any, counts []string) {
	switch of.Type {
	case desk.FieldSelect:
		id := pick(f, of.Config.Options).ID.String()
		return id, []string{id}
	case desk.FieldMultiSelect:
		chosen := []any{}
		for _, o := range of.Config.Options {
			if f.chance(0.35) {
				chosen, counts = append(chosen, o.ID.String()), append(counts, o.ID.String())
			}
		}
		return chosen, counts
	case desk.FieldNumber:
		text := pick(f, seats)
		return json.Number(text), []string{strconv.FormatFloat(numberOf(text), 'f', -1, 64)} // 2.0 is the same number as 2
	case desk.FieldDate:
		day := f.ends.AddDate(0, 0, f.dice.IntN(40)-20).Format(time.DateOnly)
		return day, []string{day}
	case desk.FieldUser:
		user := pick(f, responding)
		return user, []string{user}
	}
	text := pick(f, remarks)
	return text, []string{text}
}

// follow plans how the policies, schedules, channels and customers change in the
// course of the year.
func (f *firm) follow() {
	some := func(part float64) time.Time {
		return f.began.Add(time.Duration(part * float64(f.ends.Sub(f.began)))).Truncate(time.Millisecond)
	}
	f.then(some(0.5), func() { // channels get other names
		f.channels["C2"], f.channels["C4"] = "help-2", "Sales"
		f.tellChannels(2)
	})
	f.then(some(0.6), func() { // an option is removed, and stays where it was chosen
		field := &f.fields[0]
		var left []desk.GivenOption
		for _, o := range field.Config.Options[1:] {
			left = append(left, desk.GivenOption{ID: ptr(o.ID.String()), Value: o.Value})
		}
		changed, err := f.UpdateCustomField(ctx, f.caller(), field.ID, desk.CustomFieldChange{Name: field.Name, Type: field.Type, Config: desk.GivenConfig{Options: &left}})
		must(f.t, err)
		*field = changed
	})
	f.then(some(0.7), func() { // a customer gets another owner
		c := f.customers[4]
		made, err := f.UpdateCustomer(ctx, f.caller(), c.ID, desk.CustomerChange{Version: c.Version, CustomerParts: desk.CustomerParts{Owner: desk.Just(responding[3])}})
		must(f.t, err)
		c.Customer = made
	})
	f.then(some(0.75), func() { // open requests follow a policy that promises less
		p := &f.policies[1]
		p.target = 45
		_, err := f.UpdateSLAPolicy(ctx, f.caller(), p.id, desk.GivenSLAPolicy{TargetMinutes: &p.target})
		must(f.t, err)
		f.recount()
	})
	f.then(some(0.9), func() { // and a schedule with one more holiday and longer days
		s := f.schedules[0]
		s.says.holidays = maps.Clone(s.says.holidays)
		s.says.holidays[f.ends.AddDate(0, 0, -5).Format(time.DateOnly)] = nil
		s.says.week = maps.Clone(s.says.week)
		s.says.week[time.Saturday] = [][2]int{{600, 900}}
		_, err := f.UpdateSchedule(ctx, f.caller(), s.id, s.says.given("Office"))
		must(f.t, err)
		s.hours = s.says.hours(f.began.AddDate(-1, 0, 0), f.ends)
		f.recount()
	})
}
