// Package credentials keeps the credentials that `pdpp-mcp connect` stores on this machine, in the format of the TypeScript tools.
package credentials

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
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

// LoadCredential finds the first credential of a provider; see [LoadCredentials].
func LoadCredential(root, providerURL, grantID string, now time.Time, names ...string) (Credential, error) {
	all, err := LoadCredentials(root, providerURL, names, grantID, now)
	if err != nil {
		return Credential{}, err
	}
	return all[0], nil
}

// LoadCredentials finds the credentials of a provider in a cache root: those of the names, or all if there are no names. An empty grantID
// accepts whatever grants are there. One that cannot be used, or that is not there, is left out with a warning, unless it is an owner's or
// there is no other; one that has merely ended stands last, so that answers can say what is missing. Its errors are *[exit.Error] values:
// exit.Usage for an invalid URL, exit.Owner for an owner's credential, else exit.NotReady with the command that mends it (S3-1a, S3-1b).
func LoadCredentials(root, providerURL string, names []string, grantID string, now time.Time) ([]Credential, error) {
	provider, err := NormalizeProviderURL(providerURL)
	if err != nil {
		return nil, err
	}
	var good, ended []Credential
	var first error
	var warnings []string
	known := Names(root, provider)
	for _, name := range names {
		if len(known) > 0 && !slices.Contains(known, name) {
			err := missing(root, provider, name, fmt.Sprintf("No grant of %s is stored as %s; there is %s.", provider, name, strings.Join(known, ", ")))
			first, warnings = cmp.Or(first, err), append(warnings, err.Error())
		}
	}
	for _, s := range slotsOf(root, provider) {
		if len(names) > 0 && !slices.Contains(names, s.name) {
			continue
		}
		credential, err := s.load(provider, grantID, now)
		var refused *exit.Error
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case errors.As(err, &refused) && refused.Code == exit.Owner:
			return nil, err
		case s.provider() != "" && s.provider() != provider: // another server of the host
			first = cmp.Or(first, err)
		case err != nil:
			first, warnings = cmp.Or(first, err), append(warnings, err.Error())
			if credential.Token != (rs.Token{}) {
				ended = append(ended, credential)
			}
		default:
			good = append(good, credential)
		}
	}
	switch {
	case len(good) > 0:
		if grantID == "" {
			good[0].Warnings = append(good[0].Warnings, warnings...)
		}
		return append(good, ended...), nil
	case first != nil:
		return nil, first
	}
	message := "There is no cached credential for " + provider + "."
	local := filepath.Join(".pdpp", "clients", credentialFile(provider))
	if _, err := os.Stat(local); err == nil && root != ".pdpp" {
		message += " The one in the folder .pdpp of the working directory is used only with --cache-root .pdpp."
	}
	return nil, missing(root, provider, append(slices.Clone(names), DefaultName)[0], message)
}

// missing is the error of a credential that is not there, with the command that would store it.
func missing(root, provider, name, message string) error {
	c := Credential{ProviderURL: provider, Name: name}
	if root != "" {
		c.Path = newSlot(root, name, credentialFile(provider)).path
	}
	return sayCommand(c, notReady(message))
}

// load reads the credential of a slot. Its error is fs.ErrNotExist, or as [LoadCredentials] has them. One that has ended comes with it.
func (s slot) load(provider, grantID string, now time.Time) (Credential, error) {
	body, warnings, err := readPrivate(s.path, s.folders...)
	if errors.Is(err, fs.ErrNotExist) {
		return Credential{}, err
	}
	if err != nil {
		return Credential{}, sayCommand(Credential{ProviderURL: provider, Name: s.name, Path: s.path}, notReady("The cached credential "+s.path+" cannot be read: "+err.Error()+"."))
	}
	credential, err := parseCredential(body, provider, grantID)
	credential.Name, credential.Path, credential.Warnings = s.name, s.path, warnings
	if err == nil {
		err = credential.ended(now)
	}
	return credential, sayCommand(credential, err)
}

// ended is an error where the access token of c is past its end and cannot be renewed.
func (c Credential) ended(now time.Time) error {
	if c.Expires.IsZero() || now.Before(c.Expires) || c.Document.Refresh != nil {
		return nil
	}
	return notReady("The cached credential for " + c.ProviderURL + " expired at " + c.Expires.UTC().Format(time.RFC3339) + ".")
}

