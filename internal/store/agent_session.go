package store

import "frontdesk/internal/desk"

// agentSessions selects sessions, and for each whether its request was answered and
// has a ticket. The text ends just before the account.
const agentSessions = `SELECT id, request_id, external_id, started_at, ended_at, triggers, responses, answers, positive_feedback, negative_feedback, created_at, updated_at,
	EXISTS (SELECT 1 FROM messages m WHERE m.account_id = s.account_id AND m.request_id = s.request_id AND m.is_responder AND NOT m.is_private AND m.removed_at IS NULL),
	EXISTS (SELECT 1 FROM tickets t WHERE t.account_id = s.account_id AND t.request_id = s.request_id)
	FROM agent_sessions s WHERE s.account_id = `

func scanAgentSession(scan scanner) (s desk.AgentSession, err error) {
	err = scan(&s.ID, &s.Request, orZero(&s.ExternalID), inMS(&s.StartedAt), inMSOrNil(&s.EndedAt), &s.Triggers, &s.Responses, &s.Answers,
		&s.PositiveFeedback, &s.NegativeFeedback, inMS(&s.CreatedAt), inMS(&s.UpdatedAt),
		&s.Answered, &s.Ticketed)
	return s, err
}

// AgentSession returns a session of a request within reach.
func (tx *Tx) AgentSession(id desk.AgentSessionID, reach desk.Reach) (desk.AgentSession, error) {
	var q query
	q.Add(agentSessions+"? AND id = ?", tx.Account, id)
	q.ofRequests(tx.Account, reach)
	s, err := scanAgentSession(tx.Row(q.String(), q.Args()...).Scan)
	return s, Missing(err, "Agent session")
}

// AgentSessionNamed returns the session with an external id; ok is false if there
// is none.
func (tx *Tx) AgentSessionNamed(external string) (s desk.AgentSession, ok bool, err error) {
	return IfAny(scanAgentSession(tx.Row(agentSessions+"$1 AND external_id = $2", tx.Account, external).Scan))
}

// AgentSessions returns a page of sessions, ordered by when they started.
func (tx *Tx) AgentSessions(f desk.AgentSessionFilter, p desk.Page) (desk.List[desk.AgentSession], error) {
	var q query
	q.Add(agentSessions+"?", tx.Account)
	if f.Request != 0 {
		q.Add(" AND request_id = ?", f.Request)
	}
	q.ofRequests(tx.Account, f.Reach)
	return page(tx, &q, "started_at", p, scanAgentSession, func(s desk.AgentSession) desk.Position { return positionAt(s.StartedAt, s.ID) })
}

// ofRequests narrows a query to rows that belong to requests within reach.
func (q *query) ofRequests(account desk.AccountID, reach desk.Reach) {
	if reach.All {
		return
	}
	q.Add(" AND EXISTS (SELECT 1 FROM requests r WHERE r.account_id = ? AND r.id = s.request_id", account)
	q.within("r.collection_id", reach)
	q.Add(")")
}

// nextSession returns SQL for a version above those of all sessions of an account.
// account is the placeholder of the account in the statement. An account has one
// turn at a time, so a higher version always becomes visible later. A reader who
// knows the highest version can therefore ask for everything that changed since.
// insights.Columns does this.
func nextSession(account string) string {
	return "(SELECT coalesce(max(v.version), 0) + 1 FROM agent_sessions v WHERE v.account_id = " + account + ")"
}

// AddAgentSession inserts a new session and sets its id.
func (tx *Tx) AddAgentSession(s *desk.AgentSession) error {
	err := tx.Row(`INSERT INTO agent_sessions (account_id, request_id, external_id, started_at, triggers, responses, answers, positive_feedback, negative_feedback, created_at, updated_at, version)
		SELECT $1, id, $3, $4, 0, 0, 0, 0, 0, $5, $6, `+nextSession("$1")+` FROM requests WHERE account_id = $1 AND id = $2
		RETURNING id`, tx.Account, s.Request, unlessZero(s.ExternalID), ms(s.StartedAt), ms(s.CreatedAt), ms(s.UpdatedAt)).Scan(&s.ID)
	return wrap("add agent session", Missing(err, "Request"))
}

// SaveAgentSession saves what was added to a session, together with the new events.
func (tx *Tx) SaveAgentSession(s desk.AgentSession, added []desk.AgentEvent) error {
	n, err := tx.Exec(`UPDATE agent_sessions SET ended_at = $1, triggers = $2, responses = $3, answers = $4, positive_feedback = $5, negative_feedback = $6, updated_at = $7, version = `+nextSession("$8")+`
		WHERE account_id = $8 AND id = $9`,
		OptionalMS(s.EndedAt), s.Triggers, s.Responses, s.Answers, s.PositiveFeedback, s.NegativeFeedback, ms(s.UpdatedAt), tx.Account, s.ID)
	if err != nil || n == 0 {
		return err
	}
	events := tx.insert("INSERT INTO agent_session_events (account_id, session_id, type, at, text) VALUES ")
	for _, e := range added {
		events.Add(tx.Account, s.ID, e.Type, ms(*e.At), e.Text)
	}
	return events.Flush()
}
