package embedded

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// An object is a JSON object that keeps the order of its members.
type object []member

type member struct {
	name  string
	value any
}

// with adds a member, unless value is an empty string or list.
func (o object) with(name string, value any) object {
	switch value := value.(type) {
	case string:
		if value == "" {
			return o
		}
	case []string:
		if len(value) == 0 {
			return o
		}
	}
	return append(o, member{name, value})
}

// set replaces the value of a member, or adds the member.
func (o *object) set(name string, value any) {
	at := slices.IndexFunc(*o, func(m member) bool { return m.name == name })
	if at < 0 {
		*o = append(*o, member{name, value})
	} else {
		(*o)[at].value = value
	}
}

// get returns the value of a member, nil if it is absent.
func (o object) get(name string) any {
	one, _ := model.Find(o, func(m member) bool { return m.name == name })
	return one.value
}

// only returns an object with the named members, in their original order.
func (o object) only(names ...string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return !slices.Contains(names, m.name) })
}

// nullable returns nil, which becomes null, for an empty string.
func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// MarshalJSON returns the object with its members in order. What JSON cannot represent, such as an infinite sum, is null.
func (o object) MarshalJSON() ([]byte, error) {
	var encoded rs.Object
	for _, m := range o {
		encoded = append(encoded, rs.NewMember(m.name, m.value))
	}
	return encoded.AppendJSON(nil), nil
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	// The status is sent, so an error cannot be reported: the client has disconnected.
	_, _ = w.Write([]byte(rs.EncodeJSON(body) + "\n")) // #nosec G705 -- JSON, which browsers do not render as a page
}

type apiError struct {
	Status      int
	Code        string
	Message     string
	Param       string
	RetryWith   string
	Connections []connectionRef
}

type connectionRef struct {
	ConnectionID string `json:"connection_id"`
	DisplayName  string `json:"display_name"`
}

func (e *apiError) Error() string { return e.Code + ": " + e.Message }

// errorTypes maps a status to the error type in the envelope; any other status is an api_error.
var errorTypes = map[int]string{
	http.StatusBadRequest: "invalid_request_error", http.StatusGone: "invalid_request_error",
	http.StatusMethodNotAllowed: "invalid_request_error", http.StatusUnauthorized: "authentication_error",
	http.StatusForbidden: "permission_error", http.StatusNotFound: "not_found_error",
}

func (e *apiError) body(requestID string) object {
	body := object{{"code", e.Code}, {"message", e.Message}, {"type", cmp.Or(errorTypes[e.Status], "api_error")}, {"request_id", requestID}}
	if len(e.Connections) > 0 {
		body.set("available_connections", e.Connections)
	}
	return body.with("param", e.Param).with("retry_with", e.RetryWith)
}

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

// failedClosed is the answer to a token that gives no access: it discloses nothing but the code.
func failedClosed(code string) *apiError {
	return newError(http.StatusUnauthorized, code, "Token introspection failed closed")
}

func connectionMismatch(string) *apiError { return failedClosed("context.instance_mismatch") }

// A warning is something that the caller should know about a successful answer.
type warning struct {
	Code    string         `json:"code"`
	Detail  map[string]int `json:"detail,omitempty"`
	Message string         `json:"message"`
	Param   string         `json:"param,omitempty"`
}
