package demo

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
)

// MailDomain is the mail domain of the sample account. Nobody can own a .test domain.
const MailDomain = "mail.acme.test"

// Correspondent is somebody of a customer who writes mail.
type Correspondent struct{ Name, Email, Company string }

// Correspondents returns the people of the customers, in the order in which these
// became customers.
func Correspondents() (all []Correspondent) {
	for _, o := range organisations {
		for _, p := range o.people {
			all = append(all, Correspondent{p.name, p.email, o.name})
		}
	}
	return all
}

// addMail gives the email collection its address, unless it has one.
func (d Desk) addMail(ctx context.Context, c service.Caller) error {
	if d.MailDomain == "" {
		return nil
	}
	there, err := d.Service.Collections(ctx, c, desk.Page{Limit: desk.MostLimit}, false)
	if err != nil {
		return err
	}
	for _, col := range there.Items {
		if col.Kind != desk.EmailCollection || col.Email != nil {
			continue
		}
		address, name, signature, enabled, reply := "support@"+d.MailDomain, "Acme Support", "<p>Acme Support</p>", true,
			"<p>Thank you, we have your mail and will answer soon.</p>"
		_, err := d.Service.UpdateCollection(ctx, c, col.ID, desk.CollectionChange{Email: desk.Just(desk.EmailConfigChange{
			Address: &address, FromName: &name, Signature: &signature, AutoReply: desk.AutoReplyChange{Enabled: &enabled, HTML: &reply}})})
		return err
	}
	return nil
}
