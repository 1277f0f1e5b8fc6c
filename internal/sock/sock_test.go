package sock

import (
	"io"
	"net"
	"testing"
	"time"
)

// pair is two ends of a connection over loopback.
func pair(t *testing.T) (server, client *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	dialled, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	server, client = accepted.(*net.TCPConn), dialled.(*net.TCPConn)
	t.Cleanup(func() { _, _ = server.Close(), client.Close() })
	return server, client
}

// ask runs a question on a connection's descriptor.
func ask[T any](t *testing.T, c *net.TCPConn, question func(fd int) (T, error)) (answer T) {
	t.Helper()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { answer, failed = question(int(fd)) }); err != nil || failed != nil {
		t.Fatalf("%v, %v", err, failed)
	}
	return answer
}

func set(t *testing.T, c *net.TCPConn, option func(fd, value int) error, value int) {
	t.Helper()
	ask(t, c, func(fd int) (struct{}, error) { return struct{}{}, option(fd, value) })
}

// TestTakenIsWhatWriteReturned compares with what a write that does not fit reports, while nothing is read and after.
func TestTakenIsWhatWriteReturned(t *testing.T) {
	server, client := pair(t)
	set(t, server, SetSendBuffer, 4096)
	set(t, client, SetReceiveBuffer, 4096)
	before := ask(t, server, Taken)
	_ = server.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	n, err := server.Write(make([]byte, 4<<20))
	if err == nil {
		t.Fatal("4 MiB fit into small buffers")
	}
	if got := ask(t, server, Taken) - before; got != int64(n) {
		t.Errorf("Taken grew by %d, the write reports %d", got, n)
	}
	if queued, unsent := ask(t, server, Unacked), ask(t, server, NotSent); queued <= 0 || unsent > queued {
		t.Errorf("%d bytes unacknowledged, of them %d not sent", queued, unsent)
	}
	_, _ = io.CopyN(io.Discard, client, int64(n))
	for range 200 {
		if ask(t, server, Unacked) == 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if got := ask(t, server, Acked); got < int64(n) {
		t.Errorf("%d bytes acknowledged after %d were read", got, n)
	}
	if got := ask(t, server, Taken) - before; got != int64(n) {
		t.Errorf("Taken changed to %d although nothing was written", got)
	}
}

func TestBuffersAreTwiceWhatWasAsked(t *testing.T) {
	server, _ := pair(t)
	set(t, server, SetSendBuffer, 4096)
	set(t, server, SetReceiveBuffer, 16<<10)
	if got := ask(t, server, SendBuffer); got != 8192 {
		t.Errorf("SO_SNDBUF is %d, want 8192", got)
	}
	if got := ask(t, server, ReceiveBuffer); got != 32<<10 {
		t.Errorf("SO_RCVBUF is %d, want 32768", got)
	}
	raw, err := server.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	_ = raw.Control(func(fd uintptr) {
		if err := SetSendBuffer(int(fd), 1<<30); err == nil {
			t.Error("a buffer of 1 GiB is said to be kept")
		}
	})
}

func TestClosedTellsResetFromFIN(t *testing.T) {
	server, client := pair(t)
	_ = client.CloseWrite()
	time.Sleep(50 * time.Millisecond)
	if ask(t, server, Closed) {
		t.Error("a FIN counts as closed by the kernel")
	}
	_ = client.SetLinger(0)
	_ = client.Close()
	time.Sleep(50 * time.Millisecond)
	if !ask(t, server, Closed) {
		t.Error("a reset connection does not count as closed")
	}
}

func TestUserTimeoutIsTaken(t *testing.T) {
	server, _ := pair(t)
	raw, err := server.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	_ = raw.Control(func(fd uintptr) {
		if err := SetUserTimeout(int(fd), 2*time.Second); err != nil {
			t.Error(err)
		}
		if err := SetUserTimeout(-1, time.Second); err == nil {
			t.Error("a bad descriptor is accepted")
		}
	})
}
