// Package mailbox is the mail of the people who write to the product, so that mail
// works for real without an account anywhere. It is a mail server that takes mail for
// everybody by SMTP, and a mail program in the browser to read and to write it with.
// Like package sandbox it stands in for the world outside: it stores its mails in its
// own file, it speaks SMTP with the product as any mail server does, and it knows
// nothing else about it.
package mailbox

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/mail/listen"
	"frontdesk/internal/sqldb"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// Config says where a mailbox lives and whom it talks to. Path and Server are required.
type Config struct {
	// Path is the SQLite file that holds the mails.
	Path string
	// Server is the address of the product's SMTP listener, as in 127.0.0.1:2525.
	Server string
	// Domains are the mail domains of the product. Mail for their addresses is handed to
	// Server; all other mail is kept here.
	Domains []string
	// Authserv is the name in Authentication-Results, with which a mail server says that
	// a sender is who they claim to be. Without it nothing is said.
	Authserv string
	// People are shown even if they have no mail.
	People []Person
	// Contacts returns the addresses that people may write to, the likeliest first. A new
	// mail is for the first. Defaults to none.
	Contacts func(context.Context) ([]string, error)
	// URL is where the pages are reached. Defaults to http://localhost:8080.
	URL string
	// AllowRemote serves addresses other than loopback.
	AllowRemote bool
	// Log receives what an operator should know. Defaults to slog.Default().
	Log *slog.Logger
}

// Person has a mailbox.
type Person struct {
	Name, Email, Company string
}

// Mailbox is an open mailbox. It is safe for concurrent use.
type Mailbox struct {
	// SMTP receives mail. Serve it on a listener; Close shuts it down.
	SMTP *listen.Server

	cfg     Config
	db      *sqldb.DB
	streams *streams

	mostOfOne int   // mails of one person
	mostBytes int64 // of all mails
}

// serverName is how the mail server introduces itself.
const serverName = "mail.sandbox.test"

// closeTime is how long Close waits for mails that are being received.
const closeTime = 5 * time.Second

// Open opens the mailbox of c and migrates its tables.
func Open(ctx context.Context, c Config) (*Mailbox, error) {
	if c.URL == "" {
		c.URL = "http://localhost:8080"
	}
	if c.Contacts == nil {
		c.Contacts = func(context.Context) ([]string, error) { return nil, nil }
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	c.Domains = slices.Clone(c.Domains)
	for i := range c.Domains {
		c.Domains[i] = strings.ToLower(c.Domains[i])
	}
	db, err := sqldb.Open(ctx, sqldb.Config{URL: c.Path, Log: c.Log})
	if err != nil {
		return nil, fmt.Errorf("open the mailbox: %w", err)
	}
	c.Log = db.Logger()
	files, err := fs.Sub(schemaFiles, "schema")
	if err == nil {
		_, err = db.Migrate(ctx, files)
	}
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("open the mailbox: %w", err)
	}
	m := &Mailbox{cfg: c, db: db, streams: newStreams(), mostOfOne: 500, mostBytes: 256 << 20}
	// Whoever hands us mail is on this machine, so there is nobody to protect the number
	// of connections from.
	m.SMTP = listen.New(room{m}, listen.Options{Name: serverName, Peers: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}, Log: c.Log})
	return m, nil
}

// Close ends the SMTP server and closes the file. The handler's calls must have ended.
func (m *Mailbox) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	return errors.Join(m.SMTP.Shutdown(ctx), m.db.Close())
}

// isProduct reports whether an address belongs to the product.
func (m *Mailbox) isProduct(email string) bool {
	return slices.Contains(m.cfg.Domains, domainOf(email))
}

// split divides addresses into those of people here and those of the product. People
// are named as their mailbox is.
func (m *Mailbox) split(addresses []string) (here, product []string) {
	for _, a := range addresses {
		switch owner := ownerOf(a); {
		case m.isProduct(a):
			product = append(product, a)
		case !slices.Contains(here, owner):
			here = append(here, owner)
		}
	}
	return here, product
}

// ownerOf returns whose mailbox an address is.
func ownerOf(email string) string { return strings.ToLower(email) }

func domainOf(email string) string {
	return strings.ToLower(email[strings.LastIndexByte(email, '@')+1:])
}
