package clientfleet

import (
	"encoding/binary"

	"wsfanout/internal/clock"
)

// echoDue sends what is due, though not more than a batch: this thread has to read, too.
func (r *reader) echoDue() {
	l, now := r.echo, clock.Now()
	if l.Mode == EchoClosed {
		r.echoIdle(now)
		return
	}
	for sent := 0; sent < maxEvents && l.turn < l.last; sent++ {
		if due := l.due(l.turn); due > now {
			if now = clock.Now(); due > now {
				return
			}
		}
		c := &r.clients[l.places[l.turn%int64(len(l.places))]]
		l.turn++
		if err := r.echoTurn(c); err != nil {
			r.lost(c, err)
		}
	}
}

// echoTurn is the turn of a client that has just come, and those before it that were held.
func (r *reader) echoTurn(c *client) error {
	l, turn := r.echo, r.echo.turn-1
	x := &l.state[c.column]
	before := x.sent
	at, err := r.catchUp(c, x)
	switch want := l.turns(x, l.turn); {
	case turn < l.first:
	case x.sent < want && c.fd >= 0 && !c.ended:
		l.held++
	case before+1 == want && at != 0:
		l.lag.RecordValue(min(max(0, at-l.due(turn)), highestValue))
	}
	return err
}

// catchUp sends the turns of a client that have come, as far as its messages may be under way. It returns when it sent the
// last one; 0: none.
func (r *reader) catchUp(c *client, x *exchange) (at int64, err error) {
	l := r.echo
	for want := l.turns(x, l.turn); x.sent < want && x.sent-x.got < l.limit; {
		sent, err := r.echoOne(c, x, l.dueOf(x, x.sent))
		if sent == 0 {
			return at, err
		}
		at = sent
	}
	return at, nil
}

// echoAgain is what follows an echo: the next message, if there is one now.
func (r *reader) echoAgain(c *client) error {
	l := r.echo
	if !l.running {
		return nil
	}
	x := &l.state[c.column]
	if l.Mode == EchoRate {
		_, err := r.catchUp(c, x)
		return err
	}
	now := clock.Now()
	if x.sent == 0 || x.sent != x.got || now >= l.To {
		return nil
	}
	sent, err := r.echoOne(c, x, 0)
	if sent == 0 && err == nil {
		l.idle = append(l.idle, c.column) // no room: again in a moment
	}
	return err
}

// echoIdle has those send that are to send. In the place of one that is gone comes the next that rests.
func (r *reader) echoIdle(now int64) {
	l := r.echo
	if now < l.began || len(l.idle) == 0 {
		return
	}
	idle := l.idle
	l.idle = l.idle[:0]
	for _, place := range idle {
		c := &r.clients[place]
		if (c.fd < 0 || c.ended) && len(l.resting) > 0 {
			c, l.resting = &r.clients[l.resting[0]], l.resting[1:]
			l.state[c.column].partly = now >= l.From
		}
		if c.fd < 0 || c.ended || now >= l.To {
			continue
		}
		x := &l.state[c.column]
		if x.sent != x.got {
			continue // a late echo of before has had it send
		}
		sent, err := r.echoOne(c, x, 0)
		if err != nil {
			r.lost(c, err)
		}
		if sent == 0 {
			l.idle = append(l.idle, c.column) // l.idle is never longer than what was taken of idle
		}
	}
}

// echoOne sends one message of a client, due at this instant or, if 0, now. It returns when; 0: it did not.
func (r *reader) echoOne(c *client, x *exchange, due int64) (at int64, err error) {
	if c.fd < 0 || c.ended {
		return 0, nil
	}
	l := r.echo
	now := clock.Now()
	if due == 0 {
		due = now
	}
	payload := l.frame[l.maskAt+4:]
	copy(payload, l.body)
	binary.LittleEndian.PutUint64(payload, uint64(now))
	binary.LittleEndian.PutUint64(payload[8:], uint64(due))
	r.mask(l.frame[l.maskAt:l.maskAt+4], payload)
	sent, err := r.send(c, l.frame)
	if !sent || err != nil {
		return 0, err
	}
	l.put(x, now, due)
	return now, nil
}

// put counts one message.
func (l *echoLoad) put(x *exchange, now, due int64) {
	x.sent++
	if due >= l.From {
		l.sent++
	}
	if now >= l.To {
		return
	}
	x.owed++
	if due < l.From {
		l.stuck++
	}
}
