package service

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// PasswordCost is what hashing a password with argon2id costs, in one thread.
type PasswordCost struct {
	Memory uint32 // in KiB
	Passes uint32
}

// defaultCost takes 19 MiB and about 30 ms.
var defaultCost = PasswordCost{Memory: 19 << 10, Passes: 2}

const (
	// mostHashing is how many passwords are hashed at the same time, which limits
	// the memory for it. hashingWait is how long somebody waits for their turn.
	mostHashing = 2
	hashingWait = 5 * time.Second

	saltSize = 16
	hashSize = 32
	// mostCost is the most memory, in KiB, that a hash in the database can make us
	// spend.
	mostCost = 1 << 20
)

var errHashing = &desk.Error{Kind: desk.Busy, RetryAfter: hashingWait,
	Message: "Too many people are signing in at this moment. Try again in a few seconds."}

// passwords hashes passwords and checks them.
type passwords struct {
	cost  PasswordCost
	turns chan struct{}
	// nobodys is a hash that no password matches. Checking it takes as long as
	// checking a real one.
	nobodys string
}

func newPasswords(cost PasswordCost) *passwords {
	if cost == (PasswordCost{}) {
		cost = defaultCost
	}
	p := &passwords{cost: cost, turns: make(chan struct{}, mostHashing)}
	random := make([]byte, saltSize+hashSize)
	rand.Read(random)
	p.nobodys = encodeHash(cost, random[:saltSize], random[saltSize:])
	return p
}

// hash returns the text that is stored for a password.
func (p *passwords) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltSize)
	rand.Read(salt)
	sum, err := p.sum(ctx, p.cost, password, salt)
	if err != nil {
		return "", err
	}
	return encodeHash(p.cost, salt, sum), nil
}

// opens reports whether a password matches a hash. Without a hash it takes just as
// long and returns false.
func (p *passwords) opens(ctx context.Context, hash, password string) (bool, error) {
	known := hash != ""
	if !known {
		hash = p.nobodys
	}
	cost, salt, want, err := decodeHash(hash)
	if err != nil {
		return false, err
	}
	got, err := p.sum(ctx, cost, password, salt)
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1 && known, err
}

// dated reports whether a hash was made at a cost other than today's.
func (p *passwords) dated(hash string) bool {
	cost, _, _, err := decodeHash(hash)
	return err == nil && cost != p.cost
}

func (p *passwords) sum(ctx context.Context, cost PasswordCost, password string, salt []byte) ([]byte, error) {
	wait := time.NewTimer(hashingWait)
	defer wait.Stop()
	select {
	case p.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, errHashing
	case <-wait.C:
		return nil, errHashing
	}
	defer func() { <-p.turns }()
	// Keyboards encode the same letter in different ways.
	return argon2.IDKey([]byte(norm.NFC.String(password)), salt, cost.Passes, cost.Memory, 1, hashSize), nil
}

// A hash says how it was made, in the usual form:
//
//	$argon2id$v=19$m=19456,t=2,p=1$salt$sum
const hashForm = "$argon2id$v=19$m=%d,t=%d,p=1$"

func encodeHash(cost PasswordCost, salt, sum []byte) string {
	e := base64.RawStdEncoding
	return fmt.Sprintf(hashForm, cost.Memory, cost.Passes) + e.EncodeToString(salt) + "$" + e.EncodeToString(sum)
}

func decodeHash(hash string) (cost PasswordCost, salt, sum []byte, err error) {
	bad := fmt.Errorf("the hash of a password is not in the form %s", hashForm)
	if _, err := fmt.Sscanf(hash, hashForm, &cost.Memory, &cost.Passes); err != nil || cost.Memory == 0 || cost.Passes == 0 || cost.Memory > mostCost || cost.Passes > 100 {
		return cost, nil, nil, bad
	}
	parts := strings.Split(hash, "$")
	if len(parts) != 6 {
		return cost, nil, nil, bad
	}
	salt, err = base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return cost, nil, nil, bad
	}
	sum, err = base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(sum) != hashSize {
		return cost, nil, nil, bad
	}
	return cost, salt, sum, nil
}
