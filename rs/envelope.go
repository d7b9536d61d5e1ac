package rs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxErrorTextBytes bounds what is repeated of a resource server's own error sentence.
const maxErrorTextBytes = 600

// errorEnvelope is every shape of error that a resource server or a framework in front of it is known to send:
// PDPP's {"error":{…}}, OAuth's {"error":"…","error_description":"…"}, a framework's {"statusCode","error","message"}.
type errorEnvelope struct {
	Error            json.RawMessage `json:"error"`
	ErrorDescription string          `json:"error_description"`
	Code             string          `json:"code"`
	Message          string          `json:"message"`
}

type errorBody struct {
	Code                 string          `json:"code"`
	Message              string          `json:"message"`
	Param                string          `json:"param"`
	RequestID            string          `json:"request_id"`
	RetryWith            json.RawMessage `json:"retry_with"`
	AvailableConnections []Connection    `json:"available_connections"`
	TotalConnections     int             `json:"total_connections"`
}

// ReadError reads an error answer. It keeps the server's own code and sentence (S3-R3), and never fails:
// what cannot be read becomes an UpstreamError that names the status.
func ReadError(status int, header http.Header, body []byte) *Error {
	e := &Error{Code: UpstreamError, Status: status, RetryAfter: RetryAfter(header)}
	// A member of a wrong type costs itself, not the rest: what could be read is kept.
	var envelope errorEnvelope
	_ = json.Unmarshal(body, &envelope)
	var inner errorBody
	_ = json.Unmarshal(envelope.Error, &inner)
	var oauth string
	switch {
	case inner.Code+inner.Message != "":
		e.Envelope = envelope.Error
	case json.Unmarshal(envelope.Error, &oauth) == nil && envelope.ErrorDescription != "":
		inner = errorBody{Code: oauth, Message: envelope.ErrorDescription}
	default:
		inner = errorBody{Code: envelope.Code, Message: envelope.Message}
		if inner.Code == "" && oauth == strings.ToLower(oauth) { // "Not Found" is a reason phrase, not a code
			inner.Code = oauth
		}
	}
	if code := Code(inner.Code); code.Valid() {
		e.Code = code
	}
	e.Message = ErrorText(inner.Message)
	if e.Quoted = e.Message != ""; !e.Quoted {
		e.Message = unreadableError(status)
	}
	e.Param, e.RequestID = ErrorText(inner.Param), ErrorText(inner.RequestID)
	e.RetryWith = retryWith(inner.RetryWith)
	e.Connections = inner.AvailableConnections
	e.ConnectionTotal = max(len(inner.AvailableConnections), inner.TotalConnections)
	e.Connections = e.Connections[:min(len(e.Connections), MaxConnectionOptions)]
	return e
}

func unreadableError(status int) string {
	if text := http.StatusText(status); text != "" {
		return fmt.Sprintf("The resource server answered %d (%s).", status, text)
	}
	return fmt.Sprintf("The resource server answered %d.", status)
}

// retryWith reads retry_with, which is a string or an object with a field.
func retryWith(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return ErrorText(text)
	}
	var object struct {
		Field string `json:"field"`
	}
	_ = json.Unmarshal(raw, &object)
	return ErrorText(object.Field)
}

// Valid reports whether a foreign code can serve as a stable one: short, of word characters, dots and dashes.
func (c Code) Valid() bool {
	return c != "" && len(c) <= 80 && !strings.ContainsFunc(string(c), func(r rune) bool {
		return r != '_' && r != '.' && r != '-' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
}

// ErrorText makes a foreign sentence one bounded line.
func ErrorText(text string) string {
	if strings.ContainsFunc(text, breaksLine) { // an id holds none
		text = strings.Join(strings.FieldsFunc(text, breaksLine), " ")
	}
	if len(text) <= maxErrorTextBytes {
		return text
	}
	cut := maxErrorTextBytes
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

func breaksLine(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// RetryAfter reads Retry-After, in seconds or as a date, at most a day; anything else counts as unsaid (RFC 9110,
// section 10.2.3). A date is compared with the answer's own Date, so that a skewed clock does no harm.
func RetryAfter(header http.Header) time.Duration {
	const day = 24 * time.Hour
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds >= 0 && seconds <= int(day/time.Second) {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return min(max(until.Sub(now), 0), day)
}
