package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/terminal"
	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// commandLine is what can be typed; kong reads it.
type commandLine struct {
	Version kong.VersionFlag `help:"Print the version and exit."`
	Demo    demoCommand      `cmd:"" help:"Serve a sample person's year, or your own files, and show a tour. Example: pdpp-mcp demo"`
	Serve   serveCommand     `cmd:"" help:"Serve /mcp in front of a resource server. Example: pdpp-mcp serve --rs-url https://rs.example --public-url https://mcp.example"`
	Stdio   stdioCommand     `cmd:"" help:"Serve one local client over standard input and output. Example: pdpp-mcp stdio --provider-url https://rs.example"`
	Verify  verifyCommand    `cmd:"" help:"Say whether a record still says what was quoted from it. Example: pdpp-mcp verify '{\"id\":\"cin_a/messages:m1\",\"field\":\"body\",\"start_chars\":0,\"end_chars\":80,\"sha256\":\"...\"}' --provider-url https://rs.example"`

	Connect     connectCommand     `cmd:"" help:"Get a grant to read data of a server, and store it on this machine. Example: pdpp-mcp connect https://rs.example --source gmail"`
	Connections connectionsCommand `cmd:"" help:"List the grants that are stored on this machine."`
	Disconnect  disconnectCommand  `cmd:"" help:"End a stored grant at its server, and delete it here. Example: pdpp-mcp disconnect https://rs.example"`

	Setup      setupCommand      `cmd:"" help:"Connect a client, such as Claude Code or Cursor. Example: pdpp-mcp setup cursor --demo --write"`
	Doctor     doctorCommand     `cmd:"" help:"Find out what is wrong and what to do about it. Example: pdpp-mcp doctor --provider-url https://rs.example"`
	Call       callCommand       `cmd:"" help:"Call a tool and print what a model would see. Example: pdpp-mcp call search q=dentist limit=3 --demo"`
	Tools      toolsCommand      `cmd:"" help:"Print the tools that a model is shown. Example: pdpp-mcp tools search"`
	Completion completionCommand `cmd:"" help:"Print a script that completes commands in a shell. Example: source <(pdpp-mcp completion bash)"`
}

// Run runs the command that the arguments name and returns the exit code. What ends it abnormally is the last line on Err,
// because hosts show that line.
func Run(ctx context.Context, args []string, app App) int {
	app.Err, app.args = terminal.Visible{Out: app.Err}, args
	_, parsed, err := app.parse()
	if err != nil {
		return app.fail(usageError(err, parsed))
	}
	if parsed == nil {
		return 0
	}
	command := parsed.Selected().Name
	if name := credentials.OwnerVariable(os.Environ()); name != "" && command != "completion" && command != "doctor" { // which reports it
		return app.fail(&exit.Error{Code: exit.Owner, Message: fmt.Sprintf(
			"%s is set: an owner credential must not reach an assistant. Unset it, and connect with a scoped grant: pdpp-mcp connect <provider-url> --source KEY.", name)})
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	if err = parsed.Run(app); err == nil {
		return 0
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = &transport.StoppedError{Message: "stopped: " + context.Cause(ctx).Error()}
	}
	code := app.fail(err)
	if code == exitStopped && command == "stdio" {
		return 0 // that is how hosts end a session
	}
	return code
}

// parse reads the command line, with the environment and the file that it names. It returns nil for a request such as --help, which
// kong has answered.
func (app App) parse() (line commandLine, parsed *kong.Context, err error) {
	args, exited := app.args, false
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	parser, err := newParser(&line, app, func(int) { exited = true })
	if err != nil {
		return line, nil, err
	}
	parsed, err = parser.Parse(args)
	if exited {
		return line, nil, nil
	}
	if wrong, ok := errors.AsType[*kong.ParseError](err); ok {
		return line, wrong.Context, err
	}
	named := 0
	for _, given := range parsed.Path {
		if given.Flag != nil && given.Flag.Name == "data" {
			named++
		}
	}
	if named > 1 { // the last would win, and the others be dropped
		return line, parsed, errors.New("--data is given more than once: name one folder that holds everything")
	}
	return line, parsed, nil
}

func newParser(line *commandLine, app App, exit func(int)) (*kong.Kong, error) {
	return kong.New(line,
		kong.Name("pdpp-mcp"),
		kong.Description("Read a person's data from a PDPP resource server through the Model Context Protocol."),
		kong.Vars{"version": "pdpp-mcp " + app.Version, "clients": strings.Join(clients.Names(), ", ")},
		kong.Writers(app.Out, app.Err),
		kong.Exit(exit), // --help and --version
	)
}

// plainer turns what kong says of a command line into plain words.
var plainer = []struct {
	kong  *regexp.Regexp
	plain string
}{
	{regexp.MustCompile(`^expected one of "demo".*`), "a command is missing"},
	{regexp.MustCompile(`^expected "(<\w+>).*`), "$1 is missing"},
	{regexp.MustCompile(`expected \w+ value but got "EOL" \(<EOL>\)`), "a value is missing"},
	{regexp.MustCompile(`expected a valid \d+ bit int but got (".*?")`), "$1 is not a whole number"},
	{regexp.MustCompile(`expected a float but got (".*?") \(\w+\)`), "$1 is not a number"},
	{regexp.MustCompile(`expected duration but got (".*?"): time: .*duration ".*?"`), "$1 is not a duration, such as 40s or 1m30s"},
	{regexp.MustCompile(`bool value must be .* but got (".*?")`), "$1 is neither true nor false"},
	{regexp.MustCompile(`expected \w+ value but got "(-.*?)" \(short flag\); perhaps try (--[\w-]+)=.*`),
		"write a value that begins with - behind =, as in $2=$1"},
	{regexp.MustCompile(`\(from envar (\w+)=.*\)`), "(from $1)"},
}

// usageError says what is wrong with a command line, and which help has what is right. parsed is as far as it was read.
func usageError(err error, parsed *kong.Context) error {
	message := err.Error()
	for _, p := range plainer {
		message = p.kong.ReplaceAllString(message, p.plain)
	}
	program := "pdpp-mcp"
	if parsed != nil && parsed.Selected() != nil {
		program += " " + parsed.Selected().Name
	}
	if !strings.HasSuffix(message, "?") {
		message += "."
	}
	return exit.UsageError(message + " Run " + program + " --help.")
}

// exitStopped is the exit code of a command that was asked to stop before it was done, as shells have it for SIGINT.
const exitStopped = 130

// fail prints why the program ends and returns its exit code: 1 unless the error names one.
func (app App) fail(err error) int {
	fmt.Fprintln(app.Err, "pdpp-mcp: "+strings.ReplaceAll(err.Error(), "\n", " "))
	if _, ok := errors.AsType[*transport.StoppedError](err); ok {
		return exitStopped
	}
	return cmp.Or(exit.CodeOf(err), 1)
}
