package rest

import (
	"frontdesk/internal/desk"
)

// newParticipant reads somebody who is to take part in a request.
func newParticipant(b object) desk.NewParticipant {
	return desk.NewParticipant{Email: b.required("email"), Name: b.text("name")}
}

// acceptedEmail reads how an unverified mail is taken over.
func acceptedEmail(b object) desk.AcceptedEmail {
	return desk.AcceptedEmail{Participant: b.isSet("participant")}
}

// removeParticipant removes the person with the email in the path.
func (s *Server) removeParticipant(c *call) (any, error) {
	id, err := id[desk.RequestID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.RemoveParticipant(c.ctx, c.caller, id, c.req.PathValue("email"))
}

// getEmailSource returns the bytes of the mail that brought a message, as a file.
func (s *Server) getEmailSource(c *call) (any, error) {
	id, err := id[desk.MessageID](c, "id")
	if err != nil {
		return nil, err
	}
	a, r, err := s.service.EmailSource(c.ctx, c.caller, id)
	if err != nil {
		return nil, err
	}
	return file{a, r}, nil
}
