package rest

import (
	"net/http"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

// route is one operation of the API.
type route struct {
	method string
	path   string // below /v1/rest
	op     desk.Operation
	do     func(*call) (any, error)
	status int      // of a successful response; 0 means 200
	body   bodyForm // the kind of body that the call carries
	asks   bool     // changes nothing, whatever its method; repeating it runs it again
	bare   bool     // the response is the noun itself, not the noun under its name
}

// routes returns the table of contents of the API.
func (s *Server) routes() []route {
	return []route{
		{method: "GET", path: "/account", op: desk.GetAccount, do: s.getAccount},
		{method: "PATCH", path: "/account", op: desk.UpdateAccount, do: s.updateAccount, body: jsonBody},

		{method: "GET", path: "/members", op: desk.ListMembers, do: s.listMembers},
		{method: "POST", path: "/members", op: desk.CreateMember, do: s.createMember, body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/members/{id}", op: desk.GetMember, do: s.getMember},
		{method: "PATCH", path: "/members/{id}", op: desk.UpdateMember, do: s.updateMember, body: jsonBody},
		{method: "DELETE", path: "/members/{id}", op: desk.DeleteMember, do: s.deleteMember, status: http.StatusNoContent},
		{method: "POST", path: "/members/{id}/invitation", op: desk.InviteMember, do: s.inviteMember, status: http.StatusCreated},

		{method: "GET", path: "/me", op: desk.GetMe, do: s.getMe},
		{method: "PATCH", path: "/me", op: desk.UpdateMe, do: s.updateMe, body: jsonBody},
		{method: "GET", path: "/sessions", op: desk.ListSessions, do: s.listSessions},
		{method: "DELETE", path: "/sessions/{id}", op: desk.DeleteSession, do: s.deleteSession, status: http.StatusNoContent},

		{method: "GET", path: "/tokens", op: desk.ListTokens, do: s.listTokens},
		{method: "POST", path: "/tokens", op: desk.CreateToken, do: s.createToken, body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/tokens/{id}", op: desk.GetToken, do: s.getToken},
		{method: "DELETE", path: "/tokens/{id}", op: desk.DeleteToken, do: s.deleteToken, status: http.StatusNoContent},

		{method: "GET", path: "/integrations", op: desk.ListIntegrations, do: s.listIntegrations},
		{method: "POST", path: "/integrations", op: desk.CreateIntegration, do: s.createIntegration, body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/integrations/{id}", op: desk.GetIntegration, do: s.getIntegration},
		{method: "PATCH", path: "/integrations/{id}", op: desk.UpdateIntegration, do: s.updateIntegration, body: jsonBody},
		{method: "DELETE", path: "/integrations/{id}", op: desk.DeleteIntegration, do: s.deleteIntegration, status: http.StatusNoContent},

		{method: "GET", path: "/sandbox", op: desk.GetSandbox, do: s.getSandbox},
		{method: "POST", path: "/sandbox", op: desk.CreateSandbox, do: s.createSandbox, status: http.StatusCreated},
		{method: "POST", path: "/sandbox/token", op: desk.CreateSandboxToken, do: s.createSandboxToken, body: jsonBody, status: http.StatusCreated, asks: true}, // the answer is a secret that we do not keep

		{method: "GET", path: "/users", op: desk.ListUsers, do: s.listUsers},
		{method: "GET", path: "/teams", op: desk.ListTeams, do: s.listTeams},
		{method: "GET", path: "/teams/{id}", op: desk.GetTeam, do: s.getTeam},

		{method: "GET", path: "/collections", op: desk.ListCollections, do: s.listCollections},
		{method: "POST", path: "/collections", op: desk.CreateCollection, do: s.createCollection, body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/collections/{id}", op: desk.GetCollection, do: s.getCollection},
		{method: "PATCH", path: "/collections/{id}", op: desk.UpdateCollection, do: s.updateCollection, body: jsonBody},
		{method: "DELETE", path: "/collections/{id}", op: desk.DeleteCollection, do: s.deleteCollection, status: http.StatusNoContent},
		{method: "POST", path: "/collections/{id}/channels", op: desk.AddChannels, do: s.addChannels, body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/collections/{id}/mute", op: desk.GetMute, do: s.getMute},
		{method: "PUT", path: "/collections/{id}/mute", op: desk.MuteCollection, do: s.muteCollection, status: http.StatusNoContent},
		{method: "DELETE", path: "/collections/{id}/mute", op: desk.UnmuteCollection, do: s.unmuteCollection, status: http.StatusNoContent},
		{method: "GET", path: "/channels", op: desk.ListChannels, do: s.listChannels},
		{method: "GET", path: "/channels/{id}", op: desk.GetChannel, do: s.getChannel},
		{method: "PATCH", path: "/channels/{id}", op: desk.UpdateChannel, do: s.updateChannel, body: jsonBody},
		{method: "DELETE", path: "/channels/{id}", op: desk.DeleteChannel, do: s.deleteChannel, status: http.StatusNoContent},

		{method: "GET", path: "/requests", op: desk.ListRequests, do: s.listRequests},
		{method: "GET", path: "/requests/search", op: desk.SearchRequests, do: s.searchRequests},
		{method: "POST", path: "/requests", op: desk.CreateRequest, do: s.createRequest, body: eitherBody, status: http.StatusCreated},
		{method: "POST", path: "/requests/batch", op: desk.ImportRequests, do: s.importRequests, body: listBody, status: http.StatusCreated},
		{method: "GET", path: "/requests/{id}", op: desk.GetRequest, do: s.getRequest},
		{method: "GET", path: "/requests/chat/{team}/{channel}/{ts}", op: desk.FindRequest, do: s.findRequest},
		{method: "POST", path: "/requests/{id}/message", op: desk.AddMessage, do: s.addMessage, body: eitherBody, status: http.StatusCreated},
		{method: "PATCH", path: "/requests/{id}", op: desk.UpdateRequest, do: s.updateRequest, body: jsonBody},
		{method: "POST", path: "/requests/{id}/merge", op: desk.MergeRequests, do: s.mergeRequests, body: jsonBody},
		{method: "POST", path: "/requests/{id}/split", op: desk.SplitRequest, do: s.splitRequest, body: jsonBody, status: http.StatusCreated},
		{method: "POST", path: "/requests/{id}/undo", op: desk.UndoRequest, do: s.undoRequest, body: jsonBody},
		{method: "GET", path: "/requests/{id}/history", op: desk.ListHistory, do: s.listHistory},
		{method: "POST", path: "/requests/{id}/survey", op: desk.SendSurvey, do: s.sendSurvey, status: http.StatusCreated},
		{method: "PUT", path: "/requests/{id}/read", op: desk.ReadRequest, do: s.readRequest, status: http.StatusNoContent},
		{method: "DELETE", path: "/requests/{id}/read", op: desk.UnreadRequest, do: s.unreadRequest, status: http.StatusNoContent},
		{method: "GET", path: "/requests/{id}/waiting-messages", op: desk.ListWaiting, do: s.listWaitingMessages},
		{method: "DELETE", path: "/requests/{id}/waiting-messages/{message}", op: desk.TakeBackMessage, do: s.takeBackMessage}, // 200, because it returns the message
		{method: "GET", path: "/attachments/{id}", op: desk.GetAttachment, do: s.getAttachment},
		{method: "GET", path: "/tags", op: desk.ListTags, do: s.listTags},
		{method: "GET", path: "/views", op: desk.ListViews, do: s.listViews},
		{method: "POST", path: "/views", op: desk.CreateView, do: s.createView, body: jsonBody, status: http.StatusCreated},
		{method: "PATCH", path: "/views/{id}", op: desk.UpdateView, do: s.updateView, body: jsonBody},
		{method: "DELETE", path: "/views/{id}", op: desk.DeleteView, do: s.deleteView, status: http.StatusNoContent},
		{method: "GET", path: "/quick-replies", op: desk.ListQuickReplies, do: s.listQuickReplies},
		{method: "POST", path: "/quick-replies", op: desk.CreateQuickReply, do: s.createQuickReply, body: jsonBody, status: http.StatusCreated},
		{method: "PATCH", path: "/quick-replies/{id}", op: desk.UpdateQuickReply, do: s.updateQuickReply, body: jsonBody},
		{method: "DELETE", path: "/quick-replies/{id}", op: desk.DeleteQuickReply, do: s.deleteQuickReply, status: http.StatusNoContent},
		{method: "GET", path: "/custom-fields", op: desk.ListCustomFields, do: s.listCustomFields},
		{method: "POST", path: "/custom-fields", op: desk.CreateCustomField, do: s.createCustomField, body: jsonBody, status: http.StatusCreated, bare: true},
		{method: "PUT", path: "/custom-fields/{id}", op: desk.UpdateCustomField, do: s.updateCustomField, body: jsonBody, bare: true},
		{method: "DELETE", path: "/custom-fields/{id}", op: desk.DeleteCustomField, do: s.deleteCustomField}, // 200, as the API document says
		{method: "GET", path: "/tickets/forms", op: desk.ListTicketForms, do: s.listTicketForms},
		{method: "POST", path: "/tickets/forms", op: desk.CreateTicketForm, do: s.createTicketForm, body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/tickets/forms/{id}", op: desk.GetTicketForm, do: s.getTicketForm},
		{method: "PATCH", path: "/tickets/forms/{id}", op: desk.UpdateTicketForm, do: s.updateTicketForm, body: jsonBody},
		{method: "DELETE", path: "/tickets/forms/{id}", op: desk.DeleteTicketForm, do: s.deleteTicketForm, status: http.StatusNoContent},
		{method: "POST", path: "/tickets", op: desk.CreateTicket, do: s.createTicket, body: eitherBody, status: http.StatusCreated},
		{method: "DELETE", path: "/requests/{id}/tickets/{ticket}", op: desk.UnlinkTicket, do: s.unlinkTicket, status: http.StatusNoContent},
		{method: "GET", path: "/customers", op: desk.ListCustomers, do: s.listCustomers},
		{method: "POST", path: "/customers", op: desk.CreateCustomer, do: s.createCustomer, body: jsonBody, status: http.StatusCreated},
		{method: "POST", path: "/customers/search", op: desk.SearchCustomers, do: s.searchCustomers, body: jsonBody},
		{method: "GET", path: "/customers/{id}", op: desk.GetCustomer, do: s.getCustomer},
		{method: "PATCH", path: "/customers/{id}", op: desk.UpdateCustomer, do: s.updateCustomer, body: jsonBody},

		{method: "GET", path: "/agent-sessions", op: desk.ListAgentSessions, do: s.listAgentSessions},
		{method: "POST", path: "/agent-sessions", op: desk.CreateAgentSession, do: s.createAgentSession, body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/agent-sessions/{id}", op: desk.GetAgentSession, do: s.getAgentSession},
		{method: "POST", path: "/agent-sessions/{id}/events", op: desk.AddAgentEvents, do: s.addAgentEvents, body: jsonBody},

		{method: "GET", path: "/announcements", op: desk.ListAnnouncements, do: s.listAnnouncements},
		{method: "POST", path: "/announcements", op: desk.CreateAnnouncement, do: s.createAnnouncement, body: jsonBody}, // 200, as the API document says
		{method: "GET", path: "/announcements/message", op: desk.GetAnnouncementMessage, do: s.getAnnouncementMessage},
		{method: "GET", path: "/announcements/messages", op: desk.ListAnnouncementMessages, do: s.listAnnouncementMessages},
		{method: "GET", path: "/announcements/{id}", op: desk.GetAnnouncement, do: s.getAnnouncement},
		{method: "DELETE", path: "/announcements/{id}", op: desk.DeleteAnnouncement, do: s.deleteAnnouncement, status: http.StatusNoContent},
		{method: "GET", path: "/announcements/{id}/metrics", op: desk.AnnouncementMetrics, do: s.getAnnouncementMetrics},
		{method: "POST", path: "/announcements/{id}/resync", op: desk.ResyncAnnouncement, do: s.resyncAnnouncement, status: http.StatusAccepted},
		{method: "POST", path: "/announcements/{id}/retry", op: desk.RetryAnnouncement, do: s.retryAnnouncement, status: http.StatusAccepted},

		{method: "GET", path: "/webhooks", op: desk.ListWebhooks, do: s.listWebhooks},
		{method: "POST", path: "/webhooks", op: desk.CreateWebhook, do: s.createWebhook, body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/webhooks/{id}", op: desk.GetWebhook, do: s.getWebhook},
		{method: "PATCH", path: "/webhooks/{id}", op: desk.UpdateWebhook, do: s.updateWebhook, body: jsonBody},
		{method: "DELETE", path: "/webhooks/{id}", op: desk.DeleteWebhook, do: s.deleteWebhook, status: http.StatusNoContent},
		{method: "POST", path: "/webhooks/{id}/rotate", op: desk.RotateWebhook, do: s.rotateWebhook, body: jsonBody},
		{method: "POST", path: "/webhooks/{id}/test", op: desk.TestWebhook, do: s.testWebhook, status: http.StatusAccepted},
		{method: "POST", path: "/webhooks/{id}/replay", op: desk.ReplayWebhook, do: s.replayWebhook, body: jsonBody, status: http.StatusAccepted},
		{method: "GET", path: "/webhooks/{id}/deliveries", op: desk.ListDeliveries, do: s.listDeliveries},
		{method: "GET", path: "/webhooks/{id}/deliveries/{delivery}", op: desk.GetDelivery, do: s.getDelivery},

		{method: "GET", path: "/requests/{id}/sla", op: desk.GetSLA, do: s.getSLA},
		{method: "GET", path: "/sla-policies", op: desk.ListSLAPolicies, do: s.listSLAPolicies},
		{method: "POST", path: "/sla-policies", op: desk.CreateSLAPolicy, do: s.createSLAPolicy, body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/sla-policies/{id}", op: desk.GetSLAPolicy, do: s.getSLAPolicy},
		{method: "PATCH", path: "/sla-policies/{id}", op: desk.UpdateSLAPolicy, do: s.updateSLAPolicy, body: jsonBody},
		{method: "DELETE", path: "/sla-policies/{id}", op: desk.DeleteSLAPolicy, do: s.deleteSLAPolicy, status: http.StatusNoContent},
		{method: "GET", path: "/sla-recomputation", op: desk.GetSLARecomputation, do: s.getSLARecomputation},
		{method: "GET", path: "/schedules", op: desk.ListSchedules, do: s.listSchedules},
		{method: "POST", path: "/schedules", op: desk.CreateSchedule, do: s.createSchedule, body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/schedules/{id}", op: desk.GetSchedule, do: s.getSchedule},
		{method: "PATCH", path: "/schedules/{id}", op: desk.UpdateSchedule, do: s.updateSchedule, body: jsonBody},
		{method: "DELETE", path: "/schedules/{id}", op: desk.DeleteSchedule, do: s.deleteSchedule, status: http.StatusNoContent},

		{method: "POST", path: "/insights/query", op: desk.QueryInsights, do: s.queryInsights, body: jsonBody, asks: true},
		{method: "POST", path: "/insights/query.csv", op: desk.ExportInsights, do: s.exportInsights, body: jsonBody, asks: true},
		{method: "GET", path: "/insights/meta", op: desk.GetInsightsMeta, do: s.getInsightsMeta},

		{method: "GET", path: "/audit-logs", op: desk.ListAuditLogs, do: s.listAuditLogs},
		{method: "GET", path: "/audit-logs/export", op: desk.ExportAuditLogs, do: s.exportAuditLogs},
		{method: "GET", path: "/events", op: desk.ListEvents, do: s.listEvents},
		{method: "GET", path: "/events/stream", op: desk.StreamEvents, do: s.streamEvents},
	}
}

// prefix is the beginning of every path of the API.
const prefix = "/v1/rest"

// listed is a list as a response: {"members": […], "response_metadata": {…}}.
type listed struct {
	name  string
	items any // a value with AppendJSON writes itself
	next  *string
	count int
}

// list turns a page of nouns into a response.
func list[N, W any](c *call, name string, form func(N) W, l desk.List[N], err error) (any, error) {
	if err != nil {
		return nil, err
	}
	items := make([]W, len(l.Items))
	for i, n := range l.Items {
		items[i] = form(n)
	}
	return listed{name: name, items: items, next: c.cursorAt(l.Next), count: len(items)}, nil
}

func (l listed) metadata() wire.ListMetadata {
	return wire.ListMetadata{NextCursor: l.next, Count: l.count}
}
