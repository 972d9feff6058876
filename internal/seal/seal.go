// Package seal keeps secrets secret at rest and marks what must not be forged.
// Everything comes from one master key, made at the first start: sealed
// columns (AES-256-GCM), cursors and the audit chain (HMAC-SHA256), each with a
// key of its own derived from it.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// KeySize is the length of a master key in bytes.
const KeySize = 32

// ErrSealed says that a value was not sealed by this key for this place.
var ErrSealed = errors.New("the value was sealed with another key or for another place")

// Key is the master key. The zero Key does not work.
type Key struct {
	secret [KeySize]byte
	aead   cipher.AEAD
}

// NewKey makes a random key.
func NewKey() *Key {
	var secret [KeySize]byte
	rand.Read(secret[:])
	return newKey(secret)
}

// ParseKey reads a key as Key.String writes it: 32 bytes in base64.
func ParseKey(text string) (*Key, error) {
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(b) != KeySize {
		return nil, errors.New("a key is 32 random bytes in base64, as `openssl rand -base64 32` prints them")
	}
	return newKey([KeySize]byte(b)), nil
}

// LoadKey reads the key from a file, making the file when it is not there. The
// file is complete before it has its name, so a crash leaves no half key.
func LoadKey(path string) (*Key, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKeyFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	// A copy that was brought back may be open to others. Whose file it is not, or
	// where nothing can be written, leaves it to the operator.
	_ = os.Chmod(path, 0o600)
	k, err := ParseKey(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return k, nil
}

func makeKeyFile(path string) (*Key, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the key's folder: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*")
	if err != nil {
		return nil, fmt.Errorf("make the key: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	k := NewKey()
	if _, err := f.WriteString(k.encode() + "\n"); err != nil {
		return nil, fmt.Errorf("make the key: %w", err)
	}
	if err := f.Sync(); err != nil {
		return nil, fmt.Errorf("make the key: %w", err)
	}
	// Link, not rename: of two processes that start at once, the second must
	// take the first one's key, not replace it.
	if err := os.Link(f.Name(), path); errors.Is(err, fs.ErrExist) {
		return LoadKey(path)
	} else if err != nil {
		return nil, fmt.Errorf("make the key: %w", err)
	}
	return k, syncFolder(filepath.Dir(path))
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func newKey(secret [KeySize]byte) *Key {
	k := &Key{secret: secret}
	block, err := aes.NewCipher(k.derive("seal"))
	if err != nil {
		panic(err) // only for a key of the wrong length
	}
	if k.aead, err = cipher.NewGCMWithRandomNonce(block); err != nil {
		panic(err)
	}
	return k
}

func (k *Key) encode() string { return base64.StdEncoding.EncodeToString(k.secret[:]) }

// String hides the key from logs.
func (k *Key) String() string { return "seal.Key(hidden)" }

// derive makes the key for one purpose.
func (k *Key) derive(purpose string) []byte {
	b, err := hkdf.Key(sha256.New, k.secret[:], nil, "frontdesk "+purpose, KeySize)
	if err != nil {
		panic(err) // only for a length over 255 hashes
	}
	return b
}

// A Place is where a sealed value stands. It is sealed along, so that a value
// copied to another account or column does not open there.
type Place struct {
	Account int64
	Column  string // table.column
}

func (p Place) bytes() []byte { return fmt.Appendf(nil, "%d %s", p.Account, p.Column) }

// Seal encrypts a value for a place.
func (k *Key) Seal(p Place, value []byte) []byte { return k.aead.Seal(nil, nil, value, p.bytes()) }

// Open decrypts what Seal made. It gives ErrSealed for anything else.
func (k *Key) Open(p Place, sealed []byte) ([]byte, error) {
	value, err := k.aead.Open(nil, nil, sealed, p.bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Column, ErrSealed)
	}
	return value, nil
}

// A Signer marks bytes so that a forged or changed mark is found.
type Signer struct{ key []byte }

// Signer returns the signer for a purpose; different purposes never accept
// each other's marks.
func (k *Key) Signer(purpose string) Signer { return Signer{k.derive("sign " + purpose)} }

// Sign returns the mark of the parts. Each part's length is signed along, so
// ("ab", "c") and ("a", "bc") differ.
func (s Signer) Sign(parts ...[]byte) []byte {
	h := hmac.New(sha256.New, s.key)
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		h.Write(p)
	}
	return h.Sum(nil)
}

// Check reports whether mark is the beginning of the parts' mark. A mark may
// be cut, to no less than 8 bytes.
func (s Signer) Check(mark []byte, parts ...[]byte) bool {
	full := s.Sign(parts...)
	return len(mark) >= 8 && len(mark) <= len(full) && hmac.Equal(mark, full[:len(mark)])
}
