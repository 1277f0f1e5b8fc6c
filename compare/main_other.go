//go:build !linux

// Command compare measures WebSocket fan-out on Linux. Elsewhere it says how to run it there.
package main

import (
	"fmt"
	"os"
	"strings"
)

// inDocker is the README's line, too.
const inDocker = `make image && docker run --rm --ulimit nofile=16384:16384 -v "$PWD:/out" compare`

func main() {
	fmt.Fprintln(os.Stderr, "compare: epoll, the kernel's time stamps and TCP_INFO are its instruments, so it measures on Linux; here it runs in Docker, "+
		"and leaves in this directory what is written to /out:")
	fmt.Fprintln(os.Stderr, " ", strings.Join(append([]string{inDocker}, os.Args[1:]...), " "))
	os.Exit(2)
}
