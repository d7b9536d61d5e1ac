package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/transport"
	"github.com/pdp-connect/pdpp-mcp/transport/clients"
)

type setupCommand struct {
	Client string `arg:"" optional:"" help:"claude-code, claude-desktop, chatgpt, codex, cursor, vscode, gemini, zed or generic; without one, the clients on this machine are listed."`
	URL    string `name:"url" help:"Connect to this hosted server." placeholder:"URL"`
	providerFlags
	Name     string `help:"Name under which the client files it; ${default} if absent." default:"pdpp" placeholder:"NAME"`
	TokenEnv string `name:"token-env" help:"With --url: environment variable in which the client finds a bearer token, instead of signing in." placeholder:"NAME"`
	Write    bool   `help:"Edit the client's own file; what was there is kept beside it." xor:"write"`
	DryRun   bool   `name:"dry-run" help:"Show what --write would change." xor:"write"`
	Remove   bool   `help:"Take the server out of the client's file; with --dry-run, show that only."`
	File     string `help:"Edit this file instead of the client's own, such as a project's." type:"path" placeholder:"FILE"`
}

// runSetup says how to connect a client, or does it.
func runSetup(c setupCommand, getenv func(string) string, io streams) error {
	place, err := thisPlace(getenv)
	if err != nil {
		return err
	}
	if c.Client == "" {
		if c.Write || c.DryRun || c.Remove || c.File != "" {
			return usage("setup needs a client to edit the file of: one of " + strings.Join(clients.Names(), ", ") + ".")
		}
		return listClients(c, place, io)
	}
	client, ok := clients.ByName(c.Client)
	if !ok {
		return usage(fmt.Sprintf("there is no client %q; there are %s.", c.Client, strings.Join(clients.Names(), ", ")))
	}
	if strings.TrimSpace(c.Name) == "" || strings.HasPrefix(c.Name, "-") || strings.ContainsFunc(c.Name, func(r rune) bool { return r < ' ' || r > '~' }) {
		return usage(fmt.Sprintf("--name %q: letters, digits, dots and dashes make a name that every client takes.", c.Name))
	}
	path := cmp.Or(c.File, client.Path(place))
	if c.Remove {
		return removeServer(client, path, c, io)
	}
	server, notes, err := c.server(place)
	if err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintln(io.err, "pdpp-mcp: note: "+note)
	}
	if c.Write || c.DryRun {
		return writeServer(client, path, server, c, io)
	}
	if problem := client.Check(server); problem != "" {
		return usage(problem)
	}
	self := append([]string{server.Command, "setup", client.Name}, c.again(server)...)
	_, err = fmt.Fprint(io.out, client.Guide(server, place, path, append(self, "--write")).Text(client, server))
	return err
}

// thisPlace is this machine.
func thisPlace(getenv func(string) string) (clients.Place, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return clients.Place{}, usage("the home folder is not known: set HOME.")
	}
	return clients.Place{OS: runtime.GOOS, Home: home, Getenv: getenv}, nil
}

// listClients shows which clients are here, and the one command to begin with.
func listClients(c setupCommand, place clients.Place, io streams) error {
	var found []clients.Client
	for _, client := range clients.All() {
		path := client.Path(place)
		if path == "" {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if len(found) == 0 {
			fmt.Fprint(io.out, "Clients on this machine:\n\n")
		}
		found = append(found, client)
		fmt.Fprintf(io.out, "  %-15s %s\n", client.Name, path)
	}
	name := "claude-code"
	if len(found) > 0 {
		name = found[0].Name
		fmt.Fprintln(io.out)
	} else {
		fmt.Fprint(io.out, "No client's configuration was found on this machine.\n\n")
	}
	server, _, err := c.server(place)
	if err != nil {
		if c.ProviderURL != "" || c.URL != "" || c.TokenEnv != "" {
			return err
		}
		c.Demo = true // which needs nothing
		if server, _, err = c.server(place); err != nil {
			return err
		}
	}
	self, _, err := ownPath()
	if err != nil {
		return err
	}
	words := append([]string{self, "setup", name}, c.again(server)...)
	_, err = fmt.Fprintf(io.out, "To connect one, begin with:\n\n  %s\n\nKnown clients: %s.\n", clients.CommandLine(place.OS, words), strings.Join(clients.Names(), ", "))
	return err
}

// server is what the client is told of, with notes about what still stands in the way.
func (c setupCommand) server(place clients.Place) (clients.Server, []string, error) {
	self, notes, err := ownPath()
	if err != nil {
		return clients.Server{}, nil, err
	}
	s := clients.Server{Name: c.Name, TokenEnv: c.TokenEnv, Command: self}
	provider := c.ProviderURL
	switch {
	case c.URL != "" && c.Demo, (c.URL != "" || c.Demo) && provider != "" && provider != place.Getenv("PDPP_PROVIDER_URL"):
		return s, nil, usage("--url, --provider-url and --demo name different things to connect: give one.")
	case c.URL != "":
		if s.URL, err = endpointURL(c.URL); err != nil {
			return s, nil, err
		}
		s.Description = s.URL
		return s, nil, nil
	case c.Demo:
		s.Arguments, s.Description = []string{"stdio", "--demo"}, "the sample year"
		return s, notes, nil
	}
	if c.TokenEnv != "" {
		return s, nil, usage("--token-env needs --url.")
	}
	roots := cacheRoots(c.CacheRoot)
	if provider == "" {
		cached := transport.CachedProviders(roots)
		if len(cached) != 1 {
			return s, nil, usage("say what to connect: --provider-url URL (after pdpp connect URL), --url https://…/mcp of a hosted server, or --demo.")
		}
		provider = cached[0]
	}
	if provider, err = transport.NormalizeProviderURL(provider); err != nil {
		return s, nil, err
	}
	s.Arguments, s.Description = []string{"stdio", "--provider-url", provider}, "your grant at "+provider
	credential, err := transport.LoadCredential(roots, provider, c.GrantID, time.Now())
	if err != nil {
		notes = append(notes, err.Error())
	}
	// Clients start servers in a folder of their own, where a relative cache is not found.
	if root := filepath.Dir(filepath.Dir(credential.Path)); c.CacheRoot != "" || credential.Path != "" && !filepath.IsAbs(root) {
		if root, err = filepath.Abs(cmp.Or(c.CacheRoot, root)); err != nil {
			return s, nil, err
		}
		s.Arguments = append(s.Arguments, "--cache-root", root)
	}
	if c.GrantID != "" {
		s.Arguments = append(s.Arguments, "--grant-id", c.GrantID)
	}
	return s, notes, nil
}

// again are the flags that say once more what to connect.
func (c setupCommand) again(s clients.Server) []string {
	var words []string
	if s.URL != "" {
		words = []string{"--url", s.URL}
	} else {
		words = slices.Clone(s.Arguments[1:])
	}
	if c.Name != "pdpp" {
		words = append(words, "--name", c.Name)
	}
	if c.TokenEnv != "" {
		words = append(words, "--token-env", c.TokenEnv)
	}
	if c.File != "" {
		words = append(words, "--file", c.File)
	}
	return words
}

// endpointURL checks the address of a hosted server.
func endpointURL(text string) (string, error) {
	parsed, err := url.Parse(strings.TrimSpace(text))
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return "", usage("--url must be an http or https address, such as https://mcp.example/mcp.")
	}
	if parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return "", usage("--url must hold no credentials, query or fragment: the client signs in by itself.")
	}
	return parsed.String(), nil
}

