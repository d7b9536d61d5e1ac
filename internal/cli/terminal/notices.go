package terminal

import (
	"fmt"
	"io"
)

// Notices are lines for a person who waits. In a terminal, one that remains is replaced by the next: what was drawn stays in sight.
type Notices struct {
	Out        io.Writer
	InTerminal bool
	open       bool // the last line has no end yet
}

// Say shows a line, whose words may be another server's.
func (n *Notices) Say(format string, arguments ...any) {
	n.End()
	fmt.Fprintf(Visible{n.Out}, format+"\n", arguments...)
}

// Remain shows a line of ours.
func (n *Notices) Remain(line string) {
	if !n.InTerminal {
		n.Say("%s", line)
		return
	}
	n.open = true
	_, _ = io.WriteString(n.Out, "\r\x1b[K"+line)
}

// End ends the line that remains.
func (n *Notices) End() {
	if n.open {
		n.open = false
		_, _ = io.WriteString(n.Out, "\n")
	}
}
