package change

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Beginning is what a new request comes with besides its first message.
type Beginning struct {
	Files []desk.NewFile
	Form  *desk.TicketFormID
	// Filed is called when the files are stored with the first message, and may change
	// what the message says. nil means nothing.
	Filed func(*store.Tx, *desk.Message) error
}

// BeginRequest creates a request that did not come from the chat system, with its
// first message and a native ticket, and everything that follows: it is posted,
// responders are notified, and it is recorded.
func (s Setup) BeginRequest(tx *store.Tx, by desk.Actor, col desk.Collection, r desk.Request, first *desk.Message, with Beginning) (_ desk.Request, t desk.Ticket, err error) {
	if err := tx.AddRequest(&r); err != nil {
		return r, t, err
	}
	first.Request = r.ID
	if err := addMessage(tx, first, with); err != nil {
		return r, t, err
	}
	if err := addFileValues(tx, r, first.ID, with.Files); err != nil {
		return r, t, err
	}
	if t, err = s.AddNativeTicket(tx, r, with.Form); err != nil {
		return r, t, err
	}
	if err := postNew(tx, col, r); err != nil {
		return r, t, err
	}
	if err := ScheduleSurvey(tx, desk.Request{}, r); err != nil {
		return r, t, err
	}
	if err := s.Suggest(tx, &r, *first); err != nil {
		return r, t, err
	}
	r.Tickets = []desk.Ticket{t}
	if err := StartClocks(tx, &r, true); err != nil {
		return r, t, err
	}
	if r, err = tx.Made(r); err != nil {
		return r, t, err
	}
	if err := Record(tx, by, desk.RequestCreated, nil, r); err != nil {
		return r, t, err
	}
	if err := tellOfAssignment(tx, by, desk.Request{}, r); err != nil {
		return r, t, err
	}
	if err := tellOfMessage(tx, by, r, *first, false); err != nil {
		return r, t, err
	}
	return r, t, tx.Record(TicketChange(by, r.ID, t))
}

// addMessage adds a message with its files, and lets them change what it says.
func addMessage(tx *store.Tx, m *desk.Message, with Beginning) error {
	if err := tx.AddMessage(m); err != nil {
		return err
	}
	for _, f := range with.Files {
		if err := tx.AddAttachment(*m, f); err != nil {
			return err
		}
	}
	if with.Filed == nil {
		return nil
	}
	return with.Filed(tx, m)
}

// addFileValues sets the file values of custom fields on a new request, from the
// files of its first message. It runs after the message is added, because only then
// do the files have ids.
func addFileValues(tx *store.Tx, r desk.Request, first desk.MessageID, files []desk.NewFile) error {
	of := map[string]desk.CustomFieldID{}
	for _, f := range files {
		if f.Field != 0 {
			of[f.Key] = f.Field
		}
	}
	if len(of) == 0 {
		return nil
	}
	m, err := tx.Message(first)
	if err != nil {
		return err
	}
	ids := map[desk.CustomFieldID][]desk.AttachmentID{}
	for _, a := range m.Attachments {
		if field, ok := of[a.Key]; ok {
			ids[field] = append(ids[field], a.ID)
		}
	}
	after := r.Clone()
	if after.Values == nil {
		after.Values = desk.FieldValues{}
	}
	for field, files := range ids {
		after.Values[field] = desk.FilesValue(files)
	}
	return tx.SaveRequest(r, &after)
}
