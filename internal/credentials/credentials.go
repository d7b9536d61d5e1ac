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

// CacheRoot is the folder in which credentials are kept: the named one, or .pdpp in the home folder, "" where neither is known. That of the
// working directory is used only when it is named: a folder that another user planted in a project must not win.
func CacheRoot(named, home string) string {
	if named == "" && home != "" {
		return filepath.Join(home, ".pdpp")
	}
	return named
}

// A Credential is a client access token from the local cache (S3-R1).
type Credential struct {
	ProviderURL string // normalised
	Name        string // of several of one provider; DefaultName for the one that the TypeScript tools see
	Token       rs.Token
	GrantID     string
	Expires     time.Time // zero when it does not expire
	Root        string    // the cache root; "" for the usual place, which only the commands know
	Path        string    // the file it was read from
	Used        time.Time // last, where Stored lists it; zero when that is not known
	Warnings    []string  // what an operator should mend, one sentence each
	Document    Document
}

// ownerPrefixes begin the names of variables that hold owner credentials (S0-3a, D8, D39).
var ownerPrefixes = []string{"PDPP_OWNER_", "PDPP_CONTROL_", "PDPP_ADMIN_"}

// IsOwnerVariable reports whether a variable of this name holds an owner credential, in whatever case it is written.
func IsOwnerVariable(name string) bool {
	return slices.ContainsFunc(ownerPrefixes, func(prefix string) bool { return strings.HasPrefix(strings.ToUpper(name), prefix) })
}

// OwnerVariable returns the first name, in alphabetical order, of an owner credential in an environment, or "". Its value is
// not looked at beyond whether there is one.
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

// NormalizeProviderURL gives a provider's URL its one spelling: https where there is no scheme; host in lower case,
// without a default port; no credentials, query, fragment or trailing slashes. Its error is an exit.Usage.
func NormalizeProviderURL(text string) (string, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", exit.UsageError(fmt.Sprintf("the provider URL %q must start with http:// or https:// and name a host.", rsclient.RedactURL(text)))
	}
	host := strings.TrimSuffix(strings.ToLower(u.Host), map[string]string{"https": ":443", "http": ":80"}[u.Scheme])
	return u.Scheme + "://" + strings.TrimSuffix(host, ":") + strings.TrimRight(u.EscapedPath(), "/"), nil
}
