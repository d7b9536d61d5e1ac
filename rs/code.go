package rs

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
	// UnknownStream: no such stream is in the grant; the nearest are named.
	UnknownStream Code = "unknown_stream"
	// UnknownConnection: no such connection is in the grant; the nearest are named.
	UnknownConnection Code = "unknown_connection"
	// UnknownField: the stream has no such field, or none that can do what is asked of it; the nearest are named.
	UnknownField Code = "unknown_field"
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
	// InsufficientScope: the owner was not asked for what the call reads, or did not grant it; sign in again to ask for it.
	InsufficientScope Code = "insufficient_scope"
	// RequestMalformed: the Authorization header is malformed, doubled, of another scheme, or the token is in the URL.
	RequestMalformed Code = "invalid_request"
	// RequestTooLarge: the body exceeds 1 MiB.
	RequestTooLarge Code = "request_too_large"
	// HostRefused: the host name is not one that this server answers to.
	HostRefused Code = "host_refused"
	// OriginRefused: the request comes from a browser page of an origin that is not allowed.
	OriginRefused Code = "origin_refused"
	// UnsupportedMediaType: the body is not `application/json`.
	UnsupportedMediaType Code = "unsupported_media_type"
	// NotAcceptable: the client does not accept JSON.
	NotAcceptable Code = "not_acceptable"
	// MethodNotAllowed: the method is not served at this path; see the `Allow` header.
	MethodNotAllowed Code = "method_not_allowed"
	// ServerUnreachable: the resource server did not answer: no route, refused, reset, or no TLS with it.
	ServerUnreachable Code = "server_unreachable"
	// ServerNameUnknown: the resource server's host name could not be resolved.
	ServerNameUnknown Code = "server_name_unknown"
	// ServerCertificateRefused: the resource server's certificate is expired, of another host or of an unknown issuer; no retry helps.
	ServerCertificateRefused Code = "server_certificate_refused"
	// ServerUnavailable: the resource server kept failing and was not asked; `retry_after_seconds` says when it will be.
	ServerUnavailable Code = "server_unavailable"
	// AuthorityUnreachable: the token authority did not answer, so no token can be accepted; `Retry-After` says when to retry.
	AuthorityUnreachable Code = "authority_unreachable"
	// AuthorityBusy: the authority is being asked about as many unknown tokens as it may be, and was not asked about this one; see
	// `Retry-After`.
	AuthorityBusy Code = "authority_busy"
	// DeadlineExceeded: the call or one of its reads took longer than allowed.
	DeadlineExceeded Code = "deadline_exceeded"
	// Canceled: the caller hung up.
	Canceled Code = "canceled"
	// ServerStopping: the adapter is stopping, and the call took longer than it may after that; call again.
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
	// UpstreamError: the resource server answered with an error status and no code.
	UpstreamError Code = "upstream_error"
	// NotFound: no such record, stream, blob or resource is visible to this grant; over HTTP, nothing is served at this path.
	NotFound Code = "not_found"
	// RateLimited: requests with one token, or unknown tokens from one address, come faster than allowed; see `Retry-After`.
	RateLimited Code = "rate_limited"
	// TooManyCalls: as many calls as allowed are under way with this grant or in all, or as many bytes of answers are in memory, and waiting
	// did not help; see `Retry-After`.
	TooManyCalls Code = "too_many_calls"
	// Internal: a fault of the adapter itself.
	Internal Code = "internal_error"
)

// What a token authority's refusal is called, where the authority gives no reason. All of them
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
	// MemberUnusable: this member cannot be read: the directory says so without a reason, or gives no token of a client grant, or it is beyond
	// the 256th; approve it again or choose another connection.
	MemberUnusable Code = "grant_unusable"
	// ConnectionNotFound: the package holds no such connection; choose one of those listed.
	ConnectionNotFound Code = "connection_not_found"
	// GrantStreamNotAllowed: none of the package's grants holds the stream.
	GrantStreamNotAllowed Code = "grant_stream_not_allowed"
	// GrantExpired: the access to this member, or to the server whose grant is stored on this machine, has ended; connect again.
	GrantExpired Code = "grant_expired"
	// CredentialNotStored: the access that is stored on this machine has ended, and was not renewed, because the renewal could not be written
	// to the file that the message names; it is renewed as soon as it can be.
	CredentialNotStored Code = "credential_not_stored" //nolint:gosec // a code, not a credential
	// InvalidCursor: a cursor is not as it was printed, or not for these arguments, or what it continues has changed; start again without it.
	InvalidCursor Code = "invalid_cursor"
)

// known are the codes that a metric shows under their own names: the adapter's, and those of the resource server's contract.
var known = codeSet(
	InvalidArguments, InvalidFilter, InvalidExpand, InvalidID, UnknownStream, UnknownConnection, UnknownField, InvalidURI, ConflictingConnectionID, AmbiguousConnection,
	NotAuthenticated, OwnerTokenRefused, TokenKindRefused, InsufficientScope, RequestMalformed, RequestTooLarge, HostRefused, OriginRefused,
	UnsupportedMediaType, NotAcceptable, MethodNotAllowed, ServerUnreachable, ServerNameUnknown, ServerCertificateRefused,
	ServerUnavailable, AuthorityUnreachable, AuthorityBusy, DeadlineExceeded, Canceled, ServerStopping, ResponseTooLarge,
	ResponseTruncated, ResponseUndecodable, InvalidResponse, RedirectRefused, UpstreamError, NotFound, RateLimited, TooManyCalls,
	Internal, TokenInactive, TokenExpired, TokenIssuerRefused, TokenAudienceRefused, PackageRevoked, MemberUnusable,
	ConnectionNotFound, GrantStreamNotAllowed, GrantExpired, CredentialNotStored, InvalidCursor,

	"ok", // of what succeeded

	// the resource server's
	"authentication_error", "permission_error", "context.active_false", "context.authentication_failed",
	"context.stream_not_allowed", "context.instance_mismatch", "grant_revoked", "grant_invalid",
	"field_not_granted", "field_not_text", "invalid_field_path", "invalid_sort", "cursor_expired",
	"blob_not_found", "query_not_found", "search_mode_unavailable",
)

func codeSet(codes ...Code) map[Code]bool {
	set := make(map[Code]bool, len(codes))
	for _, code := range codes {
		set[code] = true
	}
	return set
}

// Label is the code as metrics and traces show it: one of the adapter's or of the resource server's contract under its name, any other,
// which a resource server or a token authority may make up, as "other".
func (c Code) Label() string {
	if known[c] {
		return string(c)
	}
	return "other"
}

// MeansSomethingElse reports whether the code is one of ours that does not mean "this token is no longer active".
func (c Code) MeansSomethingElse() bool {
	switch c {
	case OwnerTokenRefused, TokenKindRefused, InsufficientScope, PackageRevoked, ServerUnreachable, ServerNameUnknown, ServerCertificateRefused,
		ServerUnavailable, ResponseUndecodable, AuthorityUnreachable, AuthorityBusy, DeadlineExceeded, Canceled, ServerStopping,
		ResponseTooLarge, ResponseTruncated, InvalidResponse, RedirectRefused, UpstreamError, NotFound, Internal, RateLimited, TooManyCalls, CredentialNotStored:
		return true
	}
	return false
}
