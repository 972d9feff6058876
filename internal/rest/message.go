package rest

import (
	"time"

	"frontdesk/internal/desk"
)

// addMessage takes a form or a JSON body with the same fields.
func (s *Server) addMessage(c *call) (any, error) {
	id, err := id[desk.RequestID](c, "id")
	if err == nil && c.form != nil {
		err = s.service.CheckAnswer(c.ctx, c.caller, id) // checked before its files are stored
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
				State: (*desk.State)(u.text("state")), Thread: orZero(u.text("thread_ts")), Files: u.files}
			delay := delayOf(&u.problems, u.number("delay_seconds"))
			n.Taken = u.numbers("attachment_ids")
			n.Seen = (*desk.MessageID)(u.number("seen_message_id"))
			n.Problem = u.problem()
			return s.addOrDelay(c, id, n, delay)
		})
	}
	b := c.object()
	n := desk.NewMessage{HTML: b.text("html_body"), State: (*desk.State)(b.text("state")), Thread: orZero(b.text("thread_ts"))}
	b.read("is_private", "a boolean", &n.Private)
	b.read("post_as_bot", "a boolean", &n.AsBot)
	b.read("attachment_ids", "a list of numbers", &n.Taken)
	n.Seen = (*desk.MessageID)(member[int64](b, "seen_message_id", "a whole number"))
	delay := delayOf(b.problems, member[int64](b, "delay_seconds", "a whole number"))
	n.Problem = b.problem()
	return s.addOrDelay(c, id, n, delay)
}

// delayOf returns how long a message should wait. Without a number it does not
// wait.
func delayOf(p *desk.Problems, seconds *int64) time.Duration {
	if seconds == nil {
		return 0
	}
	most := int64(desk.MostDelay / time.Second)
	if *seconds < 0 || *seconds > most {
		p.Add("delay_seconds", "must be a whole number from 0 to %d", most)
		return 0
	}
	return time.Duration(*seconds) * time.Second
}

// addOrDelay posts a message at once, or after a delay.
func (s *Server) addOrDelay(c *call, id desk.RequestID, n desk.NewMessage, delay time.Duration) (any, error) {
	if delay > 0 {
		return s.service.DelayMessage(c.ctx, c.caller, id, n, delay)
	}
	return s.service.AddMessage(c.ctx, c.caller, id, n)
}
