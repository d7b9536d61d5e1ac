package clients

import (
	"fmt"
	"strings"
)

// A Guide is how a person connects one client: one recommended path first, and what else there is.
type Guide struct {
	Commands []string // to paste into a terminal; empty where it goes by Steps
	Steps    []string // to follow in the host's own settings
	After    string   // one sentence: what to do once it is added
	Path     string   // of the file that the entry goes into, by hand
	Entry    string   // as it is in that file; empty where there is no file for it
	Link     string   // that the host opens to install it; empty where it has none
}

// Guide says how to connect the client to a server on a machine. self is the command line of this program that edits
// the file, as words. Check has said that it is possible.
func (c Client) Guide(s Server, p Place, path string, self []string) Guide {
	quote := quoter(p.OS)
	guide := Guide{After: c.after(s), Path: path}
	if c.steps != nil {
		guide.Steps = c.steps(s)
	}
	if c.HasFile() && (!c.localOnly || !s.hosted()) {
		entry := c.entry(c, s)
		guide.Entry = c.format.spell(c.key, s.Name, entry)
		if c.link != nil {
			guide.Link = c.link(s, entry)
		}
	}
	if len(guide.Steps) > 0 {
		return guide
	}
	if c.command != nil {
		guide.Commands = c.command(s, quote)
	}
	if len(guide.Commands) == 0 && path != "" {
		guide.Commands = []string{CommandLine(p.OS, self)}
	}
	return guide
}

// Text shows a guide to a person.
func (g Guide) Text(c Client, s Server) string {
	var out strings.Builder
	fmt.Fprintf(&out, "Connect %s to %s.\n", c.Title, s.Description)
	switch {
	case len(g.Commands) > 0:
		out.WriteString("\nRun this:\n\n")
		for _, command := range g.Commands {
			out.WriteString("  " + command + "\n")
		}
		out.WriteString("\n" + g.After + "\n")
	case len(g.Steps) > 0:
		out.WriteString("\n")
		for i, step := range g.Steps {
			fmt.Fprintf(&out, "  %d. %s\n", i+1, step)
		}
		out.WriteString("\n" + g.After + "\n")
	default:
		out.WriteString("\nMost clients read an entry like this:\n\n" + indent(g.Entry) + "\n" + g.After + "\n")
		return out.String()
	}
	if g.Entry != "" && g.Path != "" {
		out.WriteString("\nBy hand instead, in " + g.Path + ":\n\n" + indent(g.Entry))
	}
	if g.Link != "" {
		out.WriteString("\nOr open this link:\n\n  " + g.Link + "\n")
	}
	return out.String()
}

func indent(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString("  " + line)
	}
	return out.String()
}
