package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/lookup"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/wire"
)

// A SchemaProbe is the authority of a deployment without introspection credentials: it reads the caller's schema document and trusts the
// resource server about the token's kind. It sees neither expiry nor issuer.
type SchemaProbe struct {
	// For returns a reader of the resource server that sends the token.
	For func(rs.Token) rs.Doer
}

// Introspect asks about one token. A 401 or 403 means that the token is inactive. An answer without a kind, or a 404 (the answer to a
// package token, which is not a grant), yields a principal of kind "", which is not admissible.
func (p SchemaProbe) Introspect(ctx context.Context, token rs.Token) (TokenInfo, error) {
	response, err := p.For(token).Do(ctx, rs.CompactSchemaRequest("", ""))
	var bearer schemaBearer
	if err == nil {
		bearer, err = readBearer(response.Body)
	}
	if err == nil {
		return TokenInfo{Principal: Principal{Token: token, Kind: bearer.Kind, GrantID: bearer.GrantID, ClientID: bearer.ClientID}}, nil
	}
	switch refused := rs.AsError(err); refused.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return TokenInfo{Inactive: inactive(string(refused.Code))}, nil
	case http.StatusNotFound:
		return TokenInfo{Principal: Principal{Token: token}}, nil
	}
	return TokenInfo{}, lookup.Unreachable(err)
}

type schemaBearer struct {
	Kind     string `json:"token_kind"`
	GrantID  string `json:"grant_id"`
	ClientID string `json:"client_id"`
}

// readBearer returns the bearer of a schema document, at top level or inside a data wrapper. It fails if another JSON reader could find a
// different one. If there is no bearer, or it is malformed, the kind is empty.
func readBearer(body string) (schemaBearer, error) {
	document := rs.AsObject(body)
	err := wire.CheckMembers(document, "bearer", "data")
	raw := document.Get("bearer")
	if inner := document.Object("data"); raw == "" {
		err = errors.Join(err, wire.CheckMembers(inner, "bearer"))
		raw = inner.Get("bearer")
	}
	if err != nil || raw == "" {
		return schemaBearer{}, err
	}
	var bearer schemaBearer
	switch err = wire.Decode([]byte(raw), &bearer, "token_kind", "grant_id", "client_id"); {
	case errors.Is(err, wire.ErrAmbiguousMember):
		return schemaBearer{}, err
	case err != nil:
		return schemaBearer{}, nil //nolint:nilerr // a bearer of another shape has no kind, which is not admissible
	}
	return bearer, nil
}
