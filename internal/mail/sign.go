package mail

import (
	"bytes"
	"crypto"
	"fmt"

	"github.com/emersion/go-msgauth/dkim"
)

// Signer signs mail with DKIM, so that others can see that a domain vouches for it.
type Signer struct {
	Domain   string // of the From
	Selector string // names the public key in the domain's DNS
	Key      crypto.Signer
}

// signedFields are the fields that nobody may change on the way. A field that a mail
// lacks is signed too, so that nobody may add it.
var signedFields = []string{
	"From", "From", "Reply-To", "To", "Cc", "Subject", "Subject", "Date", "Message-ID", "In-Reply-To", "References",
	"MIME-Version", "Content-Type", "Auto-Submitted",
}

// Sign returns a mail with its signature.
func (s Signer) Sign(raw []byte) ([]byte, error) {
	var out bytes.Buffer
	err := dkim.Sign(&out, bytes.NewReader(raw), &dkim.SignOptions{
		Domain: s.Domain, Selector: s.Selector, Signer: s.Key,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
		HeaderKeys: signedFields,
	})
	if err != nil {
		return nil, fmt.Errorf("sign a mail with DKIM: %w", err)
	}
	return out.Bytes(), nil
}
