package rest

import "frontdesk/internal/desk"

// accountChange reads a change to the account.
func accountChange(b object) desk.AccountChange {
	return desk.AccountChange{
		Name:            b.text("name"),
		KeyPrefix:       b.text("key_prefix"),
		TimeZone:        b.text("time_zone"),
		OnHoldAllowed:   b.flag("on_hold_allowed"),
		APICollection:   member[desk.CollectionID](b, "api_collection_id", "a number"),
		EmailCollection: nullable[desk.CollectionID](b, "email_collection_id", "a number"),
		Categories:      member[[]string](b, "categories", "a list of strings"),
	}
}