// provider is the one whose credential a slot holds, normalised; "" where that cannot be read.
func (s slot) provider() string {
	body, _, err := readPrivate(s.path, s.folders...)
	var document Document
	if err != nil || json.Unmarshal(body, &document) != nil {
		return ""
	}
	provider, _ := NormalizeProviderURL(document.ProviderURL)
	return provider
}

// Names are the names under which a cache root holds a credential of a provider, good or not. The URL is normalised.
func Names(root, provider string) []string {
	var names []string
	for _, s := range slotsOf(root, provider) {
		_, err := os.Stat(s.path)
		if other := s.provider(); err == nil && (other == "" || other == provider) {
			names = append(names, s.name)
		}
	}
	return names
}

// CachedProviders are the providers of which a cache root holds a credential, good or not.
func CachedProviders(root string) []string {
	var providers []string
	for _, s := range slotsOf(root, "") {
		if provider := s.provider(); provider != "" && !slices.Contains(providers, provider) {
			providers = append(providers, provider)
		}
	}
	return providers
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
		return "", exit.UsageError("The provider URL must be an http or https URL that names a host.") // not quoted: it may hold credentials
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

// credentialFile is the name of a provider's cache file: its host and port, with all but letters, digits, dots
// and dashes replaced.
func credentialFile(provider string) string {
	_, host, _ := strings.Cut(provider, "://")
	host, _, _ = strings.Cut(host, "/")
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-", r) {
			return r
		}
		return '_'
	}, host) + ".json"
}

// parseCredential reads a file of the cache, whether or not it has ended. With an error comes what is known of the grant, without its token.
func parseCredential(body []byte, provider, grantID string) (Credential, error) {
	var document Document
	if err := json.Unmarshal(body, &document); err != nil { // whose text can quote the file, so it is not shown
		return Credential{ProviderURL: provider}, notReady("The cached credential for " + provider + " is malformed.")
	}
	c := document.Credential
	for _, sign := range []string{c.PDPPTokenKind, c.TokenKind, c.Kind, c.Role} { // wherever an owner's token can say so
		if strings.EqualFold(strings.TrimSpace(sign), auth.KindOwner) {
			return Credential{ProviderURL: provider}, &exit.Error{
				Code: exit.Owner,
				Message: "The cached credential for " + provider +
					" is an owner's, and this server reads only through a scoped client grant.",
			}
		}
	}
	known := Credential{ProviderURL: provider, Document: Document{Grant: document.Grant}} // of one that cannot be used
	expires, err := parseExpiry(c.ExpiresAt)
	cached := provider
	if document.ProviderURL != "" {
		if cached, _ = NormalizeProviderURL(document.ProviderURL); cached == "" {
			cached = "another provider"
		}
	}
	switch {
	case !c.AccessToken.Usable():
		return known, notReady("The cached credential for " + provider + " holds no usable access token.")
	case c.TokenType != "" && !strings.EqualFold(c.TokenType, "Bearer"):
		return known, notReady("The cached credential for " + provider + " is not a bearer token.")
	case cached != provider:
		return Credential{ProviderURL: provider}, notReady("The cached credential belongs to " + cached + ", not to " + provider + ".")
	case err != nil:
		return known, notReady("The cached credential for " + provider + " has an expiry that cannot be read.")
	case grantID != "" && c.GrantID != grantID:
		return Credential{ProviderURL: provider}, notReady("The cached credential for " + provider + " is of another grant than the one asked for.")
	}
	return Credential{
		ProviderURL: provider, Name: DefaultName, Token: rs.NewToken(string(c.AccessToken)), GrantID: c.GrantID, Expires: expires, Document: document,
	}, nil
}

// parseExpiry reads expires_at: an RFC 3339 time, or seconds since 1970; absent and null mean never.
func parseExpiry(raw json.RawMessage) (time.Time, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return time.Time{}, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return time.Parse(time.RFC3339, text)
	}
	var seconds int64
	if err := json.Unmarshal(raw, &seconds); err != nil {
		return time.Time{}, err
	}
	if seconds <= 0 || seconds > 253402300799 { // the year 9999; a larger number is not seconds
		return time.Time{}, errors.New("out of range")
	}
	return time.Unix(seconds, 0), nil
}

func notReady(message string) *exit.Error { return &exit.Error{Code: exit.NotReady, Message: message} }
