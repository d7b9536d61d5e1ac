package tools

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/window"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// The bounds of a field window, in code points, as the resource server sets them.
const (
	maxWindowChars  = 16384
	maxContextChars = 8192
	maxOffsetChars  = 1 << 30
)

// readRecordFieldTool reads a part of one long text field (S1-R2, S1-R3).
func readRecordFieldTool() *Tool {
	return &Tool{
		Name:  "read_record_field",
		Title: "Read a text field",
		Description: "Read a long text, list or object field of one record in parts (GET /v1/streams/{stream}/records/{id}/field-window). Read-only. " +
			"By offset_chars and limit_chars, or around the first match of q. Text and structured output give the arguments of the next part.",
		Input: inputSchema(`"id","field"`,
			stringProperty("id", "Id as printed by search, query_records or fetch"),
			stringProperty("field", "Field of schema, or dotted path"),
			connectionProperty,
			integerProperty("offset_chars", "First character, 0 if absent", 0, maxOffsetChars),
			integerProperty("limit_chars", "Most characters, 4096 if absent", 1, maxWindowChars),
			stringProperty("q", "Text to find; not with offset_chars or limit_chars"),
			integerProperty("before_chars", "Characters before the match", 0, maxContextChars),
			integerProperty("after_chars", "Characters after the match", 0, maxContextChars),
		),
		Output: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"field":{"type":"object"},"window":{"type":"object"},` +
			`"next":{"type":"object"},` + errorProperty + `}}`),
		Listed: true,
		Decode: decodeReadRecordField,
		Read:   readWindow,
		Render: func(call Call, answer Answer) (render.Result, error) {
			args := call.Args.(windowArgs)
			args.Ref = args.scopedRef(call.Scope)
			return render.Window(answer.Response, args.WindowQuery)
		},
	}
}

type windowArgs struct {
	recordArg
	render.WindowQuery
}

func decodeReadRecordField(values rs.Object) (Args, error) {
	a := takes(values, "id", "field", "connection_id", "offset_chars", "limit_chars", "q", "before_chars", "after_chars")
	a.Required("id", `{"id":"messages:m1","field":"body"}; search prints ids`)
	a.Required("field", `{"field":"body"}; schema(stream) lists the fields`)
	args := windowArgs{a.record(), render.WindowQuery{
		Field:  a.Field("field"),
		Q:      a.Text("q", maxQueryBytes),
		Offset: a.Number("offset_chars", 0, maxOffsetChars),
		Limit:  a.Number("limit_chars", 1, maxWindowChars),
		Before: a.OptionalNumber("before_chars", 0, maxContextChars),
		After:  a.OptionalNumber("after_chars", 0, maxContextChars),
	}}
	a.Excludes("q", "offset_chars")
	a.Excludes("q", "limit_chars")
	a.Requires("before_chars", "q")
	a.Requires("after_chars", "q")
	return a.done(args)
}

// Request returns GET /v1/streams/{stream}/records/{id}/field-window.
func (w windowArgs) Request(scope rs.Scope) rs.Request {
	r := read.Request(scope.ConnectionID, "streams", scope.Stream, "records", scope.RecordID, "field-window")
	query := r.Query
	read.Set(query, "field", w.Field)
	read.Set(query, "offset_chars", w.Offset)
	read.Set(query, "limit_chars", w.Limit)
	read.Set(query, "q", w.Q)
	read.Set(query, "before_chars", w.Before)
	read.Set(query, "after_chars", w.After)
	return r
}

// fieldNotText is a resource server's code for a field that is not text.
const fieldNotText rs.Code = "field_not_text"

// readWindow reads a window. Resource servers window text fields only. A long list or object could not be read to its end otherwise, so
// the adapter reads the record under the same grant and windows the JSON of the field (S1-R2). For q, a resource server reports one match;
// all matches are counted in the record, and not reported if the record cannot be read.
func readWindow(ctx context.Context, call Call) (Answer, error) {
	args := call.Args.(windowArgs)
	top, _, _ := strings.Cut(args.Field, ".")
	record := read.RecordRequest(call.Scope, []string{top})
	response, err := call.RS.Do(ctx, args.Request(call.Scope))
	if err == nil {
		if _, found := matchOf(response); found && args.Q != "" {
			if whole := read.Optional(ctx, call.RS, record); whole != nil {
				response = args.withMatches(response, window.Field(whole, args.Field))
			}
		}
		return Answer{Response: response}, nil
	}
	if rs.AsError(err).Code != fieldNotText {
		return Answer{}, err
	}
	whole, readErr := call.RS.Do(ctx, record)
	if readErr != nil {
		return Answer{}, readErr
	}
	value := window.Field(whole, args.Field)
	if value == "" {
		return Answer{}, err
	}
	q := args.WindowQuery
	part, err := window.Query{Field: q.Field, Q: q.Q, Offset: q.Offset, Limit: q.Limit, Before: q.Before, After: q.After}.Of(value)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Response: args.withMatches(whole.WithBody(part), value)}, nil
}

// matchOf returns the position of the first match that a window reports, in code points.
func matchOf(response *rs.Response) (first int, found bool) {
	return response.Object().Object("window").Number("match_start_chars")
}

// withMatches adds to a window around the first match of q how many matches the field has, and where the first of them begin. value is the
// JSON of the field. It adds nothing if there is one match, or if the resource server finds other matches.
func (w windowArgs) withMatches(response *rs.Response, value string) *rs.Response {
	first, found := matchOf(response)
	text, isText := rs.AsText(value)
	if !isText {
		text = value
	}
	starts, count := window.Matches(text, w.Q, first)
	if !found || count < 2 {
		return response
	}
	matches := rs.Object{rs.NewMember("count", count), rs.NewMember("starts", starts)}
	return response.WithMembers(rs.Object{{Name: "matches", Value: matches.JSON()}})
}
