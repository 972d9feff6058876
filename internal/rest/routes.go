package rest

import (
	"net/http"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

// route is one operation of the API.
type route struct {
	method string
	path   string // below /v1/rest
	op     desk.Operation
	do     func(*call) (any, error)
	status int                              // of a successful response; 0 means 200
	body   bodyForm                         // the kind of body that the call carries
	asks   bool                             // changes nothing, whatever its method; repeating it runs it again
	form   func(result any) ([]byte, error) // the body of a successful response; nil: as events show the noun
}

// routes returns the table of contents of the API.
func (s *Server) routes() []route {
	return slices.Concat(s.accountRoutes(), s.collectionRoutes(), s.requestRoutes(), s.helpRoutes(), s.outwardRoutes(), s.reportRoutes())
}

// accountRoutes are the account, members, sessions, tokens, integrations and the
// sandbox.
func (s *Server) accountRoutes() []route {
	return []route{
		{method: "GET", path: "/account", op: desk.GetAccount, do: asked(s.service.Account)},
		{method: "PATCH", path: "/account", op: desk.UpdateAccount, do: fromBody(accountChange, s.service.UpdateAccount), body: jsonBody},

		{method: "GET", path: "/members", op: desk.ListMembers, do: paged("members", wire.NewMember, s.service.Members)},
		{method: "POST", path: "/members", op: desk.CreateMember, do: fromBody(newMember, s.service.CreateMember), body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/members/{id}", op: desk.GetMember, do: byID(s.service.Member)},
		{method: "PATCH", path: "/members/{id}", op: desk.UpdateMember, do: byIDAndBody(memberChange, s.service.UpdateMember), body: jsonBody},
		{method: "DELETE", path: "/members/{id}", op: desk.DeleteMember, do: byID(s.service.DeleteMember), status: http.StatusNoContent},
		{method: "POST", path: "/members/{id}/invitation", op: desk.InviteMember, do: byID(s.service.InviteMember), status: http.StatusCreated,
			form: named("invitation", wire.NewInvitation)},

		{method: "GET", path: "/me", op: desk.GetMe, do: asked(s.service.Me),
			form: named("me", wire.NewMe)},
		{method: "PATCH", path: "/me", op: desk.UpdateMe, do: fromBody(meChange, s.service.UpdateMe), body: jsonBody,
			form: named("me", wire.NewMe)},
		{method: "GET", path: "/me/preferences", op: desk.GetPreferences, do: asked(s.service.Preferences),
			form: named("preferences", wire.NewPreferences)},
		{method: "PATCH", path: "/me/preferences", op: desk.UpdatePreferences, do: fromBody(givenPreferences, s.service.UpdatePreferences), body: jsonBody,
			form: named("preferences", wire.NewPreferences)},
		{method: "GET", path: "/notifications", op: desk.ListNotifications, do: filtered("notifications", wire.NewNotification, notificationFilter, s.service.Notifications)},
		{method: "GET", path: "/notifications/count", op: desk.CountNotifications, do: asked(s.service.NotificationCount),
			form: named("count", wire.NewNotificationCount)},
		{method: "POST", path: "/notifications/read", op: desk.ReadNotifications, do: fromBody(readUpTo, s.service.ReadNotifications), body: jsonBody, status: http.StatusNoContent},
		{method: "POST", path: "/notifications/test", op: desk.TestNotification, do: fromBody(testNotice, s.service.TestNotification), body: jsonBody, status: http.StatusNoContent},
		{method: "PATCH", path: "/notifications/{id}", op: desk.UpdateNotification, do: byIDAndBody(notificationChange, s.service.UpdateNotification), body: jsonBody,
			form: named("notification", wire.NewNotification)},
		{method: "GET", path: "/sessions", op: desk.ListSessions, do: paged("sessions", wire.NewSession, s.service.Sessions)},
		{method: "DELETE", path: "/sessions/{id}", op: desk.DeleteSession, do: byID(s.service.DeleteSession), status: http.StatusNoContent},

		{method: "GET", path: "/tokens", op: desk.ListTokens, do: paged("tokens", wire.NewToken, s.service.Tokens)},
		{method: "POST", path: "/tokens", op: desk.CreateToken, do: fromBody(newToken, s.service.CreateToken), body: jsonBody, status: http.StatusCreated,
			form: named("token", wire.NewMadeToken)},
		{method: "GET", path: "/tokens/{id}", op: desk.GetToken, do: byID(s.service.Token)},
		{method: "DELETE", path: "/tokens/{id}", op: desk.DeleteToken, do: byID(s.service.DeleteToken), status: http.StatusNoContent},

		{method: "GET", path: "/integrations", op: desk.ListIntegrations, do: paged("integrations", wire.NewIntegration, s.service.Integrations)},
		{method: "POST", path: "/integrations", op: desk.CreateIntegration, do: fromBody(newIntegration, s.service.CreateIntegration), body: jsonBody, status: http.StatusCreated,
			form: named("integration", wire.NewStartedIntegration)},
		{method: "GET", path: "/integrations/{id}", op: desk.GetIntegration, do: byID(s.service.Integration)},
		{method: "PATCH", path: "/integrations/{id}", op: desk.UpdateIntegration, do: byIDAndBody(integrationChange, s.service.UpdateIntegration), body: jsonBody},
		{method: "DELETE", path: "/integrations/{id}", op: desk.DeleteIntegration, do: byID(s.service.DeleteIntegration), status: http.StatusNoContent},

		{method: "GET", path: "/sandbox", op: desk.GetSandbox, do: asked(s.service.Sandbox),
			form: named("sandbox", wire.NewSandbox)},
		{method: "POST", path: "/sandbox", op: desk.CreateSandbox, do: asked(s.service.CreateSandbox), status: http.StatusCreated,
			form: named("sandbox", wire.NewSandbox)},
		{method: "POST", path: "/sandbox/token", op: desk.CreateSandboxToken, do: fromBody(newSandboxToken, s.service.CreateSandboxToken), body: jsonBody, status: http.StatusCreated,
			asks: true, form: named("token", wire.NewSandboxToken)}, // the answer is a secret that we do not keep
	}
}

// collectionRoutes are users, teams, collections and channels.
func (s *Server) collectionRoutes() []route {
	return []route{
		{method: "GET", path: "/users", op: desk.ListUsers, do: s.listUsers},
		{method: "GET", path: "/teams", op: desk.ListTeams, do: filtered("teams", wire.NewTeam, including("team_members"), s.service.Teams)},
		{method: "GET", path: "/teams/{id}", op: desk.GetTeam, do: byIDIncluding("team_members", s.service.Team),
			form: named("team", wire.NewTeam)},

		{method: "GET", path: "/collections", op: desk.ListCollections, do: filtered("collections", wire.NewCollection, including("channels"), s.collections)},
		{method: "POST", path: "/collections", op: desk.CreateCollection, do: fromBody(newCollection, s.service.CreateCollection), body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/collections/{id}", op: desk.GetCollection, do: byIDIncluding("channels", s.service.Collection)},
		{method: "PATCH", path: "/collections/{id}", op: desk.UpdateCollection, do: byIDAndBody(collectionChange, s.service.UpdateCollection), body: jsonBody},
		{method: "DELETE", path: "/collections/{id}", op: desk.DeleteCollection, do: byID(s.service.DeleteCollection), status: http.StatusNoContent},
		{method: "POST", path: "/collections/{id}/channels", op: desk.AddChannels, do: byIDAndBody(newChannels, s.service.AddChannels), body: jsonBody, status: http.StatusCreated,
			form: named("channels", each(wire.NewChannel))},
		{method: "GET", path: "/collections/{id}/mute", op: desk.GetMute, do: byID(s.service.Mute)},
		{method: "PUT", path: "/collections/{id}/mute", op: desk.MuteCollection, do: byID(s.service.MuteCollection), status: http.StatusNoContent},
		{method: "DELETE", path: "/collections/{id}/mute", op: desk.UnmuteCollection, do: byID(s.service.UnmuteCollection), status: http.StatusNoContent},
		{method: "POST", path: "/collections/{id}/email/test", op: desk.TestCollectionEmail, do: byIDAndBody(newEmailTest, s.service.TestCollectionEmail), body: jsonBody,
			asks: true, form: bare(wire.NewEmailTest)}, // a second test is another mail
		{method: "GET", path: "/collections/{id}/retention", op: desk.PreviewRetention, do: s.previewRetention,
			form: named("retention", wire.NewRetentionPreview)},
		{method: "GET", path: "/collections/{id}/email/records", op: desk.GetEmailRecords, do: byID(s.service.EmailRecords),
			form: named("records", each(wire.NewDNSRecord))},
		{method: "GET", path: "/channels", op: desk.ListChannels, do: filtered("channels", wire.NewChannel, channelFilter, s.service.Channels)},
		{method: "GET", path: "/channels/{id}", op: desk.GetChannel, do: s.getChannel},
		{method: "PATCH", path: "/channels/{id}", op: desk.UpdateChannel, do: s.updateChannel, body: jsonBody},
		{method: "DELETE", path: "/channels/{id}", op: desk.DeleteChannel, do: s.deleteChannel, status: http.StatusNoContent},
	}
}

// requestRoutes are requests, views, quick replies, custom fields, tickets and
// customers.
func (s *Server) requestRoutes() []route {
	return []route{
		{method: "GET", path: "/requests", op: desk.ListRequests, do: s.listRequests},
		{method: "GET", path: "/requests/search", op: desk.SearchRequests, do: s.searchRequests},
		{method: "POST", path: "/requests", op: desk.CreateRequest, do: s.createRequest, body: eitherBody, status: http.StatusCreated,
			form: createdRequest},
		{method: "POST", path: "/requests/batch", op: desk.ImportRequests, do: s.importRequests, body: listBody, status: http.StatusCreated,
			form: named("requests", wire.NewImported)},
		{method: "GET", path: "/requests/{id}", op: desk.GetRequest, do: s.getRequest},
		{method: "GET", path: "/requests/chat/{team}/{channel}/{ts}", op: desk.FindRequest, do: s.findRequest},
		{method: "POST", path: "/requests/{id}/message", op: desk.AddMessage, do: s.addMessage, body: eitherBody, status: http.StatusCreated},
		{method: "PATCH", path: "/requests/{id}", op: desk.UpdateRequest, do: byIDAndBody(requestChange, s.service.UpdateRequest), body: jsonBody},
		{method: "POST", path: "/requests/{id}/merge", op: desk.MergeRequests, do: byIDAndBody(readMerge, s.service.MergeRequests), body: jsonBody},
		{method: "POST", path: "/requests/{id}/split", op: desk.SplitRequest, do: byIDAndBody(readSplit, s.service.SplitRequest), body: jsonBody, status: http.StatusCreated},
		{method: "POST", path: "/requests/{id}/undo", op: desk.UndoRequest, do: byIDAndOptionalBody(readUndo, s.service.UndoRequest), body: jsonBody},
		{method: "GET", path: "/requests/{id}/history", op: desk.ListHistory, do: s.listHistory},
		{method: "POST", path: "/requests/{id}/survey", op: desk.SendSurvey, do: byID(s.service.SendSurvey), status: http.StatusCreated,
			form: named("survey", wire.NewShownSurvey)},
		{method: "PUT", path: "/requests/{id}/read", op: desk.ReadRequest, do: byID(s.service.ReadRequest), status: http.StatusNoContent},
		{method: "DELETE", path: "/requests/{id}/read", op: desk.UnreadRequest, do: byID(s.service.UnreadRequest), status: http.StatusNoContent},
		{method: "PUT", path: "/requests/{id}/presence", op: desk.SetPresence, do: byIDAndBody(givenPresence, s.service.SetPresence), body: jsonBody,
			asks: true, form: named("presence", wire.NewPresence)}, // nothing is stored, and saying it again is the point
		{method: "PUT", path: "/requests/{id}/follow", op: desk.FollowRequest, do: byID(s.service.FollowRequest), status: http.StatusNoContent},
		{method: "DELETE", path: "/requests/{id}/follow", op: desk.UnfollowRequest, do: byID(s.service.UnfollowRequest), status: http.StatusNoContent},
		{method: "GET", path: "/requests/{id}/waiting-messages", op: desk.ListWaiting, do: s.listWaitingMessages},
		{method: "DELETE", path: "/requests/{id}/waiting-messages/{message}", op: desk.TakeBackMessage, do: byIDs("message", s.service.TakeBackMessage)}, // 200, because it returns the message
		{method: "GET", path: "/attachments/{id}", op: desk.GetAttachment, do: s.getAttachment},
		{method: "GET", path: "/messages/{id}/email", op: desk.GetEmail, do: byID(s.service.Email),
			form: named("email", wire.NewReceivedEmail)},
		{method: "GET", path: "/messages/{id}/email/source", op: desk.GetEmailSource, do: s.getEmailSource},
		{method: "POST", path: "/messages/{id}/email/retry", op: desk.RetryEmail, do: byID(s.service.RetryEmail), status: http.StatusAccepted},
		{method: "POST", path: "/messages/{id}/email/accept", op: desk.AcceptEmail, do: byIDAndOptionalBody(acceptedEmail, s.service.AcceptEmail), body: jsonBody},
		{method: "GET", path: "/requests/{id}/participants", op: desk.ListParticipants, do: byID(s.service.Participants),
			form: named("participants", each(wire.NewParticipant))},
		{method: "POST", path: "/requests/{id}/participants", op: desk.AddParticipant, do: byIDAndBody(newParticipant, s.service.AddParticipant), body: jsonBody, status: http.StatusCreated},
		{method: "DELETE", path: "/requests/{id}/participants/{email}", op: desk.RemoveParticipant, do: s.removeParticipant, status: http.StatusNoContent},
		{method: "GET", path: "/tags", op: desk.ListTags, do: s.listTags},
		{method: "GET", path: "/views", op: desk.ListViews, do: s.listViews},
		{method: "GET", path: "/views/counts", op: desk.CountViews, do: s.countViews, form: named("counts", each(wire.NewRequestCount))},
		{method: "POST", path: "/views", op: desk.CreateView, do: fromBody(givenView, s.service.CreateView), body: jsonBody, status: http.StatusCreated,
			form: named("view", wire.NewShownView)},
		{method: "PATCH", path: "/views/{id}", op: desk.UpdateView, do: byIDAndBody(givenView, s.service.UpdateView), body: jsonBody,
			form: named("view", wire.NewShownView)},
		{method: "DELETE", path: "/views/{id}", op: desk.DeleteView, do: byID(s.service.DeleteView), status: http.StatusNoContent},
		{method: "GET", path: "/quick-replies", op: desk.ListQuickReplies, do: paged("quick_replies", wire.NewShownQuickReply, s.service.QuickReplies)},
		{method: "POST", path: "/quick-replies", op: desk.CreateQuickReply, do: fromBody(givenQuickReply, s.service.CreateQuickReply), body: jsonBody, status: http.StatusCreated,
			form: named("quick_reply", wire.NewShownQuickReply)},
		{method: "PATCH", path: "/quick-replies/{id}", op: desk.UpdateQuickReply, do: byIDAndBody(givenQuickReply, s.service.UpdateQuickReply), body: jsonBody,
			form: named("quick_reply", wire.NewShownQuickReply)},
		{method: "DELETE", path: "/quick-replies/{id}", op: desk.DeleteQuickReply, do: byID(s.service.DeleteQuickReply), status: http.StatusNoContent},
		{method: "GET", path: "/custom-fields", op: desk.ListCustomFields, do: s.listCustomFields,
			form: named("custom_fields", each(wire.NewCustomField))},
		{method: "POST", path: "/custom-fields", op: desk.CreateCustomField, do: fromBody(newCustomField, s.service.CreateCustomField), body: jsonBody, status: http.StatusCreated,
			form: bare(wire.NewCustomField)},
		{method: "PUT", path: "/custom-fields/{id}", op: desk.UpdateCustomField, do: byIDAndBody(customFieldChange, s.service.UpdateCustomField), body: jsonBody,
			form: bare(wire.NewCustomField)},
		{method: "DELETE", path: "/custom-fields/{id}", op: desk.DeleteCustomField, do: byID(s.service.DeleteCustomField)}, // 200, as the API document says
		{method: "GET", path: "/tickets/forms", op: desk.ListTicketForms, do: filtered("ticket_forms", wire.NewTicketForm, formFilter, s.service.TicketForms)},
		{method: "POST", path: "/tickets/forms", op: desk.CreateTicketForm, do: fromBody(newForm, s.service.CreateTicketForm), body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/tickets/forms/{id}", op: desk.GetTicketForm, do: byID(s.service.TicketForm),
			form: bare(wire.NewShownTicketForm)},
		{method: "PATCH", path: "/tickets/forms/{id}", op: desk.UpdateTicketForm, do: byIDAndBody(givenForm, s.service.UpdateTicketForm), body: jsonBody},
		{method: "DELETE", path: "/tickets/forms/{id}", op: desk.DeleteTicketForm, do: byID(s.service.DeleteTicketForm), status: http.StatusNoContent},
		{method: "POST", path: "/tickets", op: desk.CreateTicket, do: s.createTicket, body: eitherBody, status: http.StatusCreated,
			form: bare(wire.NewCreatedTicket)},
		{method: "DELETE", path: "/requests/{id}/tickets/{ticket}", op: desk.UnlinkTicket, do: byIDs("ticket", s.service.UnlinkTicket), status: http.StatusNoContent},
		{method: "GET", path: "/customers", op: desk.ListCustomers, do: s.listCustomers},
		{method: "POST", path: "/customers", op: desk.CreateCustomer, do: fromBody(newCustomer, s.service.CreateCustomer), body: jsonBody, status: http.StatusCreated},
		{method: "POST", path: "/customers/search", op: desk.SearchCustomers, do: s.searchCustomers, body: jsonBody},
		{method: "GET", path: "/customers/{id}", op: desk.GetCustomer, do: byID(s.service.Customer)},
		{method: "PATCH", path: "/customers/{id}", op: desk.UpdateCustomer, do: byIDAndBody(customerChange, s.service.UpdateCustomer), body: jsonBody},
		{method: "GET", path: "/customers/{id}/notes", op: desk.ListCustomerNotes, do: s.listCustomerNotes},
		{method: "POST", path: "/customers/{id}/notes", op: desk.CreateCustomerNote, do: byIDAndBody(newCustomerNote, s.service.CreateCustomerNote), body: jsonBody, status: http.StatusCreated,
			form: named("customer_note", wire.NewShownCustomerNote)},
		{method: "DELETE", path: "/customers/{id}/notes/{note}", op: desk.DeleteCustomerNote, do: byIDs("note", s.service.DeleteCustomerNote), status: http.StatusNoContent},
		{method: "GET", path: "/customers/{id}/timeline", op: desk.GetCustomerTimeline, do: s.getCustomerTimeline},
	}
}

// outwardRoutes are the sessions of the virtual agent, announcements and webhooks.
func (s *Server) outwardRoutes() []route {
	return []route{
		{method: "GET", path: "/agent-sessions", op: desk.ListAgentSessions, do: filtered("agent_sessions", wire.NewAgentSession, agentSessionFilter, s.service.AgentSessions)},
		{method: "POST", path: "/agent-sessions", op: desk.CreateAgentSession, do: fromBody(newAgentSession, s.service.CreateAgentSession), body: jsonBody, status: http.StatusCreated,
			form: named("agent_session", madeAgentSession)},
		{method: "GET", path: "/agent-sessions/{id}", op: desk.GetAgentSession, do: byID(s.service.AgentSession)},
		{method: "POST", path: "/agent-sessions/{id}/events", op: desk.AddAgentEvents, do: byIDAndBody(agentEvents, s.service.AddAgentEvents), body: jsonBody},

		{method: "GET", path: "/announcements", op: desk.ListAnnouncements, do: s.listAnnouncements},
		{method: "POST", path: "/announcements", op: desk.CreateAnnouncement, do: fromBody(newAnnouncement, s.service.CreateAnnouncement), body: jsonBody, // 200, as the API document says
			form: named("announcement", wire.NewCreatedAnnouncement)},
		{method: "POST", path: "/announcements/preview", op: desk.PreviewAnnouncement, do: fromBody(announcementDraft, s.service.PreviewAnnouncement), body: jsonBody, asks: true,
			form: named("preview", wire.NewAnnouncementPreview)},
		{method: "POST", path: "/announcements/test", op: desk.TestAnnouncement, do: fromBody(announcementDraft, s.service.TestAnnouncement), body: jsonBody, status: http.StatusAccepted},
		{method: "GET", path: "/announcements/message", op: desk.GetAnnouncementMessage, do: s.getAnnouncementMessage,
			form: named("message", wire.NewSourceMessage)},
		{method: "GET", path: "/announcements/messages", op: desk.ListAnnouncementMessages, do: s.listAnnouncementMessages},
		{method: "GET", path: "/announcements/{id}", op: desk.GetAnnouncement, do: byID(s.service.Announcement),
			form: named("announcement", wire.NewShownAnnouncement)},
		{method: "DELETE", path: "/announcements/{id}", op: desk.DeleteAnnouncement, do: byID(s.service.DeleteAnnouncement), status: http.StatusNoContent},
		{method: "GET", path: "/announcements/{id}/metrics", op: desk.AnnouncementMetrics, do: byID(s.service.AnnouncementMetrics),
			form: named("announcement", wire.NewEngagement)},
		{method: "POST", path: "/announcements/{id}/resync", op: desk.ResyncAnnouncement, do: byIDAndOptionalBody(announcementResync, s.service.ResyncAnnouncement), body: jsonBody, status: http.StatusAccepted},
		{method: "POST", path: "/announcements/{id}/retry", op: desk.RetryAnnouncement, do: byID(s.service.RetryAnnouncement), status: http.StatusAccepted},

		{method: "GET", path: "/webhooks", op: desk.ListWebhooks, do: paged("webhooks", wire.NewWebhook, s.service.Webhooks)},
		{method: "POST", path: "/webhooks", op: desk.CreateWebhook, do: fromBody(givenWebhook, s.service.CreateWebhook), body: jsonBody, status: http.StatusCreated,
			form: named("webhook", wire.NewShownWebhook)},
		{method: "GET", path: "/webhooks/{id}", op: desk.GetWebhook, do: byID(s.service.Webhook)},
		{method: "PATCH", path: "/webhooks/{id}", op: desk.UpdateWebhook, do: byIDAndBody(givenWebhook, s.service.UpdateWebhook), body: jsonBody},
		{method: "DELETE", path: "/webhooks/{id}", op: desk.DeleteWebhook, do: byID(s.service.DeleteWebhook), status: http.StatusNoContent},
		{method: "POST", path: "/webhooks/{id}/rotate", op: desk.RotateWebhook, do: byIDAndBody(readRotation, s.service.RotateWebhook), body: jsonBody,
			form: named("webhook", wire.NewShownWebhook)},
		{method: "POST", path: "/webhooks/{id}/test", op: desk.TestWebhook, do: byID(s.service.TestWebhook), status: http.StatusAccepted,
			form: named("delivery", wire.NewShownDelivery)},
		{method: "POST", path: "/webhooks/{id}/replay", op: desk.ReplayWebhook, do: byIDAndBody(readReplay, s.service.ReplayWebhook), body: jsonBody, status: http.StatusAccepted},
		{method: "GET", path: "/webhooks/{id}/deliveries", op: desk.ListDeliveries, do: s.listDeliveries},
		{method: "GET", path: "/webhooks/{id}/deliveries/{delivery}", op: desk.GetDelivery, do: byIDs("delivery", s.service.Delivery),
			form: named("delivery", wire.NewShownDelivery)},
	}
}

// helpRoutes are what a language model helps with. Asking it changes nothing, and asking
// it again may bring another answer.
func (s *Server) helpRoutes() []route {
	return []route{
		{method: "POST", path: "/requests/{id}/summary", op: desk.SummariseRequest, do: byIDAndOptionalBody(givenSummary, s.service.Summary), body: jsonBody,
			asks: true, form: named("summary", wire.NewSummary)},
		{method: "POST", path: "/requests/{id}/draft", op: desk.DraftReply, do: byID(s.service.DraftReply),
			asks: true, form: named("draft", wire.NewDraft)},
		{method: "POST", path: "/requests/{id}/translation", op: desk.TranslateText, do: byIDAndBody(givenText, s.service.TranslateText), body: jsonBody,
			asks: true, form: named("translation", wire.NewTranslation)},
		{method: "POST", path: "/messages/{id}/translation", op: desk.TranslateMessage, do: byIDAndBody(givenTranslation, s.service.TranslateMessage), body: jsonBody,
			asks: true, form: named("translation", wire.NewTranslation)},
	}
}

// reportRoutes are SLAs, schedules, insights, the audit log and events.
func (s *Server) reportRoutes() []route {
	return []route{
		{method: "GET", path: "/requests/{id}/sla", op: desk.GetSLA, do: byID(s.service.SLA),
			form: named("sla", wire.NewSLAExplanation)},
		{method: "GET", path: "/sla-policies", op: desk.ListSLAPolicies, do: paged("sla_policies", wire.NewSLAPolicy, s.service.SLAPolicies)},
		{method: "POST", path: "/sla-policies", op: desk.CreateSLAPolicy, do: fromBody(givenSLAPolicy, s.service.CreateSLAPolicy), body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/sla-policies/{id}", op: desk.GetSLAPolicy, do: byID(s.service.SLAPolicy)},
		{method: "PATCH", path: "/sla-policies/{id}", op: desk.UpdateSLAPolicy, do: byIDAndBody(givenSLAPolicy, s.service.UpdateSLAPolicy), body: jsonBody},
		{method: "DELETE", path: "/sla-policies/{id}", op: desk.DeleteSLAPolicy, do: byID(s.service.DeleteSLAPolicy), status: http.StatusNoContent},
		{method: "GET", path: "/sla-recomputation", op: desk.GetSLARecomputation, do: asked(s.service.SLARecomputation),
			form: named("sla_recomputation", wire.NewSLARecomputation)},
		{method: "GET", path: "/schedules", op: desk.ListSchedules, do: paged("schedules", wire.NewSchedule, s.service.Schedules)},
		{method: "POST", path: "/schedules", op: desk.CreateSchedule, do: fromBody(givenSchedule, s.service.CreateSchedule), body: jsonBody, status: http.StatusCreated},
		{method: "GET", path: "/schedules/{id}", op: desk.GetSchedule, do: byID(s.service.Schedule)},
		{method: "PATCH", path: "/schedules/{id}", op: desk.UpdateSchedule, do: byIDAndBody(givenSchedule, s.service.UpdateSchedule), body: jsonBody},
		{method: "DELETE", path: "/schedules/{id}", op: desk.DeleteSchedule, do: byID(s.service.DeleteSchedule), status: http.StatusNoContent},

		{method: "POST", path: "/insights/query", op: desk.QueryInsights, do: s.queryInsights, body: jsonBody, asks: true,
			form: named("insights", wire.NewInsights)},
		{method: "POST", path: "/insights/query.csv", op: desk.ExportInsights, do: s.exportInsights, body: jsonBody, asks: true},
		{method: "GET", path: "/insights/meta", op: desk.GetInsightsMeta, do: asked(s.service.InsightsMeta),
			form: named("insights", wire.NewInsightsMeta)},
		{method: "GET", path: "/insights/explorations", op: desk.ListExplorations, do: s.listExplorations},
		{method: "POST", path: "/insights/explorations", op: desk.CreateExploration, do: fromBody(givenExploration, s.service.CreateExploration), body: jsonBody, status: http.StatusCreated,
			form: named("exploration", wire.NewShownExploration)},
		{method: "PATCH", path: "/insights/explorations/{id}", op: desk.UpdateExploration, do: byIDAndBody(givenExploration, s.service.UpdateExploration), body: jsonBody,
			form: named("exploration", wire.NewShownExploration)},
		{method: "DELETE", path: "/insights/explorations/{id}", op: desk.DeleteExploration, do: byID(s.service.DeleteExploration), status: http.StatusNoContent},
		{method: "POST", path: "/insights/explorations/{id}/restore", op: desk.RestoreExploration, do: byID(s.service.RestoreExploration),
			form: named("exploration", wire.NewShownExploration)},
		{method: "GET", path: "/insights/dashboards", op: desk.ListDashboards, do: s.listDashboards},
		{method: "POST", path: "/insights/dashboards", op: desk.CreateDashboard, do: fromBody(givenDashboard, s.service.CreateDashboard), body: jsonBody, status: http.StatusCreated,
			form: named("dashboard", wire.NewShownDashboard)},
		{method: "PATCH", path: "/insights/dashboards/{id}", op: desk.UpdateDashboard, do: byIDAndBody(givenDashboard, s.service.UpdateDashboard), body: jsonBody,
			form: named("dashboard", wire.NewShownDashboard)},
		{method: "DELETE", path: "/insights/dashboards/{id}", op: desk.DeleteDashboard, do: byID(s.service.DeleteDashboard), status: http.StatusNoContent},
		{method: "POST", path: "/insights/dashboards/{id}/send", op: desk.SendDashboard, do: byID(s.service.SendDashboard), status: http.StatusAccepted},
		{method: "GET", path: "/insights/reports", op: desk.ListReports, do: s.listReports},
		{method: "POST", path: "/insights/reports", op: desk.CreateReport, do: fromBody(givenReport, s.service.CreateReport), body: jsonBody, status: http.StatusCreated,
			form: named("report", wire.NewShownReport)},
		{method: "PATCH", path: "/insights/reports/{id}", op: desk.UpdateReport, do: byIDAndBody(reportChange, s.service.UpdateReport), body: jsonBody,
			form: named("report", wire.NewShownReport)},
		{method: "DELETE", path: "/insights/reports/{id}", op: desk.DeleteReport, do: byID(s.service.DeleteReport), status: http.StatusNoContent},
		{method: "POST", path: "/insights/dashboards/{id}/restore", op: desk.RestoreDashboard, do: byID(s.service.RestoreDashboard),
			form: named("dashboard", wire.NewShownDashboard)},

		{method: "GET", path: "/audit-logs", op: desk.ListAuditLogs, do: filtered("audit_logs", wire.NewAuditLog, auditLogPage, s.service.AuditLogs)},
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
	return listed{name: name, items: desk.Each(l.Items, form), next: c.cursorAt(l.Next), count: len(l.Items)}, nil
}

func (l listed) metadata() wire.ListMetadata {
	return wire.ListMetadata{NextCursor: l.next, Count: l.count}
}
