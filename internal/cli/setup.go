package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
)

// SetupOptions are what was typed, and where.
type SetupOptions struct {
	Client      string // as clients.ByName knows it; empty: list those of this machine
	URL         string // of a hosted server to connect to
	ProviderURL string // or the provider whose grant a local server reads through
	CacheRoot   string // as it was typed; Roots are the folders that it stands for
	GrantID     string
	Demo        bool   // or the sample year
	Name        string // under which the client files the server
	TokenEnv    string // environment variable in which the client finds a hosted server's token
	Write       bool   // edit the client's file
	DryRun      bool   // show the edit alone
	Remove      bool   // take the server out of the file
	File        string // to edit instead of the client's own

	Place   clients.Place
	Program string   // absolute path of this program
	Notes   []string // about that path, one sentence each
	Roots   []string // folders of the credential cache, in the order in which they are looked through
	Now     func() time.Time
}

// Setup says on out how to connect a client, or does it; notes go to problems. Its errors are *exit.Error values:
// exit.Usage for what was typed, exit.Data and exit.CannotWrite for a client's file.
func Setup(o SetupOptions, out, problems io.Writer) error {
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
	path := cmp.Or(o.File, client.Path(o.Place))
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
	_, err = fmt.Fprint(out, client.Guide(server, o.Place, path, append(self, "--write")).Text(client, server))
	return err
}

// listClients shows which clients are here, and the one command to begin with.
func listClients(o SetupOptions, out io.Writer) error {
	var found []clients.Client
	for _, client := range clients.All() {
		path := client.Path(o.Place)
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
		if o.ProviderURL != "" || o.URL != "" || o.TokenEnv != "" {
			return err
		}
		o.Demo = true // which needs nothing
		if server, _, err = o.server(); err != nil {
			return err
		}
	}
	words := append([]string{o.Program, "setup", name}, o.again(server)...)
	_, err = fmt.Fprintf(out, "To connect one, begin with:\n\n  %s\n\nKnown clients: %s.\n", clients.CommandLine(o.Place.OS, words), strings.Join(clients.Names(), ", "))
	return err
}

// server is what the client is notified of, with notes about what still stands in the way.
func (o SetupOptions) server() (clients.Server, []string, error) {
	if o.TokenEnv != "" {
		switch {
		case !variableName.MatchString(o.TokenEnv):
			return clients.Server{}, nil, exit.UsageError( // not quoted: it may be a token
				"--token-env is not the name of an environment variable: give a name of letters, digits and _, such as PDPP_TOKEN, and not its value.")
		case credentials.IsOwnerVariable(o.TokenEnv):
			return clients.Server{}, nil, exit.UsageError("--token-env " + o.TokenEnv +
				" is the name of an owner credential, which must not reach an assistant: name a variable that holds a client's token.")
		}
	}
	s := clients.Server{Name: o.Name, TokenEnv: o.TokenEnv, Command: o.Program}
	notes := slices.Clone(o.Notes)
	provider := o.ProviderURL
	var err error
	switch {
	case o.URL != "" && o.Demo, (o.URL != "" || o.Demo) && provider != "" && provider != o.Place.Getenv("PDPP_PROVIDER_URL"):
		return s, nil, exit.UsageError("--url, --provider-url and --demo name different things to connect: give one.")
	case o.URL != "":
		if s.URL, err = endpointURL(o.URL); err != nil {
			return s, nil, err
		}
		s.Description = s.URL
		return s, nil, nil
	case o.Demo:
		s.Arguments, s.Description = []string{"stdio", "--demo"}, "the sample year"
		return s, notes, nil
	}
	if o.TokenEnv != "" {
		return s, nil, exit.UsageError("--token-env needs --url.")
	}
	if provider == "" {
		cached := credentials.CachedProviders(o.Roots)
		if len(cached) != 1 {
			return s, nil, exit.UsageError("say what to connect: --provider-url URL (after pdpp connect URL), --url https://…/mcp of a hosted server, or --demo.")
		}
		provider = cached[0]
	}
	if provider, err = credentials.NormalizeProviderURL(provider); err != nil {
		return s, nil, err
	}
	if err := encrypted("--provider-url", provider); err != nil {
		return s, nil, err
	}
	s.Arguments, s.Description = []string{"stdio", "--provider-url", provider}, "your grant at "+provider
	credential, err := credentials.LoadCredential(o.Roots, provider, o.GrantID, o.Now())
	if err != nil {
		notes = append(notes, err.Error())
	}
	// Clients start servers in a folder of their own, where a relative cache is not found.
	if root := filepath.Dir(filepath.Dir(credential.Path)); o.CacheRoot != "" || credential.Path != "" && !filepath.IsAbs(root) {
		if root, err = filepath.Abs(cmp.Or(o.CacheRoot, root)); err != nil {
			return s, nil, err
		}
		s.Arguments = append(s.Arguments, "--cache-root", root)
	}
	if o.GrantID != "" {
		s.Arguments = append(s.Arguments, "--grant-id", o.GrantID)
	}
	return s, notes, nil
}

