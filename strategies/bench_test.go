package strategies

import (
	"testing"

	"wsfanout/engines"
)

// discard is a connection whose writes cost nothing: what a strategy costs on top shows alone.
type discard struct {
	number int
	sent   int
}

func (d *discard) Number() int                          { return d.number }
func (d *discard) Write([]byte) error                   { d.sent++; return nil }
func (d *discard) WritePrepared(engines.Prepared) error { d.sent++; return nil }
func (d *discard) Owed() int64                          { return 0 }
func (d *discard) Control(func(uintptr)) error          { return engines.ErrClosed }
func (d *discard) Evict(error)                          {}

// BenchmarkDelivery is the cost of one delivery in each strategy, beside a plain loop over the same connections. The
// engines' own share is in BenchmarkDelivery of package engines.
func BenchmarkDelivery(b *testing.B) {
	const clients = 1000
	conns := make([]engines.Conn, clients)
	for i := range conns {
		conns[i] = &discard{number: i}
	}
	payload := make([]byte, 1024)
	perDelivery := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/clients, "ns/delivery")
	}
	b.Run("loop", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, c := range conns {
				if err := c.Write(payload); err != nil {
					b.Fatal(err)
				}
			}
		}
		perDelivery(b)
	})
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			spec, err := Parse(name)
			if err != nil {
				b.Fatal(err)
			}
			s := New(spec, Env{Shards: 2, Prepare: func(p []byte) (engines.Prepared, error) { return p, nil }})
			defer s.Close()
			for _, c := range conns {
				s.Join(c)
			}
			b.ReportAllocs()
			for b.Loop() {
				s.Broadcast(Round{Payload: payload})
			}
			perDelivery(b)
		})
	}
}
