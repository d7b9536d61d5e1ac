package rs

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/rs/zerolog"
)

// An Error is the one error type that a user or a model can see: a stable code, one plain sentence
// with the offending value, and what to send instead.
type Error struct {
	Code    Code
	Message string // one sentence, with the offending value
	Quoted  bool   // Message is the resource server's; text results show it as a quotation
	Hint    string // what to send instead; may be empty
	Param   string // the argument at fault; may be empty

	// ServerMessage is the resource server's message if Message is the adapter's instead; may be empty.
	ServerMessage string
	// Meant is the record that a malformed id probably means; the zero Ref if unknown.
	Meant Ref
	// Send is the call that the caller probably meant, ready to send: query_records {"stream":"messages"}; may be empty.
	Send string
	// Connect has command lines, each of which asks the owner to grant what is missing. A line with the placeholder KEY is followed by a
	// sentence that explains it. Connect is empty if the caller has no terminal.
	Connect []string
	// RetryWith names the argument that a retry must carry, such as "connection_id"; may be empty.
	RetryWith string
	// Connections are the connections to choose from, at most 12 (S0-8a); ConnectionTotal counts all of them.
	Connections     []Connection
	ConnectionTotal int
	// Unavailable are connections of a package that cannot be read now and so cannot be chosen (S3-3a, D14); at most 12.
	Unavailable []UnavailableConnection

	// Status is the resource server's HTTP status; 0 when the error is the adapter's own.
	Status int
	// Envelope is the resource server's error object as received; nil when there was none.
	Envelope json.RawMessage
	// RequestID is the resource server's request id, for its operator; may be empty.
	RequestID string
	// RetryAfter is how long the resource server asked to wait; 0 when it did not say.
	RetryAfter time.Duration

	// Cause is for the log only. It is never shown.
	Cause error
}

// A Connection identifies one configured source of a grant.
type Connection struct {
	GrantID      string `json:"grant_id,omitempty"`
	ConnectorKey string `json:"connector_key,omitempty"`
	ID           string `json:"connection_id"`
	DisplayName  string `json:"display_name,omitempty"`
}

// Missing is what a call asks for and the grant does not cover.
type Missing struct {
	Streams    []string
	Connection string
	AllTimes   bool // the grant is limited to a time range, and the call asks for more
}

// A TimeLimit is the time range that a grant allows in one stream. Resource servers apply it silently.
type TimeLimit struct {
	Stream string `json:"stream"`
	Field  string `json:"field,omitempty"` // the time field that the range applies to; empty if unknown
	Since  string `json:"since,omitempty"` // RFC 3339; empty for no bound
	Until  string `json:"until,omitempty"`

	Connections []string `json:"connections,omitempty"` // ids of the connections that it applies to; empty for all of the grant
}

// A GrantedStream is one stream under one connection of a grant or package.
type GrantedStream struct {
	Stream     string
	Connection Connection
}

// An UnavailableConnection is a connection that could not be read, and why.
type UnavailableConnection struct {
	Connection
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// MaxConnectionOptions is how many connections an ambiguity error lists (S0-8a).
const MaxConnectionOptions = 12

// Error returns code and message. It omits the cause, which may contain an address or a value.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }

// Seconds formats a wait of whole seconds for a hint: "1 second" or "5 seconds".
func Seconds(wait time.Duration) string {
	if wait == time.Second {
		return "1 second"
	}
	return fmt.Sprintf("%d seconds", int(wait.Seconds()))
}

// Brief returns the part of an error that is cached: without its Envelope, Connections and Cause, which may have megabytes. It returns nil
// for a nil e.
func (e *Error) Brief() *Error {
	if e == nil {
		return nil
	}
	return &Error{
		Code: e.Code, Message: e.Message, Quoted: e.Quoted, Hint: e.Hint,
		Status: e.Status, RequestID: e.RequestID, RetryAfter: e.RetryAfter,
	}
}

// Unwrap returns the cause, so that errors.Is finds context errors.
func (e *Error) Unwrap() error { return e.Cause }

// AsError returns err as an *Error. An error of another type becomes the cause of an "internal_error", whose message reveals nothing of it.
func AsError(err error) *Error {
	if typed, ok := errors.AsType[*Error](err); ok {
		return typed
	}
	return &Error{Code: "internal_error", Message: "The adapter failed to answer this call.", Hint: "Retry once; if it fails again, tell the operator.", Cause: err}
}

// LogPanic returns a function that logs a recovered panic: its type and stack. Its value may hold a token or a record. Only net/http
// recovers panics itself, and only in its own goroutines; any other would end the process.
func LogPanic(log zerolog.Logger) func(fault any) {
	return func(fault any) {
		log.Error().Str("panic", fmt.Sprintf("%T", fault)).Bytes("stack", debug.Stack()).Msg("panic")
	}
}

// Invalid returns "invalid_arguments" about one argument.
func Invalid(param, message, hint string) *Error {
	return &Error{Code: "invalid_arguments", Param: param, Message: message, Hint: hint}
}

// maxErrorTextBytes limits how much of another server's error message is repeated.
const maxErrorTextBytes = 600

// Valid reports whether a code of another server has the form of a code: at most 80 letters, digits, '_', '.' and '-'.
func (c Code) Valid() bool {
	return c != "" && len(c) <= 80 && strings.Trim(string(c), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == ""
}

// ErrorText makes another server's text one line, truncated after 600 bytes. It shares no memory with the text, which may be part of a long
// answer.
func ErrorText(text string) string {
	if text = line(text); len(text) <= maxErrorTextBytes {
		return strings.Clone(text)
	}
	return strings.ToValidUTF8(text[:maxErrorTextBytes], "") + "…"
}

// RefusesFilters reports whether the error of a read means that the resource server does not filter what the token reads at all.
func RefusesFilters(err error) bool {
	e := AsError(err)
	return e.Status == http.StatusBadRequest && e.Param == "filter" && strings.Contains(e.Message, "not supported")
}

// RefusesToken reports whether the error of a read may mean that the token is no longer good: a 401 (D7), or a 403 that says that the
// grant is dead (D25). A 401 is also the answer for a stream that is not granted, so only the token authority can tell.
func (e *Error) RefusesToken() bool {
	switch e.Code {
	case "grant_revoked", "grant_expired", "grant_invalid", "package_revoked", "context.active_false":
		return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
	}
	return e.Status == http.StatusUnauthorized
}
