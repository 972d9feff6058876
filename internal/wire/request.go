package wire

import (
	"encoding/json"

	"frontdesk/internal/desk"
)

// Request is a request on the wire. Its author is an object if the request was
// fetched by id, and the user's id in a list.
type Request struct {
	ID                desk.RequestID             `json:"id"`
	Key               string                     `json:"key"`
	Title             string                     `json:"title"`
	State             *desk.State                `json:"state"`
	NotARequestState  *desk.NotARequest          `json:"not_a_request_state"`
	Priority          desk.Priority              `json:"priority"`
	Author            any                        `json:"author"`
	AuthorEmail       *string                    `json:"author_email"`
	CustomerID        *desk.CustomerID           `json:"customer_id"`
	Assignee          *userRef                   `json:"assignee"`
	AssignedTeam      *teamRef                   `json:"assigned_team"`
	Tickets           []Ticket                   `json:"tickets"`
	CSATSurvey        *RequestSurvey             `json:"csat_survey"`
	Channel           *channelRef                `json:"channel"`
	Collection        collectionRef              `json:"collection"`
	CustomFieldValues map[desk.CustomFieldID]any `json:"custom_field_values"`
	AIFieldValues     AIFieldValues              `json:"ai_field_values"`
	RequestThread     *Thread                    `json:"request_thread"`
	TriageThread      *Thread                    `json:"triage_thread"`
	SLAMetrics        SLAMetrics                 `json:"sla_metrics"`
	Tags              []string                   `json:"tags"`
	Contributors      []string                   `json:"contributors"`
	CreatedAt         Time                       `json:"created_at"`
	UpdatedAt         Time                       `json:"updated_at"`
	LastMessageTime   Time                       `json:"last_message_time"`
	EmailStatus       desk.EmailStatus           `json:"email_status,omitempty"` // only while something is wrong
	Snooze            *Snooze                    `json:"snooze,omitempty"`       // only while it is snoozed or back
	*RequestRow
	Messages      *[]Message        `json:"messages,omitempty"`
	ParentRequest *nullableID       `json:"parent_request,omitempty"`
	ChildRequests *[]desk.RequestID `json:"child_requests,omitempty"`
	MergedInto    *desk.RequestID   `json:"merged_into,omitempty"`
}

type (
	userRef struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	teamRef struct {
		ID   desk.TeamID `json:"id"`
		Name string      `json:"name"`
	}
	channelRef struct {
		ID    string  `json:"id"`
		Name  string  `json:"name"`
		Owner *string `json:"owner"`
	}
	collectionRef struct {
		ID   desk.CollectionID `json:"id"`
		Name string            `json:"name"`
	}
)

// AIFieldValues are the suggested values of a request. Values that were not
// computed yet are left out. Only the operator sees where each value comes from.
type AIFieldValues struct {
	Category  *[]string `json:"category,omitempty"`
	Sentiment string    `json:"sentiment,omitempty"`
	Emotion   string    `json:"emotion,omitempty"`
}

func newAIFieldValues(f desk.AIFields) (w AIFieldValues) {
	if f.Category != nil {
		list := orEmpty(f.Category.Value)
		w.Category = &list
	}
	if f.Sentiment != nil {
		w.Sentiment = f.Sentiment.Value
	}
	if f.Emotion != nil {
		w.Emotion = f.Emotion.Value
	}
	return w
}

// nullableID is an id that appears as null if it is missing. Other missing fields
// are left out.
type nullableID struct{ id *desk.RequestID }

func (n nullableID) MarshalJSON() ([]byte, error) { return json.Marshal(n.id) }

// nullableText is the same for a text.
type nullableText struct{ text *string }

func (n nullableText) MarshalJSON() ([]byte, error) { return JSON(n.text) }

// Author is the author of a request. An unknown field is null.
type Author struct {
	ID     *string `json:"id"`
	Name   *string `json:"name"`
	Email  *string `json:"email"`
	Avatar *string `json:"avatar"`
}

// Thread is a place in the chat system.
type Thread struct {
	ChannelID string `json:"channel_id"`
	ThreadTS  string `json:"thread_ts"`
	TeamID    string `json:"team_id"`
	URL       string `json:"url"`
}

// SLAMetrics are the durations that an SLA measures.
type SLAMetrics struct {
	FirstResponseTime   *Metric `json:"first_response_time"`
	ResolutionTime      *Metric `json:"resolution_time"`
	FirstResolutionTime *Metric `json:"first_resolution_time"`
}

// Metric is a duration in minutes.
type Metric struct {
	Value      float64 `json:"value"`
	IsBreached *bool   `json:"is_breached"`
}

// Ticket is a ticket on the wire. Its address is null until the other system has
// sent it.
type Ticket struct {
	ID        int64              `json:"id"`
	Type      desk.TicketType    `json:"type"`
	Key       string             `json:"key"`
	URL       *string            `json:"url"`
	FormID    *desk.TicketFormID `json:"form_id"`
	CreatedAt Time               `json:"created_at"`
}

