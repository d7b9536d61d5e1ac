package cli

import (
	"fmt"
	"io"
)

// Notices are lines for a person who waits. In a terminal, one that remains is replaced by the next: what was drawn stays in sight.
type notices struct {
	out        io.Writer
	inTerminal bool
	open       bool // the last line has no end yet
}

func (n *notices) say(format string, arguments ...any) {
	n.end()
	fmt.Fprintf(visible{n.out}, format+"\n", arguments...)
}

// remain shows a line of ours.
func (n *notices) remain(line string) {
	if !n.inTerminal {
		n.say("%s", line)
		return
	}
	n.open = true
	_, _ = io.WriteString(n.out, "\r\x1b[K"+line)
}

// end ends the line that remains.
func (n *notices) end() {
	if n.open {
		n.open = false
		_, _ = io.WriteString(n.out, "\n")
	}
}
