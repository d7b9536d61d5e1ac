package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/connect"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

const (
	soon      = 24 * time.Hour   // an earlier expiry is a warning
	maxSkew   = time.Minute      // more between the clocks is a warning
	harmSkew  = 10 * time.Minute // more is a failure: expiries are misjudged
	maxAnswer = 1 << 20          // bytes of metadata
)

// credentials reports the state of each stored grant of the provider, and returns those that are usable.
func (e *examination) credentials() []credentials.Credential {
	if e.Local != nil {
		return []credentials.Credential{{ProviderURL: e.Local.URL, Token: e.Local.Token}}
	}
	if e.ProviderURL == "" {
		_, unusable := credentials.Stored(e.Root)
		for _, err := range unusable {
			e.warn("credential", "fix or delete it", "%v.", err)
		}
		return nil
	}
	names := e.Only
	if len(names) == 0 {
		names = credentials.Names(e.Root, e.provider())
	}
	stored := slices.Collect(slices.Chunk(names, 1))
	if len(stored) == 0 || e.GrantID != "" {
		stored = [][]string{e.Only} // reports what is missing, or finds the requested grant
	}
	var usable []credentials.Credential
	for _, names := range stored {
		if credential, ok := e.credential(names...); ok {
			usable = append(usable, credential)
		}
	}
	return usable
}

// credential reports the state of the stored grant of a name, or of the first, and returns it.
func (e *examination) credential(names ...string) (credentials.Credential, bool) {
	now := e.Now()
	credential, err := credentials.LoadCredential(e.Root, e.ProviderURL, e.GrantID, now, names...)
	if err != nil {
		e.failed("credential", err, "pdpp-mcp doctor --help")
		return credentials.Credential{}, false
	}
	mode := "unknown"
	if info, err := os.Stat(credential.Path); err == nil {
		mode = fmt.Sprintf("%04o", info.Mode().Perm())
	}
	expiry := "does not expire"
	if !credential.Expires.IsZero() {
		expiry = "expires at " + credential.Expires.UTC().Format(time.RFC3339)
	}
	switch {
	case len(credential.Warnings) > 0:
		e.warn("credential", "chmod 600 "+credential.Path, "%s has mode %s, so that others on this machine can read it; it %s.", credential.Path,
			mode, expiry)
	case credential.Document.Refresh != nil:
		e.ok("credential", "%s is for %s, mode %s, and is renewed by itself.", credential.Path, credential.ProviderURL, mode)
	case !credential.Expires.IsZero() && credential.Expires.Sub(now) < soon:
		e.warn("credential", credentials.ConnectCommand(credential), "%s %s.", credential.Path, expiry)
	default:
		e.ok("credential", "%s is for %s, mode %s, and %s.", credential.Path, credential.ProviderURL, mode, expiry)
	}
	return credential, true
}

// provider returns the normalised URL to try. It does not depend on the credential.
func (e *examination) provider() string {
	if e.Local != nil {
		return e.Local.URL
	}
	provider, _ := credentials.NormalizeProviderURL(e.ProviderURL) // an invalid URL, reported with the credential, becomes ""
	return provider
}

// reach reads the provider's public metadata without a credential. That shows whether it answers, how hosts sign in, and its clock.
func (e *examination) reach(ctx context.Context, provider string) bool {
	before := e.Now()
	document, err := e.metadata(ctx, provider+rs.MetadataPath)
	if err != nil {
		e.fail("provider", exit.Unavailable, "check the URL and the network: curl -I "+provider, "%s cannot be reached: %s.", provider, why(err))
		return false
	}
	after := e.Now()
	e.ok("provider", "%s answers in %d ms.", provider, after.Sub(before).Milliseconds())
	e.clock(document.date, before, after)
	const next = "ask the provider's operator; local use works without"
	switch {
	case document.status != http.StatusOK:
		e.warn("metadata", next, "The provider publishes no protected resource metadata (status %d), which hosted clients need to sign in.", document.status)
	case document.Resource == "":
		e.warn("metadata", next, "The provider's protected resource metadata cannot be read.")
	case len(document.Servers) == 0:
		e.warn("metadata", next, "The provider's protected resource metadata names no authorization server.")
	default:
		e.ok("metadata", "The provider is %s and its authorization server %s.", rs.ErrorText(document.Resource), rs.ErrorText(document.Servers[0]))
	}
	return true
}

// A metadata is the public metadata of a resource, empty if it cannot be parsed.
type metadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Kinds    []string `json:"pdpp_token_kinds_supported"`

	status int    // of the answer
	date   string // of the answer
}

