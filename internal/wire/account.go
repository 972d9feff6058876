package wire

import "frontdesk/internal/desk"

// Account is an account on the wire.
type Account struct {
	ID              desk.AccountID     `json:"id"`
	Name            string             `json:"name"`
	KeyPrefix       string             `json:"key_prefix"`
	TimeZone        string             `json:"time_zone"`
	OnHoldAllowed   bool               `json:"on_hold_allowed"`
	APICollection   *desk.CollectionID `json:"api_collection_id"`
	EmailCollection *desk.CollectionID `json:"email_collection_id"`
	Categories      []string           `json:"categories"`
	PublicURL       string             `json:"public_url"`
	CreatedAt       Time               `json:"created_at"`
	UpdatedAt       Time               `json:"updated_at"`
}

// NewAccount returns the wire form of an account.
func NewAccount(a desk.Account) Account {
	return Account{
		ID: a.ID, Name: a.Name, KeyPrefix: a.KeyPrefix, TimeZone: a.TimeZone, OnHoldAllowed: a.OnHoldAllowed,
		APICollection: orNull(a.APICollection), EmailCollection: a.EmailCollection, Categories: orEmpty(a.Categories), PublicURL: a.PublicURL,
		CreatedAt: NewTime(a.CreatedAt), UpdatedAt: NewTime(a.UpdatedAt),
	}
}
