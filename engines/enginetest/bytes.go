package enginetest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"wsfanout/engines"
	"wsfanout/internal/stamp"
)

// Lengths on both sides of every form of a frame's length, and some that no buffer holds.
var lengths = []int{0, 1, 125, 126, 1024, 4096, 30_000, 65535, 65536, 200_000}

func (s *Suite) bytes(t *testing.T) {
	t.Run("intact under concurrent shards", s.intact)
	t.Run("first message on open", s.onOpen)
	t.Run("messages of clients", s.fromClients)
	if s.Options.Compress {
		t.Run("compression not offered", s.notOffered)
	}
}

// intact sends every length plain and prepared from several goroutines, one per group of clients, in order.
func (s *Suite) intact(t *testing.T) {
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout = 0 })
	const clients, shards = 12, 3
	readers := make([]*client, clients)
	writers := make([]engines.Conn, clients)
	for i := range clients {
		readers[i] = srv.dial(i)
		writers[i] = srv.conn(i)
	}
	var work sync.WaitGroup
	for shard := range shards {
		work.Go(func() {
			for i := shard; i < clients; i += shards {
				writeAll(t, srv, writers[i])
			}
		})
	}
	for i := range clients {
		work.Go(func() { checkAll(t, readers[i]) })
	}
	work.Wait()
}

// content compresses well for some lengths and not at all for the others.
func content(length int) []byte {
	if length%1000 == 0 {
		return stamp.Text(length, uint64(length))
	}
	return stamp.Filling(length, uint64(length))
}

// bulk is a message that fills buffers, compressed or not.
func bulk(length int) []byte { return stamp.Filling(length, 1) }

func writeAll(t *testing.T, srv *server, c engines.Conn) {
	for _, length := range lengths {
		if err := c.Write(content(length)); err != nil {
			t.Errorf("Write of %d bytes: %v", length, err)
		}
		prepared, err := srv.engine.Prepare(content(length))
		if err != nil {
			t.Errorf("Prepare of %d bytes: %v", length, err)
			return
		}
		if err := c.WritePrepared(prepared); err != nil {
			t.Errorf("WritePrepared of %d bytes: %v", length, err)
		}
	}
}

func checkAll(t *testing.T, c *client) {
	for _, length := range lengths {
		for _, kind := range []string{"Write", "WritePrepared"} {
			f, err := c.frame(frameLimit)
			if err != nil {
				t.Errorf("reading %s of %d bytes: %v", kind, length, err)
				return
			}
			if !f.Header.Fin || !bytes.Equal(f.Payload, content(length)) {
				t.Errorf("%s of %d bytes came as a frame of %d bytes, final %t, equal %t",
					kind, length, len(f.Payload), f.Header.Fin, bytes.Equal(f.Payload, content(length)))
				return
			}
		}
	}
	if c.deflates && c.compressed != 2*len(lengths) {
		t.Errorf("%d of %d messages came compressed", c.compressed, 2*len(lengths))
	}
}

// notOffered has a client without compression on a server with it: it gets whole messages, as they are.
func (s *Suite) notOffered(t *testing.T) {
	srv := s.start(t, nil)
	c, err := srv.connect("/ws?i=1", 0, false)
	if err != nil {
		t.Fatal(err)
	}
	writeAll(t, srv, srv.conn(1))
	checkAll(t, c)
}

// onOpen writes from the hook: the message may come glued to the reply to the handshake.
func (s *Suite) onOpen(t *testing.T) {
	srv := s.start(t, nil, func(srv *server) {
		srv.onOpen = func(c engines.Conn) {
			if err := c.Write(fmt.Appendf(nil, "hello %d", c.Number())); err != nil {
				srv.t.Errorf("Write in OnOpen: %v", err)
			}
		}
	})
	var work sync.WaitGroup
	for i := range 40 {
		work.Go(func() {
			c, err := srv.tryDial(fmt.Sprintf("/ws?i=%d", i), 0)
			if err != nil {
				t.Error(err)
				return
			}
			f, err := c.frame(frameLimit)
			if want := fmt.Sprintf("hello %d", i); err != nil || string(f.Payload) != want {
				t.Errorf("client %d got %q, %v; want %q", i, f.Payload, err, want)
			}
		})
	}
	work.Wait()
}
