package desk

import (
	"strings"
	"testing"
)

// mayTable repeats the permissions in another form, so that a slip in one table
// shows as a difference. a, g and v are the roles. An operation that writes needs a
// token that may write.
var mayTable = map[Operation]struct {
	roles  string
	writes bool
}{
	GetAccount:        {"a", false},
	UpdateAccount:     {"a", true},
	ListMembers:       {"a", false},
	GetMember:         {"a", false},
	CreateMember:      {"a", true},
	UpdateMember:      {"a", true},
	DeleteMember:      {"a", true},
	InviteMember:      {"a", true},
	GetMe:             {"agv", false},
	UpdateMe:          {"agv", true},
	GetPreferences:    {"agv", false},
	UpdatePreferences: {"agv", true},

	ListNotifications:  {"agv", false},
	CountNotifications: {"agv", false},
	UpdateNotification: {"agv", true},
	ReadNotifications:  {"agv", true},
	TestNotification:   {"agv", true},
	ListSessions:       {"agv", false},
	DeleteSession:      {"agv", true},
	ListTokens:         {"agv", false},
	GetToken:           {"agv", false},
	CreateToken:        {"agv", true},
	DeleteToken:        {"agv", true},

	ListCollections:     {"agv", false},
	GetCollection:       {"agv", false},
	CreateCollection:    {"a", true},
	UpdateCollection:    {"a", true},
	DeleteCollection:    {"a", true},
	GetMute:             {"agv", false},
	MuteCollection:      {"agv", true},
	UnmuteCollection:    {"agv", true},
	TestCollectionEmail: {"a", true},
	GetEmailRecords:     {"a", false},
	PreviewRetention:    {"a", false},
	AddChannels:         {"a", true},
	ListChannels:        {"agv", false},
	GetChannel:          {"agv", false},
	UpdateChannel:       {"a", true},
	DeleteChannel:       {"a", true},

	ListCustomFields:  {"agv", false},
	CreateCustomField: {"a", true},
	UpdateCustomField: {"a", true},
	DeleteCustomField: {"a", true},
	ListTicketForms:   {"agv", false},
	GetTicketForm:     {"agv", false},
	CreateTicketForm:  {"a", true},
	UpdateTicketForm:  {"a", true},
	DeleteTicketForm:  {"a", true},
	CreateTicket:      {"ag", true},
	UnlinkTicket:      {"ag", true},
	ListCustomers:     {"agv", false},
	SearchCustomers:   {"agv", true},
	GetCustomer:       {"agv", false},
	CreateCustomer:    {"ag", true},
	UpdateCustomer:    {"ag", true},

	ListCustomerNotes:   {"agv", false},
	CreateCustomerNote:  {"ag", true},
	DeleteCustomerNote:  {"ag", true},
	GetCustomerTimeline: {"agv", false},

	ReadRequest:     {"agv", true},
	UnreadRequest:   {"agv", true},
	SetPresence:     {"agv", true},
	FollowRequest:   {"agv", true},
	UnfollowRequest: {"agv", true},
	ListWaiting:     {"ag", false},
	TakeBackMessage: {"ag", true},

	GetEmail:          {"agv", false},
	GetEmailSource:    {"a", false},
	RetryEmail:        {"ag", true},
	SummariseRequest:  {"ag", true},
	DraftReply:        {"ag", true},
	TranslateMessage:  {"ag", true},
	TranslateText:     {"ag", true},
	AcceptEmail:       {"ag", true},
	ListParticipants:  {"agv", false},
	AddParticipant:    {"ag", true},
	RemoveParticipant: {"ag", true},

	ListTags:         {"agv", false},
	ListViews:        {"agv", false},
	CountViews:       {"agv", false},
	CreateView:       {"agv", true},
	UpdateView:       {"agv", true},
	DeleteView:       {"agv", true},
	ListQuickReplies: {"agv", false},
	CreateQuickReply: {"agv", true},
	UpdateQuickReply: {"agv", true},
	DeleteQuickReply: {"agv", true},

	ListIntegrations:  {"a", false},
	GetIntegration:    {"a", false},
	CreateIntegration: {"a", true},
	UpdateIntegration: {"a", true},
	DeleteIntegration: {"a", true},

	GetSandbox:         {"agv", false},
	CreateSandbox:      {"a", true},
	CreateSandboxToken: {"ag", true},

	ListUsers: {"agv", false},
	ListTeams: {"agv", false},
	GetTeam:   {"agv", false},

	ListRequests:   {"agv", false},
	GetRequest:     {"agv", false},
	FindRequest:    {"agv", false},
	AddMessage:     {"ag", true},
	CreateRequest:  {"ag", true},
	UpdateRequest:  {"ag", true},
	MergeRequests:  {"ag", true},
	SplitRequest:   {"ag", true},
	UndoRequest:    {"ag", true},
	ListHistory:    {"agv", false},
	SendSurvey:     {"ag", true},
	SearchRequests: {"agv", false},
	ImportRequests: {"ag", true},
	GetAttachment:  {"agv", false},

	ListAgentSessions:  {"agv", false},
	GetAgentSession:    {"agv", false},
	CreateAgentSession: {"ag", true},
	AddAgentEvents:     {"ag", true},

	ListWebhooks:   {"a", false},
	GetWebhook:     {"a", false},
	CreateWebhook:  {"a", true},
	UpdateWebhook:  {"a", true},
	DeleteWebhook:  {"a", true},
	RotateWebhook:  {"a", true},
	TestWebhook:    {"a", true},
	ReplayWebhook:  {"a", true},
	ListDeliveries: {"a", false},
	GetDelivery:    {"a", false},

	ListAnnouncements:   {"agv", false},
	CreateAnnouncement:  {"ag", true},
	GetAnnouncement:     {"agv", false},
	DeleteAnnouncement:  {"ag", true},
	AnnouncementMetrics: {"agv", false},
	ResyncAnnouncement:  {"ag", true},
	RetryAnnouncement:   {"ag", true},
	PreviewAnnouncement: {"ag", true},
	TestAnnouncement:    {"ag", true},

	GetAnnouncementMessage:   {"ag", false},
	ListAnnouncementMessages: {"ag", false},
	ListSchedules:            {"agv", false},
	GetSchedule:              {"agv", false},
	CreateSchedule:           {"a", true},
	UpdateSchedule:           {"a", true},
	DeleteSchedule:           {"a", true},
	ListSLAPolicies:          {"agv", false},
	GetSLAPolicy:             {"agv", false},
	CreateSLAPolicy:          {"a", true},
	UpdateSLAPolicy:          {"a", true},
	DeleteSLAPolicy:          {"a", true},
	GetSLARecomputation:      {"agv", false},
	GetSLA:                   {"agv", false},

	QueryInsights:   {"agv", true},
	ExportInsights:  {"agv", true},
	GetInsightsMeta: {"agv", false},

	ListExplorations:   {"agv", false},
	CreateExploration:  {"agv", true},
	UpdateExploration:  {"agv", true},
	DeleteExploration:  {"agv", true},
	RestoreExploration: {"agv", true},
	ListDashboards:     {"agv", false},
	CreateDashboard:    {"agv", true},
	UpdateDashboard:    {"agv", true},
	DeleteDashboard:    {"agv", true},
	RestoreDashboard:   {"agv", true},
	SendDashboard:      {"agv", true},
	ListReports:        {"agv", false},
	CreateReport:       {"ag", true},
	UpdateReport:       {"ag", true},
	DeleteReport:       {"agv", true},

	ListAuditLogs:   {"a", false},
	ExportAuditLogs: {"a", false},
	ListEvents:      {"agv", false},
	StreamEvents:    {"agv", false},
}

