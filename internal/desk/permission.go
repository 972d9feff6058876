package desk

// Operation is one thing that a caller can do. Its text is the operationId of the
// API document.
type Operation string

const (
	GetAccount    Operation = "getAccount"
	UpdateAccount Operation = "updateAccount"

	ListMembers  Operation = "listMembers"
	GetMember    Operation = "getMember"
	CreateMember Operation = "createMember"
	UpdateMember Operation = "updateMember"
	DeleteMember Operation = "deleteMember"

	InviteMember Operation = "inviteMember"

	GetMe    Operation = "getMe"
	UpdateMe Operation = "updateMe"

	GetPreferences    Operation = "getPreferences"
	UpdatePreferences Operation = "updatePreferences"

	ListNotifications  Operation = "listNotifications"
	CountNotifications Operation = "countNotifications"
	UpdateNotification Operation = "updateNotification"
	ReadNotifications  Operation = "readNotifications"
	TestNotification   Operation = "testNotification"

	ListSessions  Operation = "listSessions"
	DeleteSession Operation = "deleteSession"

	ListTokens  Operation = "listTokens"
	GetToken    Operation = "getToken"
	CreateToken Operation = "createToken"
	DeleteToken Operation = "deleteToken"

	ListIntegrations  Operation = "listIntegrations"
	GetIntegration    Operation = "getIntegration"
	CreateIntegration Operation = "createIntegration"
	UpdateIntegration Operation = "updateIntegration"
	DeleteIntegration Operation = "deleteIntegration"

	GetSandbox         Operation = "getSandbox"
	CreateSandbox      Operation = "createSandbox"
	CreateSandboxToken Operation = "createSandboxToken"

	ListUsers Operation = "listUsers"
	ListTeams Operation = "listTeams"
	GetTeam   Operation = "getTeam"

	ListCollections     Operation = "listCollections"
	GetCollection       Operation = "getCollection"
	CreateCollection    Operation = "createCollection"
	UpdateCollection    Operation = "updateCollection"
	DeleteCollection    Operation = "deleteCollection"
	GetMute             Operation = "getMute"
	MuteCollection      Operation = "muteCollection"
	UnmuteCollection    Operation = "unmuteCollection"
	TestCollectionEmail Operation = "testCollectionEmail"
	PreviewRetention    Operation = "previewRetention"
	GetEmailRecords     Operation = "getEmailRecords"
	AddChannels         Operation = "addChannels"
	ListChannels        Operation = "listChannels"
	GetChannel          Operation = "getChannel"
	UpdateChannel       Operation = "updateChannel"
	DeleteChannel       Operation = "deleteChannel"

	ListRequests      Operation = "listRequests"
	SearchRequests    Operation = "searchRequests"
	GetRequest        Operation = "getRequest"
	FindRequest       Operation = "findRequest"
	AddMessage        Operation = "addMessage"
	CreateRequest     Operation = "createRequest"
	UpdateRequest     Operation = "updateRequest"
	ImportRequests    Operation = "importRequests"
	MergeRequests     Operation = "mergeRequests"
	SplitRequest      Operation = "splitRequest"
	UndoRequest       Operation = "undoRequest"
	ListHistory       Operation = "listHistory"
	SendSurvey        Operation = "sendSurvey"
	GetAttachment     Operation = "getAttachment"
	ReadRequest       Operation = "readRequest"
	UnreadRequest     Operation = "unreadRequest"
	SetPresence       Operation = "setPresence"
	FollowRequest     Operation = "followRequest"
	UnfollowRequest   Operation = "unfollowRequest"
	ListWaiting       Operation = "listWaitingMessages"
	TakeBackMessage   Operation = "takeBackMessage"
	GetEmail          Operation = "getEmail"
	GetEmailSource    Operation = "getEmailSource"
	RetryEmail        Operation = "retryEmail"
	AcceptEmail       Operation = "acceptEmail"
	ListParticipants  Operation = "listParticipants"
	AddParticipant    Operation = "addParticipant"
	RemoveParticipant Operation = "removeParticipant"
	SummariseRequest  Operation = "summariseRequest"
	DraftReply        Operation = "draftReply"
	TranslateMessage  Operation = "translateMessage"
	TranslateText     Operation = "translateText"
	ListTags          Operation = "listTags"
	ListCustomFields  Operation = "listCustomFields"
	CreateCustomField Operation = "createCustomField"
	UpdateCustomField Operation = "updateCustomField"
	DeleteCustomField Operation = "deleteCustomField"
	ListTicketForms   Operation = "listTicketForms"
	GetTicketForm     Operation = "getTicketForm"
	CreateTicketForm  Operation = "createTicketForm"
	UpdateTicketForm  Operation = "updateTicketForm"
	DeleteTicketForm  Operation = "deleteTicketForm"
	CreateTicket      Operation = "createTicket"
	UnlinkTicket      Operation = "unlinkTicket"
	ListCustomers     Operation = "listCustomers"
	SearchCustomers   Operation = "searchCustomers"
	GetCustomer       Operation = "getCustomer"
	CreateCustomer    Operation = "createCustomer"
	UpdateCustomer    Operation = "updateCustomer"

	ListCustomerNotes   Operation = "listCustomerNotes"
	CreateCustomerNote  Operation = "createCustomerNote"
	DeleteCustomerNote  Operation = "deleteCustomerNote"
	GetCustomerTimeline Operation = "getCustomerTimeline"

	ListViews        Operation = "listViews"
	CountViews       Operation = "countViews"
	CreateView       Operation = "createView"
	UpdateView       Operation = "updateView"
	DeleteView       Operation = "deleteView"
	ListQuickReplies Operation = "listQuickReplies"
	CreateQuickReply Operation = "createQuickReply"
	UpdateQuickReply Operation = "updateQuickReply"
	DeleteQuickReply Operation = "deleteQuickReply"

	ListAgentSessions  Operation = "listAgentSessions"
	GetAgentSession    Operation = "getAgentSession"
	CreateAgentSession Operation = "createAgentSession"
	AddAgentEvents     Operation = "addAgentEvents"

	ListAnnouncements   Operation = "listAnnouncements"
	CreateAnnouncement  Operation = "createAnnouncement"
	GetAnnouncement     Operation = "getAnnouncement"
	DeleteAnnouncement  Operation = "deleteAnnouncement"
	AnnouncementMetrics Operation = "getAnnouncementMetrics"
	ResyncAnnouncement  Operation = "resyncAnnouncement"
	RetryAnnouncement   Operation = "retryAnnouncement"
	PreviewAnnouncement Operation = "previewAnnouncement"
	TestAnnouncement    Operation = "testAnnouncement"

	GetAnnouncementMessage   Operation = "getAnnouncementMessage"
	ListAnnouncementMessages Operation = "listAnnouncementMessages"

	ListWebhooks   Operation = "listWebhooks"
	GetWebhook     Operation = "getWebhook"
	CreateWebhook  Operation = "createWebhook"
	UpdateWebhook  Operation = "updateWebhook"
	DeleteWebhook  Operation = "deleteWebhook"
	RotateWebhook  Operation = "rotateWebhook"
	TestWebhook    Operation = "testWebhook"
	ReplayWebhook  Operation = "replayWebhook"
	ListDeliveries Operation = "listDeliveries"
	GetDelivery    Operation = "getDelivery"

	ListSchedules       Operation = "listSchedules"
	GetSchedule         Operation = "getSchedule"
	CreateSchedule      Operation = "createSchedule"
	UpdateSchedule      Operation = "updateSchedule"
	DeleteSchedule      Operation = "deleteSchedule"
	ListSLAPolicies     Operation = "listSLAPolicies"
	GetSLAPolicy        Operation = "getSLAPolicy"
	CreateSLAPolicy     Operation = "createSLAPolicy"
	UpdateSLAPolicy     Operation = "updateSLAPolicy"
	DeleteSLAPolicy     Operation = "deleteSLAPolicy"
	GetSLARecomputation Operation = "getSLARecomputation"
	GetSLA              Operation = "getSLA"

	QueryInsights   Operation = "queryInsights"
	ExportInsights  Operation = "exportInsights"
	GetInsightsMeta Operation = "getInsightsMeta"

	ListExplorations   Operation = "listExplorations"
	CreateExploration  Operation = "createExploration"
	UpdateExploration  Operation = "updateExploration"
	DeleteExploration  Operation = "deleteExploration"
	RestoreExploration Operation = "restoreExploration"
	ListDashboards     Operation = "listDashboards"
	CreateDashboard    Operation = "createDashboard"
	UpdateDashboard    Operation = "updateDashboard"
	DeleteDashboard    Operation = "deleteDashboard"
	RestoreDashboard   Operation = "restoreDashboard"
	SendDashboard      Operation = "sendDashboard"
	ListReports        Operation = "listReports"
	CreateReport       Operation = "createReport"
	UpdateReport       Operation = "updateReport"
	DeleteReport       Operation = "deleteReport"

	ListAuditLogs   Operation = "listAuditLogs"
	ExportAuditLogs Operation = "exportAuditLogs"
	ListEvents      Operation = "listEvents"
	StreamEvents    Operation = "streamEvents"
)

