package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Refuse answers a request with an error as JSON and the status of its code. For 429 and 503 it adds Retry-After:
//
//	{"error":{"code","message","hint"?,"resource_metadata"?}}
func Refuse(w http.ResponseWriter, r *http.Request, e *rs.Error) {
	refuseWith(w, r, refusalStatus(e.Code), e, "")
}

// refuseWith answers with an error, and records its code. resourceMetadata is the metadata URL of the challenge (S3-18a), or "".
func refuseWith(w http.ResponseWriter, r *http.Request, status int, e *rs.Error, resourceMetadata string) {
	type document struct {
		Code             rs.Code `json:"code"`
		Message          string  `json:"message"`
		Hint             string  `json:"hint,omitempty"`
		ResourceMetadata string  `json:"resource_metadata,omitempty"`
	}
	middleware.RequestFrom(r.Context()).Refusal = e.Code
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Del("Content-Length")
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		wait := e.RetryAfter
		if wait < time.Second {
			wait = defaultRetryAfter
		}
		w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())))
	}
	WriteJSON(w, status, map[string]document{"error": {e.Code, e.Message, e.Hint, resourceMetadata}})
}

// WriteJSON answers with a document.
func WriteJSON(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document) // too late to report an error: the status is sent
}

// defaultRetryAfter is the Retry-After of an error without one of at least a second.
const defaultRetryAfter = 5 * time.Second

// refusalStatus returns the status that makes a host react correctly: 401 to authorize again; 403 to use another kind of token
// (authorizing again would bring the same one) or to approve again; 503 and 429 to wait. A reason that an authority gave is a 401 (D7).
// The other statuses do not depend on the caller.
func refusalStatus(code rs.Code) int {
	switch code {
	case "owner_token_refused", "token_kind_refused", "package_revoked", "insufficient_scope", "origin_refused":
		return http.StatusForbidden
	case rs.AuthorityUnreachable, "authority_busy", "server_unreachable", "server_unavailable", "server_name_unknown", "server_certificate_refused", "deadline_exceeded", "canceled":
		return http.StatusServiceUnavailable
	case "rate_limited", "too_many_calls":
		return http.StatusTooManyRequests
	case "internal_error":
		return http.StatusInternalServerError
	case "invalid_request":
		return http.StatusBadRequest
	case "not_found":
		return http.StatusNotFound
	case "method_not_allowed":
		return http.StatusMethodNotAllowed
	case "not_acceptable":
		return http.StatusNotAcceptable
	case "request_too_large":
		return http.StatusRequestEntityTooLarge
	case "unsupported_media_type":
		return http.StatusUnsupportedMediaType
	case "host_refused":
		return http.StatusMisdirectedRequest
	default:
		return http.StatusUnauthorized
	}
}

// refuseCaller refuses a caller who is not admitted. A 401 and some 403 carry a challenge.
func refuseCaller(w http.ResponseWriter, r *http.Request, public Public, err error) {
	e := rs.AsError(err)
	status, metadata := refusalStatus(e.Code), ""
	if e.Code == "invalid_request" { // hosts authorize again only after a challenge
		status = http.StatusUnauthorized
	}
	switch {
	case status == http.StatusUnauthorized, e.Code == "owner_token_refused", e.Code == "token_kind_refused", e.Code == "insufficient_scope":
		// S3-R18, D40
		metadata = public.URL(r, MetadataPath+EndpointPath)
		w.Header().Set("WWW-Authenticate", challenge(e, metadata))
		w.Header().Set("Link", fmt.Sprintf(`<%s>; rel="icon"; type="image/svg+xml"`, public.URL(r, IconPath))) // S3-17b
	}
	refuseWith(w, r, status, e, metadata)
}

// challenge returns the WWW-Authenticate value (RFC 6750, section 3; RFC 9728, section 5.1; S3-R18). RFC 6750 omits error if no
// credentials were sent, but hosts authorize again only if there is one.
func challenge(e *rs.Error, resourceMetadata string) string {
	code := "invalid_token"
	if e.Code == "invalid_request" || e.Code == "insufficient_scope" {
		code = string(e.Code)
	}
	return fmt.Sprintf(`Bearer error="%s", error_description="%s", resource_metadata="%s"`, code, description(e.Message), resourceMetadata)
}

// description removes from a text what error_description does not allow: all but printable ASCII, quotes and backslashes.
func description(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, text)
}
