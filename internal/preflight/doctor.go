package preflight

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Doctor prints the host, then every limit with its state for the need, how many clients it allows, and how to raise one that is short.
func Doctor(w io.Writer, l Limits, n Need) error {
	var out strings.Builder
	fmt.Fprintf(&out, "host      %s\n", hostLine(l.Host))
	fmt.Fprintf(&out, "sockets   tcp_wmem %s, tcp_rmem %s, ports %s\n", l.Host.TCPWmem, l.Host.TCPRmem, l.Host.PortRange)
	fmt.Fprintf(&out, "limits    for %d clients\n", n.Clients)
	findings := Check(l, n)
	table := tabwriter.NewWriter(&out, 0, 0, 3, ' ', 0)
	for _, f := range findings {
		fmt.Fprintf(table, "  %s\t%s\thas %s\tneeds %s\t%s\n", state(f), f.Limit, f.Have, f.Needs, allows(f))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, f := range findings {
		if f.Short {
			fmt.Fprintf(&out, "to raise  %s: %s\n", f.Limit, f.Raise)
		}
	}
	tightest := fewest(findings)
	fmt.Fprintf(&out, "in all    the tightest limit, %s, %s\n", tightest.Limit, allows(tightest))
	_, err := io.WriteString(w, out.String())
	return err
}

func hostLine(h Host) string {
	line := fmt.Sprintf("%s, %d CPUs, %d MiB, Linux %s", h.CPUModel, h.CPUs, h.MemBytes>>20, h.Kernel)
	if h.Container {
		line += ", in a container"
	}
	if h.CPUQuota > 0 {
		line += fmt.Sprintf(", %.3g CPUs allowed", h.CPUQuota)
	}
	return line
}

func state(f Finding) string {
	if f.Short {
		return "short"
	}
	return "ok"
}

func allows(f Finding) string {
	if f.Clients == Unlimited {
		return "allows any number of clients"
	}
	return fmt.Sprintf("allows %d clients", f.Clients)
}
