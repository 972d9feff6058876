package rest

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
)

// cursors encodes and decodes cursors. A cursor is a position in a list, signed for
// the account, the list and its order. So a cursor that is forged, or that belongs
// to another list, is refused. Cursors need no escaping in a URL.
type cursors struct{ signer seal.Signer }

// listing identifies the list that a cursor belongs to.
type listing struct {
	account   desk.AccountID
	op        desk.Operation
	ascending bool
	order     string // what determines the order besides the direction; empty for most lists
}

func (l listing) bytes() []byte {
	return fmt.Appendf(nil, "%d %s %t %s", l.account, l.op, l.ascending, l.order)
}

// markLength is the number of signature bytes that a cursor carries.
const markLength = 8

func (cs cursors) encode(l listing, payload []byte) string {
	mark := cs.signer.Sign(l.bytes(), payload)[:markLength]
	return base64.RawURLEncoding.EncodeToString(append(payload, mark...))
}

func (cs cursors) decode(l listing, text string, length int) ([]byte, bool) {
	// The length of the text must match, too, because the decoder skips line
	// breaks.
	if len(text) != base64.RawURLEncoding.EncodedLen(length+markLength) {
		return nil, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != length+markLength {
		return nil, false
	}
	payload, mark := b[:length], b[length:]
	return payload, cs.signer.Check(mark, l.bytes(), payload)
}

// The lengths of an encoded position. A position in a list by rank includes a
// score.
const (
	positionLength = 16
	rankedLength   = positionLength + 8
)

// at returns the cursor that points behind a record.
func (cs cursors) at(l listing, p desk.Position) string {
	b := make([]byte, 0, rankedLength+markLength)
	b = binary.BigEndian.AppendUint64(b, uint64(p.At.UnixMilli()))
	b = binary.BigEndian.AppendUint64(b, uint64(p.ID))
	if p.Score != 0 {
		b = binary.BigEndian.AppendUint64(b, uint64(p.Score))
	}
	return cs.encode(l, b)
}

func (cs cursors) position(l listing, text string) (desk.Position, bool) {
	b, ok := cs.decode(l, text, positionLength)
	if !ok {
		if b, ok = cs.decode(l, text, rankedLength); !ok {
			return desk.Position{}, false
		}
	}
	p := desk.Position{
		At: time.UnixMilli(int64(binary.BigEndian.Uint64(b))).UTC(),
		ID: int64(binary.BigEndian.Uint64(b[8:])),
	}
	if len(b) == rankedLength {
		p.Score = int64(binary.BigEndian.Uint64(b[positionLength:]))
	}
	return p, true
}
