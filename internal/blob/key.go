package blob

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
)

// randomBytes is the length of the part of a key that is drawn by lot: enough
// that two never meet, and that nobody guesses one.
const randomBytes = 16

// errNoKey is what a store says to the zero Key.
var errNoKey = errors.New("the key is empty")

// Key names a blob. Its text is the account and a random part in hexadecimal:
// 17/9f86d081884c7d659a2feaa0c55ad015. Only NewKey and ParseKey make one, so a
// Key is fit to be part of a path. The zero Key names nothing.
type Key struct {
	account desk.AccountID
	random  string
}

// NewKey makes a key that no blob has.
func NewKey(account desk.AccountID) Key {
	if account < 1 {
		panic(fmt.Sprintf("blob: a key for account %d", account)) // it could not be parsed again
	}
	var b [randomBytes]byte
	rand.Read(b[:])
	return Key{account, hex.EncodeToString(b[:])}
}

// ParseKey reads a key as String writes it, and nothing else.
func ParseKey(text string) (Key, error) {
	first, random, _ := strings.Cut(text, "/")
	account, err := strconv.ParseInt(first, 10, 64)
	k := Key{desk.AccountID(account), random}
	// The text is compared because ParseInt also takes a sign and zeros in front.
	if err != nil || account < 1 || !isRandom(random) || k.String() != text {
		return Key{}, fmt.Errorf("%q is not the key of a blob", text)
	}
	return k, nil
}

func isRandom(text string) bool {
	return len(text) == hex.EncodedLen(randomBytes) && strings.Trim(text, "0123456789abcdef") == ""
}

// Account is whose blob it is.
func (k Key) Account() desk.AccountID { return k.account }

// IsZero says whether k names nothing.
func (k Key) IsZero() bool { return k == Key{} }

// String is the text that ParseKey reads, empty for the zero Key.
func (k Key) String() string {
	if k.IsZero() {
		return ""
	}
	return fmt.Sprintf("%d/%s", k.account, k.random)
}