func TestMay(t *testing.T) {
	letters := map[Role]string{Admin: "a", Agent: "g", Viewer: "v"}
	for op := range Permissions {
		row, ok := mayTable[op]
		if !ok {
			t.Errorf("%s is not in this test's table", op)
		}
		for role, letter := range letters {
			for _, scope := range []Scope{ReadOnly, ReadWrite, "", "admin"} {
				var want error
				switch {
				case row.writes && scope != ReadWrite:
					want = ErrReadOnlyToken
				case !strings.Contains(row.roles, letter):
					want = ErrNotAllowed
				}
				if got := May(op, role, scope); got != want {
					t.Errorf("%s as %s with %q: %v, want %v", op, role, scope, got, want)
				}
			}
		}
		for _, role := range []Role{"", "Admin", "root"} {
			if May(op, role, ReadWrite) != ErrNotAllowed {
				t.Errorf("%s as %q is allowed", op, role)
			}
		}
	}
	for op := range mayTable {
		if _, ok := Permissions[op]; !ok {
			t.Errorf("%s has no row in Permissions", op)
		}
	}
	if May("dropEverything", Admin, ReadWrite) != ErrNotAllowed {
		t.Error("an operation without a row is allowed")
	}
	for _, err := range []error{ErrReadOnlyToken, ErrNotAllowed} {
		if KindOf(err) != Forbidden {
			t.Errorf("%v is not Forbidden", err)
		}
	}
}
