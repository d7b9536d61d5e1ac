// Package credentials keeps the credentials that `pdpp-mcp connect` stores on this machine, in the format of the TypeScript tools.
package credentials

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// CacheRoot returns the folder for credentials: the named one, or .pdpp in the home folder, or "" if neither is known. A .pdpp in the
// working directory is used only when named: another user could have planted it in a project.
func CacheRoot(named, home string) string {
	if named == "" && home != "" {
		return filepath.Join(home, ".pdpp")
	}
	return named
}

// A Credential is a client access token from the local cache (S3-R1).
type Credential struct {
	ProviderURL string // normalised
	Name        string // tells several credentials of a provider apart; the TypeScript tools see only DefaultName
	Token       rs.Token
	GrantID     string
	Expires     time.Time // zero: never
	Root        string    // the cache root; "": the default, which only the commands know
	Path        string    // the file that it was read from
	Used        time.Time // when it was last used, set by Stored; zero: unknown
	Warnings    []string  // for the operator, one sentence each
	Document    Document
}

// ownerPrefixes are the prefixes of environment variables that hold owner credentials (S0-3a, D8, D39).
var ownerPrefixes = []string{"PDPP_OWNER_", "PDPP_CONTROL_", "PDPP_ADMIN_"}

// IsOwnerVariable reports whether a variable of this name holds an owner credential. Case does not matter.
func IsOwnerVariable(name string) bool {
	return slices.ContainsFunc(ownerPrefixes, func(prefix string) bool { return strings.HasPrefix(strings.ToUpper(name), prefix) })
}

// OwnerVariable returns the alphabetically first variable of an environment that holds an owner credential, or "". An empty value does
// not count.
func OwnerVariable(environment []string) string {
	var names []string
	for _, variable := range environment {
		if name, value, _ := strings.Cut(variable, "="); value != "" && IsOwnerVariable(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return append(names, "")[0]
}

// NormalizeProviderURL returns a provider's URL in canonical form: https if it has no scheme; the host in lower case without a
// default port; no credentials, query, fragment or trailing slashes. Its error has the code exit.Usage.
func NormalizeProviderURL(text string) (string, error) {
	given := text
	text = strings.TrimSpace(text)
	if scheme, _, _ := strings.Cut(text, ":"); !strings.Contains(text, "://") && scheme != "http" && scheme != "https" {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", exit.UsageError(fmt.Sprintf("the provider URL %q must start with http:// or https:// and name a host.",
			rsclient.RedactURL(given)))
	}
	host := strings.TrimSuffix(strings.ToLower(u.Host), map[string]string{"https": ":443", "http": ":80"}[u.Scheme])
	return u.Scheme + "://" + strings.TrimSuffix(host, ":") + strings.TrimRight(u.EscapedPath(), "/"), nil
}