// TicketLink is a ticket of another system and the request that is linked to it.
type TicketLink struct {
	RequestID desk.RequestID `json:"request_id"`
	IsTask    bool           `json:"is_task"`
	Ticket
}

// NewTicketLink returns the wire form of a link.
func NewTicketLink(l desk.TicketLink) TicketLink {
	return TicketLink{RequestID: l.Request, IsTask: l.Task, Ticket: NewTicket(l.Ticket)}
}

// NewTicket returns the wire form of a ticket.
func NewTicket(t desk.Ticket) Ticket {
	return Ticket{ID: t.ID, Type: t.Type, Key: t.Key, URL: orNull(t.URL), FormID: t.Form, CreatedAt: NewTime(t.CreatedAt)}
}

// NewRequest returns the wire form of a request that was fetched by id.
func NewRequest(r desk.Request) Request {
	w := newRequest(r)
	w.Author = Author{ID: orNull(r.Author.User), Name: orNull(r.Author.Name), Email: orNull(r.Author.Email), Avatar: orNull(r.Author.Avatar)}
	return w
}

// NewListedRequest returns the wire form of a request in a list.
func NewListedRequest(r desk.Request) Request {
	w := newRequest(r)
	w.Author = orNull(r.Author.User)
	return w
}

// NewRequestOfNone returns the wire form of a request in a list of requests without
// a state.
func NewRequestOfNone(r desk.Request) Request {
	r.NotARequest = nil
	return NewListedRequest(r)
}

func newRequest(r desk.Request) Request {
	m := r.Metrics()
	w := Request{
		ID: r.ID, Key: r.Key, Title: r.Title, State: r.State, NotARequestState: r.NotARequest, Priority: r.Priority,
		AuthorEmail: orNull(r.Author.Email), CustomerID: r.Customer, Tickets: desk.Each(r.Tickets, NewTicket),
		Collection:        collectionRef(r.Collection),
		CustomFieldValues: NewFieldValues(r.Values), AIFieldValues: newAIFieldValues(r.AI),
		RequestThread: thread(r.Thread), TriageThread: thread(r.Triage),
		SLAMetrics: SLAMetrics{metric(m.FirstResponse), metric(m.Resolution), metric(m.FirstResolution)},
		Tags:       orEmpty(r.Tags), Contributors: orEmpty(r.Contributors),
		CreatedAt: NewTime(r.CreatedAt), UpdatedAt: NewTime(r.UpdatedAt), LastMessageTime: NewTime(r.LastMessageAt), EmailStatus: r.MailStatus, Snooze: newSnooze(r.Snooze),
		MergedInto: r.MergedInto, CSATSurvey: newRequestSurvey(r.Survey),
	}
	if r.Assignee != nil {
		w.Assignee = &userRef{*r.Assignee, r.AssigneeName}
	}
	if r.Team != nil {
		w.AssignedTeam = &teamRef{*r.Team, r.TeamName}
	}
	if r.Row != nil {
		w.addRow(r)
	}
	if r.Channel != nil {
		w.Channel = &channelRef{r.Channel.ID, r.Channel.Name, orNull(r.Channel.Owner)}
	}
	if r.Messages != nil {
		messages := desk.Each(r.Messages, NewMessage)
		w.Messages = &messages
	}
	if r.Children != nil {
		w.ParentRequest, w.ChildRequests = &nullableID{r.Parent}, &r.Children
	}
	return w
}

func thread(t *desk.Thread) *Thread {
	if t == nil {
		return nil
	}
	return &Thread{ChannelID: t.Channel, ThreadTS: t.Message, TeamID: t.Workspace, URL: t.URL}
}

func metric(m *desk.Metric) *Metric {
	if m == nil {
		return nil
	}
	return &Metric{m.Minutes, m.Breached}
}

// orEmpty returns the list, or an empty one instead of nil.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// CreatedRequest is the answer of Create Request. It is the only place where the id
// is a string.
type CreatedRequest struct {
	ID string `json:"id"`
}

// APITicket is the flat answer to the creation of a request that names its
// collection.
type APITicket struct {
	ID            desk.RequestID    `json:"id"`
	TicketID      string            `json:"ticket_id"`
	CollectionID  desk.CollectionID `json:"collection_id"`
	Title         string            `json:"title"`
	Status        desk.State        `json:"status"`
	Priority      string            `json:"priority"`
	CreatedAt     Time              `json:"created_at"`
	ChatThreadURL *string           `json:"chat_thread_url"`
}

// NewAPITicket returns the flat form of a new request. Here the priority normal is
// called medium.
func NewAPITicket(r desk.Request) APITicket {
	t := APITicket{ID: r.ID, CollectionID: r.Collection.ID, Title: r.Title, Status: desk.Open, Priority: string(r.Priority), CreatedAt: NewTime(r.CreatedAt)}
	if r.State != nil {
		t.Status = *r.State
	}
	if r.Priority == desk.Normal {
		t.Priority = "medium"
	}
	if len(r.Tickets) > 0 {
		t.TicketID = r.Tickets[0].Key
	}
	if r.Thread != nil {
		t.ChatThreadURL = &r.Thread.URL
	}
	return t
}
