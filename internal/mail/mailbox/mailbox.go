// Package mailbox reads new mail from a folder of a mailbox that people read, too (IMAP,
// RFC 3501). It changes nothing there: nothing is deleted or marked as read. It must not
// know whose mailbox it is, or what is in a mail.
//
// What its errors say:
//
//   - desk.Unavailable: the server could not be reached, or broke off.
//   - desk.Refused: the server does not open the folder, or refuses something else.
//   - ErrLost: the server does not let us in.
//   - ErrRenumbered: the server counts mails anew, so it is not known which are new.
package mailbox

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"frontdesk/internal/desk"
)

var (
	// ErrLost says that the server refuses our user name and password, or has no
	// encryption to send them over.
	ErrLost = errors.New("the mailbox does not let us in")
	// ErrRenumbered says that the folder is another than the one that a position is
	// about. Somebody has made it anew, for example.
	ErrRenumbered = errors.New("the folder of the mailbox was made anew")
)

// Settings say where a folder is and how to get in.
type Settings struct {
	Host     string
	Port     int
	TLS      string // implicit, starttls or none
	User     string
	Password string
	Folder   string // as in INBOX

	// authority is for tests, whose servers have certificates of their own.
	authority *x509.CertPool
}

// String returns where the folder is, without the password.
func (s Settings) String() string {
	return fmt.Sprintf("imap://%s@%s/%s", s.User, s.address(), s.Folder)
}

func (s Settings) address() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// Dial connects with a server. It may refuse an address with a desk.Error.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

const (
	// commandTime is how long the server may take for an answer, and mailTime for a
	// mail.
	commandTime = time.Minute
	mailTime    = 10 * time.Minute
	// mostAnswers bounds what the server may send besides a mail. A list of 100,000
	// mails has 3 MB.
	mostAnswers = 8 << 20
)

// Session is a connection with an open folder. It is for one goroutine, and of no more
// use after an error of its server or the end of a context.
type Session struct {
	settings Settings
	conn     *boundedConn
	client   *imapclient.Client
	idles    bool          // the server tells when mail has come
	came     chan struct{} // holds one if mail may have come
	end      Position      // of the folder when it was opened
}

