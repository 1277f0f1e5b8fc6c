package clientfleet
import ("testing";"fmt";"time")
func TestTmp(t *testing.T){
 for range 3 { for _, d := range []int{16,32,64,128} {
	s := newServer(t)
	c := startChild(t, "fleet")
	time.Sleep(100*time.Millisecond)
	b := c.resident()
	var got Connected
	c.ask("connect", Plan{Addr: s.Addr().String(), Numbers: []Range{{0, 10000}}, Size: 1024, Rounds: 20, Timeout: 30 * time.Second, Dialing: d}, &got)
	c.ask("settle", nil, nil)
	fmt.Println(d, time.Duration(got.ConnectNs), (c.resident()-b)/10000)
	c.ask("close", nil, nil)
	s.stop()
 }}
}
