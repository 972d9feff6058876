package rest

import "frontdesk/internal/desk"

// addMessage takes a form or a JSON body with the same members.
func (s *Server) addMessage(c *call) (any, error) {
	id, err := id[desk.RequestID](c, "id")
	if err == nil && c.form != nil {
		err = s.service.CheckAnswer(c.ctx, c.caller, id) // before its files are stored
	}
	if err != nil {
		if c.form != nil {
			c.drain()
		}
		return nil, err
	}
	if c.form != nil {
		return withFiles(c, "attachments", func(u upload) (any, error) {
			n := desk.NewMessage{HTML: u.text("html_body"), Private: u.flag("is_private"), AsBot: u.flag("post_as_bot"),
				State: (*desk.State)(u.text("state")), Files: u.files}
			if thread := u.text("thread_ts"); thread != nil {
				n.Thread = *thread
			}
			n.Problem = u.problem()
			return s.service.AddMessage(c.ctx, c.caller, id, n)
		})
	}
	b := c.object()
	n := desk.NewMessage{HTML: b.text("html_body"), State: (*desk.State)(b.text("state"))}
	if thread := b.text("thread_ts"); thread != nil {
		n.Thread = *thread
	}
	if private := member[bool](b, "is_private", "a boolean"); private != nil {
		n.Private = *private
	}
	if asBot := member[bool](b, "post_as_bot", "a boolean"); asBot != nil {
		n.AsBot = *asBot
	}
	n.Problem = b.problem()
	return s.service.AddMessage(c.ctx, c.caller, id, n)
}
