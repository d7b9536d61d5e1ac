// Package credentials keeps the credentials that `pdpp-mcp connect` stores on this machine, in the format of the TypeScript tools.
package credentials

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
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
	Path        string    // the file it was read from
	Warnings    []string  // what an operator should mend, one sentence each
	Document    Document
}

// ended is an error where the access token of c is past its end and cannot be renewed.
func (c Credential) ended(now time.Time) error {
	if c.Expires.IsZero() || now.Before(c.Expires) || c.Document.Refresh != nil {
		return nil
	}
	return notReady("The cached credential for " + c.ProviderURL + " expired at " + c.Expires.UTC().Format(time.RFC3339) + ".")
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
	host := strings.ToLower(u.Host)
	switch u.Scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return u.Scheme + "://" + strings.TrimSuffix(host, ":") + strings.TrimRight(u.EscapedPath(), "/"), nil
}

// parseCredential reads a file of the cache, whether or not it has ended. With an error comes what is known of the grant, without its
// token.
func parseCredential(body []byte, provider, grantID string) (Credential, error) {
	var document Document
	unknown := Credential{ProviderURL: provider}
	of := "The cached credential for " + provider
	if err := json.Unmarshal(body, &document); err != nil { // whose text can quote the file, so it is not shown
		return unknown, notReady(of + " is malformed.")
	}
	c := document.Credential
	for _, sign := range []string{c.PDPPTokenKind, c.TokenKind, c.Kind, c.Role} { // wherever an owner's token can say so
		if strings.EqualFold(strings.TrimSpace(sign), auth.KindOwner) {
			return unknown, &exit.Error{Code: exit.Owner, Message: of + " is an owner's, and this server reads only through a scoped client grant."}
		}
	}
	known := Credential{ProviderURL: provider, Document: Document{Grant: document.Grant}} // of one that cannot be used
	expires, err := c.Expiry()
	cached := provider
	if document.ProviderURL != "" {
		if cached, _ = NormalizeProviderURL(document.ProviderURL); cached == "" {
			cached = "another provider"
		}
	}
	switch {
	case !c.AccessToken.Usable():
		return known, notReady(of + " holds no usable access token.")
	case c.TokenType != "" && !strings.EqualFold(c.TokenType, "Bearer"):
		return known, notReady(of + " is not a bearer token.")
	case cached != provider:
		return unknown, notReady("The cached credential belongs to " + cached + ", not to " + provider + ".")
	case err != nil:
		return known, notReady(of + " has an expiry that cannot be read.")
	case grantID != "" && c.GrantID != grantID:
		return unknown, notReady(of + " is of another grant than the one asked for.")
	}
	return Credential{
		ProviderURL: provider, Name: DefaultName, Token: rs.NewToken(string(c.AccessToken)), GrantID: c.GrantID, Expires: expires,
		Document: document,
	}, nil
}

func notReady(message string) *exit.Error { return &exit.Error{Code: exit.NotReady, Message: message} }
