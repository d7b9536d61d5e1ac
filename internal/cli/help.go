package cli

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// line is as many words as fit into 80 columns.
var line = regexp.MustCompile(`(.{1,74})( |$)`)

// printHelp prints what --help says of a command, or of all. cobra's own help does not break lines, and pflag's leaves little room
// beside long names.
func printHelp(c *cobra.Command) {
	out := c.OutOrStdout()
	fmt.Fprintf(out, "Usage: %s\n\n%s\n", c.UseLine(), cmp.Or(c.Long, c.Short))
	if c.Example != "" {
		fmt.Fprintf(out, "\nExample:\n  %s\n", c.Example)
	}
	for _, group := range c.Groups() {
		fmt.Fprintf(out, "\n%s:\n", group.Title)
		for _, one := range c.Commands() {
			if one.GroupID != group.ID {
				continue
			}
			fmt.Fprintf(out, "  %s\n      %s\n", strings.TrimPrefix(one.UseLine(), c.Name()+" "), one.Short)
			if one.Example != "" {
				fmt.Fprintf(out, "      Example: %s\n", one.Example)
			}
		}
	}
	fmt.Fprint(out, "\nFlags:\n")
	c.Flags().VisitAll(func(f *pflag.Flag) {
		value, text := pflag.UnquoteUsage(f)
		name := strings.TrimSpace("--" + f.Name + " " + value)
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if !slices.Contains([]string{"", "0", "false"}, f.DefValue) {
			text += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(out, "  %s\n%s", name, line.ReplaceAllString(text, "      $1\n"))
	})
	if c.HasSubCommands() {
		fmt.Fprintf(out, "\nRun \"%s <command> --help\" for more information on a command.\n", c.Name())
	}
}
