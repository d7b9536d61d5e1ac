package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// clockSkew is how far the authority's clock may be ahead of ours.
const clockSkew = 30 * time.Second

// A TokenInfo is what an authority says of a token: who bears it, or why it is not good.
type TokenInfo struct {
	Principal Principal
	Inactive  *rs.Error // why the token is not good; nil when it is
	Expires   time.Time // when the token ends; zero when the authority did not say
}

// An Authority judges tokens. An error means that it could not tell, which lets nobody in and condemns nobody.
type Authority interface {
	Introspect(context.Context, rs.Token) (TokenInfo, error)
}

// IntrospectorOptions configure an [Introspector].
type IntrospectorOptions struct {
	Endpoint     string // the RFC 7662 endpoint
	ClientID     string // HTTP Basic
	ClientSecret rs.Token
	Issuer       string            // required iss; empty accepts any
	Audiences    []string          // accepted aud values; empty accepts any
	Timeout      time.Duration     // one question; 0 means 5 s
	Transport    http.RoundTripper // nil means a pooled transport of its own
	Now          func() time.Time  // nil means time.Now
	NoBreaker    bool              // asks the endpoint however often it fails
	Observer     rsclient.Observer // nil means nobody
}

// An Introspector asks an authorization server about tokens (RFC 7662). It is safe for concurrent use.
type Introspector struct {
	options  IntrospectorOptions
	question *Question
}

// NewIntrospector returns an introspector. Its error names what is wrong with the endpoint.
func NewIntrospector(o IntrospectorOptions) (*Introspector, error) {
	asked, err := NewQuestion(QuestionOptions{
		What: "introspection", Class: "introspection", Endpoint: o.Endpoint, ClientID: o.ClientID, Secret: o.ClientSecret,
		Timeout: o.Timeout, Transport: o.Transport, NoBreaker: o.NoBreaker, Observer: o.Observer,
	})
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Introspector{options: o, question: asked}, nil
}

// Introspect asks about one token. Its errors are AuthorityUnreachable: no answer, or none that can be read.
func (i *Introspector) Introspect(ctx context.Context, token rs.Token) (TokenInfo, error) {
	body, err := i.question.Ask(ctx, token)
	if err != nil {
		return TokenInfo{}, Unreachable(err)
	}
	var answer introspection
	if err := answer.read(body); err != nil {
		return TokenInfo{}, Unreachable(err)
	}
	return answer.verdict(token, i.options), nil
}

// introspection is the part of an RFC 7662 answer that is read.
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
}

// read reads an answer. Its error shows nothing of it.
func (a *introspection) read(body []byte) error {
	err := rs.DecodeStrictly(body, a, "active", "inactive_reason", "pdpp_token_kind", "grant_id", "grant_package_id", "client_id", "iss", "aud", "exp", "nbf")
	switch {
	case errors.Is(err, rs.ErrAmbiguousMember):
		return fmt.Errorf("the introspection answer: %w", err)
	case err != nil:
		return errors.New("the introspection answer is not the JSON of RFC 7662")
	}
	return nil
}

// verdict judges an answer. What the token may be used for is [Principal.Admissible]'s to say.
func (a introspection) verdict(token rs.Token, o IntrospectorOptions) TokenInfo {
	now := o.Now()
	expires, expiryOK := UnixTime(a.Expires)
	notBefore, notBeforeOK := UnixTime(a.NotBefore)
	switch {
	case !a.Active:
		return TokenInfo{Inactive: inactive(a.InactiveReason)}
	case a.Kind != KindClient && a.Kind != KindPackage:
		// Refused for its kind, whatever else is wrong with it (S0-R3): nothing but the kind is known of it.
		return TokenInfo{Principal: Principal{Token: token, Kind: a.Kind}}
	case !expiryOK || !notBeforeOK:
		return TokenInfo{Inactive: inactive("")}
	case !expires.IsZero() && !now.Before(expires.Add(clockSkew)):
		return TokenInfo{Inactive: inactive(string(rs.TokenExpired))}
	case now.Add(clockSkew).Before(notBefore):
		return TokenInfo{Inactive: inactive("")}
	case o.Issuer != "" && a.Issuer != o.Issuer:
		return TokenInfo{Inactive: inactive(string(rs.TokenIssuerRefused))}
	case len(o.Audiences) > 0 && !slices.ContainsFunc(a.Audience, func(aud string) bool { return slices.Contains(o.Audiences, aud) }):
		return TokenInfo{Inactive: inactive(string(rs.TokenAudienceRefused))}
	}
	grant := a.GrantID
	if grant == "" {
		grant = a.PackageID
	}
	return TokenInfo{
		Principal: Principal{Token: token, Kind: a.Kind, GrantID: grant, ClientID: a.ClientID},
		Expires:   expires,
	}
}

// inactive is the refusal of a token, under the authority's own reason where that can serve as a code (D7).
func inactive(reason string) *rs.Error {
	code := rs.TokenInactive
	if rs.IsCode(reason) && !MeansSomethingElse(rs.Code(reason)) {
		code = rs.Code(reason)
	}
	return &rs.Error{
		Code:    code,
		Message: fmt.Sprintf("The access token is not active (%s).", code),
		Hint:    "Authorize again to obtain a new access token.",
	}
}

// MeansSomethingElse reports a code of ours that says no such thing as "this token is no longer good".
func MeansSomethingElse(code rs.Code) bool {
	switch code {
	case rs.OwnerTokenRefused, rs.TokenKindRefused, rs.PackageRevoked, rs.ServerUnreachable, rs.ServerNameUnknown, rs.ServerCertificateRefused, rs.ServerUnavailable, rs.ResponseUndecodable, rs.AuthorityUnreachable, rs.AuthorityBusy, rs.DeadlineExceeded, rs.Canceled, rs.ServerStopping,
		rs.ResponseTooLarge, rs.ResponseTruncated, rs.InvalidResponse, rs.RedirectRefused, rs.UpstreamError, rs.NotFound, rs.Internal, rs.RateLimited, rs.TooManyCalls:
		return true
	}
	return false
}

// Unreachable is the error of an authority, or of a directory, that could not tell.
func Unreachable(cause error) *rs.Error {
	e := &rs.Error{
		Code: rs.AuthorityUnreachable, Cause: cause,
		Message: "The token authority could not say whether this access token is good.",
		Hint:    "Retry in a moment; if it persists, tell the operator.",
	}
	var refused *rs.Error
	if errors.As(cause, &refused) {
		e.RetryAfter, e.RequestID = refused.RetryAfter, refused.RequestID
	}
	return e
}

// An audience is a string or an array of strings on the wire.
type audience []string

// UnmarshalJSON accepts both forms; anything else is no audience at all, which no configured set contains.
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

// UnixTime reads NumericDate seconds, possibly with a fraction. Absent is the zero time; it reports
// whether the number is one that a clock can show.
func UnixTime(number json.Number) (time.Time, bool) {
	if number == "" {
		return time.Time{}, true
	}
	seconds, err := number.Float64()
	if err != nil || seconds < 0 || seconds > 253402300799 { // the year 9999
		return time.Time{}, false
	}
	return time.Unix(int64(seconds), 0), true
}
