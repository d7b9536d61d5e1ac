package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// server returns what the client is to connect to, and notes about what is still missing.
func (o setup) server() (clients.Server, []string, error) {
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
	s := clients.Server{Name: o.Name, TokenEnv: o.TokenEnv, Command: o.program}
	notes := slices.Clone(o.notes)
	provider := o.ProviderURL
	var err error
	switch {
	case several(o.URL != "", o.Demo, o.Data != "", o.ProviderURL != "" && o.ProviderURL != o.place.Getenv("PDPP_PROVIDER_URL")): // the environment's gives way
		return s, nil, exit.UsageError("--url, --provider-url, --data and --demo name different things to connect: give one.")
	case o.URL != "":
		if s.URL, err = endpointURL(o.URL); err != nil {
			return s, nil, err
		}
		s.Description = s.URL
		return s, nil, nil
	case o.Demo:
		s.Arguments, s.Description = []string{"stdio", "--demo"}, "the sample year"
		return s, notes, nil
	case o.Data != "":
		s.Arguments, s.Description = append([]string{"stdio"}, o.flags()...), "your files in "+o.Data
		if _, err := os.Stat(o.Data); err != nil {
			return s, nil, exit.UsageError(fmt.Sprintf("--data: %s cannot be read: %v.", o.Data, errors.Unwrap(err)))
		}
		return s, notes, nil
	}
	if o.TokenEnv != "" {
		return s, nil, exit.UsageError("--token-env needs --url.")
	}
	if provider == "" {
		cached := credentials.CachedProviders(o.root)
		if len(cached) != 1 {
			return s, nil, exit.UsageError("say what to connect: --provider-url URL (after pdpp-mcp connect URL), --url https://…/mcp of a hosted server, --data PATH of your own files, or --demo.")
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
	credential, err := credentials.LoadCredential(o.root, provider, o.GrantID, time.Now())
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
	for _, name := range o.Only {
		s.Arguments = append(s.Arguments, "--only", name)
	}
	return s, notes, nil
}

// again returns the flags that repeat what to connect.
func (o setup) again(s clients.Server) []string {
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
		return "", exit.UsageError(fmt.Sprintf("--url %q must be an http or https address, such as https://mcp.example/mcp.", rsclient.RedactURL(text)))
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
	if parsed.Scheme != "https" && !rsclient.IsLoopback(host) && !strings.HasSuffix(host, ".localhost") {
		return exit.UsageError(fmt.Sprintf(
			"%s %s is not encrypted: http is for this machine alone, such as http://127.0.0.1:7700/mcp. Give an https address.", flag, address))
	}
	return nil
}

type setupCommand struct {
	Client string `arg:"" optional:"" help:"${clients}; without one, the clients on this machine are listed."`
	URL    string `name:"url" help:"Connect to this hosted server." placeholder:"URL"`
	providerFlags
	Name     string `help:"Name under which the client files it; ${default} if absent." default:"pdpp" placeholder:"NAME"`
	TokenEnv string `name:"token-env" help:"With --url: environment variable in which the client finds a bearer token, instead of signing in." placeholder:"NAME"`
	Write    bool   `help:"Edit the client's own file; what was there is kept beside it." xor:"write"`
	DryRun   bool   `name:"dry-run" help:"Show what --write would change." xor:"write"`
	Remove   bool   `help:"Take the server out of the client's file; with --dry-run, show that only."`
	File     string `help:"Edit this file instead of the client's own, such as a project's." type:"path" placeholder:"FILE"`
}

// A setup is a setup command, and where it runs.
type setup struct {
	setupCommand
	place   clients.Place
	program string   // absolute path of this program
	notes   []string // about that path, one sentence each
	root    string   // the folder of the credential cache
}
