package change

import (
	"encoding/binary"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
)

// FileURL returns a link with which anybody can download a file until a time.
func (s Setup) FileURL(account desk.AccountID, id desk.AttachmentID, until time.Time) string {
	b := binary.AppendUvarint(nil, uint64(account))
	b = binary.AppendUvarint(b, uint64(id))
	b = binary.AppendUvarint(b, uint64(until.Unix()))
	return s.PublicURL + "/file/" + LinkEncoding.EncodeToString(append(b, s.Files.Sign(b)[:MarkSize]...))
}

// FileLink reads the token of a link that FileURL made. ok is false for anything else,
// and when its time is over.
func (s Setup) FileLink(token string, now time.Time) (account desk.AccountID, id desk.AttachmentID, ok bool) {
	body, ok := OpenLink(s.Files, token)
	if !ok {
		return 0, 0, false
	}
	var parts [3]uint64
	for i := range parts {
		n := 0
		if parts[i], n = binary.Uvarint(body); n <= 0 {
			return 0, 0, false
		}
		body = body[n:]
	}
	return desk.AccountID(parts[0]), desk.AttachmentID(parts[1]), now.Before(time.Unix(int64(parts[2]), 0))
}

// OpenLink returns what the token of a signed link holds. ok is false if we did not sign
// it.
func OpenLink(by seal.Signer, token string) (body []byte, ok bool) {
	b, err := LinkEncoding.DecodeString(token)
	if err != nil || len(b) < MarkSize || LinkEncoding.EncodeToString(b) != token { // otherwise several texts would be the same link
		return nil, false
	}
	body, mark := b[:len(b)-MarkSize], b[len(b)-MarkSize:]
	return body, by.Check(mark, body)
}
