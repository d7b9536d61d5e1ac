package rs

import "slices"

// A Code names one kind of failure. Codes are stable: programs match on them. A code is the adapter's (see codes), or the resource
// server's, which is passed through unchanged.
type Code string

// Codes that the authenticator of a Go host needs. Every other code is a literal where it is returned.
const (
	AuthorityUnreachable Code = "authority_unreachable"
	TokenInactive        Code = "token_inactive"
)

// codes maps each code of the adapter to its meaning; make docs copies this table to docs/errors.md. Codes about tokens and packages have
// the names that authorities and resource servers use.
var codes = map[Code]string{ // #nosec G101 -- names of errors
	"invalid_arguments":          "an argument is missing, unknown, of the wrong type, or out of range",
	"invalid_filter":             "`filter` is not a typed, non-empty object of fields",                                     // S3-R10, D9
	"invalid_expand":             "expansion is asked for on a stream that advertises none, or `expand_limit` is malformed", // S3-R11,S4-R5
	"invalid_id":                 "a result id, connection id or stream name breaks the grammar",                            // S2, S3-19e
	"unknown_stream":             "no such stream is in the grant; the nearest are named",
	"unknown_connection":         "no such connection is in the grant; the nearest are named",
	"unknown_field":              "the stream has no such field, or none that can do what is asked of it; the nearest are named",
	"invalid_uri":                "a resource address is not one of ours",
	"conflicting_connection_id":  "the id names one connection and `connection_id` another",                           // S2-8
	"ambiguous_connection":       "several connections could be meant and none was named; choose one of those listed", // S0-5f, S0-R8
	"not_authenticated":          "there is no access token",
	"owner_token_refused":        "an owner credential was presented; only a scoped client grant is served", // S0-R3
	"token_kind_refused":         "the token is of a kind that is not served",
	"insufficient_scope":         "the owner was not asked for what the call reads, or did not grant it; sign in again to ask for it",
	"request_too_large":          "the body exceeds 128 KiB",
	"host_refused":               "the host name is not one that this server answers to",
	"origin_refused":             "the request comes from a browser page of an origin that is not allowed",
	"unsupported_media_type":     "the body is not `application/json` in UTF-8, is compressed, or has two `Content-Type` headers",
	"not_acceptable":             "the client does not accept JSON",
	"method_not_allowed":         "the method is not served at this path; see the `Allow` header",
	"server_unreachable":         "the resource server did not answer: no route, refused, reset, or no TLS with it",
	"server_name_unknown":        "the resource server's host name could not be resolved",
	"server_certificate_refused": "the resource server's certificate is expired, of another host or of an unknown issuer; no retry helps",
	"server_unavailable":         "the resource server kept failing and was not asked; `retry_after_seconds` says when it will be",
	AuthorityUnreachable:         "the token authority did not answer, so no token can be accepted; `Retry-After` says when to retry",
	"authority_busy": "the authority is being asked about as many unknown tokens as it may be, and was not asked about this one; see " +
		"`Retry-After`",
	"deadline_exceeded":    "the call or one of its reads took longer than allowed",
	"canceled":             "the caller hung up",
	"server_stopping":      "the adapter is stopping, and the call took longer than it may after that; call again",
	"response_too_large":   "the resource server's answer exceeds 16 MiB, or has more values or items than are read",
	"response_truncated":   "the resource server's answer ended before its announced length, or is a part although all was requested",
	"response_undecodable": "the resource server's answer is not the compression that it claims to be, or is of one that was not requested",
	"invalid_response":     "the resource server's answer is not the JSON that the contract promises",
	"redirect_refused":     "the resource server answered with a redirect; a bearer is never sent on",
	"upstream_error":       "the resource server answered with an error status and no code",
	"not_found":            "no such record, stream, blob or resource is visible to this grant; over HTTP, nothing is served at this path",
	"rate_limited":         "requests with one token, or unknown tokens from one address, come faster than allowed; see `Retry-After`",
	"too_many_calls": "as many calls as allowed are under way with this grant or in all, or as many bytes of answers are in memory, and " +
		"waiting did not help; see `Retry-After`",
	"invalid_request": "the Authorization header is malformed, doubled, of another scheme, or the token is in the URL; with 400, the request has " +
		"both `Content-Length` and `Transfer-Encoding`. In a tool's answer: the resource server refused the arguments",
	"internal_error":         "a fault of the adapter itself",
	TokenInactive:            "the authority does not know the token, or says that it is no longer good; where it gives a reason, such as `grant_revoked`, that is the code",
	"token_expired":          "the token's expiry passed more than 30 seconds ago",
	"token_issuer_refused":   "the token was issued by someone other than the configured issuer",
	"token_audience_refused": "the token was issued for another resource",
	"package_revoked":        "the package that a token stands for was revoked, or is unknown to its directory", // D17
	"grant_unusable": "this member cannot be read: the directory says so without a reason, or gives no token of a client grant, or it is " +
		"beyond the 256th; approve it again or choose another connection",
	"connection_not_found":     "the package holds no such connection; choose one of those listed",
	"grant_stream_not_allowed": "none of the package's grants holds the stream",
	"grant_expired":            "the access to this member, or to the server whose grant is stored on this machine, has ended; connect again",
	"credential_not_stored": "the access that is stored on this machine has ended, and was not renewed, because the renewal could not be written to " +
		"the file that the message names; it is renewed as soon as it can be",
	"invalid_cursor": "a cursor is not as it was printed, or not for these arguments, or what it continues has changed; start again without it",
}

// labels are the other codes that metrics show by name: success, and the codes of the resource server's contract.
var labels = [...]Code{
	"ok",
	"authentication_error", "permission_error", "context.active_false", "context.authentication_failed",
	"context.stream_not_allowed", "context.instance_mismatch", "grant_revoked", "grant_invalid",
	"field_not_granted", "field_not_text", "invalid_field_path", "invalid_sort", "cursor_expired",
	"blob_not_found", "query_not_found", "search_mode_unavailable",
}

// Label returns the code as metrics and traces show it: codes of the adapter and of the resource server's contract unchanged, and any other
// as "other", because resource servers and token authorities can invent codes.
func (c Code) Label() string {
	if codes[c] != "" || slices.Contains(labels[:], c) {
		return string(c)
	}
	return "other"
}

// MeansOtherThanInactive reports whether the code is one of the adapter's and means something other than an inactive token.
func (c Code) MeansOtherThanInactive() bool {
	switch c {
	case "not_authenticated", TokenInactive, "token_expired", "token_issuer_refused", "token_audience_refused", "grant_expired", "grant_unusable", "grant_stream_not_allowed",
		"package_revoked":
		return false
	}
	return codes[c] != ""
}
