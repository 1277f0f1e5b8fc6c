package engines

import (
	"errors"
	"fmt"
	"time"

	"wsfanout/internal/units"
)

// gobwasPool is the number of workers in the library's chat example.
const gobwasPool = 128

var gobwasOptions = []option{
	choice("mode", ModeNetpoll, "who reads: a pool behind epoll, or a goroutine each",
		[]string{ModeNetpoll, ModeGoroutine}, func(o *Options) *string { return &o.Mode }),
	count("pool", "128", "workers of the pool; a full one stops the loop", maxPool,
		func(o *Options) *int { return &o.Pool }),
	duration("readtimeout", "0", "the longest a worker waits for the rest of a message; 0: for ever",
		func(o *Options) *time.Duration { return &o.ReadTimeout }),
}

func gobwasEqualise(o *Options) { o.Mode, o.Pool = ModeNetpoll, gobwasPool }

// gobwasStock is the chat example of gobwas/ws-examples.
func gobwasStock(o *Options) {
	gobwasEqualise(o)
	o.WriteTimeout, o.ReadTimeout = 100*time.Millisecond, 100*time.Millisecond
	o.Deadline = DeadlineNative
	o.ReadLimit = 0
}

func gobwasCheck(o *Options) error {
	switch {
	case o.Mode == ModeNetpoll && o.TLS():
		return errors.New("-tls works only with mode=goroutine: what TLS has read ahead raises no event, and would wait for the next")
	case o.Mode == ModeGoroutine && o.Stock:
		return errors.New("stock is the library's chat example, which has mode=netpoll")
	case o.Mode == ModeGoroutine && o.Pool != gobwasPool:
		return errors.New("pool works only with mode=netpoll")
	case o.Mode == ModeGoroutine && o.ReadTimeout > 0:
		return errors.New("readtimeout works only with mode=netpoll: a reader of its own waits for the next message too, which is keepalive")
	}
	return nil
}

func gobwasNotes(o *Options) []string {
	plain := *o
	plain.Compress = false // what the others have in common about it does not hold here
	notes := commonNotes(&plain)
	add := func(when bool, format string, v ...any) {
		if when {
			notes = append(notes, fmt.Sprintf(format, v...))
		}
	}
	pooled := o.Mode == ModeNetpoll
	add(true, "the library is frames and handshakes, without a server and without defaults: what is measured is a pattern that people build from it")
	add(pooled, "the pattern is that of the library's chat example: one epoll loop, a pool of %d workers, all started at once (there one, and up to %d on demand), each reads one message and blocks until it is whole; a full pool stops the loop", o.Pool, gobwasPool)
	add(pooled, "accepting and handshakes have goroutines of their own, not the pool's workers, and a reader does not hold the lock of the writers, both unlike the example")
	add(!pooled, "the pattern is a goroutine per connection that reads message by message, as in the library's README")
	add(o.Compress, "permessage-deflate at level %d without context takeover; the library's own compressor has level 9 and is made anew for each message, here they are pooled; a message written plainly is compressed anew for each client", o.Level)
	add(o.Compress, "a prepared message is compressed once, by the adapter: the library has only frames")
	add(o.TLS(), "TLS by the standard library; every client's copy is encrypted by itself, prepared or not; an evicted client gets no close_notify")
	add(true, "a frame is compiled and leaves in one system call; the library's WriteServerMessage makes two")
	add(true, "messages are read without a buffer, as in the examples: three system calls each; buffers (read %s, write %s, where 0 is the library's default of 4 KiB and 512 B) are those of the handshake",
		units.FormatBytes(int64(o.ReadBuffer)), units.FormatBytes(int64(o.WriteBuffer)))
	add(o.Stock, "set up as the library's chat example: 100 ms for each read and each write, no keepalive, no limit to messages")
	if o.Stock {
		return notes
	}
	add(o.timed(), "a write may take %v, after which the client is closed; the chat example allows 100 ms", o.WriteTimeout)
	add(!o.timed(), "a write may take for ever; the chat example allows 100 ms")
	add(o.timed() && o.Deadline == DeadlineOnce, "the write deadline is set once, at connect, as careless hubs do")
	add(pooled && o.ReadTimeout == 0, "a worker waits for ever for the rest of a message, so that clients with half a frame can hold the whole pool; the chat example waits 100 ms for each read, many copies of it do not")
	add(pooled && o.ReadTimeout > 0, "a worker waits %v for each read of a message, after which the client is closed; the chat example waits 100 ms", o.ReadTimeout)
	add(o.Keepalive > 0, "a client is closed after %v without a message or control frame; the examples have no such limit", o.Keepalive)
	add(true, "clients may send %s at a time; the library's default is no limit", units.FormatBytes(int64(o.ReadLimit)))
	return notes
}
