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

// randomBytes is the length of the random part of a key. It is long enough to avoid
// collisions and guesses.
const randomBytes = 16

// errNoKey is a store's error for the zero Key.
var errNoKey = errors.New("the key is empty")

// Key names a blob. Its text is the account and a random part in hexadecimal:
// 17/9f86d081884c7d659a2feaa0c55ad015. Only NewKey and ParseKey make keys, so a Key
// is safe to use in a path. The zero Key names nothing.
type Key struct {
	account desk.AccountID
	random  string
}

// NewKey makes a key that no blob has.
func NewKey(account desk.AccountID) Key {
	if account < 1 {
		panic(fmt.Sprintf("blob: a key for account %d", account)) // ParseKey would reject it
	}
	var b [randomBytes]byte
	rand.Read(b[:])
	return Key{account, hex.EncodeToString(b[:])}
}

// ParseKey parses a key that String wrote, and nothing else.
func ParseKey(text string) (Key, error) {
	first, random, _ := strings.Cut(text, "/")
	account, err := strconv.ParseInt(first, 10, 64)
	k := Key{desk.AccountID(account), random}
	// Compare the text, because ParseInt also accepts a sign and leading zeros.
	if err != nil || account < 1 || !isRandom(random) || k.String() != text {
		return Key{}, fmt.Errorf("%q is not the key of a blob", text)
	}
	return k, nil
}

func isRandom(text string) bool {
	return len(text) == hex.EncodedLen(randomBytes) && strings.Trim(text, "0123456789abcdef") == ""
}

// Account returns the account that owns the blob.
func (k Key) Account() desk.AccountID { return k.account }

// IsZero reports whether k names nothing.
func (k Key) IsZero() bool { return k == Key{} }

// String returns the text that ParseKey parses. It is empty for the zero Key.
func (k Key) String() string {
	if k.IsZero() {
		return ""
	}
	return fmt.Sprintf("%d/%s", k.account, k.random)
}
