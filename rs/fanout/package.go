// Package fanout reads a package of grants as if it were one: what [NewPackage] returns asks one grant, or all of them at a time, and
// merges their answers. What [NewPackageAuthority] returns finds the grants of a package token, through a [Directory].
package fanout

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// NewPackage returns a package of the members. doer gives the resource server as the bearer of one token sees it. The caller
// vouches for the members' tokens: no authority is asked about them.
func NewPackage(m Membership, doer func(rs.Token) rs.Doer, o PackageOptions) auth.Package {
	return newPackage(m, doer, o.withDefaults(), nil, newRefusals())
}

// Do performs one read. Its errors are *rs.Error values; those that name no member's answer were made without asking any.
func (p *grantPackage) Do(ctx context.Context, r rs.Request) (*rs.Response, error) {
	route, ok := routeOf(r)
	switch {
	case len(p.members) == 0:
		return nil, &rs.Error{Code: "connection_not_found", Message: "This package holds no connection.", Hint: "Connect again and approve at least one connection."}
	case !ok:
		return nil, &rs.Error{Code: "not_found", Message: "This read is not available through a package.", Hint: "Call schema for what can be read."}
	}
	switch {
	case route.kind == "blobs":
		return p.blob(ctx, r, route.connectionID)
	case route.kind == "search":
		return p.search(ctx, r, !route.hybrid)
	case route.stream != "" || route.connectionID != "":
		return p.readOne(ctx, r, route.connectionID, cmp.Or(route.stream, r.Query.Get("stream")))
	case route.kind == "streams":
		return p.streams(ctx, r)
	}
	return p.schema(ctx, r)
}

// Choose returns nil if a read of the scope would find its member, or else the error that Do would return. It reads
// nothing, so a stage that needs the schema first can ask beforehand (S0-8a).
func (p *grantPackage) Choose(scope rs.Scope) error {
	if _, err := p.choose(scope.ConnectionID, scope.Stream); err != nil {
		return err
	}
	return nil
}

// Limits returns the times that the grants of the members which have been read are limited to.
func (p *grantPackage) Limits() []rs.TimeLimit {
	var all []rs.TimeLimit
	for _, c := range p.members {
		if limits := c.limits.Load(); limits != nil {
			all = append(all, *limits...)
		}
	}
	return all
}

// Granted returns the streams that the directory says the members have that can be read now. It is empty where it does not say so of each.
func (p *grantPackage) Granted() []rs.GrantedStream {
	var granted []rs.GrantedStream
	for _, c := range p.members {
		if p.refused(c) != nil {
			continue
		}
		if len(c.Streams) == 0 {
			return nil
		}
		for _, stream := range c.Streams {
			granted = append(granted, rs.GrantedStream{Stream: stream, Connection: c.Connection})
		}
	}
	return granted
}

// Tokens returns the tokens of the members.
func (p *grantPackage) Tokens() []rs.Token {
	tokens := make([]rs.Token, len(p.members))
	for i, c := range p.members {
		tokens[i] = c.Token
	}
	return tokens
}

// A route is what a request reads.
type route struct {
	kind         string // schema, streams, search or blobs
	stream       string
	connectionID string
	hybrid       bool
}

// routeOf reads a path below /v1. It reports false for one that no member may be asked on a package's behalf.
func routeOf(r rs.Request) (route, bool) {
	below, found := strings.CutPrefix(r.Path, "/v1/")
	if !found {
		return route{}, false
	}
	segments := strings.Split(below, "/")
	for i, s := range segments {
		decoded, _ := url.PathUnescape(s) // "" where it cannot be read
		if decoded == "" || decoded == "." || decoded == ".." {
			return route{}, false
		}
		segments[i] = decoded
	}
	to := route{kind: segments[0], connectionID: cmp.Or(r.Query.Get("connection_id"), r.ConnectionID)}
	rest := strings.Join(segments[1:], "/")
	switch {
	case to.kind == "streams":
		if len(segments) > 1 {
			to.stream = segments[1]
		}
	case to.kind == "blobs":
		return to, len(segments) == 2
	case to.kind == "search" && (rest == "semantic" || rest == "hybrid"):
		to.hybrid = rest == "hybrid"
	default:
		return to, rest == "" && (to.kind == "schema" || to.kind == "search")
	}
	return to, true
}
