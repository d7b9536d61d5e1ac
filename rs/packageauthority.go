package rs

import (
	"context"
	"errors"
)

// PackageAuthorityOptions configure a [PackageAuthority].
type PackageAuthorityOptions struct {
	Authority Authority        // judges the token itself
	Directory Directory        // names a package's children
	For       func(Token) Doer // the resource server as the bearer of one child's token sees it
	Package   PackageOptions
}

// A PackageAuthority is an authority that also looks up what a package token stands for. The members are part of the
// verdict, so the [TokenCache] above it is the only place that remembers them, for as long as the verdict. It is safe
// for concurrent use.
type PackageAuthority struct {
	options  PackageAuthorityOptions
	refusals *refusals // outlives each Package, so that looking the members up again forgets no refusal (D14)
}

// NewPackageAuthority returns an authority over another one and a directory.
func NewPackageAuthority(o PackageAuthorityOptions) *PackageAuthority {
	o.Package = o.Package.withDefaults()
	return &PackageAuthority{options: o, refusals: newRefusals()}
}

// Judge asks the authority, and about a package the directory. A revoked package is not good; a directory that cannot
// tell is an AuthorityUnreachable.
func (a *PackageAuthority) Judge(ctx context.Context, token Token) (Verdict, error) {
	verdict, err := a.options.Authority.Judge(ctx, token)
	if err != nil || verdict.Inactive != nil || verdict.Principal.Kind != KindPackage {
		return verdict, err
	}
	membership, err := a.options.Directory.Members(ctx, token)
	var refused *Error
	switch {
	case errors.As(err, &refused) && refused.Code == PackageRevoked:
		return Verdict{Inactive: refused}, nil
	case errors.As(err, &refused) && refused.Code == AuthorityUnreachable:
		return Verdict{}, refused
	case err != nil:
		return Verdict{}, authorityUnreachable(err)
	}
	if membership.PackageID == "" {
		membership.PackageID = verdict.Principal.GrantID
	}
	now := a.options.Package.Now()
	children := make([]Child, len(membership.Children))
	for i, c := range membership.Children {
		if c.Refused == nil && c.Token == token { // the package's own token must not reach the resource server
			c.Token, c.Refused = Token{}, &Error{Code: ChildUnusable, Message: "The package directory gives the package's own token for this connection."}
		}
		if c.Refused == nil && c.Expires.After(now) && (verdict.Expires.IsZero() || c.Expires.Before(verdict.Expires)) {
			verdict.Expires = c.Expires
		}
		children[i] = c
	}
	membership.Children = children
	verdict.Principal.Package = newPackage(membership, a.options.For, a.options.Package, a.refusals)
	return verdict, nil
}
