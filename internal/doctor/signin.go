package doctor

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// signIn looks at a hosted server as a host does that signs in there. It sends no credential. Authorization servers issue package tokens
// to such hosts, and not every server can read those (D17).
func (e *examination) signIn(ctx context.Context) {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" {
		e.fail("sign-in", exit.Usage, "pdpp-mcp doctor --url https://…/mcp", "The address of the hosted server cannot be asked.")
		return
	}
	origin := u.Scheme + "://" + u.Host
	response, err := e.get(ctx, origin+wellKnownResource+u.EscapedPath())
	if err != nil {
		e.fail("sign-in", exit.Unavailable, "check the URL and the network: curl -I "+origin, "%s cannot be reached: %s.", origin, why(err))
		return
	}
	defer func() { _ = response.Body.Close() }()
	var document struct {
		Servers []string `json:"authorization_servers"`
		Kinds   []string `json:"pdpp_token_kinds_supported"`
	}
	err = decode(response, &document)
	switch {
	case err != nil || response.StatusCode != http.StatusOK || len(document.Servers) == 0:
		e.warn("sign-in", "check that the URL is that of /mcp, or ask the operator", "%s does not say where hosts sign in (status %d).", origin,
			response.StatusCode)
	case slices.Contains(document.Kinds, auth.KindPackage):
		e.ok("sign-in", "Hosts sign in at %s, and all that the owner picks there can be read.", printable(document.Servers[0]))
	case document.Servers[0] == origin:
		e.ok("sign-in", "Hosts sign in at %s for the one source that its operator chose.", origin)
	default:
		e.warn("sign-in", "its operator can name a directory with serve --packages-url, or one source with serve --authorization-source",
			"Hosts sign in at %s, and may get a package token of several sources there, which %s cannot read.",
			printable(document.Servers[0]), origin)
	}
}
