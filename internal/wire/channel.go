package wire

import "frontdesk/internal/desk"

// Channel is a channel on the wire.
type Channel struct {
	ID         string             `json:"id"`
	Name       string             `json:"name"`
	Owner      *string            `json:"owner"`
	Status     string             `json:"status"`
	Collection *desk.CollectionID `json:"collection_id"`
	IsPrivate  bool               `json:"is_private"`
	IsArchived bool               `json:"is_archived"`
	IsMember   bool               `json:"is_member"`
}

// NewChannel returns the wire form of a channel.
func NewChannel(c desk.Channel) Channel {
	return Channel{
		ID: c.ID, Name: c.Name, Owner: c.Owner, Status: status(c), Collection: c.Collection,
		IsPrivate: c.Private, IsArchived: c.Archived, IsMember: c.BotMember,
	}
}

func status(c desk.Channel) string {
	if c.Active && c.Collection != nil {
		return "active"
	}
	return "inactive"
}
