package rs

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A Code names one kind of failure. Codes are stable: programs match on them.
type Code string

// The adapter's own codes. A resource server's codes pass through unchanged and are not listed here. What a comment says after the
// colon is what docs/errors.md says; make docs writes it there.
const (
	// InvalidArguments: an argument is missing, unknown, of the wrong type, or out of range.
	InvalidArguments Code = "invalid_arguments"
	// InvalidFilter: `filter` is not a typed, non-empty object of fields (S3-R10, D9).
	InvalidFilter Code = "invalid_filter"
	// InvalidExpand: expansion is asked for on a stream that advertises none, or `expand_limit` is malformed (S3-R11, S4-R5).
	InvalidExpand Code = "invalid_expand"
	// InvalidID: a result id, connection id or stream name breaks the grammar (S2, S3-19e).
	InvalidID Code = "invalid_id"
	// InvalidURI: a resource address is not one of ours.
	InvalidURI Code = "invalid_uri"
	// ConflictingConnectionID: the id names one connection and `connection_id` another (S2-8).
	ConflictingConnectionID Code = "conflicting_connection_id"
	// AmbiguousConnection: several connections could be meant and none was named; choose one of those listed (S0-5f, S0-R8).
	AmbiguousConnection Code = "ambiguous_connection"
	// NotAuthenticated: there is no access token.
	NotAuthenticated Code = "not_authenticated"
	// OwnerTokenRefused: an owner credential was presented; only a scoped client grant is served (S0-R3).
	OwnerTokenRefused Code = "owner_token_refused" // #nosec G101 -- the name of an error
	// TokenKindRefused: the token is of a kind that is not served.
	TokenKindRefused Code = "token_kind_refused" // #nosec G101 -- the name of an error
	// ServerUnreachable: the resource server did not answer: no route, refused, reset, or no TLS with it.
	ServerUnreachable Code = "server_unreachable"
	// ServerNameUnknown: the resource server's host name could not be resolved.
	ServerNameUnknown Code = "server_name_unknown"
	// ServerCertificateRefused: the resource server's certificate is expired, of another host or of an unknown issuer; no retry helps.
	ServerCertificateRefused Code = "server_certificate_refused"
	// ServerUnavailable: the resource server kept failing and was not asked; `retry_after_seconds` says when it will be.
	ServerUnavailable Code = "server_unavailable"
	// AuthorityUnreachable: the token authority did not answer, so nobody can be let in; `Retry-After` says when to come again.
	AuthorityUnreachable Code = "authority_unreachable"
	// AuthorityBusy: the authority is being asked about as many unknown tokens as it may be, and was not asked about this one; see `Retry-After`.
	AuthorityBusy Code = "authority_busy"
	// DeadlineExceeded: the call or one of its reads took longer than allowed.
	DeadlineExceeded Code = "deadline_exceeded"
	// Canceled: the caller hung up.
	Canceled Code = "canceled"
	// ServerStopping: the adapter was told to stop, and the call took longer than it may after that; call again.
	ServerStopping Code = "server_stopping"
	// ResponseTooLarge: the resource server's answer exceeds 16 MiB, or has more values or items than are read.
	ResponseTooLarge Code = "response_too_large"
	// ResponseTruncated: the resource server's answer ended before its announced length.
	ResponseTruncated Code = "response_truncated"
	// ResponseUndecodable: the resource server's answer is not the compression that it claims to be.
	ResponseUndecodable Code = "response_undecodable"
	// InvalidResponse: the resource server's answer is not the JSON that the contract promises.
	InvalidResponse Code = "invalid_response"
	// RedirectRefused: the resource server answered with a redirect; a bearer is never sent on.
	RedirectRefused Code = "redirect_refused"
	// UpstreamError: the resource server answered with an error status and no code of its own.
	UpstreamError Code = "upstream_error"
	// NotFound: no such record, stream, blob or resource is visible to this grant; over HTTP, nothing is served at this path.
	NotFound Code = "not_found"
	// RateLimited: requests with one token, or unknown tokens from one address, come faster than allowed; see `Retry-After`.
	RateLimited Code = "rate_limited"
	// TooManyCalls: as many calls as allowed are under way with this grant or in all, or as many bytes of answers are in memory, and waiting did not help; see `Retry-After`.
	TooManyCalls Code = "too_many_calls"
	// Internal: a fault of the adapter itself.
	Internal Code = "internal_error"
)

