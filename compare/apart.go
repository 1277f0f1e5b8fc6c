//go:build linux

package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// apart is where the two halves of a cell run, if not on this machine: by which carriers they are reached, and at which
// address the fleets see the server.
type apart struct {
	server carrier
	fleets []carrier // one of this program's if there are none
	listen string    // host:port, port 0 chooses
}

func (a *apart) flags(fs *flag.FlagSet) {
	fs.Func("server-cmd", "`command` that leads to the server half by its stdin and stdout: 'ssh h1 compare serve', "+
		"'docker exec -i C /compare serve'", func(text string) error {
		a.server.command = text
		return wantCommand(text)
	})
	fs.Func("fleet-cmd", "`command` that leads to a client half, such as 'ssh h2 compare fleet'; repeatable: the clients are shared", func(text string) error {
		a.fleets = append(a.fleets, carrier{command: text})
		return wantCommand(text)
	})
	fs.Func("server", "unix:`path` of a `compare serve -control`, which starts a fresh server for each cell", func(text string) (err error) {
		a.server.socket, err = parseSocket("-server", text)
		return err
	})
	fs.Func("fleet", "unix:`path` of a `compare fleet -control`; repeatable: the clients are shared", func(text string) error {
		path, err := parseSocket("-fleet", text)
		a.fleets = append(a.fleets, carrier{socket: path})
		return err
	})
	fs.StringVar(&a.listen, "listen", "127.0.0.1:0", "address of the server as the fleets see it, `host:port`; port 0: any")
}

func wantCommand(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("want a command")
	}
	return nil
}

// check says what cannot work together.
func (a *apart) check(cpus pinning) error {
	host, port, err := net.SplitHostPort(a.listen)
	_, notPort := strconv.ParseUint(port, 10, 16)
	if ip := net.ParseIP(host); err != nil || host == "" || notPort != nil || ip != nil && ip.IsUnspecified() {
		return fmt.Errorf("-listen %q: want host:port as the fleets see it, such as 10.0.0.5:0", a.listen)
	}
	switch {
	case a.server.command != "" && a.server.socket != "":
		return errors.New("-server and -server-cmd both say where the server is: give one")
	case len(cpus["server"]) > 0 && !a.server.own() || len(cpus["fleet"]) > 0 && len(a.fleets) > 0:
		return errors.New("-cpus pins processes of this machine: it cannot reach through -server, -server-cmd, -fleet or -fleet-cmd")
	}
	return nil
}

// anywhere says whether any half is reached by something else than a pipe to this program.
func (a *apart) anywhere() bool { return !a.server.own() || len(a.fleets) > 0 }

func (c *config) serverCarrier() carrier {
	by := c.apart.server
	by.cpus = c.cpus["server"]
	return by
}

func (c *config) fleetCarriers() []carrier {
	if len(c.apart.fleets) > 0 {
		return c.apart.fleets
	}
	return []carrier{{cpus: c.cpus["fleet"]}}
}

// seenAs is the server's address as the fleets reach it: the host that was asked for, with the port that the server got.
func (a *apart) seenAs(addr string) (string, error) {
	host, _, err := net.SplitHostPort(a.listen)
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("the server listens on %q: %w", addr, err)
	}
	return net.JoinHostPort(host, port), nil
}
