package credentials

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/internal/files"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// A file is the content of a slot.
type file struct {
	slot
	document  Document
	malformed bool     // it is not a JSON document
	provider  string   // the normalised URL that it names; "": it names none or cannot be trusted
	warnings  []string // for the operator
	err       error    // why it cannot be read
	untrusted error    // why another user can change it
}

// open reads the file of a slot. Only this user and root may own or write to the file and its folders. Others who can read it are a
// warning.
func (s slot) open() file {
	f := file{slot: s}
	body, info, err := files.Read(s.path, maxBytes)
	if err != nil {
		f.err = err
		return f
	}
	f.parse(body)
	if f.untrusted = trust(s.path, info); f.untrusted == nil {
		f.untrusted = trustFolders(s.folders)
	}
	if f.untrusted == nil {
		f.provider, _ = NormalizeProviderURL(f.document.ProviderURL)
	}
	if permits(info, 0o077) {
		f.warnings = []string{
			fmt.Sprintf("Other users can read the cached credential %s (mode %04o): run chmod 600 on it.", s.path, info.Mode().Perm()),
		}
	}
	return f
}

// parse reads a document. It drops the error of malformed JSON, which can quote a secret.
func (f *file) parse(body []byte) {
	if json.Unmarshal(body, &f.document) != nil {
		f.document, f.malformed = Document{}, true
	}
}

// isOf reports whether a file may hold a credential of a provider: it names that one, or none that can be read.
func (f file) isOf(provider string) bool { return f.provider == "" || f.provider == provider }

// load reads the credential in a file. Its error is fs.ErrNotExist or one of those of [LoadCredentials]. An expired credential is
// returned with its error.
func (f file) load(provider, grantID string, now time.Time) (Credential, error) {
	credential := Credential{ProviderURL: provider}
	err := cmp.Or(f.err, f.untrusted)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Credential{}, fmt.Errorf("the cached credential %s cannot be read: %w", f.path, err)
	case err != nil:
		err = exit.NotReadyError("The cached credential " + f.path + " cannot be read: " + err.Error() + ".")
	default:
		credential, err = f.credential(provider, grantID)
	}
	credential.Name, credential.Root, credential.Path, credential.Warnings = f.name, f.root, f.path, f.warnings
	expires := credential.Expires
	if err == nil && !expires.IsZero() && !now.Before(expires) && credential.Document.Refresh == nil {
		err = exit.NotReadyError("The cached credential for " + provider + " expired at " + expires.UTC().Format(time.RFC3339) + ".")
	}
	return credential, withCommand(credential, err)
}

// current reads the credential in a file regardless of the file's permissions. The error is fs.ErrNotExist if the file holds no
// usable credential, so that it can be replaced without loss.
func (f file) current(provider string) (Document, error) {
	if f.err != nil {
		return Document{}, f.err
	}
	document := f.document
	document.ProviderURL, _ = NormalizeProviderURL(cmp.Or(document.ProviderURL, provider))
	if _, err := f.credential(document.ProviderURL, ""); err != nil {
		return Document{}, fs.ErrNotExist
	}
	return document, nil
}

// credential returns a provider's credential from a file, expired or not. With an error it returns what is known of the grant, without
// the token.
func (f file) credential(provider, grantID string) (Credential, error) {
	document, c := f.document, f.document.Credential
	unknown := Credential{ProviderURL: provider}
	known := Credential{ProviderURL: provider, Document: Document{Grant: document.Grant}}
	of := "The cached credential for " + provider
	for _, sign := range []string{c.PDPPTokenKind, c.TokenKind, c.Kind, c.Role} { // any of them can mark an owner's token
		if strings.EqualFold(strings.TrimSpace(sign), auth.KindOwner) {
			return unknown, &exit.Error{Code: exit.Owner, Message: of + " is an owner's, and this server reads only through a scoped client grant."}
		}
	}
	expires, readable := rs.ReadExpiry(c.ExpiresAt)
	cached := provider
	if document.ProviderURL != "" {
		if cached, _ = NormalizeProviderURL(document.ProviderURL); cached == "" {
			cached = "another provider"
		}
	}
	switch {
	case f.malformed:
		return known, exit.NotReadyError(of + " is malformed.")
	case !c.AccessToken.Usable():
		return known, exit.NotReadyError(of + " holds no usable access token.")
	case c.TokenType != "" && !strings.EqualFold(c.TokenType, "Bearer"):
		return known, exit.NotReadyError(of + " is not a bearer token.")
	case cached != provider:
		return unknown, exit.NotReadyError("The cached credential belongs to " + cached + ", not to " + provider + ".")
	case !readable:
		return known, exit.NotReadyError(of + " has an expiry that cannot be read.")
	case grantID != "" && c.GrantID != grantID:
		return unknown, exit.NotReadyError(fmt.Sprintf("%s is not of the grant %q.", of, grantID))
	}
	return Credential{
		ProviderURL: provider, Name: DefaultName, Token: rs.NewToken(string(c.AccessToken)), GrantID: c.GrantID, Expires: expires,
		Document: document,
	}, nil
}
