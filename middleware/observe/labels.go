package observe

import (
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/middleware"
)

const other = "other"

// modern is the first version of MCP without sessions.
const modern = "2026-07-28"

// era is modern for versions of MCP without sessions, legacy for those before, and unknown where the client did not say.
// Versions are dates, so they sort as text.
func era(protocol string) string {
	switch {
	case protocol == "":
		return "unknown"
	case protocol < modern:
		return "legacy"
	}
	return "modern"
}

// code bounds the codes that are labels: the adapter's own and those of the resource server's contract. A resource server
// and a token authority may make up more.
func code(text string) string {
	if text == middleware.Good || knownCodes[text] {
		return text
	}
	return other
}

// CodeIsKnown reports whether a code stands under its own name in the metrics, rather than as "other".
func CodeIsKnown(text string) bool { return knownCodes[text] }

var knownCodes = set(
	// the adapter's own
	"invalid_arguments", "invalid_filter", "invalid_expand", "invalid_id", "invalid_uri", "invalid_cursor", "invalid_request",
	"conflicting_connection_id", "ambiguous_connection", "connection_not_found", "grant_stream_not_allowed", "grant_unusable",
	"not_authenticated", "owner_token_refused", "token_kind_refused", "token_inactive", "token_expired",
	"token_issuer_refused", "token_audience_refused", "package_revoked", "host_refused", "origin_refused",
	"request_too_large", "unsupported_media_type", "not_acceptable", "method_not_allowed",
	"server_unreachable", "authority_unreachable", "deadline_exceeded", "canceled", "response_too_large",
	"response_truncated", "invalid_response", "redirect_refused", "upstream_error", "not_found", "internal_error",
	// the resource server's
	"authentication_error", "permission_error", "grant_expired", "grant_revoked", "blob_not_found", "query_not_found",
	"cursor_expired", "invalid_field_path", "invalid_sort", "search_mode_unavailable", "rate_limited",
)

func set(names ...string) map[string]bool {
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[name] = true
	}
	return known
}

// statusClass is 2xx, 4xx and so on, or none.
func statusClass(status int) string {
	if status < 100 || status > 599 {
		return "none"
	}
	return strconv.Itoa(status/100) + "xx"
}
