// Package desk is the vocabulary of the product: accounts, members, tokens, events…
// and the rules between them. It does no I/O and imports only the standard library.
// Read it to learn what Frontdesk is about.
package desk

// Ids are numbers, unique within the installation. Each noun has its own type, so
// that one cannot be passed for another. Users and channels have the chat system's
// ids, which are strings.
type (
	AccountID      int64
	MemberID       int64
	TokenID        int64
	AuditLogID     int64
	IntegrationID  int64
	TeamID         int64
	CollectionID   int64
	RequestID      int64
	MessageID      int64
	AttachmentID   int64
	CustomFieldID  int64
	TicketFormID   int64
	CustomerID     int64
	HistoryEntryID int64
	LinkID         int64
	AnnouncementID int64
	WebhookID      int64
	DeliveryID     int64

	ScheduleID        int64
	ScheduleVersionID int64
	SLAPolicyID       int64
	SurveyID          int64
	AgentSessionID    int64
	ViewID            int64
	QuickReplyID      int64
	WaitingMessageID  int64
	WaitingFileID     int64
)
