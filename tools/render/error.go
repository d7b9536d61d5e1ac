package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

const errorBytes = 2 << 10 // of the text of an error

// Error renders a failure: its code, message and hint, and the values to choose from, in less than errorBytes of text (S3-R3, S0-R8).
// Structured is {"error":{…}}, which includes the resource server's own error object as rs if that is small.
func Error(e *rs.Error) Result {
	hint, send := hintFor(e), write.When(e.Send != "" && len(e.Send) <= maxSend, "send: "+clean.Line(e.Send))
	message := clean.Preview(e.Message, 600)
	if e.Quoted {
		message = clean.Quote(message)
	}
	t := errorText{left: errorBytes}
	t.add(clean.Name(errorCode(e))+": "+message, len(send))
	t.add(clean.Preview(hint, 500), len(send))
	t.add(write.When(e.ServerMessage != "", "the resource server said: "+clean.Quote(clean.Preview(e.ServerMessage, 300))), len(send))
	t.add(send, 0)
	for _, line := range answer.ConnectLines(e.Connect) {
		t.add(line, lastLines)
	}
	t.connections(e)
	t.unavailable(e)
	t.add(write.When(e.RequestID != "", "request_id="+clean.Name(clean.Preview(e.RequestID, 120))), 0)
	t.add(write.When(e.RetryAfter > 0, fmt.Sprintf("retry_after_seconds=%d", seconds(e.RetryAfter))), 0)
	return Result{Text: strings.Join(t.lines, "\n"), Structured: new(write.Object).Put("error", errorObject(e, hint)).JSON()}
}

// An errorText is the text of an error: complete lines within a budget.
type errorText struct {
	lines []string
	left  int // bytes
}

// add adds a line if it fits and leaves reserved bytes for later lines, and reports whether it did.
func (t *errorText) add(line string, reserved int) bool {
	if line == "" || len(line)+1 > t.left-reserved || clean.LongerThan(line, write.LineChars) {
		return false
	}
	t.lines, t.left = append(t.lines, line), t.left-len(line)-1
	return true
}

const maxSend = 900

func errorCode(e *rs.Error) string {
	return clean.Preview(string(cmp.Or(e.Code, "upstream_error")), write.LabelChars*2)
}

// lastLines is how many bytes are reserved for the request id, the wait, and the number of connections that are not listed.
const lastLines = 270

func (t *errorText) connections(e *rs.Error) {
	retry := write.When(e.RetryWith != "", "retry_with="+clean.Name(e.RetryWith))
	t.add(retry+write.When(e.RetryWith == "connection_id" && len(e.Connections) > 0, ", one of:"), 0)
	shown := 0
	for _, c := range e.Connections[:min(len(e.Connections), rs.MaxConnectionOptions)] {
		connector := write.When(c.ConnectorKey != "", " "+clean.Name(write.Label(c.ConnectorKey)))
		if !t.add("connection_id="+write.Labelled(clean.Name(c.ID), c.DisplayName)+connector, lastLines) {
			break
		}
		shown++
	}
	if total := max(e.ConnectionTotal, len(e.Connections)); total > shown {
		t.add(write.Plural(total-shown, "more connection")+": call schema without arguments for all of them.", 0)
	}
}

// unavailable adds the connections that cannot be chosen, and why (S3-3a, D14).
func (t *errorText) unavailable(e *rs.Error) {
	for i, c := range e.Unavailable {
		if i == 3 || !t.add(answer.UnavailableLine(c), lastLines) {
			t.add(fmt.Sprintf("%d more are unavailable; see structured output.", len(e.Unavailable)-i), 0)
			return
		}
	}
}

// shortConnection returns a connection with shortened labels, for structured output. ok is false if its id is too long to be sent back.
func shortConnection(c rs.Connection) (short rs.Connection, ok bool) {
	c.DisplayName, c.ConnectorKey = write.Label(c.DisplayName), write.Label(c.ConnectorKey)
	c.GrantID = clean.Clip(c.GrantID, 120)
	return c, len(c.ID) <= 300
}

