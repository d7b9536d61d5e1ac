// Package wire parses what resource servers, token authorities and package directories send in addition to data: errors, waits, times, and
// the JSON that decides about access.
package wire

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// ReadError parses an error answer in any shape that a resource server or a framework in front of it is known to send: PDPP's
// {"error":{…}}, OAuth's {"error":"…","error_description":"…"}, a framework's {"statusCode","error","message"}. It keeps the server's code
// and message (S3-R3), and never fails: what it cannot parse becomes "upstream_error", whose message names the status. It removes the tokens
// that the redactor knows.
func ReadError(status int, header http.Header, body []byte, redactor *rs.Redactor) *rs.Error {
	e := &rs.Error{Code: "upstream_error", Status: status, RetryAfter: RetryAfter(header)}
	envelope, _ := rs.ReadObject(string(body))
	inner, oauth := envelope.Object("error"), envelope.JSONString("error")
	code, message := inner.JSONString("code"), inner.JSONString("message")
	switch {
	case code+message != "":
		e.Envelope = json.RawMessage(envelope.Get("error"))
	case oauth != "" && envelope.JSONString("error_description") != "":
		code, message = oauth, envelope.JSONString("error_description")
	default:
		code, message = envelope.JSONString("code"), envelope.JSONString("message")
		if code == "" && oauth == strings.ToLower(oauth) { // "Not Found" is a reason phrase, not a code
			code = oauth
		}
	}
	if code := rs.Code(code); code.Valid() && code != "ok" { // "ok" means success in logs and metrics
		e.Code = rs.Code(strings.Clone(string(code))) // shares no memory with the body
	}
	e.Message = redactor.ErrorText(message)
	if e.Quoted = e.Message != ""; !e.Quoted {
		e.Message = unreadableError(status)
	}
	e.Param, e.RequestID = redactor.ErrorText(inner.JSONString("param")), redactor.ErrorText(inner.JSONString("request_id"))
	// retry_with is a string or an object with a field.
	e.RetryWith = redactor.ErrorText(cmp.Or(inner.JSONString("retry_with"), inner.Object("retry_with").JSONString("field")))
	_ = json.Unmarshal([]byte(inner.Get("available_connections")), &e.Connections)
	total, _ := inner.Number("total_connections")
	e.ConnectionTotal = max(len(e.Connections), total)
	e.Connections = e.Connections[:min(len(e.Connections), rs.MaxConnectionOptions)]
	return e
}

func unreadableError(status int) string {
	if text := http.StatusText(status); text != "" {
		return fmt.Sprintf("The resource server answered %d (%s).", status, text)
	}
	return fmt.Sprintf("The resource server answered %d.", status)
}

// RetryAfter parses Retry-After, which is seconds or a date, and limits it to a day. Anything else is 0 (RFC 9110, section 10.2.3).
// A date is compared with the answer's Date header, so that a skewed clock does no harm.
func RetryAfter(header http.Header) time.Duration {
	const day = 24 * time.Hour
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(seconds, 0), int(day/time.Second))) * time.Second
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

// ErrAmbiguousMember is the error for an object that two JSON readers may interpret differently.
var ErrAmbiguousMember = errors.New("a member of an object is there twice, or in another case than its name")

// Decode is json.Unmarshal for an object that decides about access. encoding/json takes the last of two members with one name, and matches
// names in any case; Decode rejects both. names are the members that into reads; others may be present, each once.
func Decode(raw []byte, into any, names ...string) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return err
	}
	return CheckMembers(rs.AsObject(string(raw)), names...)
}

// CheckMembers returns ErrAmbiguousMember if two members have the same name in any case, or if a member's name differs from one of names
// only in case.
func CheckMembers(o rs.Object, names ...string) error {
	if _, _, found := o.Ambiguity(names...); found {
		return ErrAmbiguousMember
	}
	return nil
}
