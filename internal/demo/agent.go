package demo

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
)

// hearingTime is how long the desk may take to hear what was said in the workspace.
const hearingTime = time.Minute

// addSessions records what the virtual agent did in some requests of the last
// ninety days, in which people had to help in the end.
func (d Desk) addSessions(ctx context.Context, c service.Caller, all []story, ids []desk.RequestID) error {
	for i, s := range all {
		if s.number%4 != 2 || s.ending == endsAsNone || inOutage(s.number) {
			continue
		}
		began := s.said[0].at.Add(2 * time.Second)
		events := []desk.AgentEventType{desk.AgentTriggered, desk.AgentResponded}
		switch s.number / 4 % 4 {
		case 0:
			events = append(events, desk.AgentAnswered, desk.AgentDidNotHelp)
		case 1:
			events = append(events, desk.AgentTriggered, desk.AgentAnswered, desk.AgentAnswered)
		case 2:
			events = append(events, desk.AgentAnswered, desk.AgentHelped)
		}
		if err := d.addSession(ctx, c, fmt.Sprintf("demo-%03d", s.number+1), ids[i], began, events); err != nil {
			return err
		}
	}
	return nil
}

// addDeflections records that the virtual agent has answered what nobody else
// answered in the workspace. The desk hears those messages in its own time. The
// next start makes up for what was missed.
func (d Desk) addDeflections(ctx context.Context, c service.Caller, channels map[string]string) error {
	within, cancel := context.WithTimeout(ctx, hearingTime)
	defer cancel()
	for _, r := range rooms {
		if r.begins == 0 {
			continue
		}
		said, err := d.said(ctx, channels[r.name])
		if err != nil {
			return err
		}
		for i, l := range r.talk {
			if !l.deflected {
				continue
			}
			id, err := d.heard(within, c, channels[r.name], said[l.says])
			if err != nil && within.Err() != nil && ctx.Err() == nil {
				return nil
			}
			if err != nil {
				return err
			}
			name := fmt.Sprintf("demo-%s-%d", r.name, i)
			if err := d.addSession(ctx, c, name, id, d.Now.Add(-5*time.Minute), []desk.AgentEventType{desk.AgentTriggered, desk.AgentAnswered, desk.AgentHelped}); err != nil {
				return err
			}
		}
	}
	return nil
}

// heard returns the request of a message in the workspace, once the desk has heard
// it.
func (d Desk) heard(ctx context.Context, c service.Caller, channel, message string) (desk.RequestID, error) {
	bell, stop := d.Service.EventBell()
	defer stop()
	for {
		r, err := d.Service.FindRequest(ctx, c, d.Workspace.ID, channel, message, service.RequestParts{})
		if err == nil || desk.KindOf(err) != desk.NotFound {
			return r.ID, err
		}
		select {
		case <-bell:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// addSession records a session, unless it exists.
func (d Desk) addSession(ctx context.Context, c service.Caller, name string, id desk.RequestID, began time.Time, events []desk.AgentEventType) error {
	began = began.Truncate(time.Millisecond)
	made, err := d.Service.CreateAgentSession(ctx, c, desk.NewAgentSession{Request: id, ExternalID: &name, StartedAt: &began})
	if err != nil || made.Existed {
		return err
	}
	ended := began.Add(time.Duration(len(events)*20) * time.Second)
	add := desk.AgentEvents{EndedAt: &ended}
	for i, kind := range events {
		at := began.Add(time.Duration(i*20) * time.Second)
		add.Events = append(add.Events, desk.AgentEvent{Type: kind, At: &at})
	}
	_, err = d.Service.AddAgentEvents(ctx, c, made.ID, add)
	return err
}
