package authority

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxForm limits the body of a request to the authority, and its query, in bytes.
const maxForm = 64 << 10

// A call is one request of OAuth or of the consent page, with the header and status of its response.
type call struct {
	*http.Request
	id     string     // in the path
	body   []byte     // as it was sent
	form   url.Values // the parameters in the query of a GET request, else in the body
	header http.Header
	status int
}

// readForm reads a form or a JSON object, whose values it returns as text if they are strings, else as JSON. It returns the body, too.
func readForm(r *http.Request) ([]byte, url.Values, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxForm))
	if err != nil {
		return nil, nil, badRequest("invalid_request", "The body is longer than %d bytes, or broke off", maxForm)
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media != "application/json" && !strings.HasPrefix(string(body), "{") {
		form, err := parseForm(string(body))
		return body, form, err
	}
	sent, form := map[string]json.RawMessage{}, url.Values{}
	if json.Unmarshal(body, &sent) != nil {
		return nil, nil, badRequest("invalid_request", "The body must be a JSON object")
	}
	for name, value := range sent {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		form.Set(name, text)
	}
	return body, form, nil
}

// parseForm refuses a parameter that was sent twice, because two readers could take different values (RFC 6749 3.1, 3.2). Only connector_id
// and connection may be repeated.
func parseForm(sent string) (url.Values, error) {
	form, err := url.ParseQuery(sent)
	if err != nil || len(sent) > maxForm {
		return nil, badRequest("invalid_request", "The parameters are not a form")
	}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if len(form[name]) > 1 && name != "connection" && name != "connector_id" {
			return nil, badRequest("invalid_request", "The parameter %s was sent more than once", clip(name))
		}
	}
	return form, nil
}

// A refusedError is an error that is reported to the client.
type refusedError struct {
	Status  int
	Code    string
	Message string

	familyDied bool // fresh_authorization_required
	retryAfter time.Duration
}

func (r *refusedError) Error() string { return r.Code + ": " + r.Message }

func refuse(status int, code, format string, args ...any) *refusedError {
	return &refusedError{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

func badRequest(code, format string, args ...any) *refusedError {
	return refuse(http.StatusBadRequest, code, format, args...)
}

func tooMany(of string, retryAfter time.Duration) *refusedError {
	refused := refuse(http.StatusTooManyRequests, "slow_down", "Too many %s", of)
	refused.retryAfter = retryAfter
	return refused
}

// clip limits a text of a request that an error repeats to 200 bytes.
func clip(text string) string { return strings.ToValidUTF8(text[:min(len(text), 200)], "") }

// errorTypes maps statuses to the types of errors, for endpoints other than OAuth's own.
var errorTypes = map[int]string{
	http.StatusBadRequest: "invalid_request_error", http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error",
	http.StatusNotFound: "not_found_error", http.StatusGone: "gone_error",
	http.StatusMisdirectedRequest: "invalid_request_error", http.StatusTooManyRequests: "rate_limit_error",
}

// refuse sets the status of the response to an error, and returns the error that the client sees.
func (c *call) refuse(err error) *refusedError {
	refused, ok := errors.AsType[*refusedError](err)
	if !ok {
		refused = refuse(http.StatusInternalServerError, "internal_error", "The server could not answer. Try again.")
	}
	c.status = refused.Status
	if refused.retryAfter > 0 {
		c.header.Set("Retry-After", strconv.FormatInt(seconds(refused.retryAfter), 10))
	}
	return refused
}

// body returns the body of the response, in the form of the reference's own endpoints.
func (r *refusedError) body(requestID string) any {
	return map[string]any{"error": map[string]string{
		"code": r.Code, "message": r.Message, "type": errorTypes[r.Status], "request_id": requestID,
	}}
}

// oauthBody returns the body of the response of an endpoint of OAuth (RFC 6749 section 5.2).
func (r *refusedError) oauthBody(requestID string) any {
	body := map[string]any{"error": r.Code, "error_description": r.Message, "request_id": requestID}
	if r.familyDied {
		body["fresh_authorization_required"] = true
	}
	return body
}

// sameSecret compares two secrets in constant time.
func sameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// seconds is a lifetime in whole seconds, as in OAuth's expires_in.
func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// formatTime formats a time for a response (RFC 3339, in UTC); "" for the zero time.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
