package procstat

import (
	"net"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The kernel's own CPU clock is the measure: wall time proves nothing on a busy host.
func TestReadCountsCPUOfABusyLoop(t *testing.T) {
	before, from := mustRead(t), cpuClock(t)
	for cpuClock(t)-from < 60*time.Millisecond {
	}
	spent := time.Duration(mustRead(t).Sub(before).CPUNs())
	if real := cpuClock(t) - from; spent < 40*time.Millisecond || spent > real+20*time.Millisecond { // it may count in ticks of 10 ms
		t.Errorf("%v of CPU were read as %v", real, spent)
	}
}

func cpuClock(t *testing.T) time.Duration {
	t.Helper()
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts); err != nil {
		t.Fatal(err)
	}
	return time.Duration(ts.Nano())
}

func TestReadCountsWritesToSockets(t *testing.T) {
	if !countsWrites() {
		t.Skip("this kernel does not count write(2) per process")
	}
	client, server := pair(t)
	go func() {
		buf := make([]byte, 1024)
		for {
			if _, err := server.Read(buf); err != nil {
				return
			}
		}
	}()
	before := mustRead(t)
	for range 100 {
		if _, err := client.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if n := mustRead(t).Sub(before).WriteCalls; n < 100 || n > 200 { // the runtime wakes its poller by write(2) now and then
		t.Errorf("100 writes to a socket were counted as %d", n)
	}
}

func TestReadCountsVoluntarySwitches(t *testing.T) {
	runtime.LockOSThread() // a sleeping goroutine of its own thread must switch
	defer runtime.UnlockOSThread()
	before := mustRead(t)
	for range 20 {
		time.Sleep(time.Millisecond)
	}
	if n := mustRead(t).Sub(before).Voluntary; n < 10 {
		t.Errorf("20 sleeps made %d voluntary switches", n)
	}
}

func TestReadCountsGCPauses(t *testing.T) {
	before := mustRead(t)
	runtime.GC()
	if n := mustRead(t).Sub(before).GCPauseNs; n <= 0 {
		t.Errorf("a collection paused for %d ns", n)
	}
}

func TestSubAndAddOfWriteCalls(t *testing.T) {
	counted, blind := Usage{WriteCalls: 7, WriteCallsOK: true}, Usage{}
	for _, row := range []struct {
		why    string
		got    Usage
		calls  int64
		wantOK bool
	}{
		{"both readings have the count", counted.Sub(counted), 0, true},
		{"a sum of two counts", counted.Add(counted), 14, true},
		{"one reading without a count: unknown, not 7", counted.Sub(blind), 0, false},
		{"the other way round", blind.Sub(counted), 0, false},
		{"a sum with an unknown part is unknown", counted.Add(blind), 0, false},
	} {
		if row.got.WriteCalls != row.calls || row.got.WriteCallsOK != row.wantOK {
			t.Errorf("%s: %d, %v; want %d, %v", row.why, row.got.WriteCalls, row.got.WriteCallsOK, row.calls, row.wantOK)
		}
	}
}

func TestReadStateSeesMemoryDescriptorsAndGoroutines(t *testing.T) {
	before := mustState(t)
	held := make([]byte, 8<<20)
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	for range 1000 {
		go func() { <-stop }()
	}
	after := mustState(t)
	if grown := after.HeapBytes - before.HeapBytes; grown < 8<<20 || grown > 9<<20 {
		t.Errorf("8 MiB more on the heap were read as %d", grown)
	}
	if after.FDs != before.FDs+1 {
		t.Errorf("one more open file: %d -> %d", before.FDs, after.FDs)
	}
	if n := after.Goroutines - before.Goroutines; n < 1000 {
		t.Errorf("1000 more goroutines were read as %d", n)
	}
	if grown := after.StackBytes - before.StackBytes; grown < 1000*2048*3/4 { // some were free before
		t.Errorf("1000 more stacks of at least 2 KiB were read as %d bytes", grown)
	}
	if after.Threads < 1 || after.RSSBytes < after.HeapBytes/2 {
		t.Errorf("implausible: %+v", after)
	}
	runtime.KeepAlive(held)
	file.Close()
	close(stop)
}

func TestHostStealIsReadable(t *testing.T) {
	ns, err := HostStealNs()
	if err != nil || ns < 0 {
		t.Errorf("steal %d ns, %v", ns, err)
	}
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		if _, err := Read(); err != nil {
			b.Fatal(err)
		}
	}
}

func mustRead(t *testing.T) Usage {
	t.Helper()
	u, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func mustState(t *testing.T) State {
	t.Helper()
	s, err := ReadState(true)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pair returns the two ends of a TCP connection on loopback.
func pair(t *testing.T) (client, server net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client, err = net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err = ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	return client, server
}