func writeServer(client clients.Client, path string, server clients.Server, c setupCommand, io streams) error {
	if problem := client.CheckWrite(server); problem != "" {
		return usage(problem)
	}
	if path == "" {
		return usage("--file is needed: which file another client reads is not known.")
	}
	change, err := clients.Plan(path, func(file []byte) ([]byte, error) { return client.Add(file, server) })
	if err != nil {
		return fileError(err)
	}
	if change.IsNothing() {
		fmt.Fprintf(io.out, "%s is already there: nothing was changed in %s.\n", server.Name, path)
		return nil
	}
	if err := makeChange(change, c.DryRun, io); err != nil || c.DryRun {
		return err
	}
	fmt.Fprintf(io.out, "\n%s\n", client.Guide(server, clients.Place{OS: runtime.GOOS}, path, nil).After)
	return nil
}

func removeServer(client clients.Client, path string, c setupCommand, io streams) error {
	if !client.HasFile() {
		return usage(client.Title + " keeps its servers in its own settings, not in a file: remove it there.")
	}
	if path == "" {
		return usage("--file is needed: which file another client reads is not known.")
	}
	change, err := clients.Plan(path, func(file []byte) ([]byte, error) {
		if file == nil {
			return nil, nil
		}
		return client.Remove(file, c.Name)
	})
	if err != nil {
		return fileError(err)
	}
	if change.IsNothing() {
		fmt.Fprintf(io.out, "%s is not there: nothing was changed in %s.\n", c.Name, path)
		return nil
	}
	return makeChange(change, c.DryRun, io)
}

// makeChange shows a change and makes it.
func makeChange(change clients.Change, onlyShow bool, io streams) error {
	fmt.Fprint(io.out, change.Diff())
	if onlyShow {
		return nil
	}
	backup, err := change.Write(time.Now())
	if err != nil {
		return fileError(err)
	}
	fmt.Fprintf(io.out, "\nWrote %s.\n", change.Path)
	if backup != "" {
		fmt.Fprintf(io.out, "What it held before is in %s.\n", backup)
	}
	return nil
}

// fileError gives a refusal to edit a file its exit code.
func fileError(err error) error {
	var refused *clients.RefusedError
	if errors.As(err, &refused) {
		return &transport.ExitError{Code: transport.ExitData, Message: err.Error()}
	}
	return &transport.ExitError{Code: transport.ExitCannotWrite, Message: err.Error()}
}

// ownPath is where this program is installed, as clients are to start it. The name by which it was called is kept
// where it leads here: package managers change what it links to with every version.
func ownPath() (path string, notes []string, err error) {
	path, err = os.Executable()
	if err != nil {
		return "", nil, fmt.Errorf("where this program is installed is not known: %w", err)
	}
	if called, err := exec.LookPath(os.Args[0]); err == nil {
		if called, err = filepath.Abs(called); err == nil && sameFile(called, path) {
			path = called
		}
	}
	if strings.Contains(path, string(filepath.Separator)+"go-build") {
		notes = []string{"this program was built for one run, by go run, and will be gone: go build -o pdpp-mcp . and run setup with that"}
	}
	return path, notes, nil
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a) // #nosec G703 -- the name by which this program was called
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
