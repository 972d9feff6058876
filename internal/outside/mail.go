package outside

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"frontdesk/internal/desk"
)

// MailSender hands mail to the server that sends it on. from and to are those of the
// envelope. A *desk.Error that it returns is fit to be shown.
type MailSender interface {
	Send(ctx context.Context, from, to string, mail []byte) error
}

// Resolver asks name servers. A *net.Resolver is one.
type Resolver interface {
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// resolveTime is how long name servers are waited for.
const resolveTime = 5 * time.Second

// FindRecords looks for all records at once, and says for each whether it is there.
func (s *Systems) FindRecords(ctx context.Context, records []desk.DNSRecord) {
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	var asking sync.WaitGroup
	for i := range records {
		asking.Go(func() { s.findRecord(ctx, &records[i]) })
	}
	asking.Wait()
}

func (s *Systems) findRecord(ctx context.Context, r *desk.DNSRecord) {
	values, err := s.lookUp(ctx, *r)
	missing := (*net.DNSError)(nil)
	if err != nil && !(errors.As(err, &missing) && missing.IsNotFound) {
		r.Detail = "The name servers did not answer. Try again later."
		return
	}
	r.Judge(values)
}

func (s *Systems) lookUp(ctx context.Context, r desk.DNSRecord) (values []string, err error) {
	if r.Type == desk.TXT {
		return s.DNS.LookupTXT(ctx, r.Name)
	}
	found, err := s.DNS.LookupMX(ctx, r.Name)
	for _, mx := range found {
		values = append(values, fmt.Sprint(mx.Pref, " ", mx.Host))
	}
	return values, err
}