// Open connects with a server, signs in and opens the folder.
func Open(ctx context.Context, settings Settings, dial Dial) (_ *Session, err error) {
	s := &Session{settings: settings, came: make(chan struct{}, 1)}
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	conn, err := dial(ctx, "tcp", settings.address())
	if e, ok := errors.AsType[*desk.Error](err); ok {
		return nil, e
	}
	if err != nil {
		return nil, s.unavailable(ctx, "connect", err)
	}
	s.conn = &boundedConn{Conn: conn}
	ctx, done := s.within(ctx, commandTime, mostAnswers)
	defer done()
	defer func() {
		if err != nil {
			conn.Close()
		}
	}()
	if err := s.greet(ctx); err != nil {
		return nil, err
	}
	if err := s.client.Login(settings.User, settings.Password).Wait(); err != nil {
		return nil, s.refused(ctx, "sign in", err, func(answer string) error {
			return fmt.Errorf("%w: %s answers: %s", ErrLost, settings.Host, answer)
		})
	}
	s.idles = s.client.Caps().Has(imap.CapIdle)
	if err := s.examine(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// greet begins to speak IMAP, with encryption if the settings ask for it.
func (s *Session) greet(ctx context.Context) error {
	options := &imapclient.Options{
		TLSConfig: &tls.Config{ServerName: s.settings.Host, RootCAs: s.settings.authority, MinVersion: tls.VersionTLS12},
		UnilateralDataHandler: &imapclient.UnilateralDataHandler{Mailbox: func(data *imapclient.UnilateralDataMailbox) {
			if data.NumMessages != nil {
				s.noteMail()
			}
		}},
	}
	var err error
	switch s.settings.TLS {
	case "implicit":
		encrypted := tls.Client(s.conn, options.TLSConfig)
		if err = encrypted.HandshakeContext(ctx); err == nil {
			s.client = imapclient.New(encrypted, options)
		}
	case "starttls":
		s.client, err = imapclient.NewStartTLS(s.conn, options)
		if _, ok := errors.AsType[*imap.Error](err); ok {
			return fmt.Errorf("%w: %s offers no encryption (STARTTLS)", ErrLost, s.settings.Host)
		}
	default:
		s.client = imapclient.New(s.conn, options)
	}
	if err != nil {
		return s.unavailable(ctx, "encrypt the connection", err)
	}
	if err := s.client.WaitGreeting(); err != nil {
		return s.unavailable(ctx, "greet", err)
	}
	return nil
}

// examine opens the folder so that nothing in it can be changed.
func (s *Session) examine(ctx context.Context) error {
	data, err := s.client.Select(s.settings.Folder, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return s.refused(ctx, "open a folder", err, func(answer string) error {
			return desk.Errorf(desk.Refused, "The folder %q cannot be opened. The mail server answers: %s", s.settings.Folder, answer)
		})
	}
	if data.UIDValidity == 0 { // then nobody could tell which mails are new
		return desk.Errorf(desk.Refused, "The mail server does not number the mails of the folder %q.", s.settings.Folder)
	}
	s.end = Position{Validity: data.UIDValidity}
	if data.UIDNext > 0 {
		s.end.UID = uint32(data.UIDNext) - 1
		return nil
	}
	uids, err := s.list(ctx, 1, 0) // old servers do not tell
	if len(uids) > 0 {
		s.end.UID = uids[len(uids)-1]
	}
	return err
}

// noteMail notes that mail may have come.
func (s *Session) noteMail() {
	select {
	case s.came <- struct{}{}:
	default:
	}
}

// Close says goodbye.
func (s *Session) Close() {
	_, done := s.within(context.Background(), 5*time.Second, mostAnswers)
	defer done()
	s.client.Logout().Wait() // the server may be gone
	s.client.Close()
}

// within bounds what follows by a context, a time and the bytes that the server may
// send. Past them, the connection ends.
func (s *Session) within(ctx context.Context, d time.Duration, bytes int64) (_ context.Context, done func()) {
	s.conn.left.Store(bytes)
	ctx, cancel := context.WithTimeout(ctx, d)
	stop := context.AfterFunc(ctx, func() { s.conn.Close() })
	return ctx, func() {
		stop()
		cancel()
	}
}

// boundedConn ends when the server has sent more than it may.
type boundedConn struct {
	net.Conn
	left atomic.Int64
}

func (c *boundedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.left.Add(-int64(n)) < 0 {
		c.Close()
		return 0, errors.New("the server sends more than we asked for")
	}
	return n, err
}

// refused returns the error of a command. An answer that says no for now is as good as
// none.
func (s *Session) refused(ctx context.Context, what string, err error, refusal func(answer string) error) error {
	answer, ok := errors.AsType[*imap.Error](err)
	if !ok {
		return s.unavailable(ctx, what, err)
	}
	switch answer.Code {
	case imap.ResponseCodeUnavailable, imap.ResponseCodeInUse, imap.ResponseCodeLimit, imap.ResponseCodeServerBug:
		return s.unavailable(ctx, what, err)
	}
	return refusal(sentence(answer))
}

func (s *Session) unavailable(ctx context.Context, what string, err error) error {
	message := "The mail server cannot be reached."
	if cert, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		message = fmt.Sprintf("The certificate of %s is not valid: %s.", s.settings.Host, strings.TrimPrefix(cert.Err.Error(), "x509: "))
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		message = "The mail server takes too long to answer."
	}
	return &desk.Error{Kind: desk.Unavailable, Message: message, Err: fmt.Errorf("%s at %s: %w", what, s.settings, err)}
}

// mostAnswer bounds how much of a server's answer people are shown.
const mostAnswer = 500

// sentence makes an answer fit to be shown: on one line, and not too long.
func sentence(answer *imap.Error) string {
	text := strings.Join(strings.Fields(desk.CleanText(strings.ToValidUTF8(answer.Text, ""))), " ")
	if letters := []rune(text); len(letters) > mostAnswer {
		return string(letters[:mostAnswer]) + "…"
	}
	return text
}
