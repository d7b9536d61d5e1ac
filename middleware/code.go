package middleware

import "github.com/pdp-connect/pdpp-mcp/rs"

// OtherCode stands for every code that is not known beforehand.
const OtherCode = "other"

// BoundedCode is a code as metrics and traces show it: the adapter's own and those of the resource server's contract under
// their names, all others as OtherCode. A resource server and a token authority may make up what they like.
func BoundedCode(code rs.Code) string {
	if code == Good || knownCodes[code] {
		return string(code)
	}
	return OtherCode
}

var knownCodes = codeSet(
	// the adapter's own, as in docs/errors.md
	"invalid_arguments", "invalid_filter", "invalid_expand", "invalid_id", "invalid_uri", "invalid_cursor", "invalid_request",
	"conflicting_connection_id", "ambiguous_connection", "connection_not_found", "grant_stream_not_allowed", "grant_unusable",
	"not_authenticated", "owner_token_refused", "token_kind_refused", "token_inactive", "token_expired",
	"token_issuer_refused", "token_audience_refused", "package_revoked", "host_refused", "origin_refused",
	"request_too_large", "unsupported_media_type", "not_acceptable", "method_not_allowed",
	"server_unreachable", "authority_unreachable", "authority_busy", "deadline_exceeded", "canceled", "response_too_large",
	"response_truncated", "response_undecodable", "invalid_response", "redirect_refused", "upstream_error", "not_found",
	"internal_error", "server_name_unknown", "server_certificate_refused", "server_unavailable", "server_stopping",
	"too_many_calls",
	// the resource server's
	"authentication_error", "permission_error", "context.active_false", "context.authentication_failed",
	"context.stream_not_allowed", "context.instance_mismatch", "grant_expired", "grant_revoked", "grant_invalid",
	"field_not_granted", "unknown_field", "field_not_text", "invalid_field_path", "invalid_sort", "cursor_expired",
	"blob_not_found", "query_not_found", "search_mode_unavailable", "rate_limited",
)

func codeSet(codes ...rs.Code) map[rs.Code]bool {
	known := make(map[rs.Code]bool, len(codes))
	for _, code := range codes {
		known[code] = true
	}
	return known
}
