package desk

import (
	"regexp"
	"strings"
	"time"
	"unicode"
)

type AccountID int64

// Account is one organisation that uses the product. Nothing it owns is visible to
// another account.
type Account struct {
	ID            AccountID
	Name          string
	KeyPrefix     string // prefix of ticket keys: ACME in ACME-17
	TimeZone      string // an IANA name; reports and schedules start their days in it
	OnHoldAllowed bool   // whether requests may be put on hold
	// APICollection is where requests made through the API go; 0 if there is no API
	// collection.
	APICollection CollectionID
	// EmailCollection is the collection as which all others write mail; nil if the
	// account has no mail.
	EmailCollection *CollectionID
	Categories      []string // requests may be sorted into these; a removed category stays on the requests that have it
	PublicURL       string   // where people reach this installation; set on the server
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

func (a Account) Named() (resource, id string) { return "Account", FormatID(a.ID) }

const (
	mostName      = 200
	mostKeyPrefix = 10
)

var keyPrefixShape = regexp.MustCompile(`^[A-Z][A-Z0-9]{0,9}$`)

// NewAccount makes an account with default settings. Its key prefix is made from
// the letters of its name.
func NewAccount(name string, now time.Time) (Account, error) {
	a := Account{Name: name, TimeZone: "UTC", OnHoldAllowed: true, Categories: DefaultCategories(), CreatedAt: now, UpdatedAt: now}
	a.KeyPrefix = keyPrefixFor(name)
	var p Problems
	a.check(&p)
	return a, p.Err()
}

func keyPrefixFor(name string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(name), " ")
	prefix := strings.Map(func(r rune) rune {
		if r = unicode.ToUpper(r); r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, word)
	prefix = prefix[:min(len(prefix), mostKeyPrefix)]
	if !keyPrefixShape.MatchString(prefix) {
		return "DESK"
	}
	return prefix
}

// AccountChange is a change to an account. A nil field stays as it is.
type AccountChange struct {
	Body
	Name          *string
	KeyPrefix     *string
	TimeZone      *string
	OnHoldAllowed *bool
	APICollection *CollectionID // must be an API collection of the account; Apply does not check this
	// EmailCollection must be an email collection of the account with a configuration;
	// Apply does not check this.
	EmailCollection Nullable[CollectionID]
	Categories      *[]string
}

// Apply makes the whole change, or returns Invalid and changes nothing.
func (a *Account) Apply(ch AccountChange, now time.Time) error {
	return amend(a, ch.Body, func(next *Account, p *patch) {
		take(p, "name", &next.Name, ch.Name)
		take(p, "key_prefix", &next.KeyPrefix, ch.KeyPrefix)
		take(p, "time_zone", &next.TimeZone, ch.TimeZone)
		take(p, "on_hold_allowed", &next.OnHoldAllowed, ch.OnHoldAllowed)
		take(p, "api_collection_id", &next.APICollection, ch.APICollection)
		takeNullable(p, "email_collection_id", &next.EmailCollection, ch.EmailCollection)
		take(p, "categories", &next.Categories, ch.Categories)
		next.check(&p.Problems)
		next.UpdatedAt = now
	})
}

func (a *Account) check(p *Problems) {
	p.Text("name", &a.Name, 1, mostName)
	if !keyPrefixShape.MatchString(a.KeyPrefix) {
		p.Add("key_prefix", "must be 1 to %d capital letters and digits, starting with a letter", mostKeyPrefix)
	}
	if !IsZone(a.TimeZone) {
		p.Add("time_zone", "must be an IANA time zone, such as Europe/Berlin")
	}
	a.Categories = p.checkCategories("categories", a.Categories)
}

// IsZone refuses "" and "Local", because Go reads them as UTC and the machine's own
// zone.
func IsZone(name string) bool {
	if name == "" || name == "Local" {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

// set stores v in the field if v was given.
func set[T any](field *T, v *T) {
	if v != nil {
		*field = *v
	}
}
