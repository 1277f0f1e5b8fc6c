// Package engines is how bytes leave a server: one adapter per WebSocket library, behind one contract.
package engines

import (
	"context"
	"errors"
	"net"
)

// An Engine is a WebSocket server whose connections a strategy writes to.
type Engine interface {
	// Start serves ln and returns at once; the engine owns ln from here on. It is called once.
	Start(ln net.Listener) error
	// Conns returns the open connections ordered by client number: a snapshot for the experiment, not for a hot path.
	Conns() []Conn
	// Prepare frames payload once, in the engine's own form. The payload must not be touched afterwards.
	Prepare(payload []byte) (Prepared, error)
	// Stop sends close code 1001 to everybody who still takes it and returns when nothing of the engine runs any more:
	// no goroutine, no descriptor. A stuck client does not delay it beyond the write timeout.
	Stop(ctx context.Context) error
}

// Prepared is a message framed once; only the engine that made it can read it. It may be shared by any number of
// connections and goroutines.
type Prepared any

// A Conn is one client. One goroutine at a time may write to it (Write, WritePrepared); the other methods are safe at any time.
type Conn interface {
	// Number is the client's place in the list, chosen by the client (/ws?i=17).
	Number() int
	// Write sends one binary message. An error means that the eviction of the client has begun: OnClose follows.
	Write(payload []byte) error
	// WritePrepared sends a message framed by this engine's Prepare; errors as Write.
	WritePrepared(p Prepared) error
	// Owed is how many bytes were handed over that the kernel has not taken. It is 0 after a close. They are counted as
	// they enter the socket layer, compressed and encrypted; where writes block, a message enters it piece by piece then.
	Owed() int64
	// Control calls f with the descriptor, never after a close, when the number may already be another client's.
	// It returns ErrClosed then. f must not block, keep fd or call the connection's other methods, nor write if the engine
	// speaks TLS.
	Control(f func(fd uintptr)) error
	// Evict closes the connection and reports cause through OnClose. Only the first cause counts; safe to repeat.
	Evict(cause error)
}

// Hooks are called by an engine. Nil hooks are allowed.
type Hooks struct {
	// OnOpen is called once per client before any other hook of that client, not on the accept loop.
	OnOpen func(Conn)
	// OnMessage is called with each complete text or binary message; the bytes are valid only during the call.
	OnMessage func(Conn, []byte)
	// OnClose is called exactly once per opened client with the true cause (errors.Is one of the causes below where one
	// applies), never on the goroutine of a Write or a Broadcast.
	OnClose func(Conn, error)
	// Deaf reports whether the server has no message handler for a client: OnMessage is never called for it, and its
	// library behaves as it does without one. Nil: nobody is deaf. It is asked at the handshake, and again for a message.
	Deaf func(number int) bool
}

// The causes that OnClose reports. Each is wrapped with detail where there is some; test with errors.Is.
var (
	ErrWriteTimeout  = errors.New("write timeout")     // a byte was owed for longer than the write timeout
	ErrWriteOverflow = errors.New("write overflow")    // more pending bytes than pendingcap
	ErrQueueFull     = errors.New("queue full")        // a strategy's queue was full and its policy is to evict
	ErrUserTimeout   = errors.New("user timeout")      // TCP_USER_TIMEOUT fired
	ErrTCPKeepalive  = errors.New("tcp keepalive")     // no answer to the probes of the option tcpkeepalive
	ErrReadTimeout   = errors.New("read timeout")      // nothing was read for the keepalive time
	ErrPeerClosed    = errors.New("closed by peer")    // close frame, FIN or RST
	ErrProtocol      = errors.New("protocol error")    // the client sent what RFC 6455 forbids, or too much
	ErrStopped       = errors.New("server stopped")    // Stop
	ErrClosed        = errors.New("connection closed") // returned by Control and Write after a close; never a cause
)