// metadata reads a public document. It fails only if there is no answer.
func (e *examination) metadata(ctx context.Context, address string) (metadata, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return metadata{}, err
	}
	request.Header.Set("User-Agent", e.UserAgent)
	response, _, err := e.once.Do(request)
	if err != nil {
		return metadata{}, err
	}
	defer func() { _ = response.Body.Close() }()
	var document metadata
	if json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&document) != nil {
		document = metadata{}
	}
	document.status, document.date = response.StatusCode, response.Header.Get("Date")
	return document, nil
}

// clock compares the provider's clock, in whole seconds, with this machine's.
func (e *examination) clock(date string, before, after time.Time) {
	there, err := http.ParseTime(date)
	if err != nil {
		e.warn("clock", "date -u", "The provider does not say what time it is.")
		return
	}
	skew := before.Add(after.Sub(before) / 2).Sub(there).Round(time.Second)
	side := "ahead of"
	if skew < 0 {
		side = "behind"
	}
	switch {
	case skew.Abs() <= maxSkew:
		e.ok("clock", "This machine's clock and the provider's agree to within a minute.")
	case skew.Abs() <= harmSkew:
		e.warn("clock", "set this machine's clock by the network", "This machine's clock is %s %s the provider's.", skew.Abs(), side)
	default:
		e.fail("clock", 1, "set this machine's clock by the network",
			"This machine's clock is %s %s the provider's, so that expiries are misjudged.", skew.Abs(), side)
	}
}

// token determines what kind of token the credential is, and reports the size of the schema that it can read. It renews an expired access
// token, as every command does.
func (e *examination) token(ctx context.Context, credential credentials.Credential) bool {
	client, err := rsclient.New(rsclient.Options{Base: credential.ProviderURL, UserAgent: e.UserAgent})
	if err != nil {
		e.fail("token", exit.Usage, "pdpp-mcp doctor --provider-url https://…", "%s", sentence(err))
		return false
	}
	const later = "try again, then ask the provider's operator"
	keeper := connect.NewKeeper(credential, e.UserAgent, e.Now)
	defer keeper.Close()
	principal, err := connect.Principal(ctx, client, []*connect.Keeper{keeper})
	if err != nil {
		e.failed("token", err, later)
		return false
	}
	grant := "a grant without an id"
	if principal.GrantID != "" {
		grant = "the grant " + rs.ErrorText(principal.GrantID)
	}
	e.ok("token", "The credential is a %s token of %s.", principal.Kind, grant)
	response, err := rs.CompactSchema(ctx, principal.Reader, "", "")
	if err != nil {
		e.fail("schema", exit.Unavailable, later, "The schema cannot be read: %s", sentence(rs.AsError(err)))
		return false
	}
	streams := len(response.Schema().Streams)
	if streams == 0 {
		e.warn("schema", credentials.ConnectCommand(credential),
			"The grant holds no stream, so that there is nothing to read (%d bytes of schema).", len(response.Body))
		return true
	}
	noun := "streams"
	if streams == 1 {
		noun = "stream"
	}
	e.ok("schema", "The grant holds %d %s (%d bytes of schema).", streams, noun, len(response.Body))
	return true
}

func why(err error) string {
	if _, unknown := errors.AsType[*net.DNSError](err); unknown {
		return "its name is unknown"
	}
	if errors.Is(err, context.DeadlineExceeded) || os.IsTimeout(err) {
		return fmt.Sprintf("no answer within %s", patience)
	}
	return rs.NetworkError(err).Error()
}

// signIn checks the metadata of a hosted server as a host that signs in does, without a credential. Authorization servers issue package
// tokens to such hosts, which not every server can read (D17).
func (e *examination) signIn(ctx context.Context) {
	u, err := url.Parse(e.URL)
	if err != nil { // the command has checked it
		return
	}
	origin := u.Scheme + "://" + u.Host
	document, err := e.metadata(ctx, origin+rs.MetadataPath+u.EscapedPath())
	switch {
	case err != nil:
		e.fail("sign-in", exit.Unavailable, "check the URL and the network: curl -I "+origin, "%s cannot be reached: %s.", origin, why(err))
	case document.status != http.StatusOK || len(document.Servers) == 0:
		e.warn("sign-in", "check that the URL is that of /mcp, or ask the operator", "%s does not say where hosts sign in (status %d).", origin,
			document.status)
	case slices.Contains(document.Kinds, auth.KindPackage):
		e.ok("sign-in", "Hosts sign in at %s, and all that the owner picks there can be read.", rs.ErrorText(document.Servers[0]))
	case document.Servers[0] == origin:
		e.ok("sign-in", "Hosts sign in at %s for the one source that its operator chose.", origin)
	default:
		e.warn("sign-in", "its operator can name a directory with serve --packages-url, or one source with serve --authorization-source",
			"Hosts sign in at %s, and may get a package token of several sources there, which %s cannot read.",
			rs.ErrorText(document.Servers[0]), origin)
	}
}
