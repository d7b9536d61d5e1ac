// Package connect asks the owner of data for a grant, renews the resulting credential, and revokes it.
//
// It supports the ways to a credential of the PDPP reference implementation: a pushed request that the owner approves in any browser
// (agent), an authorization code that returns to this machine's browser (browser), a device code (device), and a code that the owner
// copies (code). Each ends with a token of kind client, or with none.
package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// Connect asks the owner for a grant, and returns the credential after the resource server has confirmed that it is a client's. Its
// errors are *[exit.Error] values, a *[transport.StoppedError] if ctx ended while the owner could approve, or that of ctx.
func Connect(ctx context.Context, request Request, o Options) (credentials.Document, error) {
	a := &attempt{client: newClient(o.UserAgent), Options: o, request: request}
	err := a.choose(source{}) // a wrong request is refused before any server is asked
	if err == nil {
		a.server, err = a.discover(ctx, request.ProviderURL)
	}
	if err != nil {
		return credentials.Document{}, err
	}
	found, err := a.source(ctx, a.server, request.Source)
	if err != nil {
		return credentials.Document{}, err
	}
	if err = a.choose(found); err != nil {
		return credentials.Document{}, err
	}
	if a.server.checkOrigin(a.server.provider) != nil { // the approval page may not say where the token goes
		a.Say("The owner approves at %s, but the access token goes to another server, %s: "+
			"approve only if you trust that one with the data.\n",
			a.server.Issuer, a.server.provider)
	}
	a.app = o.Known(a.server.Issuer)
	issued, err := a.issue(ctx)
	if err != nil {
		return credentials.Document{}, unavailable(a.server.Issuer, err)
	}
	document, err := a.document(issued)
	if err = cmp.Or(err, ctx.Err()); err == nil {
		err = a.identify(ctx, &document)
	}
	if err != nil {
		return credentials.Document{}, GiveBack(ctx, o.UserAgent, document, err)
	}
	return document, nil
}

// GiveBack revokes a grant that was approved but cannot be used, even if ctx has ended. It returns why, with the result of revoking it.
func GiveBack(ctx context.Context, agent string, document credentials.Document, why error) error {
	message := "the grant that the owner approved was revoked, because it could not be used"
	if err := Revoke(context.WithoutCancel(ctx), agent, document); err != nil {
		message = fmt.Sprintf("the grant %s that the owner approved was not revoked (%v): revoke it where the owner manages grants. It could not be used",
			document.Credential.GrantID, err)
	}
	if failed, ok := errors.AsType[*exit.Error](why); ok {
		return &exit.Error{Code: failed.Code, Message: message + ": " + failed.Message}
	}
	if errors.Is(why, context.Canceled) { // its text means nothing to an owner
		return &transport.StoppedError{Message: message + ": the program was stopped."}
	}
	return fmt.Errorf("%s: %w", message, why)
}

// A wayToToken gets a token in one way. It fails with errNoWay if the server does not support that way.
type wayToToken func(*attempt, context.Context) (issued, error)

// ways lists all ways in the order in which they are tried.
var ways = []struct {
	name string
	take wayToToken
}{{"agent", (*attempt).byAgent}, {"browser", (*attempt).byBrowser}, {"device", (*attempt).byDevice}, {"code", (*attempt).byCode}}

// issue gets a token in the requested way, or for "auto" in the first way that the server supports.
func (a *attempt) issue(ctx context.Context) (issued, error) {
	for _, way := range ways {
		if a.request.Way != "auto" && a.request.Way != way.name {
			continue
		}
		if t, err := a.registered(ctx, way.take); !errors.Is(err, errNoWay) {
			return t, err
		}
	}
	return issued{}, errNoWay
}

// registered tries one way as a registered client. If the server no longer knows a stored registration, it registers again, once.
func (a *attempt) registered(ctx context.Context, take wayToToken) (issued, error) {
	known := a.app.ID != ""
	if !known {
		if err := a.register(ctx); err != nil {
			return issued{}, err
		}
	}
	answer, err := take(a, ctx)
	if known && refusalOf(err).Code == "invalid_client" {
		a.app = credentials.Client{}
		return a.registered(ctx, take)
	}
	return answer, err
}

// identify asks the resource server, the only one to know, whose token it is, and adds the readable streams and connections to document.
func (a *attempt) identify(ctx context.Context, document *credentials.Document) error {
	c, err := rsclient.New(rsclient.Options{Base: document.ProviderURL, UserAgent: a.UserAgent})
	if err != nil {
		return exit.UsageError(err.Error())
	}
	token := rs.NewToken(string(document.Credential.AccessToken))
	stored := credentials.Credential{ProviderURL: document.ProviderURL, Token: token, Document: *document}
	principal, err := credentials.Identify(ctx, c.For(rsclient.Caller{Token: token}), stored)
	if err != nil {
		return err
	}
	if principal.GrantID != "" && principal.GrantID != document.Credential.GrantID {
		return exit.NotReadyError("the resource server reads the token as that of another grant than the one that was approved.")
	}
	response, err := rs.CompactSchema(ctx, c.For(principal.Caller()), "", "")
	if err != nil {
		return unavailable(document.ProviderURL, errors.New("its schema cannot be read"))
	}
	streams, connections := readable(response.Schema())
	if len(streams) > 0 {
		document.Grant.Streams, document.Grant.Connections = streams, connections
	}
	return nil
}

// readable returns the streams and the connections of a schema, sorted, each once.
func readable(schema *rs.Schema) (streams, connections []string) {
	seen := map[string]bool{} // each stream has all connections of its connector
	for _, s := range schema.Streams {
		streams = append(streams, s.Name)
		for _, c := range s.Connections {
			seen[c.ID] = true
		}
	}
	slices.Sort(streams)
	return slices.Compact(streams), slices.Sorted(maps.Keys(seen))
}

// Revoke ends a grant at its server. It works with an expired token, and any number of times. An answer that is not JSON is an error: a
// proxy or a sign-in page sent it, and the grant was not revoked.
func Revoke(ctx context.Context, agent string, document credentials.Document) error {
	if document.Credential.GrantID == "" || document.AuthorizationServer == "" {
		return errors.New("who issued it is not known")
	}
	address := strings.TrimRight(document.AuthorizationServer, "/") + "/grants/" + url.PathEscape(document.Credential.GrantID) + "/revoke"
	answer, err := newClient(agent).send(ctx, http.MethodPost, address, nil, "Bearer "+string(document.Credential.AccessToken))
	if err != nil || len(answer) == 0 {
		return err
	}
	result := struct{ Revoked bool }{true}
	if err = decode(answer, &result); err == nil && !result.Revoked {
		err = errors.New("the server says so")
	}
	return err
}
