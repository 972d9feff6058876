package store

import (
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

const ticketFormColumns = "id, name, description, is_enabled, integration_type, creates, created_at, updated_at, removed_at"

func scanTicketForm(scan scanner) (f desk.TicketForm, err error) {
	err = scan(&f.ID, &f.Name, &f.Description, &f.Enabled, &f.Type, &f.Create.Enabled, inMS(&f.CreatedAt), inMS(&f.UpdatedAt), inMSOrNil(&f.DeletedAt))
	return f, err
}

// TicketForm returns a form that has not been removed, without removed fields.
func (tx *Tx) TicketForm(id desk.TicketFormID) (desk.TicketForm, error) {
	f, err := tx.TicketFormOnceMade(id)
	if err == nil && f.DeletedAt != nil {
		return desk.TicketForm{}, Missing(sqldb.ErrNoRows, "Ticket form")
	}
	return f, err
}

// TicketFormOnceMade returns a form even if it was removed, because tickets still
// name its id.
func (tx *Tx) TicketFormOnceMade(id desk.TicketFormID) (desk.TicketForm, error) {
	f, err := scanTicketForm(tx.Row("SELECT "+ticketFormColumns+" FROM ticket_forms WHERE account_id = $1 AND id = $2", tx.Account, id).Scan)
	if err != nil {
		return f, Missing(err, "Ticket form")
	}
	one := []desk.TicketForm{f}
	err = tx.addFormFields(one)
	return one[0], err
}

// TicketForms returns a page of the forms that have not been removed.
func (tx *Tx) TicketForms(w desk.FormFilter, p desk.Page) (desk.List[desk.TicketForm], error) {
	var q query
	q.Add("SELECT "+ticketFormColumns+" FROM ticket_forms WHERE account_id = ? AND removed_at IS NULL", tx.Account)
	if w.Enabled != nil {
		q.Add(" AND is_enabled = ?", *w.Enabled)
	}
	if w.Type != "" {
		q.Add(" AND integration_type = ?", w.Type)
	}
	l, err := page(tx, &q, "created_at", p, scanTicketForm, func(f desk.TicketForm) desk.Position { return positionAt(f.CreatedAt, f.ID) })
	if err != nil {
		return l, err
	}
	return l, tx.addFormFields(l.Items)
}

// addFormFields reads the fields of all given forms in one query.
func (tx *Tx) addFormFields(forms []desk.TicketForm) error {
	ids, at := placesOf(forms, func(f *desk.TicketForm) desk.TicketFormID { return f.ID })
	return lookUpOf(tx, ids, `SELECT a.form_id, a.key, a.label, a.audience, a.is_hidden, a.required_by_responder, a.required_by_non_responder FROM ticket_form_fields a
		LEFT JOIN custom_fields f ON f.account_id = a.account_id AND f.id = a.field_id
		WHERE a.account_id = ? AND (a.field_id IS NULL OR f.removed_at IS NULL) AND a.form_id IN `, " ORDER BY a.form_id, a.n", func(scan scanner) (f desk.FormField, err error) {
		err = scan(&f.Key, &f.Label, &f.Audience, &f.Hidden, &f.RequiredByResponder, &f.RequiredByNonResponder)
		return f, err
	}, func(id desk.TicketFormID, f desk.FormField) { at[id].Create.Fields = append(at[id].Create.Fields, f) })
}

// AddTicketForm inserts a new form and sets its id.
func (tx *Tx) AddTicketForm(f *desk.TicketForm) error {
	err := tx.Row(`INSERT INTO ticket_forms (account_id, name, description, is_enabled, integration_type, creates, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
		tx.Account, f.Name, f.Description, f.Enabled, f.Type, f.Create.Enabled, ms(f.CreatedAt), ms(f.UpdatedAt)).Scan(&f.ID)
	if err != nil {
		return fmt.Errorf("add ticket form: %w", err)
	}
	return tx.addFields(*f)
}

// SaveTicketForm saves a changed form.
func (tx *Tx) SaveTicketForm(f desk.TicketForm) error {
	n, err := tx.Exec("UPDATE ticket_forms SET name = $1, description = $2, is_enabled = $3, creates = $4, updated_at = $5 WHERE account_id = $6 AND id = $7 AND removed_at IS NULL",
		f.Name, f.Description, f.Enabled, f.Create.Enabled, ms(f.UpdatedAt), tx.Account, f.ID)
	if err != nil || n == 0 {
		return err
	}
	if err := tx.Do("DELETE FROM ticket_form_fields WHERE account_id = $1 AND form_id = $2", tx.Account, f.ID); err != nil {
		return err
	}
	return tx.addFields(f)
}

func (tx *Tx) addFields(f desk.TicketForm) error {
	fields := tx.insert(`INSERT INTO ticket_form_fields
		(account_id, form_id, n, key, field_id, label, audience, is_hidden, required_by_responder, required_by_non_responder) VALUES `)
	for n, field := range f.Create.Fields {
		id, _ := field.Key.CustomField()
		fields.Add(tx.Account, f.ID, n, field.Key, unlessZero(id), field.Label, field.Audience, field.Hidden,
			field.RequiredByResponder, field.RequiredByNonResponder)
	}
	return wrap("add fields of a ticket form", fields.Flush())
}

// RemoveTicketForm takes a form out of use. Its row and fields stay for the tickets
// that were created with it.
func (tx *Tx) RemoveTicketForm(id desk.TicketFormID) error {
	return tx.Do("UPDATE ticket_forms SET removed_at = $1 WHERE account_id = $2 AND id = $3", ms(tx.Now), tx.Account, id)
}
