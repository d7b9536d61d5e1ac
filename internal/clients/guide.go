package clients

import (
	"fmt"
	"strings"
)

// A Guide tells a person how to connect one client: the recommended way first, then alternatives.
type Guide struct {
	Command string   // to paste into a terminal; empty if there are Steps
	Steps   []string // to follow in the host's own settings
	After   string   // one sentence: what to do after adding the server
	Path    string   // of the file to edit by hand
	Entry   string   // to put into that file; empty if there is no file
	Link    string   // installs the server in the host; empty: not supported
}

// Guide returns how to connect the client to a server on a machine. self is the command line of this program that edits the file. Check
// must have accepted the server.
func (c Client) Guide(s Server, p Place, path string, self []string) Guide {
	guide := Guide{After: s.fill(c.restart), Path: path}
	if s.hosted() && s.TokenEnv == "" {
		guide.After = s.fill(c.signIn)
	}
	if c.CheckWrite(s) == "" {
		file, _ := c.Add(nil, s) // an empty file has nothing to refuse
		guide.Entry = string(file)
		if c.link != nil {
			guide.Link = c.link(s, c.entry(c, s))
		}
	}
	if s.hosted() && len(c.steps) > 0 {
		for _, step := range c.steps {
			guide.Steps = append(guide.Steps, s.fill(step))
		}
		return guide
	}
	var words []string
	if c.command != nil {
		words = c.command(c, s)
	}
	if words == nil && path != "" {
		words = self
	}
	guide.Command = CommandLine(p.OS, words)
	return guide
}

// Text shows a guide to a person.
func (g Guide) Text(c Client, s Server) string {
	var out strings.Builder
	fmt.Fprintf(&out, "Connect %s to %s.\n\n", c.Title, s.Description)
	switch {
	case g.Command != "":
		out.WriteString("Run this:\n\n" + indent(g.Command+"\n"))
	case len(g.Steps) > 0:
		for i, step := range g.Steps {
			fmt.Fprintf(&out, "  %d. %s\n", i+1, step)
		}
	default:
		out.WriteString("Most clients read an entry like this:\n\n" + indent(g.Entry) + "\n" + g.After + "\n")
		return out.String()
	}
	out.WriteString("\n" + g.After + "\n")
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
