package credentials

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// LoadCredential finds the first credential of a provider; see [LoadCredentials].
func LoadCredential(root, providerURL, grantID string, now time.Time, names ...string) (Credential, error) {
	all, err := LoadCredentials(root, providerURL, names, grantID, now)
	if err != nil {
		return Credential{}, err
	}
	return all[0], nil
}

// LoadCredentials returns the credentials of a provider in a cache root: those with the given names, or all. An empty grantID accepts any
// grant. An unusable or missing credential is left out with a warning if another is usable; an expired one comes last, so that answers can
// name what is missing. Its errors are *[exit.Error] values: exit.Usage for an invalid URL, exit.Owner for an owner's credential, else
// exit.NotReady with the command that fixes it (S3-1a, S3-1b).
func LoadCredentials(root, providerURL string, names []string, grantID string, now time.Time) ([]Credential, error) {
	provider, err := NormalizeProviderURL(providerURL)
	if err != nil {
		return nil, err
	}
	held := filesOf(root, provider)
	known := namesOf(held, provider)
	var good, ended []Credential
	var first error
	var warnings []string
	for _, name := range names {
		if len(known) > 0 && !slices.Contains(known, name) {
			err := notStored(root, provider, name, fmt.Sprintf("No grant of %s is stored as %s; there is %s.", provider, name,
				strings.Join(known, ", ")))
			first, warnings = cmp.Or(first, err), append(warnings, err.Error())
		}
	}
	for _, f := range held {
		if len(names) > 0 && !slices.Contains(names, f.name) {
			continue
		}
		credential, err := f.load(provider, grantID, now)
		switch {
		case exit.CodeOf(err) == exit.Owner:
			return nil, err
		case !f.isOf(provider): // of another server on the same host
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
	return nil, noneStored(root, provider, names)
}

// noneStored is the error for a provider without a credential.
func noneStored(root, provider string, names []string) error {
	message := "There is no cached credential for " + provider + "."
	local := filepath.Join(".pdpp", "clients", credentialFile(provider))
	if _, err := os.Stat(local); err == nil && root != ".pdpp" {
		message += " The one in the folder .pdpp of the working directory is used only with --cache-root .pdpp."
	}
	return notStored(root, provider, append(slices.Clone(names), DefaultName)[0], message)
}

// notStored is the error for an absent credential, with the command that stores one.
func notStored(root, provider, name, message string) error {
	return withCommand(Credential{ProviderURL: provider, Name: name, Root: root}, exit.NotReadyError(message))
}

// Names returns the names of a provider's credentials in a cache root, usable or not. The URL must be normalised.
func Names(root, provider string) []string { return namesOf(filesOf(root, provider), provider) }

func namesOf(held []file, provider string) []string {
	var names []string
	for _, f := range held {
		if f.isOf(provider) {
			names = append(names, f.name)
		}
	}
	return names
}

// CachedProviders returns the providers with a credential in a cache root, usable or not.
func CachedProviders(root string) []string {
	var providers []string
	for _, f := range filesOf(root, "") {
		if f.provider != "" && !slices.Contains(providers, f.provider) {
			providers = append(providers, f.provider)
		}
	}
	return providers
}

// Stored returns all readable credentials of a cache root, expired ones included. unusable has an error for each other file, with its path
// and the reason.
func Stored(root string) (all []Credential, unusable []error) {
	for _, f := range filesOf(root, "") {
		credential, err := f.load(f.provider, "", time.Time{})
		switch {
		case f.err != nil || f.untrusted != nil:
			err = cmp.Or(f.err, f.untrusted)
		case err != nil:
			err = errors.New("it holds no credential of a client")
		case f.provider == "":
			err = errors.New("it names no provider")
		}
		if err != nil {
			unusable = append(unusable, fmt.Errorf("%s cannot be used: %w", f.path, err))
			continue
		}
		if info, err := os.Stat(f.path + lockSuffix); err == nil {
			credential.Used = info.ModTime()
		}
		all = append(all, credential)
	}
	return all, unusable
}
