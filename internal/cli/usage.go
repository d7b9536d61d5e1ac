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
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// takes returns a validator for least to most arguments. Its error names the missing argument as in the command's usage line.
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

// flagError rewords pflag's error about a flag as a usage error.
func flagError(c *cobra.Command, err error) error {
	if errors.Is(err, errVersion) {
		return err
	}
	message := config.Wrong(err).Error()
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if message = "unknown flag -" + unknown.GetSpecifiedName(); unknown.GetSpecifiedShortnames() == "" {
			var names []string
			c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
			message = "unknown flag --" + unknown.GetSpecifiedName() + didYouMean(unknown.GetSpecifiedName(), "--", names)
		}
	}
	if lacking, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		message = "--" + lacking.GetSpecifiedName() + ": a value is missing"
	}
	return usageError(c, message)
}

// didYouMean returns a suggestion of the name that is most similar to typed, or "".
func didYouMean(typed, dashes string, names []string) string {
	if near := tools.Similar(typed, names, 2); near != "" {
		return fmt.Sprintf(", did you mean %q?", dashes+near)
	}
	return ""
}

// usageError returns an error about a command line that refers to the command's help.
func usageError(c *cobra.Command, message string) error {
	if !strings.HasSuffix(message, "?") {
		message += "."
	}
	return exit.UsageError(message + " Run " + c.CommandPath() + " --help.")
}

// helpLine matches as many words as fit into 80 columns after the indent.
var helpLine = regexp.MustCompile(`(.{1,74})( |$)`)

// printHelp prints the help of a command. cobra's own help does not wrap lines, and pflag's leaves little space for descriptions next to
// long names.
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
		text = strings.Replace(text, " ("+value+")", "", 1) // the placeholder alone, which is shown next to the name
		name := strings.TrimSpace("--" + f.Name + " " + value)
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if !slices.Contains([]string{"", "0", "false"}, f.DefValue) {
			text += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(out, "  %s\n%s", name, helpLine.ReplaceAllString(text, "      $1\n"))
	})
	if c.HasSubCommands() {
		fmt.Fprintf(out, "\nRun \"%s <command> --help\" for more information on a command.\n", c.Name())
	}
}

// errVersion ends the parsing of a command line with --version.
var errVersion = errors.New("the version is asked for")
