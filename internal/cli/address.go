package cli

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/connect"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// parseAddress parses an http or https URL. Its error shows no secrets.
func parseAddress(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q must start with http:// or https:// and name a host", rsclient.RedactURL(text))
	}
	return u, nil
}

// parseOrigin returns the origin of a URL in its canonical form: only scheme and host, in lower case, without a default port. It refuses a
// URL with anything that an origin cannot have.
func parseOrigin(text string) (string, error) {
	u, err := parseAddress(text)
	switch {
	case err != nil:
		return "", err
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		return "", fmt.Errorf("%q must be an origin, such as https://%s: no path, no query, no credentials",
			rsclient.RedactURL(text), u.Host)
	}
	return credentials.NormalizeProviderURL(u.Scheme + "://" + u.Host)
}

// endpointURL validates and normalizes the URL of a hosted server.
func endpointURL(text string) (string, error) {
	parsed, err := parseAddress(strings.TrimSpace(text))
	if err != nil {
		return "", exit.UsageError(fmt.Sprintf("--url %q must be an http or https address, such as https://mcp.example/mcp.",
			rsclient.RedactURL(text)))
	}
	if parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return "", exit.UsageError("--url must hold no credentials, query or fragment: the client signs in by itself.")
	}
	return parsed.String(), requireTLS("--url", parsed.String())
}

// requireTLS returns an error for an address on another machine without TLS: anyone on the network path could read the token and the
// data.
func requireTLS(flag, address string) error {
	if _, err := connect.SecureURL(address); err != nil {
		return exit.UsageError(fmt.Sprintf("%s: %v: give an https address.", flag, err))
	}
	return nil
}
