package clientfleet

import "testing"

func TestDialTimes(t *testing.T) {
	s := newServer(t, func(s *server) { s.refuse = someRefused })
	f, got, err := Connect(t.Context(), Plan{Addr: s.Addr().String(), Numbers: []Range{{0, 20}}, Size: testSize, Rounds: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := decode(t, got.Dial)
	if h.TotalCount() != int64(got.Connected) || h.Min() < 1000 || h.Max() > got.ConnectNs+got.ConnectNs/100 {
		t.Errorf("%d dials of %d clients, %d to %d ns of %d", h.TotalCount(), got.Connected, h.Min(), h.Max(), got.ConnectNs)
	}
	both := MergeConnected(got, got, Connected{})
	if n := total(t, both.Dial); n != int64(both.Connected) {
		t.Errorf("%d dials of %d", n, both.Connected)
	}
	if m := MergeConnected(got, Connected{Dial: []byte("rubbish")}); m.Dial != nil {
		t.Error("a part was passed off as all")
	}
	if m := MergeConnected(Connected{}); m.Dial != nil {
		t.Error("dials of nobody")
	}
}