// What a token authority's refusal is called, where the authority gives no reason of its own. All of them
// are answered with 401 and the challenge (D7).
const (
	// TokenInactive: the authority does not know the token, or says that it is no longer good; where it gives a reason, that is the code.
	TokenInactive Code = "token_inactive"
	// TokenExpired: the token's expiry has passed.
	TokenExpired Code = "token_expired"
	// TokenIssuerRefused: the token was issued by someone other than the configured issuer.
	TokenIssuerRefused Code = "token_issuer_refused" // #nosec G101 -- the name of an error
	// TokenAudienceRefused: the token was issued for another resource.
	TokenAudienceRefused Code = "token_audience_refused"
)

// What a package's own refusals are called. Where a resource server has a code for the same, it is that one.
const (
	// PackageRevoked: the package that a token stands for was revoked, or is unknown to its directory (D17).
	PackageRevoked Code = "package_revoked"
	// ChildUnusable: the directory says that this member cannot be used, and gives no reason of its own; approve it again or choose another connection.
	ChildUnusable Code = "grant_unusable"
	// ConnectionNotFound: the package holds no such connection; choose one of those listed.
	ConnectionNotFound Code = "connection_not_found"
	// GrantStreamNotAllowed: none of the package's grants holds the stream.
	GrantStreamNotAllowed Code = "grant_stream_not_allowed"
	// GrantExpired: the access to this member has expired.
	GrantExpired Code = "grant_expired"
	// InvalidCursor: a package's search cursor is not one of ours, or belongs to another search or package; start again without it.
	InvalidCursor Code = "invalid_cursor"
)

// An Error is the one error type that a user or a model can see: a stable code, one plain sentence
// with the offending value, and what to send instead.
type Error struct {
	Code    Code
	Message string // one sentence, with the offending value
	Quoted  bool   // Message is the resource server's own, which text shows as a quotation
	Hint    string // what to send instead; may be empty
	Param   string // the argument at fault; may be empty

	// RetryWith names the argument that a retry must carry, such as "connection_id"; may be empty.
	RetryWith string
	// Connections are the connections to choose from, at most 12 (S0-8a); ConnectionTotal counts all of them.
	Connections     []Connection
	ConnectionTotal int
	// Unavailable are connections of a package that cannot be read now and are no choice (S3-3a, D14); at most 12.
	Unavailable []UnavailableConnection

	// Status is the resource server's HTTP status; 0 when the error is the adapter's own.
	Status int
	// Envelope is the resource server's error object as received; nil when there was none.
	Envelope json.RawMessage
	// RequestID is the resource server's request id, for its operator; may be empty.
	RequestID string
	// RetryAfter is how long the resource server asked to wait; 0 when it did not say.
	RetryAfter time.Duration

	// Cause is for the log only. It is never shown.
	Cause error
}

// A Connection is one configured source of a grant, as a caller may choose it.
type Connection struct {
	GrantID      string `json:"grant_id,omitempty"`
	ConnectorKey string `json:"connector_key,omitempty"`
	ID           string `json:"connection_id"`
	DisplayName  string `json:"display_name,omitempty"`
}

// An UnavailableConnection is a connection that could not be read, and why.
type UnavailableConnection struct {
	Connection
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// MaxConnectionOptions is how many connections an ambiguity error lists (S0-8a).
const MaxConnectionOptions = 12

// Error returns code and message. The cause is left out, because it may hold an address or a value.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }

// Unwrap returns the cause, so that errors.Is finds context errors.
func (e *Error) Unwrap() error { return e.Cause }

// AsError returns err as an *Error. An error of another type becomes an Internal one that shows nothing of it.
func AsError(err error) *Error {
	var typed *Error
	if errors.As(err, &typed) {
		return typed
	}
	return &Error{Code: Internal, Message: "The adapter failed to answer this call.", Hint: "Retry once; if it fails again, tell the operator.", Cause: err}
}

// Invalid returns an InvalidArguments error about one argument.
func Invalid(param, message, hint string) *Error {
	return &Error{Code: InvalidArguments, Param: param, Message: message, Hint: hint}
}
