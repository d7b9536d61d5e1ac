package tools

import (
	"encoding/json"
	"net/url"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/rs"
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
		Input: object(`"id","field"`,
			stringProperty("id", "Id as printed by search, query_records or fetch"),
			stringProperty("field", "Field of schema, or dotted path"),
			connectionProperty,
			integerProperty("offset_chars", "First character, 0 if absent", 0, maxOffsetChars),
			integerProperty("limit_chars", "Most characters, 4096 if absent", 1, maxWindowChars),
			stringProperty("q", "Text to find; not with offset_chars or limit_chars"),
			integerProperty("before_chars", "Characters before the match", 0, maxContextChars),
			integerProperty("after_chars", "Characters after the match", 0, maxContextChars),
		),
		Output:  json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"field":{"type":"object"},"window":{"type":"object"},"next":{"type":"object"},` + errorProperty + `}}`),
		Listed:  true,
		Decode:  decodeReadRecordField,
		Forward: forwardWindow,
		Render: func(call Call, answer Answer) (render.Result, error) {
			args := call.Args.(windowArgs)
			return render.Window(answer.Response, args.query(call.Scope))
		},
	}
}

type windowArgs struct {
	recordArg
	field         string
	offset, limit int
	q             string
	before, after *int // nil: not given, which is not 0
}

func decodeReadRecordField(raw json.RawMessage) (Args, error) {
	a := readArguments(raw, "id", "field", "connection_id", "offset_chars", "limit_chars", "q", "before_chars", "after_chars")
	a.required("id", `{"id":"messages:m1","field":"body"}; search prints ids`)
	a.required("field", `{"field":"body"}; schema(stream) lists the fields`)
	args := windowArgs{recordArg: a.record(), field: a.field("field"), q: a.text("q", maxQueryBytes)}
	args.offset, _ = a.number("offset_chars", 0, maxOffsetChars)
	args.limit, _ = a.number("limit_chars", 1, maxWindowChars)
	args.before = a.optionalNumber("before_chars", 0, maxContextChars)
	args.after = a.optionalNumber("after_chars", 0, maxContextChars)
	a.excludes("q", "offset_chars")
	a.excludes("q", "limit_chars")
	a.requires("before_chars", "q")
	a.requires("after_chars", "q")
	if a.err != nil {
		return nil, a.err
	}
	return args, nil
}

// Scope returns what the read touches.
func (w windowArgs) Scope() (rs.Scope, error) { return w.scope() }

// Request returns GET /v1/streams/{stream}/records/{id}/field-window.
func (w windowArgs) Request(scope rs.Scope) rs.Request {
	query := url.Values{"field": {w.field}}
	setText(query, "connection_id", scope.ConnectionID)
	setNumber(query, "offset_chars", w.offset)
	setNumber(query, "limit_chars", w.limit)
	setText(query, "q", w.q)
	setOptional(query, "before_chars", w.before)
	setOptional(query, "after_chars", w.after)
	return rs.Request{Path: rs.Path("streams", scope.Stream, "records", scope.RecordID, "field-window"), Query: query}
}

func setOptional(query url.Values, name string, value *int) {
	if value != nil {
		query.Set(name, strconv.Itoa(*value))
	}
}

func (w windowArgs) query(scope rs.Scope) render.WindowQuery {
	return render.WindowQuery{
		Ref: w.scopedRef(scope), Field: w.field, Offset: w.offset, Limit: w.limit,
		Q: w.q, Before: w.before, After: w.after,
	}
}
