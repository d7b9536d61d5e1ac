// Package fanout reads a package of grants as if it were one grant. [NewPackage] returns a reader that reads one grant, or all of them
// concurrently, and merges their answers. [NewPackageAuthority] returns an authority that finds the grants of a package token in a
// [Directory].
package fanout

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// NewPackage returns a package of the members, of which it reads the first 256: the others are listed as unavailable, and a read of one of
// them is "grant_unusable". doer returns a reader of the resource server that sends the given token. The caller vouches for the members'
// tokens: they are not introspected.
func NewPackage(m Membership, doer func(rs.Token) rs.Doer, o PackageOptions) auth.Package {
	p := newPackage(rs.Token{}, m, doer, o.withDefaults())
	p.refusals = newRefusals()
	return p
}

// Do performs one read. Its errors are *rs.Error values.
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
		return p.search(ctx, r, route)
	case route.stream != "" || route.connectionID != "":
		return p.readOne(ctx, r, route.connectionID, cmp.Or(route.stream, r.Query.Get("stream")))
	case route.kind == "streams":
		return p.streams(ctx, r)
	}
	return p.schema(ctx, r)
}

// Choose returns nil if a read of the scope would find its member, or else the error that Do would return. It makes no request, so that a
// caller that needs the schema first can check beforehand (S0-8a).
func (p *grantPackage) Choose(scope rs.Scope) error {
	if _, err := p.memberFor(scope.ConnectionID, scope.Stream); err != nil {
		return err
	}
	return nil
}

// Limits returns the time limits of the grants of those members that have been read.
func (p *grantPackage) Limits() []rs.TimeLimit {
	var all []rs.TimeLimit
	for _, m := range p.members {
		if limits := m.limits.Load(); limits != nil {
			all = append(all, *limits...)
		}
	}
	return all
}

// Granted returns the streams of the members that can be read now, according to the directory. It is empty if the directory lists no
// streams for one of these members.
func (p *grantPackage) Granted() []rs.GrantedStream {
	var granted []rs.GrantedStream
	for _, m := range p.members {
		if p.refused(m) != nil {
			continue
		}
		if len(m.Streams) == 0 {
			return nil
		}
		for _, stream := range m.Streams {
			granted = append(granted, rs.GrantedStream{Stream: stream, Connection: m.Connection})
		}
	}
	return granted
}

// Unavailable implements [auth.Package].
func (p *grantPackage) Unavailable(streams ...string) []rs.UnavailableConnection {
	_, _, unavailable := p.partition(streams...)
	return unavailable
}

// Tokens returns the tokens of the members.
func (p *grantPackage) Tokens() []rs.Token {
	tokens := make([]rs.Token, len(p.members))
	for i, m := range p.members {
		tokens[i] = m.Token
	}
	return tokens
}

// routeOf parses a path below /v1. It reports false for a path that a package does not serve.
func routeOf(r rs.Request) (route, bool) {
	below, found := strings.CutPrefix(r.Path, "/v1/")
	if !found {
		return route{}, false
	}
	segments := strings.Split(below, "/")
	for i, s := range segments {
		decoded, _ := url.PathUnescape(s) // "" if it is malformed
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
