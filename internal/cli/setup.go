package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// defaultName is the default name of the server in a client's configuration.
const defaultName = "pdpp"

type setupCommand struct {
	providerFlags
	URL, Name, TokenEnv, File string
	Write, DryRun, Remove     bool

	place   clients.Place
	program string   // absolute path of this program
	notes   []string // about program, one sentence each
	out     io.Writer
}

func newSetup(app App) *cobra.Command {
	var o setupCommand
	c := &cobra.Command{
		Use: "setup [client]", Args: takes(0, 1), ValidArgs: clients.Names(), Example: "pdpp-mcp setup cursor --demo --write",
		Short: "Connect a client, such as Claude Code or Cursor.",
		Long: `Connect a client, such as Claude Code or Cursor. [client] is one of
` + strings.Join(clients.Names(), ", ") + `;
without one, the clients on this machine are listed.`,
		RunE: func(c *cobra.Command, words []string) error {
			if o.Write && o.DryRun {
				return usageError(c, "--write and --dry-run can't be used together")
			}
			return o.run(app, strings.Join(words, ""))
		},
	}
	flags := c.Flags()
	flags.StringVar(&o.URL, "url", "", "Connect to the hosted server at this `URL`")
	o.declare(flags)
	flags.StringVar(&o.Name, "name", defaultName, "`NAME` of the server in the client's file")
	flags.StringVar(&o.TokenEnv, "token-env", "",
		"With --url: `NAME` of the environment variable in which the client finds a bearer token, instead of signing in")
	flags.BoolVar(&o.Write, "write", false, "Edit the client's own file; a backup is kept next to it")
	flags.BoolVar(&o.DryRun, "dry-run", false, "Show what --write would change")
	flags.BoolVar(&o.Remove, "remove", false, "Remove the server from the client's file; with --dry-run, only show the change")
	flags.StringVar(&o.File, "file", "", "Edit this `FILE` instead of the client's own, such as a project's")
	paths(flags, "file")
	return c
}

// run prints how to connect a client, or edits the client's file. Its errors are *exit.Error values: exit.Usage for the command line,
// exit.Data and exit.CannotWrite for the file.
func (o setupCommand) run(app App, name string) error {
	var err error
	if o.place, o.program, o.notes, err = thisMachine(app.Getenv); err != nil {
		return err
	}
	o.out = app.visible()
	known := strings.Join(clients.Names(), ", ")
	if name == "" {
		if o.Write || o.DryRun || o.Remove || o.File != "" {
			return exit.UsageError("setup needs a client to edit the file of: one of " + known + ".")
		}
		return o.listClients(known)
	}
	client, ok := clients.ByName(name)
	switch {
	case !ok:
		return exit.UsageError(fmt.Sprintf("there is no client %q; there are %s.", name, known))
	case strings.TrimSpace(o.Name) == "" || strings.HasPrefix(o.Name, "-") || strings.ContainsFunc(o.Name, func(r rune) bool { return r < ' ' || r > '~' }):
		return exit.UsageError(fmt.Sprintf("--name %q: letters, digits, dots and dashes make a name that every client takes.", o.Name))
	case strings.ContainsFunc(o.File, unicode.IsControl):
		return exit.UsageError(fmt.Sprintf("--file %q: a path with control characters is not written to.", o.File))
	}
	path := cmp.Or(o.File, client.Path(o.place))
	if o.Remove {
		return o.removeServer(client, path)
	}
	server, notes, err := o.server()
	if err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintln(app.Err, "pdpp-mcp: note: "+note)
	}
	if o.Write || o.DryRun {
		return o.writeServer(client, path, server)
	}
	if problem := client.Check(server); problem != "" {
		return exit.UsageError(problem)
	}
	self := append([]string{server.Command, "setup", client.Name}, o.repeatFlags(server)...)
	_, err = fmt.Fprint(o.out, client.Guide(server, o.place, path, append(self, "--write")).Text(client, server))
	return err
}

// listClients prints the clients on this machine, and one setup command to begin with.
func (o setupCommand) listClients(known string) error {
	found := foundClients(o.place)
	if len(found) == 0 {
		fmt.Fprint(o.out, "No client's configuration was found on this machine.\n")
	} else {
		fmt.Fprint(o.out, "Clients on this machine:\n\n")
	}
	for _, client := range found {
		fmt.Fprintf(o.out, "  %-15s %s\n", client.Name, client.Path(o.place))
	}
	server, _, err := o.server()
	if err != nil && o.ProviderURL == "" && o.URL == "" && o.Data == "" && o.TokenEnv == "" {
		o.Demo = true // it needs no grant or data
		server, _, err = o.server()
	}
	if err != nil {
		return err
	}
	words := append([]string{o.program, "setup", append(found, clients.All()...)[0].Name}, o.repeatFlags(server)...)
	_, err = fmt.Fprintf(o.out, "\nTo connect one, begin with:\n\n  %s\n\nKnown clients: %s.\n", clients.CommandLine(o.place.OS, words), known)
	return err
}

func (o setupCommand) writeServer(client clients.Client, path string, server clients.Server) error {
	if problem := client.CheckWrite(server); problem != "" {
		return exit.UsageError(problem)
	}
	written, err := o.edit(path, server.Name+" is already there", func(file []byte) ([]byte, error) { return client.Add(file, server) })
	if written {
		fmt.Fprintf(o.out, "\n%s\n", client.Guide(server, o.place, path, nil).After)
	}
	return err
}

