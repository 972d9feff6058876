// Package seal encrypts secrets at rest and signs values that must not be forged.
// One master key, created at the first start, is the source of all keys. Sealed
// columns (AES-256-GCM), cursors and the audit chain (HMAC-SHA256) each have a key
// of their own, derived from it.
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

// ErrSealed says that a value was not sealed with this key for this place.
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

// ParseKey parses a key in the form of the key file: 32 bytes in base64.
func ParseKey(text string) (*Key, error) {
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(b) != KeySize {
		return nil, errors.New("a key is 32 random bytes in base64, as `openssl rand -base64 32` prints them")
	}
	return newKey([KeySize]byte(b)), nil
}

// LoadKey reads the key from a file. It creates the file if there is none. The file
// is complete before it gets its name, so a crash never leaves half a key.
func LoadKey(path string) (*Key, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKeyFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	// A restored copy may be readable by others. This fails for a file of another
	// user or on a read-only disk, and then it is up to the operator.
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
	// Link, not rename. If two processes start at once, the second must use the
	// first one's key, not replace it.
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
		panic(err) // only if the key has the wrong length
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
		panic(err) // only if the length is over 255 hashes
	}
	return b
}

// A Place is where a sealed value is stored. The seal includes it, so a value that
// is copied to another account or column does not open there.
type Place struct {
	Account int64
	Column  string // table.column
}

func (p Place) bytes() []byte { return fmt.Appendf(nil, "%d %s", p.Account, p.Column) }

// Seal encrypts a value for a place.
func (k *Key) Seal(p Place, value []byte) []byte { return k.aead.Seal(nil, nil, value, p.bytes()) }

// Open decrypts a value that Seal returned. It returns ErrSealed for anything else.
func (k *Key) Open(p Place, sealed []byte) ([]byte, error) {
	value, err := k.aead.Open(nil, nil, sealed, p.bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Column, ErrSealed)
	}
	return value, nil
}

// A Signer signs bytes with a mark that reveals forgery and changes.
type Signer struct{ key []byte }

// Signer returns the signer for a purpose. Signers for different purposes never
// accept each other's marks.
func (k *Key) Signer(purpose string) Signer { return Signer{k.derive("sign " + purpose)} }

// Sign returns the mark of the parts. It also signs the length of each part, so
// ("ab", "c") and ("a", "bc") differ.
func (s Signer) Sign(parts ...[]byte) []byte {
	h := hmac.New(sha256.New, s.key)
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		h.Write(p)
	}
	return h.Sum(nil)
}

// Check reports whether mark is the mark of the parts, or the beginning of it. A
// mark may be cut to no less than 8 bytes.
func (s Signer) Check(mark []byte, parts ...[]byte) bool {
	full := s.Sign(parts...)
	return len(mark) >= 8 && len(mark) <= len(full) && hmac.Equal(mark, full[:len(mark)])
}
