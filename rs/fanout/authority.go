package fanout

import (
	"cmp"
	"context"
	"errors"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/lookup"
)

// PackageAuthorityOptions configure [NewPackageAuthority].
type PackageAuthorityOptions struct {
	Authority auth.Authority         // introspects the token itself
	Members   auth.Authority         // introspects the token of each member before it is read (D27); nil means Authority
	Directory Directory              // names a package's members
	For       func(rs.Token) rs.Doer // returns a reader of the resource server that sends a member's token
	Package   PackageOptions
}

// A packageAuthority is an authority that also looks up the members of a package token. They are part of the TokenInfo, so
// only the [auth.TokenCache] above it caches them. A member's token is introspected before the member is read, and the
// answer is cached for a minute. It is safe for concurrent use.
type packageAuthority struct {
	options  PackageAuthorityOptions
	members  *auth.TokenCache // introspects the members' tokens
	refusals *refusals        // shared by all grantPackages, so that a new lookup of the members forgets no refusal (D14)
}

// NewPackageAuthority returns an authority that combines another authority and a directory.
func NewPackageAuthority(o PackageAuthorityOptions) auth.Authority {
	o.Package = o.Package.withDefaults()
	members := auth.NewTokenCache(auth.TokenCacheOptions{
		Authority: cmp.Or(o.Members, o.Authority), Timeout: o.Package.MemberDeadline, Now: o.Package.Now, Panicked: o.Package.Panicked,
		Unknown: &auth.LookupLimits{}, // no limits: the directory's tokens are not guesses, and fanOut bounds the lookups of a read
	})
	return &packageAuthority{options: o, members: members, refusals: newRefusals()}
}

// Introspect asks the authority and, for a package token, the directory. A token of a revoked package is inactive. If the directory does
// not answer, the error is [rs.AuthorityUnreachable].
func (a *packageAuthority) Introspect(ctx context.Context, token rs.Token) (auth.TokenInfo, error) {
	info, err := a.options.Authority.Introspect(ctx, token)
	if err != nil || info.Inactive != nil || info.Principal.Kind != auth.KindPackage {
		return info, err
	}
	membership, err := a.options.Directory.Members(ctx, token)
	if refused, ok := errors.AsType[*rs.Error](err); ok && refused.Code == "package_revoked" {
		return auth.TokenInfo{Inactive: refused}, nil
	}
	if err != nil {
		return auth.TokenInfo{}, lookup.Unreachable(err)
	}
	membership.PackageID = cmp.Or(membership.PackageID, info.Principal.GrantID)
	read := newPackage(token, membership, a.options.For, a.options.Package)
	read.authority, read.refusals = a.members, a.refusals
	now := a.options.Package.Now()
	for _, m := range read.members {
		if m.Refused == nil && m.Expires.After(now) && (info.Expires.IsZero() || m.Expires.Before(info.Expires)) {
			info.Expires = m.Expires
		}
	}
	info.Principal.Terms = nil // each member has its own
	info.Principal.Package = read
	return info, nil
}
