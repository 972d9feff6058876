package mail

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
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

// DKIMRecord returns the TXT record with which a domain says that a key signs its mail.
func DKIMRecord(key crypto.PublicKey) (string, error) {
	switch key := key.(type) {
	case ed25519.PublicKey:
		return "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(key), nil
	case *rsa.PublicKey:
		der, err := x509.MarshalPKIXPublicKey(key)
		return "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(der), err
	}
	return "", fmt.Errorf("a DKIM key is an RSA or Ed25519 key, not %T", key)
}
