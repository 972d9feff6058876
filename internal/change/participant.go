package change

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/mail"
	"frontdesk/internal/store"
)

// AddParticipant lets somebody take part in a request: somebody new, or somebody who
// was asked or removed. Without a name they keep the known one. It returns Refused if
// the request has too many participants.
func AddParticipant(tx *store.Tx, by desk.Actor, r desk.Request, email string, name *string) (p desk.Participant, err error) {
	all, err := tx.Participants(r.ID)
	if err != nil {
		return p, err
	}
	before, known := findParticipant(all, email)
	if !known && len(all) >= desk.MostParticipants {
		return p, desk.Errorf(desk.Refused, "A request has at most %d participants.", desk.MostParticipants)
	}
	p = desk.Participant{Request: r.ID, Email: email, Role: desk.RoleCC}
	if known {
		p = before
	}
	p.Status = desk.ParticipantActive
	if name != nil {
		p.Name = *name
	}
	switch {
	case !known:
		return p, saveParticipant(tx, by, "participant.created", nil, p)
	case p != before:
		return p, saveParticipant(tx, by, "participant.updated", before, p)
	}
	return p, nil
}

// RemoveParticipant removes somebody from a request. They stay out when they are in
// Cc of a later mail. It returns NotFound if they take no part.
func RemoveParticipant(tx *store.Tx, by desk.Actor, r desk.Request, email string) error {
	all, err := tx.Participants(r.ID)
	if err != nil {
		return err
	}
	before, known := findParticipant(all, email)
	if !known || before.Status == desk.ParticipantRemoved {
		return desk.Missing("Participant")
	}
	p := before
	p.Status = desk.ParticipantRemoved
	return saveParticipant(tx, by, "participant.updated", before, p)
}

// saveParticipant saves and records a participant, and shows them on the card.
func saveParticipant(tx *store.Tx, by desk.Actor, action string, before desk.Noun, p desk.Participant) error {
	if err := tx.PutParticipant(p); err != nil {
		return err
	}
	if err := Record(tx, by, action, before, p); err != nil {
		return err
	}
	return RefreshCard(tx, p.Request)
}

func findParticipant(all []desk.Participant, email string) (desk.Participant, bool) {
	i := slices.IndexFunc(all, func(p desk.Participant) bool { return desk.FoldEmail(p.Email) == desk.FoldEmail(email) })
	if i < 0 {
		return desk.Participant{}, false
	}
	return all[i], true
}

// AddAddressees adds those to whom a mail went to its request, but for us and the team.
// Whether they get answers depends on the sender: see desk.ParticipantFrom. Who was
// removed stays out.
func (s Setup) AddAddressees(tx *store.Tx, col desk.Collection, r desk.Request, sender string, passed bool, all []mail.Address) error {
	out := map[string]bool{"": true, desk.FoldEmail(r.Author.Email): true, desk.FoldEmail(sender): true}
	var found []mail.Address
	var emails []string
	for _, a := range all {
		if folded := desk.FoldEmail(a.Email); !out[folded] && a.Domain() != s.Mail.Domain {
			out[folded], found, emails = true, append(found, a), append(emails, folded)
		}
	}
	if len(found) == 0 {
		return nil
	}
	ours, err := tx.OwnAddresses(emails)
	if err != nil {
		return err
	}
	team, err := TeamOf(tx, col, emails)
	if err != nil {
		return err
	}
	has, err := tx.Participants(r.ID)
	if err != nil {
		return err
	}
	as, err := s.SenderOf(tx, col)
	if err != nil {
		return err
	}
	room := desk.MostParticipants - len(has)
	for i, a := range found {
		_, known := findParticipant(has, a.Email)
		if base, _ := mail.CutPlus(emails[i]); known || room <= 0 || team[emails[i]] || ours[emails[i]] || ours[base+"@"+a.Domain()] {
			continue
		}
		room--
		status := desk.ParticipantFrom(sender, a.Email, passed, as != nil && as.Email.ForwardCC)
		if err := tx.PutParticipant(desk.Participant{Request: r.ID, Email: a.Email, Name: CleanName(a), Status: status}); err != nil {
			return err
		}
	}
	return RefreshCard(tx, r.ID)
}

// TeamOf returns which of the folded emails belong to the team of a collection: to
// members of the account, and to its responders.
func TeamOf(tx *store.Tx, col desk.Collection, emails []string) (map[string]bool, error) {
	team, err := tx.MemberEmails(emails)
	if err != nil {
		return nil, err
	}
	users, err := tx.UsersByEmail(emails)
	if err != nil {
		return nil, err
	}
	for email, u := range users {
		if team[email] {
			continue
		}
		person, _, err := tx.Responding(u.ID)
		if err != nil {
			return nil, err
		}
		team[email] = col.IsResponder(person)
	}
	return team, nil
}

// CleanName returns the name that somebody gave themselves in a mail. A name that looks
// like another address is left out.
func CleanName(a mail.Address) string {
	if a.Misleading() {
		return ""
	}
	return desk.Shorten(a.Name, desk.MostPersonName)
}