// hintsOfCodes are the hints for error codes of the resource server, which sends none itself.
var hintsOfCodes = []struct {
	hint  string
	codes []rs.Code
}{
	{"That means: this stream or connection is not in the grant. Call schema for what is.",
		[]rs.Code{"context.stream_not_allowed", "context.instance_mismatch", "grant_stream_not_allowed", "connection_not_found"}},
	{"Call schema with the stream for the fields that may be used.", []rs.Code{"field_not_granted", "unknown_field"}},
	{"Send a cursor with exactly the arguments of the page that printed it; else start again without it, changes with changes_since beginning.",
		[]rs.Code{"invalid_cursor"}},
	{"Start again without cursor; changes start again with changes_since beginning.", []rs.Code{"cursor_expired"}},
	{"Leave mode out, or send mode lexical.", []rs.Code{"search_mode_unavailable"}},
	{"Call schema with the stream for the relations that can be expanded, or leave expand and expand_limit out.", []rs.Code{"invalid_expand"}},
	{"The user has to approve access again; a retry does not help.", []rs.Code{"grant_revoked", "grant_expired", "grant_invalid"}},
	{"The text is not in this field. Read it from the start, without q.", []rs.Code{"query_not_found"}},
	{"Use fetch for fields that are no text.", []rs.Code{"field_not_text"}},
	{"Name one connection_id.", []rs.Code{"ambiguous_connection"}},
	{"Check the id, which must be passed exactly as printed, or search again. What is outside the grant is not found either.",
		[]rs.Code{"not_found", "blob_not_found"}},
}

func hintFor(e *rs.Error) string {
	if e.Hint != "" {
		return e.Hint
	}
	for _, h := range hintsOfCodes {
		if slices.Contains(h.codes, e.Code) {
			return h.hint
		}
	}
	switch {
	case e.Status == 429:
		return "Wait, then retry once."
	case e.Status >= 500:
		return "Retry once; if it fails again, the source itself is at fault: tell its operator, and answer from other streams or connections."
	case e.Status >= 400 && e.Status != 401 && e.Status != 403:
		return "Leave out what was refused, or call schema with the stream for what its fields can do."
	}
	return ""
}

func errorObject(e *rs.Error, hint string) string {
	o := new(write.Object).Plain("code", errorCode(e)).Plain("message", clean.Preview(e.Message, 600)).
		Optional("hint", clean.Preview(hint, 500))
	if tool, arguments, _ := strings.Cut(e.Send, " "); rs.AsObject(arguments) != nil && len(e.Send) <= maxSend {
		o.Put("send", write.ToolCall(tool, arguments))
	}
	o.Put("connect", write.When(len(e.Connect) > 0, write.JSON(e.Connect)))
	o.Optional("param", clean.Preview(e.Param, 120)).Optional("retry_with", clean.Preview(e.RetryWith, 120))
	envelope := rs.AsObject(string(e.Envelope))
	corrected := envelope.Has("code") && envelope.Text("code") != string(e.Code) // the resource server's own code was misleading
	if !corrected {
		o.Number("status", e.Status)
	}
	if total := max(e.ConnectionTotal, len(e.Connections)); len(e.Connections) > 0 {
		list := options(e.Connections, shortConnection)
		o.Array("available_connections", list).Number("total_connections", total).Flag("truncated", total > len(list))
	}
	if len(e.Unavailable) > 0 {
		o.Array("unavailable_connections", options(e.Unavailable, func(c rs.UnavailableConnection) (rs.UnavailableConnection, bool) {
			short, ok := shortConnection(c.Connection)
			code := rs.Code(write.Label(string(c.Code)))
			return rs.UnavailableConnection{Connection: short, Code: code, Message: clean.Preview(c.Message, answer.ReasonChars)}, ok
		}))
	}
	o.Optional("request_id", clean.Preview(e.RequestID, 120)).Number("retry_after_seconds", seconds(e.RetryAfter))
	const smallEnvelope = 1 << 10
	if raw, err := rs.Compact(string(e.Envelope)); err == nil && len(raw) <= smallEnvelope {
		if corrected && e.Status > 0 {
			raw = envelope.With("status", write.JSON(e.Status)).JSON()
		}
		o.Put("rs", raw)
	}
	return o.JSON()
}

// options returns the first rs.MaxConnectionOptions connections as JSON, without those that short rejects.
func options[C any](list []C, short func(C) (_ C, ok bool)) []string {
	return write.EachOf(list, rs.MaxConnectionOptions, func(c C) string {
		c, ok := short(c)
		return write.When(ok, write.JSON(c))
	})
}

func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
