package clientfleet

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// TLS makes clients connect over TLS 1.2 or 1.3, whichever the server prefers, and verify the server's certificate for
// the address in Plan.Addr. Each client costs 9 KiB more (7 with TLS 1.2), and 31 once its records are full ones of 16
// KiB: crypto/tls keeps its buffer. The handshakes are part of Connected.ConnectNs.
//
// A record can only be read when its last byte is there, so that a message counts at the last byte of its last record.
type TLS struct {
	CAPEM string `json:"ca_pem"` // certificates, PEM, of which one must have signed the server's
}

// config is the same for all clients of a fleet, nil for a nil t.
func (t *TLS) config(addr string) (*tls.Config, error) {
	if t == nil {
		return nil, nil
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPlan, err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(t.CAPEM)) {
		return nil, fmt.Errorf("%w: TLS without a certificate authority in PEM", ErrPlan)
	}
	return &tls.Config{RootCAs: roots, ServerName: host, MinVersion: tls.VersionTLS12}, nil
}

// secure is the TLS of one client, and the connection that crypto/tls sees below itself. During the handshakes that is the
// socket. Then it is the bytes that a reader has just read, which end in errDry, and those that it is to send: the
// socket belongs to the reader, kernel stamps and all.
type secure struct {
	plain *tls.Conn
	raw   io.ReadWriter // the socket during the handshakes, nil afterwards
	in    []byte        // read and not yet taken by crypto/tls, which keeps a part of a record for itself
	out   []byte        // records to be sent
	records
}

func newSecure(raw io.ReadWriter, config *tls.Config) *secure {
	s := &secure{raw: raw}
	s.plain = tls.Client(s, config)
	return s
}

// errDry ends a read for now. crypto/tls goes on where it was after an error that calls itself temporary, and only then.
var errDry net.Error = dry{}

type dry struct{}

func (dry) Error() string   { return "no more bytes yet" }
func (dry) Timeout() bool   { return false }
func (dry) Temporary() bool { return true }

// Read gives crypto/tls what there is.
func (s *secure) Read(b []byte) (int, error) {
	if s.raw != nil {
		n, err := s.raw.Read(b)
		s.follow(b[:n])
		return n, err
	}
	if len(s.in) == 0 {
		return 0, errDry
	}
	n := copy(b, s.in)
	s.in = s.in[n:]
	return n, nil
}

// Write takes records of crypto/tls.
func (s *secure) Write(b []byte) (int, error) {
	if s.raw != nil {
		return s.raw.Write(b)
	}
	s.out = append(s.out, b...)
	return len(b), nil
}

// The rest of net.Conn is not used: the socket has deadlines of its own during the handshakes and is closed by its owner.
func (*secure) Close() error                     { return nil }
func (*secure) LocalAddr() net.Addr              { return nil }
func (*secure) RemoteAddr() net.Addr             { return nil }
func (*secure) SetDeadline(time.Time) error      { return nil }
func (*secure) SetReadDeadline(time.Time) error  { return nil }
func (*secure) SetWriteDeadline(time.Time) error { return nil }

// unseal decrypts b, which came at m, and feeds what is in it.
func (r *reader) unseal(c *client, b []byte, m moment, run *run) error {
	s := c.secure
	whole := s.follow(b)
	s.in = b
	run.atEnd = false
	for {
		n, err := s.plain.Read(r.plain)
		if fed := r.feed(c, r.plain[:n], m, run); fed != nil {
			return fed
		}
		if err == nil {
			continue
		}
		run.atEnd = run.atEnd && whole // behind a message there may be a part of the next record
		switch {
		case errors.Is(err, io.EOF):
			return errEOF
		case err != errDry:
			return err
		case len(s.out) > 0:
			return r.sendRecords(c)
		}
		return nil
	}
}

// records follows the boundaries of TLS records: 5 bytes of which the last two are a length, then that many.
type records struct {
	head uint8  // bytes of a header so far
	size uint16 // the length, as far as it is known
	left int    // bytes of the current record still to come
}

// follow goes on over b and says whether it ends with a record.
func (r *records) follow(b []byte) (whole bool) {
	for len(b) > 0 {
		if r.left > 0 {
			n := min(r.left, len(b))
			r.left -= n
			b = b[n:]
			continue
		}
		r.size = r.size<<8 | uint16(b[0])
		r.head++
		b = b[1:]
		if r.head == 5 {
			r.head, r.left = 0, int(r.size)
		}
	}
	return r.head == 0 && r.left == 0
}
