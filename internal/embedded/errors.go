package embedded

import (
	"fmt"
	"net/http"
)

// An apiError is a refusal as the client sees it. The cause is for the server's own use and is never written.
type apiError struct {
	Status      int
	Code        string
	Message     string
	Param       string
	RetryWith   string
	Connections []connectionRef
	cause       error
}

// A connectionRef names a connection in a response.
type connectionRef struct {
	ConnectionID string `json:"connection_id"`
	DisplayName  string `json:"display_name"`
}

func (e *apiError) Error() string {
	if e.cause != nil {
		return e.Code + ": " + e.Message + ": " + e.cause.Error()
	}
	return e.Code + ": " + e.Message
}

func (e *apiError) Unwrap() error { return e.cause }

// kind is the error's type in the envelope: it follows from the status.
func (e *apiError) kind() string {
	switch e.Status {
	case http.StatusBadRequest, http.StatusGone, http.StatusMethodNotAllowed:
		return "invalid_request_error"
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	}
	return "api_error"
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

// failedClosed is the one answer to a token that the token authority does not let through: it says no more than its code.
func failedClosed(code string) *apiError {
	return newError(http.StatusUnauthorized, code, "Token introspection failed closed")
}

func connectionMismatch(string) *apiError { return failedClosed("context.instance_mismatch") }

func internalError(cause error) *apiError {
	e := newError(http.StatusInternalServerError, "internal_error", "The server could not answer. Try again.")
	e.cause = cause
	return e
}

// A warning tells of something that the caller should know about an answer that was given all the same.
type warning struct {
	Code    string         `json:"code"`
	Detail  map[string]int `json:"detail,omitempty"`
	Message string         `json:"message"`
	Param   string         `json:"param,omitempty"`
}
