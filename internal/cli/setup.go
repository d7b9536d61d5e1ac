package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/terminal"
	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// runSetup prints how to connect a client, or connects it.
func runSetup(c setupCommand, app App) error {
	place, program, notes, err := installed(app.Getenv)
	if err != nil {
		return err
	}
	return setup{c, place, program, notes, cacheFolder(c.CacheRoot)}.run(terminal.Visible{Out: app.Out}, app.Err)
}

// run prints how to connect a client, or connects it; notes go to problems. Its errors are *exit.Error values: exit.Usage for what
// was typed, exit.Data and exit.CannotWrite for a client's file.
func (o setup) run(out, problems io.Writer) error {
	if o.Client == "" {
		if o.Write || o.DryRun || o.Remove || o.File != "" {
			return exit.UsageError("setup needs a client to edit the file of: one of " + strings.Join(clients.Names(), ", ") + ".")
		}
		return listClients(o, out)
	}
	client, ok := clients.ByName(o.Client)
	if !ok {
		return exit.UsageError(fmt.Sprintf("there is no client %q; there are %s.", o.Client, strings.Join(clients.Names(), ", ")))
	}
	if strings.TrimSpace(o.Name) == "" || strings.HasPrefix(o.Name, "-") || strings.ContainsFunc(o.Name, func(r rune) bool { return r < ' ' || r > '~' }) {
		return exit.UsageError(fmt.Sprintf("--name %q: letters, digits, dots and dashes make a name that every client takes.", o.Name))
	}
	if strings.ContainsFunc(o.File, unicode.IsControl) {
		return exit.UsageError(fmt.Sprintf("--file %q: a path with control characters is not written to.", o.File))
	}
	path := cmp.Or(o.File, client.Path(o.place))
	if o.Remove {
		return removeServer(client, path, o, out)
	}
	server, notes, err := o.server()
	if err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintln(problems, "pdpp-mcp: note: "+note)
	}
	if o.Write || o.DryRun {
		return writeServer(client, path, server, o, out)
	}
	if problem := client.Check(server); problem != "" {
		return exit.UsageError(problem)
	}
	self := append([]string{server.Command, "setup", client.Name}, o.again(server)...)
	_, err = fmt.Fprint(out, client.Guide(server, o.place, path, append(self, "--write")).Text(client, server))
	return err
}

// listClients shows which clients are here, and the one command to begin with.
func listClients(o setup, out io.Writer) error {
	var found []clients.Client
	for _, client := range clients.All() {
		path := client.Path(o.place)
		if path == "" {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if len(found) == 0 {
			fmt.Fprint(out, "Clients on this machine:\n\n")
		}
		found = append(found, client)
		fmt.Fprintf(out, "  %-15s %s\n", client.Name, path)
	}
	name := "claude-code"
	if len(found) > 0 {
		name = found[0].Name
		fmt.Fprintln(out)
	} else {
		fmt.Fprint(out, "No client's configuration was found on this machine.\n\n")
	}
	server, _, err := o.server()
	if err != nil {
		if o.ProviderURL != "" || o.URL != "" || o.Data != "" || o.TokenEnv != "" {
			return err
		}
		o.Demo = true // which needs nothing
		if server, _, err = o.server(); err != nil {
			return err
		}
	}
	words := append([]string{o.program, "setup", name}, o.again(server)...)
	_, err = fmt.Fprintf(out, "To connect one, begin with:\n\n  %s\n\nKnown clients: %s.\n", clients.CommandLine(o.place.OS, words), strings.Join(clients.Names(), ", "))
	return err
}

func writeServer(client clients.Client, path string, server clients.Server, o setup, out io.Writer) error {
	if problem := client.CheckWrite(server); problem != "" {
		return exit.UsageError(problem)
	}
	written, err := edit(path, o, out, server.Name+" is already there", func(file []byte) ([]byte, error) { return client.Add(file, server) })
	if written {
		fmt.Fprintf(out, "\n%s\n", client.Guide(server, o.place, path, nil).After)
	}
	return err
}

func removeServer(client clients.Client, path string, o setup, out io.Writer) error {
	if !client.HasFile() {
		return exit.UsageError(client.Title + " keeps its servers in its own settings, not in a file: remove it there.")
	}
	_, err := edit(path, o, out, o.Name+" is not there", func(file []byte) ([]byte, error) {
		if file == nil {
			return nil, nil
		}
		return client.Remove(file, o.Name)
	})
	return err
}

// edit shows how a client's file changes, and changes it unless that is not asked for. It says why nothing has to.
func edit(path string, o setup, out io.Writer, nothing string, with func(file []byte) ([]byte, error)) (written bool, err error) {
	if path == "" {
		return false, exit.UsageError("--file is needed: which file another client reads is not known.")
	}
	change, err := clients.Plan(path, with)
	if err != nil {
		return false, fileError(err)
	}
	if change.IsNothing() {
		fmt.Fprintf(out, "%s: nothing was changed in %s.\n", nothing, path)
		return false, nil
	}
	fmt.Fprint(out, change.Diff())
	if o.DryRun {
		return false, nil
	}
	backup, err := change.Write(time.Now())
	if err != nil {
		return false, fileError(err)
	}
	fmt.Fprintf(out, "\nWrote %s.\n", change.Path)
	if backup != "" {
		fmt.Fprintf(out, "What it held before is in %s.\n", backup)
	}
	return true, nil
}

// fileError gives a refusal to edit a file its exit code.
func fileError(err error) error {
	var refused *clients.RefusedError
	if errors.As(err, &refused) {
		return &exit.Error{Code: exit.Data, Message: err.Error()}
	}
	return &exit.Error{Code: exit.CannotWrite, Message: err.Error()}
}
