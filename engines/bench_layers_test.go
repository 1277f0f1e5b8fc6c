package engines_test

import (
	"testing"

	"wsfanout/engines"
	"wsfanout/internal/stamp"
)

// BenchmarkLayers is a delivery of 1 KiB with compression and with TLS, plain and prepared. A message is prepared anew for
// every 64 deliveries, as a round for so many clients does.
func BenchmarkLayers(b *testing.B) {
	payload := stamp.Text(benchPayload, 1)
	for _, layer := range []struct {
		name             string
		compress, secure bool
	}{{"compress", true, false}, {"tls", false, true}} {
		for _, spec := range engines.Names() {
			b.Run(layer.name+"/"+spec, func(b *testing.B) {
				engine, conns := adapterConns(b, resolveWith(b, spec, layer.compress, layer.secure))
				b.Run("Write", func(b *testing.B) {
					b.ReportAllocs()
					deliver(b, conns, func(c engines.Conn) error { return c.Write(payload) }, b.N)
				})
				b.Run("WritePrepared", func(b *testing.B) {
					b.ReportAllocs()
					for done := 0; done < b.N; done += benchConns {
						message, err := engine.Prepare(payload)
						if err != nil {
							b.Fatal(err)
						}
						deliver(b, conns, func(c engines.Conn) error { return c.WritePrepared(message) }, min(benchConns, b.N-done))
					}
				})
			})
		}
	}
}
