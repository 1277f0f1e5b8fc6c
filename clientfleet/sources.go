package clientfleet

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxSources bounds the source addresses 127.0.0.1..127.0.0.250.
const maxSources = 250

// sourcesFor returns how many source addresses n connections to one server need when each has the ports low..high. A fifth
// of them is left to other programs and to connections that are still going away.
func sourcesFor(n, low, high int) int {
	usable := max(1, (high-low+1)*4/5)
	return min(max(1, (n+usable-1)/usable), maxSources)
}

// portRange reads the range of ports that the kernel gives to connections without one.
func portRange() (low, high int, err error) {
	const file = "/proc/sys/net/ipv4/ip_local_port_range"
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, err
	}
	if _, err := fmt.Sscan(string(b), &low, &high); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", file, err)
	}
	return low, high, nil
}

// bindSource gives a socket the i-th source address. The port is chosen at connect, where only the whole 4-tuple must be
// unique; at bind it would have to be free for every destination.
func bindSource(fd, i int) error {
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1); err != nil {
		return err
	}
	return unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, byte(1 + i)}})
}

func family(a netip.AddrPort) int {
	if a.Addr().Unmap().Is4() {
		return unix.AF_INET
	}
	return unix.AF_INET6
}

// sockaddr turns an address into the kernel's form and its length.
func sockaddr(a netip.AddrPort) (*unix.RawSockaddrAny, uintptr) {
	any := new(unix.RawSockaddrAny)
	if family(a) == unix.AF_INET {
		sa := (*unix.RawSockaddrInet4)(unsafe.Pointer(any))
		sa.Family, sa.Addr = unix.AF_INET, a.Addr().Unmap().As4()
		binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&sa.Port))[:], a.Port())
		return any, unix.SizeofSockaddrInet4
	}
	sa := (*unix.RawSockaddrInet6)(unsafe.Pointer(any))
	sa.Family, sa.Addr = unix.AF_INET6, a.Addr().As16()
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&sa.Port))[:], a.Port())
	return any, unix.SizeofSockaddrInet6
}
