package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/lookup"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/wire"
)

// clockSkew is how far the authority's clock and ours may differ.
const clockSkew = 30 * time.Second

// A TokenInfo is an authority's answer about a token: its principal, or why it is not active.
type TokenInfo struct {
	Principal Principal
	Inactive  *rs.Error // why the token is not active; nil if it is
	Expires   time.Time // zero if the authority gave no expiry
}

// An Authority introspects tokens. An error means that it gave no answer: the token is neither accepted nor rejected.
type Authority interface {
	Introspect(context.Context, rs.Token) (TokenInfo, error)
}

// LookupOptions describe an endpoint that is asked about tokens: its URL Endpoint; ClientID and ClientSecret for HTTP Basic; the Timeout of
// one request (0 means 5 seconds); the Transport (nil means a pooled one); NoBreaker, which switches off its circuit breaker; and a
// Trace and an Observer, which may be nil.
type LookupOptions = lookup.Options

// IntrospectorOptions configure [NewIntrospector].
type IntrospectorOptions struct {
	LookupOptions                  // the RFC 7662 endpoint
	Issuer        string           // required iss; empty accepts any
	Audiences     []string         // accepted aud values; empty accepts any
	Now           func() time.Time // nil means time.Now
}

// An introspector asks an authorization server about tokens (RFC 7662). It is safe for concurrent use.
type introspector struct {
	options IntrospectorOptions
	lookup  *lookup.Lookup
}

// NewIntrospector returns an introspector, or an error that says what is wrong with the endpoint.
func NewIntrospector(o IntrospectorOptions) (Authority, error) {
	endpoint, err := lookup.New("introspection", "introspection", o.LookupOptions)
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &introspector{options: o, lookup: endpoint}, nil
}

// Introspect asks about one token. Its only error has the code [rs.AuthorityUnreachable]: there was no answer, or an invalid one.
func (i *introspector) Introspect(ctx context.Context, token rs.Token) (TokenInfo, error) {
	body, err := i.lookup.Ask(ctx, token)
	var answer introspection
	if err == nil {
		err = answer.read(body)
	}
	if err != nil {
		return TokenInfo{}, lookup.Unreachable(err)
	}
	return answer.info(token, i.options), nil
}

// introspection is the part of an RFC 7662 response that is used.
type introspection struct {
	Active         bool        `json:"active"`
	InactiveReason string      `json:"inactive_reason"`
	Kind           string      `json:"pdpp_token_kind"`
	GrantID        string      `json:"grant_id"`
	PackageID      string      `json:"grant_package_id"`
	ClientID       string      `json:"client_id"`
	Issuer         string      `json:"iss"`
	Audience       audience    `json:"aud"`
	Expires        json.Number `json:"exp"`
	NotBefore      json.Number `json:"nbf"`

	Details json.RawMessage `json:"authorization_details"`
}

// terms returns the time limits of the grant's streams; nil if the response has no authorization_details, or malformed ones.
func (a introspection) terms() *Terms {
	var details []struct {
		Streams []struct {
			Name string        `json:"name"`
			Time *rs.TimeLimit `json:"time_constraint"`
		} `json:"streams"`
	}
	if json.Unmarshal(a.Details, &details) != nil || len(details) == 0 {
		return nil
	}
	var all []rs.TimeLimit
	known := true
	for _, detail := range details {
		for _, s := range detail.Streams {
			switch {
			case s.Time == nil:
			case len(all) == maxLimits:
				known = false
			default:
				s.Time.Stream = s.Name
				all = append(all, *s.Time)
			}
		}
	}
	return &Terms{Limits: func() ([]rs.TimeLimit, bool) { return all, known }}
}

const maxLimits = 100

func (a *introspection) read(body []byte) error {
	return wire.Decode(body, a, "active", "inactive_reason", "pdpp_token_kind", "grant_id", "grant_package_id", "client_id", "iss", "aud",
		"exp", "nbf", "authorization_details")
}

// info validates a response. [Principal.Admissible] decides what the token may be used for.
func (a introspection) info(token rs.Token, o IntrospectorOptions) TokenInfo {
	now := o.Now()
	expires, expiryOK := rs.UnixTime(a.Expires)
	notBefore, notBeforeOK := rs.UnixTime(a.NotBefore)
	switch {
	case !a.Active:
		return TokenInfo{Inactive: inactive(token.Redactor().Text(a.InactiveReason))} // the reason is logged
	case a.Kind != KindClient && a.Kind != KindPackage:
		// The kind alone is a reason to refuse it (S0-R3), so nothing else is checked.
		return TokenInfo{Principal: Principal{Token: token, Kind: a.Kind}}
	case !expiryOK || !notBeforeOK || now.Add(clockSkew).Before(notBefore):
		return TokenInfo{Inactive: inactive("")}
	case !expires.IsZero() && !now.Before(expires.Add(clockSkew)):
		return TokenInfo{Inactive: inactive("token_expired")}
	case o.Issuer != "" && a.Issuer != o.Issuer:
		return TokenInfo{Inactive: inactive("token_issuer_refused")}
	case len(o.Audiences) > 0 && !slices.ContainsFunc(a.Audience, func(aud string) bool { return slices.Contains(o.Audiences, aud) }):
		return TokenInfo{Inactive: inactive("token_audience_refused")}
	}
	return TokenInfo{
		Principal: Principal{Token: token, Kind: a.Kind, GrantID: cmp.Or(a.GrantID, a.PackageID), ClientID: a.ClientID, Terms: a.terms()},
		Expires:   expires,
	}
}

// inactive returns the error of an inactive token. Its code is the authority's reason if that is a valid code (D7).
func inactive(reason string) *rs.Error {
	code := rs.Code(reason)
	if !code.Valid() || code.MeansOtherThanInactive() {
		code = rs.TokenInactive
	}
	return &rs.Error{
		Code:    code,
		Message: fmt.Sprintf("The access token is not active (%s).", code),
		Hint:    "Authorize again to obtain a new access token.",
	}
}

// An audience is a string or an array of strings on the wire.
type audience []string

// UnmarshalJSON accepts both forms. Anything else is an empty audience, which matches no configured one.
func (a *audience) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*a = audience{one}
		return nil
	}
	var many []string
	if json.Unmarshal(raw, &many) == nil {
		*a = many
	}
	return nil
}
