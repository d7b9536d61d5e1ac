package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/config"
	"github.com/pdp-connect/pdpp-mcp/internal/cli/terminal"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// Run runs the command that the arguments name and returns the exit code. It prints an error as the last line on Err, because hosts
// show that line.
func Run(ctx context.Context, args []string, app App) int {
	app.Err, app.args = terminal.Visible{Out: app.Err}, args
	app.warnOfVariables(os.Environ())
	command, err := app.execute(ctx, app.serve)
	if err == nil {
		return 0
	}
	switch {
	case errors.Is(err, syscall.EPIPE):
		err = &transport.StoppedError{Message: "stopped: " + transport.ErrOutputClosed.Error()}
	case ctx.Err() == nil || exit.CodeOf(err) != 0:
	case errors.Is(err, context.Canceled):
		err = &transport.StoppedError{Message: "stopped: " + context.Cause(ctx).Error()}
	default: // such as a load that was interrupted
		err = &transport.StoppedError{Message: err.Error()}
	}
	code := app.fail(err)
	if code == exitStopped && command.Name() == "stdio" {
		return 0 // hosts end a session this way
	}
	return code
}

// warnOfVariables warns of each variable of an environment whose name is like that of a setting, and which no command reads. It does not
// show values, which may be secret, nor warn during the completion of a command line.
func (app App) warnOfVariables(environment []string) {
	if len(app.args) > 0 && (app.args[0] == "completion" || strings.HasPrefix(app.args[0], cobra.ShellCompRequestCmd)) {
		return
	}
	environment = slices.DeleteFunc(environment, isUnlikeASetting) // comparing all variables would double the time to start
	if len(environment) == 0 {
		return
	}
	var known []string
	for _, command := range app.root(app.serve).Commands() {
		command.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, config.Variable(f)) })
	}
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		most := 2 // letters that differ
		if strings.HasPrefix(strings.ToUpper(name), "PDPP_MCP_") {
			most = len(name)
		}
		if runtime.GOOS == "windows" { // case does not matter there
			name = strings.ToUpper(name)
		}
		if len(name) < len("PDPP_MCP") || value == "" || slices.Contains(known, name) { // an empty variable counts as not set
			continue
		}
		if near := tools.Similar(name, known, most); near != "" {
			app.warn("the environment variable %s is not read, because no setting has that name. The nearest is %s.", name, near)
		}
	}
}

// isUnlikeASetting reports whether a variable cannot be a misspelled PDPP_…, by its first letters alone.
func isUnlikeASetting(variable string) bool {
	return strings.Count(strings.ToUpper(variable[:min(len(variable), len("PDPP_M"))]), "P") < 2
}

// execute parses the command line, fills in settings from the environment and the file that it names, and runs its command. The command
// serve calls the function serve with its settings.
func (app App) execute(ctx context.Context, serve serveFunc) (*cobra.Command, error) {
	args := append([]string{}, app.args...) // not nil: cobra would use os.Args
	if len(args) > 0 && args[0] == "help" {
		args = append(args[1:], "--help")
	}
	root := app.root(serve)
	root.SetArgs(args)
	var unknown error
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if c == root && c.Flags().NArg() > 0 {
			unknown = root.ValidateArgs(c.Flags().Args())
			return
		}
		printHelp(c)
	})
	if command, words, err := root.Find(args); err == nil {
		if err := rejectAmbiguous(command.Flags(), words); err != nil {
			return command, usageError(command, err.Error())
		}
	}
	command, err := root.ExecuteContextC(ctx)
	if errors.Is(err, errVersion) {
		_, err = fmt.Fprintln(app.Out, "pdpp-mcp "+app.Version)
	}
	return command, cmp.Or(err, unknown)
}

func (app App) root(serve serveFunc) *cobra.Command {
	root := &cobra.Command{
		Use: "pdpp-mcp <command>",
		Long: `Read a person's data from a PDPP resource server through the Model Context
Protocol.`,
		Args: func(root *cobra.Command, words []string) error {
			if len(words) == 0 {
				return usageError(root, "a command is missing")
			}
			var names []string
			for _, c := range root.Commands() {
				names = append(names, c.Name())
			}
			return usageError(root, "unexpected argument "+words[0]+didYouMean(words[0], "", names))
		},
		RunE: func(*cobra.Command, []string) error { return nil }, // without it cobra does not validate the arguments
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if err := config.Fill(c.Flags(), app.Getenv); err != nil {
				return usageError(c, err.Error())
			}
			if slices.Contains([]string{"completion", "doctor", cobra.ShellCompRequestCmd}, c.Name()) { // doctor reports it itself
				return nil
			}
			if name := credentials.OwnerVariable(os.Environ()); name != "" {
				return &exit.Error{Code: exit.Owner, Message: name + " is set: an owner credential must not reach an assistant. " +
					"Unset it, and connect with a scoped grant: pdpp-mcp connect <provider-url> --source KEY."}
			}
			return nil
		},
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetOut(app.Out)
	root.SetErr(app.Err)
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().BoolP("help", "h", false, "Show this help")
	root.PersistentFlags().BoolFunc("version", "Print the version and exit", func(string) error { return errVersion })
	add := func(group string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: group, Title: group})
		for _, c := range commands {
			c.GroupID, c.Flags().SortFlags = group, false
		}
		root.AddCommand(commands...)
		root.SetHelpCommandGroupID(group) // the last group wins
	}
	add("Serve data", newDemo(app), newServe(serve), newStdio(app))
	add("Keep grants", newConnect(app), newConnections(app), newDisconnect(app))
	add("Set up, look and check", newSetup(app), newDoctor(app), newCall(app), newTools(app), newVerify(app), newCompletion(app))
	return root
}

// exitStopped is the exit code of a command that was stopped before it was done, as shells report SIGINT.
const exitStopped = 130

// fail prints an error and returns the exit code that it has, or else 1.
func (app App) fail(err error) int {
	fmt.Fprintln(app.Err, "pdpp-mcp: "+strings.ReplaceAll(err.Error(), "\n", " "))
	if _, ok := errors.AsType[*transport.StoppedError](err); ok {
		return exitStopped
	}
	return cmp.Or(exit.CodeOf(err), 1)
}
