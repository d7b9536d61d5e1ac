// Package auth identifies the caller: it asks an authority about a token, and caches the answer for a short while. [Principal.Admissible]
// decides whether the caller may read.
package auth

import (
	"context"
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// The kinds of token that a PDPP authority names.
const (
	KindClient  = "client"
	KindPackage = "mcp_package"
	KindOwner   = "owner"
)

// A Principal is a caller: a token, and what the authority knows about it. A Package or Reader that does not read through an
// [rsclient.Client] calls [rsclient.NoteRead] after each read, so that it is counted, and a refused token is noticed.
type Principal struct {
	Token    rs.Token
	Kind     string // KindClient, KindPackage, KindOwner, or any other that the authority gives
	GrantID  string
	ClientID string
	Package  Package // the grants of a package token; nil for any other kind, and if no directory is configured
	Reader   rs.Doer // reads under the grant with a token that is renewed; if nil, reads carry Token
	Terms    *Terms  // of the grant; nil if nothing is known without a read
}

// Terms are what is known of a grant without a read.
type Terms struct {
	// Limits returns the time limits of the grant's streams; known reports whether the list is complete.
	Limits func() (limits []rs.TimeLimit, known bool)
	// Connect returns command lines with which the owner can grant what is missing; nil if the caller has no terminal.
	Connect func(rs.Missing) []string
}

// Limits returns the known time limits of the grant's streams; known reports whether the list is complete.
func (p Principal) Limits() (limits []rs.TimeLimit, known bool) {
	switch {
	case p.Terms != nil && p.Terms.Limits != nil:
		return p.Terms.Limits()
	case p.Package != nil:
		return p.Package.Limits(), false
	}
	return nil, false
}

// A Package reads the grants of a package as if they were one.
type Package interface {
	rs.Doer
	// Choose returns nil if a read of the scope would find its grant, or else the error that Do would return. It makes no request.
	Choose(rs.Scope) error
	// Granted returns the streams of the grants that can be read now, as far as they are known without a read.
	Granted() []rs.GrantedStream
	// Unavailable returns the connections with a grant of one of the streams, or of any if none is named, that are known not to be readable
	// now, and why.
	Unavailable(streams ...string) []rs.UnavailableConnection
	// Limits returns the known time limits of the grants that have been read.
	Limits() []rs.TimeLimit
	// Tokens returns the tokens that its reads may carry.
	Tokens() []rs.Token
}

// Caller returns the principal in the form that [rsclient.Client] takes.
func (p Principal) Caller() rsclient.Caller {
	return rsclient.Caller{Token: p.Token, Kind: p.Kind, GrantID: p.GrantID}
}

// GrantKey returns the key under which what a grant or a package reads is cached; "" if the token has none. An authority may number both
// alike.
func (p Principal) GrantKey() string {
	if p.GrantID == "" {
		return ""
	}
	return p.Kind + " " + p.GrantID
}

// MemberTokens returns the tokens of a package's members; nil for any other kind.
func (p Principal) MemberTokens() []rs.Token {
	if p.Package == nil {
		return nil
	}
	return p.Package.Tokens()
}

// Admissible returns nil if the principal may read, or else an *rs.Error. A client grant is admitted, and a package
// whose members are known (D17); a missing principal, an owner and any unknown kind are refused (S0-R3, S3-6b). The
// HTTP chain checks it first and the call pipeline again, so that a chain wired wrongly fails closed.
func (p Principal) Admissible() error {
	known := p.Token != rs.Token{}
	if known && (p.Kind == KindClient || p.Kind == KindPackage && p.Package != nil) {
		return nil
	}
	refused := &rs.Error{Code: "token_kind_refused", Hint: "Connect with a client access token of a PDPP grant."}
	switch {
	case !known:
		refused.Code, refused.Message = "not_authenticated", "This call carries no access token."
		refused.Hint = "Connect again with a client access token of a PDPP grant."
	case p.Kind == KindPackage:
		refused.Message = "A package token was presented, but packages are not configured on this server."
		refused.Hint = "Connect with a client access token of one PDPP grant. " +
			"The operator can name the directory of packages (--packages-url), or have hosts sign in for one source (--authorization-source)."
	case p.Kind == KindOwner:
		refused.Code, refused.Message = "owner_token_refused", "An owner token was presented; this server reads only through a scoped client grant."
		refused.Hint = "Connect with a client access token: run `pdpp-mcp connect` and approve a grant."
	case p.Kind == "":
		refused.Message = "A token of an unknown kind was presented, such as that of a package of several grants; this server serves client grants."
	default:
		kind := p.Token.Redactor().Text(rs.ErrorText(p.Kind))
		refused.Message = fmt.Sprintf("A token of kind %q was presented; this server serves client grants.", kind)
	}
	return refused
}

type principalKey struct{}

// WithPrincipal returns a context that carries the caller.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// PrincipalFrom returns the caller, or the zero Principal, which is not admissible.
func PrincipalFrom(ctx context.Context) Principal {
	p, _ := ctx.Value(principalKey{}).(Principal)
	return p
}
