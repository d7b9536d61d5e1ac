package fanout

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// PackageAuthorityOptions configure a [PackageAuthority].
type PackageAuthorityOptions struct {
	Authority auth.Authority         // judges the token itself
	Members   auth.Authority         // judges the token of each member before it is read (D27); nil means Authority
	Directory Directory              // names a package's members
	For       func(rs.Token) rs.Doer // the resource server as the bearer of one member's token sees it
	Package   PackageOptions
}

// A PackageAuthority is an authority that also looks up what a package token stands for. The members are part of the
// verdict, so the [auth.TokenCache] above it is the only place that remembers them, for as long as the verdict. Each member's
// token is judged when it is about to be read, and that verdict is remembered for [auth.DefaultTokenHold]. It is safe for
// concurrent use.
type PackageAuthority struct {
	options  PackageAuthorityOptions
	members  *auth.TokenCache // the verdicts on the members' tokens
	refusals *refusals        // outlives each Package, so that looking the members up again forgets no refusal (D14)
}

// NewPackageAuthority returns an authority over another one and a directory.
func NewPackageAuthority(o PackageAuthorityOptions) *PackageAuthority {
	o.Package = o.Package.withDefaults()
	if o.Members == nil {
		o.Members = o.Authority
	}
	members := auth.NewTokenCache(auth.TokenCacheOptions{
		Authority: o.Members, Timeout: o.Package.MemberDeadline, Now: o.Package.Now,
		Unknown: &auth.LookupLimits{}, // the directory's tokens are no guesses, and each read's questions are bounded
	})
	return &PackageAuthority{options: o, members: members, refusals: newRefusals()}
}

// Introspect asks the authority, and about a package the directory. A revoked package is not good; a directory that cannot
// tell is an AuthorityUnreachable.
func (a *PackageAuthority) Introspect(ctx context.Context, token rs.Token) (auth.TokenInfo, error) {
	verdict, err := a.options.Authority.Introspect(ctx, token)
	if err != nil || verdict.Inactive != nil || verdict.Principal.Kind != auth.KindPackage {
		return verdict, err
	}
	membership, err := a.options.Directory.Members(ctx, token)
	var refused *rs.Error
	switch {
	case errors.As(err, &refused) && refused.Code == rs.PackageRevoked:
		return auth.TokenInfo{Inactive: refused}, nil
	case errors.As(err, &refused) && refused.Code == rs.AuthorityUnreachable:
		return auth.TokenInfo{}, refused
	case err != nil:
		return auth.TokenInfo{}, auth.Unreachable(err)
	}
	if membership.PackageID == "" {
		membership.PackageID = verdict.Principal.GrantID
	}
	membership.Members = screen(token, membership.Members)
	now := a.options.Package.Now()
	for _, c := range membership.Members {
		if c.Refused == nil && c.Expires.After(now) && (verdict.Expires.IsZero() || c.Expires.Before(verdict.Expires)) {
			verdict.Expires = c.Expires
		}
	}
	verdict.Principal.Package = newPackage(membership, a.options.For, a.options.Package, a.members, a.refusals)
	return verdict, nil
}

// maxMembers is how many members of a package are read. Those beyond are named as unavailable.
const maxMembers = 256

// screen refuses members beyond the limit, and those whose token is the package's own. It asks nobody.
func screen(token rs.Token, children []Member) []Member {
	screened := slices.Clone(children)
	for i := range screened {
		c := &screened[i]
		switch {
		case c.Refused != nil:
		case i >= maxMembers:
			c.Token, c.Refused = rs.Token{}, &rs.Error{Code: rs.ChildUnusable, Message: fmt.Sprintf("Only the first %d connections of a package are read.", maxMembers)}
		case c.Token == token:
			c.Token, c.Refused = rs.Token{}, &rs.Error{Code: rs.ChildUnusable, Message: "The package directory gives the package's own token for this connection."}
		}
	}
	return screened
}
