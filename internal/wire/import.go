package wire

import "frontdesk/internal/desk"

// Imported is the result of importing a request.
type Imported struct {
	Index      int            `json:"index"`
	ID         desk.RequestID `json:"id"`
	ExternalID *string        `json:"external_id"`
	Status     string         `json:"status"`
}

// NewImported returns the wire form of what became of imported requests.
func NewImported(all []desk.Imported) []Imported {
	list := make([]Imported, len(all))
	for i, one := range all {
		list[i] = Imported{Index: i, ID: one.Request, ExternalID: orNull(one.ExternalID), Status: "created"}
		if one.Exists {
			list[i].Status = "exists"
		}
	}
	return list
}
