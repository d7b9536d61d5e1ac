package embedded

import (
	"cmp"
	"fmt"
	"net/http"
)

// An apiError is a refusal as the client sees it.
type apiError struct {
	Status      int
	Code        string
	Message     string
	Param       string
	RetryWith   string
	Connections []connectionRef
}

// A connectionRef names a connection in a response.
type connectionRef struct {
	ConnectionID string `json:"connection_id"`
	DisplayName  string `json:"display_name"`
}

func (e *apiError) Error() string { return e.Code + ": " + e.Message }

// errorTypes are the types of errors in the envelope, by status; all others are an api_error.
var errorTypes = map[int]string{
	http.StatusBadRequest: "invalid_request_error", http.StatusGone: "invalid_request_error", http.StatusMethodNotAllowed: "invalid_request_error",
	http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error", http.StatusNotFound: "not_found_error",
}

// body is the error envelope.
func (e *apiError) body(requestID string) object {
	body := object{"code": e.Code, "message": e.Message, "type": cmp.Or(errorTypes[e.Status], "api_error"), "request_id": requestID}
	if len(e.Connections) > 0 {
		body["available_connections"] = e.Connections
	}
	return body.with("param", e.Param).with("retry_with", e.RetryWith)
}

// withParam names the query parameter at fault.
func (e *apiError) withParam(name string) *apiError {
	e.Param = name
	return e
}

func newError(status int, code, format string, args ...any) *apiError {
	return &apiError{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

func invalidRequest(format string, args ...any) *apiError {
	return newError(http.StatusBadRequest, "invalid_request", format, args...)
}

func invalidCursor(message string) *apiError {
	return newError(http.StatusBadRequest, "invalid_cursor", "%s", message)
}

func invalidExpand(format string, args ...any) *apiError {
	return newError(http.StatusBadRequest, "invalid_expand", format, args...)
}

func noSuchResource() *apiError {
	return newError(http.StatusNotFound, "not_found", "No such resource")
}

// failedClosed is the one answer to a token that the token authority does not let through: it says no more than its code.
func failedClosed(code string) *apiError {
	return newError(http.StatusUnauthorized, code, "Token introspection failed closed")
}

func connectionMismatch(string) *apiError { return failedClosed("context.instance_mismatch") }

// A warning tells of something that the caller should know about an answer that was given all the same.
type warning struct {
	Code    string         `json:"code"`
	Detail  map[string]int `json:"detail,omitempty"`
	Message string         `json:"message"`
	Param   string         `json:"param,omitempty"`
}
