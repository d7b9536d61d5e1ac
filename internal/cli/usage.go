package cli

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/config"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// takes wants from least to most arguments; the usage line of a command begins with their names.
func takes(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		switch {
		case len(given) < least:
			return usageError(c, strings.Fields(c.Use)[1+len(given)]+" is missing")
		case len(given) > most:
			return usageError(c, "unexpected argument "+given[most])
		}
		return nil
	}
}

// flagError says in plain words what is wrong with a flag.
func flagError(c *cobra.Command, err error) error {
	if errors.Is(err, errVersion) {
		return err
	}
	message := config.Wrong(err).Error()
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if message = "unknown flag -" + unknown.GetSpecifiedName(); unknown.GetSpecifiedShortnames() == "" {
			var names cobra.Command // which knows how to look for one
			c.Flags().VisitAll(func(f *pflag.Flag) { names.AddCommand(&cobra.Command{Use: f.Name, RunE: c.RunE}) })
			message = "unknown flag --" + unknown.GetSpecifiedName() + didYouMean(&names, unknown.GetSpecifiedName(), "--")
		}
	}
	if lacking, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		message = "--" + lacking.GetSpecifiedName() + ": a value is missing"
	}
	return usageError(c, message)
}

// didYouMean asks whether one of a command's own was meant.
func didYouMean(c *cobra.Command, typed, dashes string) string {
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(typed); len(near) > 0 {
		return fmt.Sprintf(", did you mean %q?", dashes+near[0])
	}
	return ""
}

// usageError says what is wrong with a command line, and which help has what is right.
func usageError(c *cobra.Command, message string) error {
	if !strings.HasSuffix(message, "?") {
		message += "."
	}
	return exit.UsageError(message + " Run " + c.CommandPath() + " --help.")
}

// line is as many words as fit into 80 columns.
var line = regexp.MustCompile(`(.{1,74})( |$)`)

// printHelp prints what --help says of a command, or of all. cobra's own help does not break lines, and that of pflag leaves little
// space for descriptions beside long names.
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
