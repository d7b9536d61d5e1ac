package authority

import (
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

// maxForm bounds the body of a request to the authority, in bytes.
const maxForm = 64 << 10

// An answered, a redirect or a document is an answer that is not JSON with 200.
type (
	answered struct {
		status int
		body   any
	}
	redirect string
	document struct {
		status int
		html   []byte
	}
)

// A RefusedError is the error of a request that gets no answer.
type RefusedError struct {
	Status  int
	Code    string
	Message string

	familyDied bool // fresh_authorization_required
	retryAfter time.Duration
}

// Error returns code and message.
func (r *RefusedError) Error() string { return r.Code + ": " + r.Message }

func badRequest(code, format string, args ...any) *RefusedError {
	return &RefusedError{Status: http.StatusBadRequest, Code: code, Message: fmt.Sprintf(format, args...)}
}

// kinds are the types of errors outside of the token endpoint's.
var kinds = map[int]string{
	http.StatusBadRequest: "invalid_request_error", http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error",
	http.StatusNotFound: "not_found_error", http.StatusGone: "gone_error",
	http.StatusMisdirectedRequest: "invalid_request_error", http.StatusTooManyRequests: "rate_limit_error",
}

// writeRefusal writes an error in the one of two shapes that the reference has at this path.
func writeRefusal(w http.ResponseWriter, path []string, requestID string, err error) {
	refused, ok := errors.AsType[*RefusedError](err)
	if !ok {
		refused = &RefusedError{Status: http.StatusInternalServerError, Code: "internal_error",
			Message: "The server could not answer. Try again."}
	}
	if refused.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(seconds(refused.retryAfter), 10))
	}
	if path[0] == "oauth" && path[1] != "par" {
		body := map[string]any{"error": refused.Code, "error_description": refused.Message, "request_id": requestID}
		if refused.familyDied {
			body["fresh_authorization_required"] = true
		}
		writeJSON(w, refused.Status, body)
		return
	}
	writeJSON(w, refused.Status, map[string]any{"error": map[string]string{
		"code": refused.Code, "message": refused.Message, "type": kinds[refused.Status], "request_id": requestID,
	}})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the status is out: nothing more can reach a client that hung up
}

func noStore(w http.ResponseWriter) { w.Header().Set("Cache-Control", "no-store") }

func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxForm))
	if err != nil {
		return nil, badRequest("invalid_request", "The body is longer than %d bytes, or broke off", maxForm)
	}
	return body, nil
}

func readJSON(r *http.Request, into any) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	if json.Unmarshal(body, into) != nil {
		return badRequest("invalid_request", "The body must be a JSON object")
	}
	return nil
}

// readForm reads a form, or a JSON object of texts and of other values, which it keeps as JSON.
func readForm(r *http.Request) (url.Values, error) {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media == "application/json" {
		sent := map[string]json.RawMessage{}
		if err := readJSON(r, &sent); err != nil {
			return nil, err
		}
		form := url.Values{}
		for name, value := range sent {
			var text string
			if json.Unmarshal(value, &text) != nil {
				text = string(value)
			}
			form.Set(name, text)
		}
		return form, nil
	}
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	return parseForm(string(body))
}

// parseForm refuses a parameter that was sent twice, because two readers could take different values (RFC 6749 3.1, 3.2). Only sources
// and connections may be several.
func parseForm(sent string) (url.Values, error) {
	form, err := url.ParseQuery(sent)
	if err != nil {
		return nil, badRequest("invalid_request", "The parameters are not a form")
	}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if len(form[name]) > 1 && name != "connection" && name != "connector_id" {
			return nil, badRequest("invalid_request", "The parameter %s was sent more than once", clip(name))
		}
	}
	return form, nil
}

// clip bounds what is repeated of a request.
func clip(text string) string { return strings.ToValidUTF8(text[:min(len(text), 200)], "") }

// seconds is a life as OAuth spells it.
func seconds(d time.Duration) int64 { return int64(d / time.Second) }
