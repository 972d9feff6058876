package change

import (
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
)

// DeliverAnnouncementAt queues a job that sends an announcement and updates its
// copies at a time.
func DeliverAnnouncementAt(tx *store.Tx, id desk.AnnouncementID, at time.Time) error {
	return job.Add(tx.Tx, DeliverAnnouncement{tx.Account, id}, tx.Now, job.At(at), job.Key(fmt.Sprintf("%d %d", tx.Account, id)))
}

// MostAnnouncedFiles is how large all files of an announcement may be together, in
// bytes.
const MostAnnouncedFiles = 100 << 20

// DeliverAnnouncement is a job that sends an announcement whose time has come to
// the channels that have not received it yet, and updates the copies that show an
// older text.
type DeliverAnnouncement struct {
	Account      desk.AccountID
	Announcement desk.AnnouncementID
}

func (DeliverAnnouncement) Kind() string { return "announcement.send" }

// FilesTooLarge reports whether the files of a message are larger than
// MostAnnouncedFiles together.
func FilesTooLarge(files []chat.File) bool {
	var size int64
	for _, f := range files {
		size += f.Size
	}
	return size > MostAnnouncedFiles
}

// ViewCopy returns what an announcement looks like in a channel: who sends it there,
// and its text with the variables filled in. A nil text is a message of the chat
// system, which looks the same everywhere.
func ViewCopy(tx *store.Tx, i desk.Integration, s desk.Sender, channel string, text *desk.AnnouncementText) (v desk.AnnouncementCopyView, err error) {
	channels, err := tx.ChannelsNamed([]string{channel})
	if err != nil {
		return v, err
	}
	ch := channels[channel]
	v.Channel, v.ChannelName = channel, ch.Name
	needs := text != nil && len(markup.Variables(string(*text))) > 0
	var customer desk.Customer
	if needs || s.Kind == desk.CustomerOwnerSender {
		if customer, err = customerOfChannel(tx, channel); err != nil {
			return v, err
		}
	}
	if v.Sender, v.Problem, err = senderIn(tx, i, s, ch, customer); err != nil || text == nil {
		return v, err
	}
	if !needs {
		v.HTML = string(*text)
		return v, nil
	}
	values := map[string]string{"customer": customer.Name, "channel": ch.Name}
	if v.Sender != nil {
		values["sender"] = v.Sender.Name
	}
	var missing []string
	v.HTML, missing = markup.Fill(string(*text), values)
	if len(missing) > 0 && v.Problem == "" {
		v.Problem = missingText(missing)
	}
	return v, nil
}

// missingText says why variables cannot be filled in, and what to do about it.
func missingText(missing []string) string {
	if slices.Contains(missing, "customer") {
		return "The channel belongs to no customer, so {customer} has nothing to stand for. Write {customer|everyone} to choose words for such channels."
	}
	return fmt.Sprintf("The variable {%s} has nothing to stand for in this channel.", missing[0])
}

// customerOfChannel returns the customer of a channel, or the zero value if it has
// none.
func customerOfChannel(tx *store.Tx, channel string) (c desk.Customer, err error) {
	of, err := tx.CustomersOf([]string{channel})
	if err != nil || of[channel] == 0 {
		return c, err
	}
	return tx.Customer(of[channel])
}

// senderIn returns who sends an announcement in a channel. problem says why nobody can.
func senderIn(tx *store.Tx, i desk.Integration, s desk.Sender, ch desk.Channel, customer desk.Customer) (face *desk.Face, problem string, err error) {
	var candidates []string
	switch s.Kind {
	case desk.NativeSender:
		candidates = []string{i.BotUser}
	case desk.UserSender:
		candidates = []string{s.User}
	default:
		owners, err := ownersOf(tx, ch, customer)
		if err != nil {
			return nil, "", err
		}
		candidates = s.Kind.Candidates(owners)
	}
	found, err := tx.UsersNamed(candidates)
	if err != nil {
		return nil, "", err
	}
	for _, id := range candidates {
		if u, ok := found[id]; ok && !u.Deleted {
			face := desk.FaceOf(u)
			return &face, "", nil
		}
	}
	if s.Kind == desk.NativeSender { // the directory has not been read yet
		return &desk.Face{Name: "Frontdesk"}, "", nil
	}
	return nil, map[desk.SenderKind]string{
		desk.UserSender:          "The sender is no longer in the chat system.",
		desk.TopicOwnerSender:    "Neither the channel nor its collection has an owner to send it as.",
		desk.CustomerOwnerSender: "Neither the channel's customer nor a collection has an owner to send it as.",
	}[s.Kind], nil
}

// ownersOf returns the owners of a channel, of its customer and of their collections.
func ownersOf(tx *store.Tx, ch desk.Channel, customer desk.Customer) (o desk.Owners, err error) {
	ownerOf := func(id *desk.CollectionID) (*string, error) {
		if id == nil {
			return nil, nil
		}
		col, err := tx.Collection(*id)
		return col.Owner, desk.IgnoreMissing(err)
	}
	o.Channel, o.Customer = ch.Owner, customer.Owner
	if o.Collection, err = ownerOf(ch.Collection); err != nil {
		return o, err
	}
	o.CustomerCollection, err = ownerOf(customer.Collection)
	return o, err
}

// NotifyUser is a job that tells one person something, as a direct message from the
// bot or under another name.
type NotifyUser struct {
	Account desk.AccountID
	User    string
	HTML    string
	Footer  string
	Mark    string
	As      *chat.Persona
	Unfurl  chat.Unfurl
}

func (NotifyUser) Kind() string { return "chat.notice" }
