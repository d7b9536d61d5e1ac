package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/connect"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// server returns what the client is to connect to, and notes about what is still missing.
func (o setup) server() (clients.Server, []string, error) {
	s := clients.Server{Name: o.Name, TokenEnv: o.TokenEnv, Command: o.program}
	var err error
	switch {
	case o.TokenEnv != "" && !variableName.MatchString(o.TokenEnv): // not quoted: it may be a token
		err = exit.UsageError("--token-env is not the name of an environment variable: give a name of letters, digits and _, such as PDPP_TOKEN, and not its value.")
	case credentials.IsOwnerVariable(o.TokenEnv):
		err = exit.UsageError("--token-env " + o.TokenEnv + " is the name of an owner credential, which must not reach an assistant: name a variable that holds a client's token.")
	case several(o.URL != "", o.Demo, o.Data != "", o.ProviderURL != "" && o.ProviderURL != o.place.Getenv("PDPP_PROVIDER_URL")): // the environment's gives way
		err = exit.UsageError("--url, --provider-url, --data and --demo name different things to connect: give one.")
	case o.URL != "":
		s.URL, err = endpointURL(o.URL)
		s.Description = s.URL
		return s, nil, err
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

// stored completes a server that reads through stored grants of a provider.
func (o setup) stored(s clients.Server) (clients.Server, []string, error) {
	provider := o.known().ProviderURL
	if provider == "" {
		return s, nil, exit.UsageError("say what to connect: --provider-url URL (after pdpp-mcp connect URL), --url https://…/mcp of a hosted server, --data PATH of your own files, or --demo.")
	}
	provider, err := credentials.NormalizeProviderURL(provider)
	if err != nil {
		return s, nil, err
	}
	if err := encrypted("--provider-url", provider); err != nil {
		return s, nil, err
	}
	s.Description = "your grant at " + provider
	s.Arguments = append([]string{"stdio"}, clients.Flags(
		"--provider-url", provider, "--cache-root", o.CacheRoot, "--grant-id", o.GrantID, "--only", strings.Join(o.Only, ","),
	)...)
	notes := slices.Clone(o.notes)
	if _, err := credentials.LoadCredential(o.folder(), provider, o.GrantID, time.Now()); err != nil {
		notes = append(notes, err.Error())
	}
	return s, notes, nil
}

// again returns the flags that repeat what to connect.
func (o setup) again(s clients.Server) []string {
	name := o.Name
	if name == defaultName {
		name = ""
	}
	return slices.Concat(
		s.Arguments[min(1, len(s.Arguments)):], clients.Flags("--url", s.URL, "--name", name, "--token-env", o.TokenEnv, "--file", o.File),
	)
}

// endpointURL checks the address of a hosted server.
func endpointURL(text string) (string, error) {
	parsed, err := parseAddress(strings.TrimSpace(text))
	if err != nil {
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
	if _, err := connect.SecureURL(address); err != nil {
		return exit.UsageError(fmt.Sprintf("%s: %v, such as http://127.0.0.1. Give an https address.", flag, err))
	}
	return nil
}
