//go:build linux

package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"time"

	"wsfanout/engines"
	"wsfanout/internal/units"
)

// asked is what makes a run the reader's own: how messages travel, what clients send, and what is asked of the figures.
type asked struct {
	compress bool
	tls      bool
	certPEM  []byte
	keyPEM   []byte

	slo     time.Duration // 0: none
	project int           // clients; 0: none

	inbound     float64 // messages per second of all clients together; 0: none
	inboundSize int
}

func (a *asked) flags(fs *flag.FlagSet) {
	fs.BoolVar(&a.compress, "compress", false, "permessage-deflate on both sides (engine option level); messages are text, which compresses")
	fs.BoolVar(&a.tls, "tls", false, "everything over TLS, with a certificate made at the start; there are no bare rounds then")
	fs.DurationVar(&a.slo, "slo", 0, "a `time` in which a client should have a message: how many do, and how many clients fit")
	fs.IntVar(&a.project, "project", 0, "the same cells at another `number` of clients, from a -clients list; at most ten times the largest")
	fs.Float64Var(&a.inbound, "inbound", 0, "`messages` per second that all clients together send while the rounds run")
	fs.Func("inbound-size", "payload `bytes` of such a message (default 64)", func(text string) error {
		n, err := units.ParseBytes(text)
		a.inboundSize = int(n)
		return err
	})
}

const (
	projectionReach = 10 // times the largest measured number of clients: beyond, a line is a guess

	defaultInboundSize = 64
	leastInbound       = 6        // bytes: what a client puts into each
	mostInbound        = 64 << 10 // bytes: what every engine lets a client send
	perClientRate      = 100      // messages per second of one client
)

// validateAsked says which of these questions a plan cannot answer.
func (c *config) validateAsked() error {
	a := &c.asked
	switch {
	case c.explicit["slo"] && a.slo <= 0:
		return fmt.Errorf("-slo %v: want a positive duration such as 100ms", a.slo)
	case c.explicit["inbound"] && !(a.inbound > 0 && a.inbound <= perClientRate*float64(c.clientCounts[0])):
		return fmt.Errorf("-inbound %v: want messages per second, above 0 and at most %d for each client", a.inbound, perClientRate)
	case c.explicit["inbound-size"] && a.inbound == 0:
		return errors.New("-inbound-size needs -inbound RATE")
	case c.explicit["inbound-size"] && (a.inboundSize < leastInbound || a.inboundSize > mostInbound):
		return fmt.Errorf("-inbound-size %d: want %d to %d bytes", a.inboundSize, leastInbound, mostInbound)
	case a.tls && c.behave.resume > 0 && c.behave.jam == "fill":
		return errors.New("-tls with -resume: filler would break the record stream that the client reads again: add -jam natural")
	}
	return c.validateProjection()
}

func (c *config) validateProjection() error {
	n, most := c.asked.project, projectionReach*c.clients
	switch {
	case !c.explicit["project"]:
		return nil
	case n < 1:
		return fmt.Errorf("-project %d: want a number of clients", n)
	case len(c.clientCounts) < 2:
		return errors.New("-project takes a line, and a line two numbers of clients: give a list such as -clients 1000,5000")
	case n > most:
		return fmt.Errorf("-project %d: at most ten times the largest measured number, %d: measure more clients", n, most)
	}
	return nil
}

// secure makes the certificate of the run, for a server that listens there.
func (a *asked) secure(listen string) (err error) {
	if a.tls {
		host, _, _ := net.SplitHostPort(listen) // what is wrong with it is said where it is checked
		a.certPEM, a.keyPEM, err = engines.SelfSigned(host)
	}
	if a.inbound > 0 && a.inboundSize == 0 {
		a.inboundSize = defaultInboundSize
	}
	return err
}
