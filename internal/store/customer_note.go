package store

import "frontdesk/internal/desk"

const customerNoteColumns = "id, customer_id, member_id, (SELECT name FROM members m WHERE m.account_id = customer_notes.account_id AND m.id = member_id), text, created_at"

func scanCustomerNote(scan scanner) (n desk.CustomerNote, err error) {
	err = scan(&n.ID, &n.Customer, &n.Author, &n.AuthorName, &n.Text, inMS(&n.CreatedAt))
	return n, err
}

// CustomerNote returns a note about a customer.
func (tx *Tx) CustomerNote(customer desk.CustomerID, id desk.CustomerNoteID) (desk.CustomerNote, error) {
	n, err := scanCustomerNote(tx.Row("SELECT "+customerNoteColumns+" FROM customer_notes WHERE account_id = $1 AND customer_id = $2 AND id = $3", tx.Account, customer, id).Scan)
	return n, Missing(err, "Note")
}

// CustomerNotes returns a page of the notes about a customer.
func (tx *Tx) CustomerNotes(customer desk.CustomerID, p desk.Page) (desk.List[desk.CustomerNote], error) {
	var q query
	q.Add("SELECT "+customerNoteColumns+" FROM customer_notes WHERE account_id = ? AND customer_id = ?", tx.Account, customer)
	return page(tx, &q, "created_at", p, scanCustomerNote, func(n desk.CustomerNote) desk.Position { return positionAt(n.CreatedAt, n.ID) })
}

// AddCustomerNote inserts a new note and sets its id. The customer and the author must
// be of the account.
func (tx *Tx) AddCustomerNote(n *desk.CustomerNote) error {
	err := tx.Row(`INSERT INTO customer_notes (account_id, customer_id, member_id, text, created_at)
		SELECT c.account_id, c.id, m.id, $4, $5 FROM customers c JOIN members m ON m.account_id = c.account_id AND m.id = $3 WHERE c.account_id = $1 AND c.id = $2 RETURNING id`,
		tx.Account, n.Customer, n.Author, n.Text, ms(n.CreatedAt)).Scan(&n.ID)
	return wrap("add customer note", Missing(err, "Customer"))
}

// RemoveCustomerNote deletes a note.
func (tx *Tx) RemoveCustomerNote(id desk.CustomerNoteID) error {
	return tx.Do("DELETE FROM customer_notes WHERE account_id = $1 AND id = $2", tx.Account, id)
}
