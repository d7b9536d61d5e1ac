package rs

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// An Error is the one error type that a user or a model can see: a stable code, one plain sentence
// with the offending value, and what to send instead.
type Error struct {
	Code    Code
	Message string // one sentence, with the offending value
	Quoted  bool   // Message is the resource server's own, which text shows as a quotation
	Hint    string // what to send instead; may be empty
	Param   string // the argument at fault; may be empty

	// Said is the resource server's own sentence if Message is ours instead; may be empty.
	Said string
	// Meant is the record that a malformed id probably means; the zero Ref if that is not known.
	Meant Ref
	// Send is the call that is probably meant, ready to send: query_records {"stream":"messages"}; may be empty.
	Send string
	// Connect has command lines, each of which asks the owner to grant what is missing. A line with the placeholder KEY is followed by a
	// sentence that explains it. It is empty if the caller has no terminal.
	Connect []string
	// RetryWith names the argument that a retry must carry, such as "connection_id"; may be empty.
	RetryWith string
	// Connections are the connections to choose from, at most 12 (S0-8a); ConnectionTotal counts all of them.
	Connections     []Connection
	ConnectionTotal int
	// Unavailable are connections of a package that cannot be read now and are no choice (S3-3a, D14); at most 12.
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

// A Connection is one configured source of a grant, as a caller may choose it.
type Connection struct {
	GrantID      string `json:"grant_id,omitempty"`
	ConnectorKey string `json:"connector_key,omitempty"`
	ID           string `json:"connection_id"`
	DisplayName  string `json:"display_name,omitempty"`
}

// Missing is what a call asks for and the grant does not have.
type Missing struct {
	Streams    []string
	Connection string
	AllTimes   bool // the grant is limited to some time, and the call asks for more
}

// A TimeLimit is the time that a grant is limited to in a stream. Resource servers apply it without saying so.
type TimeLimit struct {
	Stream string `json:"stream"`
	Field  string `json:"field,omitempty"` // by which it is applied; may be unknown
	Since  string `json:"since,omitempty"` // RFC 3339; empty for no bound
	Until  string `json:"until,omitempty"`

	Connections []string `json:"connections,omitempty"` // the ids of those that it applies to; empty for all of the grant
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

// Error returns code and message. The cause is left out, because it may hold an address or a value.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }

// Seconds writes a wait of whole seconds as a hint names it: "1 second" or "5 seconds".
func Seconds(wait time.Duration) string {
	if wait == time.Second {
		return "1 second"
	}
	return fmt.Sprintf("%d seconds", int(wait.Seconds()))
}

// Unwrap returns the cause, so that errors.Is finds context errors.
func (e *Error) Unwrap() error { return e.Cause }

// AsError returns err as an *Error. An error of another type becomes "internal_error", which shows nothing of it.
func AsError(err error) *Error {
	var typed *Error
	if errors.As(err, &typed) {
		return typed
	}
	return &Error{Code: "internal_error", Message: "The adapter failed to answer this call.", Hint: "Retry once; if it fails again, tell the operator.", Cause: err}
}

// Invalid returns "invalid_arguments" about one argument.
func Invalid(param, message, hint string) *Error {
	return &Error{Code: "invalid_arguments", Param: param, Message: message, Hint: hint}
}

// maxErrorTextBytes bounds what is repeated of a resource server's own error sentence.
const maxErrorTextBytes = 600

// Valid reports whether a foreign code can serve as a stable one: short, of word characters, dots and dashes.
func (c Code) Valid() bool {
	return c != "" && len(c) <= 80 && strings.Trim(string(c), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == ""
}

// ErrorText makes a foreign sentence one bounded line.
func ErrorText(text string) string {
	if text = line(text); len(text) <= maxErrorTextBytes {
		return text
	}
	return strings.ToValidUTF8(text[:maxErrorTextBytes], "") + "…"
}

// ErrorText is [ErrorText] of a sentence without the tokens, even if invisible characters separate their parts.
func (r *Redactor) ErrorText(text string) string { return ErrorText(r.Text(line(text))) }

// RefusesToken reports whether the error of a read may mean that the token is no longer good: a 401 (D7), or a 403 that says that the
// grant is dead (D25). A 401 is also the answer for a stream that is not granted, so only the token authority can tell.
func (e *Error) RefusesToken() bool {
	switch e.Code {
	case "grant_revoked", "grant_expired", "grant_invalid", "package_revoked", "context.active_false":
		return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
	}
	return e.Status == http.StatusUnauthorized
}
