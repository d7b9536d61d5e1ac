package embedded

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// An object is a JSON object, whose members keep their order.
type object []member

// A member is a name with its value.
type member struct {
	name  string
	value any
}

// with adds a member, unless it is an empty text or list: then it is absent.
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

// set gives a member another value, or adds it.
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

// only returns some of the members, in their order.
func (o object) only(names ...string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return !slices.Contains(names, m.name) })
}

// nullable is a text that is null when it is empty.
func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// jsonText spells a value. It writes itself what answers are made of: package json would look at the type of each member.
func jsonText(value any) []byte { return appendJSON(nil, value) }

func appendJSON(out []byte, value any) []byte {
	switch value := value.(type) {
	case object:
		return appendList(append(out, '{'), '}', value, func(out []byte, one member) []byte {
			return appendJSON(append(model.Quote(out, one.name), ':'), one.value)
		})
	case []object:
		return appendList(append(out, '['), ']', value, func(out []byte, one object) []byte { return appendJSON(out, one) })
	case json.RawMessage:
		return append(out, cmp.Or(string(value), "null")...)
	case int:
		return strconv.AppendInt(out, int64(value), 10)
	case bool:
		return strconv.AppendBool(out, value)
	case string:
		return model.Quote(out, value)
	}
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil { // a sum beyond what numbers of JSON can say
		return append(out, "null"...)
	}
	return append(out, bytes.TrimSpace(encoded.Bytes())...)
}

func appendList[T any](out []byte, end byte, list []T, add func([]byte, T) []byte) []byte {
	for i, one := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = add(out, one)
	}
	return append(out, end)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	// The status is out: nothing more can reach a client that hung up.
	_, _ = w.Write(append(jsonText(body), '\n')) // #nosec G705 -- JSON, which no browser takes for a page
}

// An apiError is a refusal as the client sees it.
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

// errorTypes are the types of errors in the envelope, by status; all others are an api_error.
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
