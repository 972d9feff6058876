// Package heard keeps what the chat system tells besides messages: how far the history
// of each channel is read, reactions, and what the copies of announcements led to. It
// does not know what follows from it.
package heard

// text reads a row that holds only a text.
func text(scan func(...any) error) (t string, err error) {
	err = scan(&t)
	return t, err
}