// Access says how far a role may go with an operation.
type Access int

const (
	No  Access = iota // 403
	Own               // only the member's own things
	All               // everything in the account
)

// Permission is one row of the table of permissions.
type Permission struct {
	Admin, Agent, Viewer Access
	// Writes says that the operation changes something. A read-only token may not
	// call it, whatever the role.
	Writes bool
}

// Of returns the access of a role.
func (p Permission) Of(r Role) Access {
	switch r {
	case Admin:
		return p.Admin
	case Agent:
		return p.Agent
	case Viewer:
		return p.Viewer
	}
	return No
}

// Permissions says which role may do what. The service, the API document and the
// access test all read it. An operation without a row cannot be called.
var Permissions = map[Operation]Permission{
	GetAccount:    {Admin: All},
	UpdateAccount: {Admin: All, Writes: true},

	ListMembers:  {Admin: All},
	GetMember:    {Admin: All},
	CreateMember: {Admin: All, Writes: true},
	UpdateMember: {Admin: All, Writes: true},
	DeleteMember: {Admin: All, Writes: true},
	InviteMember: {Admin: All, Writes: true},

	GetMe:    {Admin: Own, Agent: Own, Viewer: Own},
	UpdateMe: {Admin: Own, Agent: Own, Viewer: Own, Writes: true},

	GetPreferences:    {Admin: Own, Agent: Own, Viewer: Own},
	UpdatePreferences: {Admin: Own, Agent: Own, Viewer: Own, Writes: true},

	ListNotifications:  {Admin: Own, Agent: Own, Viewer: Own}, // about requests in the member's Reach
	CountNotifications: {Admin: Own, Agent: Own, Viewer: Own}, // the same
	UpdateNotification: {Admin: Own, Agent: Own, Viewer: Own, Writes: true},
	ReadNotifications:  {Admin: Own, Agent: Own, Viewer: Own, Writes: true},
	TestNotification:   {Admin: Own, Agent: Own, Viewer: Own, Writes: true},

	ListSessions:  {Admin: Own, Agent: Own, Viewer: Own},
	DeleteSession: {Admin: Own, Agent: Own, Viewer: Own, Writes: true},

	ListTokens:  {Admin: Own, Agent: Own, Viewer: Own},
	GetToken:    {Admin: Own, Agent: Own, Viewer: Own},
	CreateToken: {Admin: Own, Agent: Own, Viewer: Own, Writes: true}, // viewers: only read-only tokens
	DeleteToken: {Admin: Own, Agent: Own, Viewer: Own, Writes: true},

	ListIntegrations:  {Admin: All},
	GetIntegration:    {Admin: All},
	CreateIntegration: {Admin: All, Writes: true},
	UpdateIntegration: {Admin: All, Writes: true},
	DeleteIntegration: {Admin: All, Writes: true},

	GetSandbox:         {Admin: All, Agent: All, Viewer: All},
	CreateSandbox:      {Admin: All, Writes: true},
	CreateSandboxToken: {Admin: All, Agent: All, Writes: true},

	ListUsers: {Admin: All, Agent: All, Viewer: All},
	ListTeams: {Admin: All, Agent: All, Viewer: All},
	GetTeam:   {Admin: All, Agent: All, Viewer: All},

	ListCollections:     {Admin: All, Agent: Own, Viewer: Own}, // own: those in the member's Reach
	GetCollection:       {Admin: All, Agent: Own, Viewer: Own},
	CreateCollection:    {Admin: All, Writes: true},
	UpdateCollection:    {Admin: All, Writes: true},
	DeleteCollection:    {Admin: All, Writes: true},
	GetMute:             {Admin: All, Agent: Own, Viewer: Own}, // each member's own, for collections in their Reach
	MuteCollection:      {Admin: All, Agent: Own, Viewer: Own, Writes: true},
	UnmuteCollection:    {Admin: All, Agent: Own, Viewer: Own, Writes: true},
	TestCollectionEmail: {Admin: All, Writes: true},
	PreviewRetention:    {Admin: All},
	GetEmailRecords:     {Admin: All},
	AddChannels:         {Admin: All, Writes: true},
	ListChannels:        {Admin: All, Agent: Own, Viewer: Own},
	GetChannel:          {Admin: All, Agent: Own, Viewer: Own},
	UpdateChannel:       {Admin: All, Writes: true},
	DeleteChannel:       {Admin: All, Writes: true},

	ListRequests:      {Admin: All, Agent: Own, Viewer: Own}, // own: in collections of the member's Reach
	SearchRequests:    {Admin: All, Agent: Own, Viewer: Own},
	GetRequest:        {Admin: All, Agent: Own, Viewer: Own},
	FindRequest:       {Admin: All, Agent: Own, Viewer: Own},
	AddMessage:        {Admin: All, Agent: Own, Writes: true},
	CreateRequest:     {Admin: All, Agent: Own, Writes: true},
	UpdateRequest:     {Admin: All, Agent: Own, Writes: true},
	ImportRequests:    {Admin: All, Agent: Own, Writes: true},
	MergeRequests:     {Admin: All, Agent: Own, Writes: true},
	SplitRequest:      {Admin: All, Agent: Own, Writes: true},
	UndoRequest:       {Admin: All, Agent: Own, Writes: true},
	ListHistory:       {Admin: All, Agent: Own, Viewer: Own},
	SendSurvey:        {Admin: All, Agent: Own, Writes: true},
	GetAttachment:     {Admin: All, Agent: Own, Viewer: Own},
	ReadRequest:       {Admin: All, Agent: Own, Viewer: Own, Writes: true}, // each member for themselves
	UnreadRequest:     {Admin: All, Agent: Own, Viewer: Own, Writes: true},
	SetPresence:       {Admin: All, Agent: Own, Viewer: Own, Writes: true}, // sessions only
	ListWaiting:       {Admin: All, Agent: Own},                            // each member's own
	FollowRequest:     {Admin: All, Agent: Own, Viewer: Own, Writes: true},
	UnfollowRequest:   {Admin: All, Agent: Own, Viewer: Own, Writes: true},
	TakeBackMessage:   {Admin: All, Agent: Own, Writes: true},
	GetEmail:          {Admin: All, Agent: Own, Viewer: Own},
	GetEmailSource:    {Admin: All},
	RetryEmail:        {Admin: All, Agent: Own, Writes: true},
	AcceptEmail:       {Admin: All, Agent: Own, Writes: true},
	ListParticipants:  {Admin: All, Agent: Own, Viewer: Own},
	AddParticipant:    {Admin: All, Agent: Own, Writes: true},
	RemoveParticipant: {Admin: All, Agent: Own, Writes: true},
	SummariseRequest:  {Admin: All, Agent: Own, Writes: true}, // these four change nothing, but cost money
	DraftReply:        {Admin: All, Agent: Own, Writes: true},
	TranslateMessage:  {Admin: All, Agent: Own, Writes: true},
	TranslateText:     {Admin: All, Agent: Own, Writes: true},
	ListTags:          {Admin: All, Agent: Own, Viewer: Own}, // own: in collections of the member's Reach
	ListCustomFields:  {Admin: All, Agent: All, Viewer: All},
	CreateCustomField: {Admin: All, Writes: true},
	UpdateCustomField: {Admin: All, Writes: true},
	DeleteCustomField: {Admin: All, Writes: true},
	ListTicketForms:   {Admin: All, Agent: All, Viewer: All},
	GetTicketForm:     {Admin: All, Agent: All, Viewer: All},
	CreateTicketForm:  {Admin: All, Writes: true},
	UpdateTicketForm:  {Admin: All, Writes: true},
	DeleteTicketForm:  {Admin: All, Writes: true},
	CreateTicket:      {Admin: All, Agent: Own, Writes: true},
	UnlinkTicket:      {Admin: All, Agent: Own, Writes: true},
	ListCustomers:     {Admin: All, Agent: Own, Viewer: Own},               // own: those in the member's Reach
	SearchCustomers:   {Admin: All, Agent: Own, Viewer: Own, Writes: true}, // a POST, which a read-only token may not call
	GetCustomer:       {Admin: All, Agent: Own, Viewer: Own},
	CreateCustomer:    {Admin: All, Agent: Own, Writes: true},
	UpdateCustomer:    {Admin: All, Agent: Own, Writes: true},

	ListCustomerNotes:   {Admin: All, Agent: Own, Viewer: Own},
	CreateCustomerNote:  {Admin: All, Agent: Own, Writes: true},
	DeleteCustomerNote:  {Admin: All, Agent: Own, Writes: true}, // own: their own, unless they are an admin
	GetCustomerTimeline: {Admin: All, Agent: Own, Viewer: Own},

	ListViews:        {Admin: Own, Agent: Own, Viewer: Own}, // own: and shared ones
	CountViews:       {Admin: All, Agent: Own, Viewer: Own}, // own: in collections of the member's Reach
	CreateView:       {Admin: Own, Agent: Own, Viewer: Own, Writes: true},
	UpdateView:       {Admin: Own, Agent: Own, Viewer: Own, Writes: true}, // admins: also those that others share
	DeleteView:       {Admin: Own, Agent: Own, Viewer: Own, Writes: true},
	ListQuickReplies: {Admin: Own, Agent: Own, Viewer: Own}, // the same
	CreateQuickReply: {Admin: Own, Agent: Own, Viewer: Own, Writes: true},
	UpdateQuickReply: {Admin: Own, Agent: Own, Viewer: Own, Writes: true},
	DeleteQuickReply: {Admin: Own, Agent: Own, Viewer: Own, Writes: true},

	ListAgentSessions:  {Admin: All, Agent: Own, Viewer: Own}, // own: for requests in the member's Reach
	GetAgentSession:    {Admin: All, Agent: Own, Viewer: Own},
	CreateAgentSession: {Admin: All, Agent: Own, Writes: true},
	AddAgentEvents:     {Admin: All, Agent: Own, Writes: true},

	ListAnnouncements:   {Admin: All, Agent: Own, Viewer: Own}, // own: if all their collections are in the member's Reach
	CreateAnnouncement:  {Admin: All, Agent: Own, Writes: true},
	GetAnnouncement:     {Admin: All, Agent: Own, Viewer: Own}, // writes an audit record and changes nothing else
	DeleteAnnouncement:  {Admin: All, Agent: Own, Writes: true},
	AnnouncementMetrics: {Admin: All, Agent: Own, Viewer: Own}, // the same
	ResyncAnnouncement:  {Admin: All, Agent: Own, Writes: true},
	RetryAnnouncement:   {Admin: All, Agent: Own, Writes: true},
	PreviewAnnouncement: {Admin: All, Agent: Own, Writes: true}, // changes nothing
	TestAnnouncement:    {Admin: All, Agent: Own, Writes: true},

	GetAnnouncementMessage:   {Admin: All, Agent: Own}, // only for people who announce: our bot reads the message in the chat system
	ListAnnouncementMessages: {Admin: All, Agent: Own}, // the same

	ListWebhooks:   {Admin: All},
	GetWebhook:     {Admin: All},
	CreateWebhook:  {Admin: All, Writes: true},
	UpdateWebhook:  {Admin: All, Writes: true},
	DeleteWebhook:  {Admin: All, Writes: true},
	RotateWebhook:  {Admin: All, Writes: true},
	TestWebhook:    {Admin: All, Writes: true},
	ReplayWebhook:  {Admin: All, Writes: true},
	ListDeliveries: {Admin: All},
	GetDelivery:    {Admin: All},

	ListSchedules:       {Admin: All, Agent: All, Viewer: All},
	GetSchedule:         {Admin: All, Agent: All, Viewer: All},
	CreateSchedule:      {Admin: All, Writes: true},
	UpdateSchedule:      {Admin: All, Writes: true},
	DeleteSchedule:      {Admin: All, Writes: true},
	ListSLAPolicies:     {Admin: All, Agent: All, Viewer: All},
	GetSLAPolicy:        {Admin: All, Agent: All, Viewer: All},
	CreateSLAPolicy:     {Admin: All, Writes: true},
	UpdateSLAPolicy:     {Admin: All, Writes: true},
	DeleteSLAPolicy:     {Admin: All, Writes: true},
	GetSLARecomputation: {Admin: All, Agent: All, Viewer: All},
	GetSLA:              {Admin: All, Agent: Own, Viewer: Own}, // own: in collections of the member's Reach

	QueryInsights:   {Admin: All, Agent: Own, Viewer: Own, Writes: true}, // a POST, which a read-only token may not call
	ExportInsights:  {Admin: All, Agent: Own, Viewer: Own, Writes: true}, // the same query, answered as a file
	GetInsightsMeta: {Admin: All, Agent: All, Viewer: All},

	ListExplorations:   {Admin: Own, Agent: Own, Viewer: Own}, // own: and shared ones
	CreateExploration:  {Admin: Own, Agent: Own, Viewer: Own, Writes: true},
	UpdateExploration:  {Admin: Own, Agent: Own, Viewer: Own, Writes: true}, // admins: also those that others share
	DeleteExploration:  {Admin: Own, Agent: Own, Viewer: Own, Writes: true},
	RestoreExploration: {Admin: Own, Agent: Own, Viewer: Own, Writes: true},
	ListDashboards:     {Admin: Own, Agent: Own, Viewer: Own}, // the same
	CreateDashboard:    {Admin: Own, Agent: Own, Viewer: Own, Writes: true},
	UpdateDashboard:    {Admin: Own, Agent: Own, Viewer: Own, Writes: true},
	DeleteDashboard:    {Admin: Own, Agent: Own, Viewer: Own, Writes: true},
	RestoreDashboard:   {Admin: Own, Agent: Own, Viewer: Own, Writes: true},
	SendDashboard:      {Admin: Own, Agent: Own, Viewer: Own, Writes: true}, // to themselves
	ListReports:        {Admin: All, Agent: Own, Viewer: Own},
	CreateReport:       {Admin: Own, Agent: Own, Writes: true}, // others read what the owner may see
	UpdateReport:       {Admin: All, Agent: Own, Writes: true},
	DeleteReport:       {Admin: All, Agent: Own, Viewer: Own, Writes: true},

	ListAuditLogs:   {Admin: All},
	ExportAuditLogs: {Admin: All},
	ListEvents:      {Admin: All, Agent: Own, Viewer: Own}, // own: events about things the member may see
	StreamEvents:    {Admin: All, Agent: Own, Viewer: Own},
}

// The two errors for a missing permission.
var (
	ErrReadOnlyToken = Errorf(Forbidden, "This token has read-only access and cannot perform write operations.")
	ErrNotAllowed    = Errorf(Forbidden, "Your role does not allow this operation.")
)

// ReachFor returns which collections an operation reaches for a member with a role
// and these collections.
func ReachFor(op Operation, r Role, own Reach) Reach {
	if Permissions[op].Of(r) == All {
		return Everything
	}
	return own
}

// May checks whether a role and a token's scope allow an operation.
func May(op Operation, r Role, s Scope) error {
	p, ok := Permissions[op]
	switch {
	case p.Writes && s != ReadWrite:
		return ErrReadOnlyToken
	case !ok || p.Of(r) == No:
		return ErrNotAllowed
	}
	return nil
}
