package engines

import "github.com/lesismal/nbio/mempool"

// tlsAllocator is nbhttp's TLSAllocator: one that never gives a buffer to anybody else. The library's default is a pool
// that the whole process shares, and llib v1.2.2 uses a record's buffer after it has given it back: std/crypto/tls/conn.go
// frees rawInput in line 827 and copies or hands out the plaintext, which lies in it, in lines 908 and 919. What another
// connection writes there meanwhile is taken for the client's: about one handshake in 15,000 failed with "internal error",
// its hello overwritten by another client's reply to the upgrade. A message could be, too; that was not seen.
func tlsAllocator() mempool.Allocator { return mempool.NewSTD() }
