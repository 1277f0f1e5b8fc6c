package strategies

import "wsfanout/engines"

// message is one round's payload in the form that its strategy sends: the plain and the prepared variant of a strategy
// differ in nothing else.
type message struct {
	payload  []byte
	prepared engines.Prepared
	err      error // framing failed: so does every send
}

// framer makes a round's message; prepare is nil for the plain variants.
type framer struct {
	prepare func([]byte) (engines.Prepared, error)
}

func framerFor(prepared bool, env Env) framer {
	if !prepared {
		return framer{}
	}
	return framer{prepare: env.Prepare}
}

func (f framer) frame(payload []byte) *message {
	if f.prepare == nil {
		return &message{payload: payload}
	}
	p, err := f.prepare(payload)
	return &message{payload: payload, prepared: p, err: err}
}

func (m *message) send(c engines.Conn) error {
	switch {
	case m.prepared != nil:
		return c.WritePrepared(m.prepared)
	case m.err != nil:
		return m.err
	}
	return c.Write(m.payload)
}