// again are the flags that say once more what to connect.
func (o SetupOptions) again(s clients.Server) []string {
	var words []string
	if s.URL != "" {
		words = []string{"--url", s.URL}
	} else {
		words = slices.Clone(s.Arguments[1:])
	}
	if o.Name != "pdpp" {
		words = append(words, "--name", o.Name)
	}
	if o.TokenEnv != "" {
		words = append(words, "--token-env", o.TokenEnv)
	}
	if o.File != "" {
		words = append(words, "--file", o.File)
	}
	return words
}

// endpointURL checks the address of a hosted server.
func endpointURL(text string) (string, error) {
	parsed, err := url.Parse(strings.TrimSpace(text))
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return "", exit.UsageError("--url must be an http or https address, such as https://mcp.example/mcp.")
	}
	if parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return "", exit.UsageError("--url must hold no credentials, query or fragment: the client signs in by itself.")
	}
	return parsed.String(), encrypted("--url", parsed.String())
}

// variableName is what shells and clients take as the name of an environment variable.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// encrypted refuses to connect a client to another machine without TLS: everything on the way could read the token and the
// data.
func encrypted(flag, address string) error {
	parsed, err := url.Parse(address)
	if err != nil {
		return exit.UsageError(flag + " is not an address.")
	}
	host := strings.TrimSuffix(strings.ToLower(parsed.Hostname()), ".")
	number, err := netip.ParseAddr(host)
	loopback := err == nil && number.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
	if parsed.Scheme != "https" && !loopback {
		return exit.UsageError(fmt.Sprintf(
			"%s %s is not encrypted: http is for this machine alone, such as http://127.0.0.1:7700/mcp. Give an https address.", flag, address))
	}
	return nil
}

func writeServer(client clients.Client, path string, server clients.Server, o SetupOptions, out io.Writer) error {
	if problem := client.CheckWrite(server); problem != "" {
		return exit.UsageError(problem)
	}
	if path == "" {
		return exit.UsageError("--file is needed: which file another client reads is not known.")
	}
	change, err := clients.Plan(path, func(file []byte) ([]byte, error) { return client.Add(file, server) })
	if err != nil {
		return fileError(err)
	}
	if change.IsNothing() {
		fmt.Fprintf(out, "%s is already there: nothing was changed in %s.\n", server.Name, path)
		return nil
	}
	if err := makeChange(change, o, out); err != nil || o.DryRun {
		return err
	}
	fmt.Fprintf(out, "\n%s\n", client.Guide(server, o.Place, path, nil).After)
	return nil
}

func removeServer(client clients.Client, path string, o SetupOptions, out io.Writer) error {
	if !client.HasFile() {
		return exit.UsageError(client.Title + " keeps its servers in its own settings, not in a file: remove it there.")
	}
	if path == "" {
		return exit.UsageError("--file is needed: which file another client reads is not known.")
	}
	change, err := clients.Plan(path, func(file []byte) ([]byte, error) {
		if file == nil {
			return nil, nil
		}
		return client.Remove(file, o.Name)
	})
	if err != nil {
		return fileError(err)
	}
	if change.IsNothing() {
		fmt.Fprintf(out, "%s is not there: nothing was changed in %s.\n", o.Name, path)
		return nil
	}
	return makeChange(change, o, out)
}

// makeChange shows a change and makes it.
func makeChange(change clients.Change, o SetupOptions, out io.Writer) error {
	fmt.Fprint(out, change.Diff())
	if o.DryRun {
		return nil
	}
	backup, err := change.Write(o.Now())
	if err != nil {
		return fileError(err)
	}
	fmt.Fprintf(out, "\nWrote %s.\n", change.Path)
	if backup != "" {
		fmt.Fprintf(out, "What it held before is in %s.\n", backup)
	}
	return nil
}

// fileError gives a refusal to edit a file its exit code.
func fileError(err error) error {
	var refused *clients.RefusedError
	if errors.As(err, &refused) {
		return &exit.Error{Code: exit.Data, Message: err.Error()}
	}
	return &exit.Error{Code: exit.CannotWrite, Message: err.Error()}
}

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
func runSetup(c setupCommand, app App) error {
	place, err := thisPlace(app.Getenv)
	if err != nil {
		return err
	}
	program, notes, err := ownPath()
	if err != nil {
		return err
	}
	return Setup(SetupOptions{
		Client: c.Client, URL: c.URL, ProviderURL: c.ProviderURL, CacheRoot: c.CacheRoot, GrantID: c.GrantID, Demo: c.Demo,
		Name: c.Name, TokenEnv: c.TokenEnv, Write: c.Write, DryRun: c.DryRun, Remove: c.Remove, File: c.File,
		Place: place, Program: program, Notes: notes, Roots: cacheRoots(c.CacheRoot), Now: time.Now,
	}, Visible(app.Out), app.Err)
}