func (o setupCommand) removeServer(client clients.Client, path string) error {
	if !client.HasFile() {
		return exit.UsageError(client.Title + " keeps its servers in its own settings, not in a file: remove it there.")
	}
	_, err := o.edit(path, o.Name+" is not there", func(file []byte) ([]byte, error) {
		if file == nil {
			return nil, nil
		}
		return client.Remove(file, o.Name)
	})
	return err
}

// edit prints how a client's file changes, and writes the change unless DryRun is set. If nothing changes, it prints reason.
func (o setupCommand) edit(path, reason string, with func(file []byte) ([]byte, error)) (written bool, err error) {
	if path == "" {
		return false, exit.UsageError("--file is needed: the file of another client is unknown.")
	}
	change, err := clients.Plan(path, with)
	if err != nil {
		return false, fileError(err)
	}
	if change.IsNothing() {
		fmt.Fprintf(o.out, "%s: nothing was changed in %s.\n", reason, path)
		return false, nil
	}
	fmt.Fprint(o.out, change.Diff())
	if o.DryRun {
		return false, nil
	}
	backup, err := change.Write(time.Now())
	if err != nil {
		return false, fileError(err)
	}
	fmt.Fprintf(o.out, "\nWrote %s.\n", change.Path)
	if backup != "" {
		fmt.Fprintf(o.out, "The previous version is in %s.\n", backup)
	}
	return true, nil
}

// fileError returns an *exit.Error for an error about a client's file: exit.Data if the edit was refused, or else exit.CannotWrite.
func fileError(err error) error {
	if _, refused := errors.AsType[*clients.RefusedError](err); refused {
		return &exit.Error{Code: exit.Data, Message: err.Error()}
	}
	return &exit.Error{Code: exit.CannotWrite, Message: err.Error()}
}

// server returns the server for the client's configuration, and notes about problems that do not prevent the setup.
func (o setupCommand) server() (clients.Server, []string, error) {
	s := clients.Server{Name: o.Name, TokenEnv: o.TokenEnv, Command: o.program}
	var err error
	switch {
	case o.TokenEnv != "" && !variableName.MatchString(o.TokenEnv): // not quoted: it may be a token
		err = exit.UsageError("--token-env is not the name of an environment variable: give a name of letters, digits and _, such as PDPP_TOKEN, and not its value.")
	case credentials.IsOwnerVariable(o.TokenEnv):
		err = exit.UsageError("--token-env " + o.TokenEnv + " is the name of an owner credential, which must not reach an assistant: name a variable that holds a client's token.")
	// A provider URL from the environment gives way to the other flags.
	case several(o.URL != "", o.Demo, o.Data != "", o.ProviderURL != "" && o.ProviderURL != o.place.Getenv("PDPP_PROVIDER_URL")):
		err = exit.UsageError("--url, --provider-url, --data and --demo name different things to connect: give one.")
	case o.DB != "" && o.Data == "":
		err = errDBAlone
	case o.URL != "":
		s.URL, err = endpointURL(o.URL)
		s.Description = s.URL
		var notes []string
		if err == nil && strings.Count(strings.TrimSuffix(s.URL, "/"), "/") == 2 {
			notes = []string{s.URL + " has no path: the address of pdpp-mcp serve ends in /mcp."}
		}
		return s, notes, err
	case o.Demo, o.Data != "":
		flags, name := o.local()
		s.Arguments, s.Description, err = append([]string{"stdio"}, flags...), name, o.readable()
	case o.TokenEnv != "":
		err = exit.UsageError("--token-env needs --url.")
	default:
		return o.stored(s)
	}
	return s, o.notes, err
}

// stored completes a server that reads with stored grants of a provider.
func (o setupCommand) stored(s clients.Server) (clients.Server, []string, error) {
	provider := o.known().ProviderURL
	if provider == "" {
		return s, nil, exit.UsageError("say what to connect: --provider-url URL (after pdpp-mcp connect URL --source KEY), --url https://…/mcp of a hosted server, --data PATH of your own files, or --demo.")
	}
	provider, err := credentials.NormalizeProviderURL(provider)
	if err != nil {
		return s, nil, err
	}
	if err := requireTLS("--provider-url", provider); err != nil {
		return s, nil, err
	}
	s.Description = "your grant at " + provider
	s.Arguments = append([]string{"stdio"}, clients.Flags(
		"--provider-url", provider, "--cache-root", o.CacheRoot, "--grant-id", o.GrantID, "--only", strings.Join(o.Only, ","),
	)...)
	notes := slices.Clone(o.notes)
	if _, err := credentials.LoadCredential(o.folder(), provider, o.GrantID, time.Now(), o.Only...); err != nil {
		notes = append(notes, err.Error())
	}
	return s, notes, nil
}

// repeatFlags returns the flags with which another setup command connects the same server.
func (o setupCommand) repeatFlags(s clients.Server) []string {
	name := o.Name
	if name == defaultName {
		name = ""
	}
	return slices.Concat(
		s.Arguments[min(1, len(s.Arguments)):], clients.Flags("--url", s.URL, "--name", name, "--token-env", o.TokenEnv, "--file", o.File),
	)
}

// variableName matches the names of environment variables that shells and clients accept.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
