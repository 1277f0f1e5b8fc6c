package serve

import "runtime/metrics"

// heapGrowth is the most heap in use over a phase, less that at its start. Garbage counts until it is collected: it is
// what the process really held.
type heapGrowth struct {
	samples []metrics.Sample
	start   uint64
	most    uint64
}

func (h *heapGrowth) begin() {
	h.samples = []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	h.start = h.read()
	h.most = h.start
}

func (h *heapGrowth) read() uint64 {
	metrics.Read(h.samples)
	return h.samples[0].Value.Uint64()
}

func (h *heapGrowth) sample() { h.most = max(h.most, h.read()) }

// bytes of growth.
func (h *heapGrowth) bytes() int64 { return int64(h.most - h.start) }
