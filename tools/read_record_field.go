package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
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

func decodeReadRecordField(values rs.Object) (Args, error) {
	a := takes(values, "id", "field", "connection_id", "offset_chars", "limit_chars", "q", "before_chars", "after_chars")
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
	r := read.Request(scope.ConnectionID, "streams", scope.Stream, "records", scope.RecordID, "field-window")
	query := r.Query
	read.SetText(query, "field", w.field)
	read.SetNumber(query, "offset_chars", w.offset)
	read.SetNumber(query, "limit_chars", w.limit)
	read.SetText(query, "q", w.q)
	read.SetOptional(query, "before_chars", w.before)
	read.SetOptional(query, "after_chars", w.after)
	return r
}

func (w windowArgs) query(scope rs.Scope) render.WindowQuery {
	return render.WindowQuery{
		Ref: w.scopedRef(scope), Field: w.field, Offset: w.offset, Limit: w.limit,
		Q: w.q, Before: w.before, After: w.after,
	}
}

// fieldNotText is a resource server's code for a field that is no text.
const fieldNotText rs.Code = "field_not_text"

// forwardWindow reads a window. Resource servers window text fields alone; of a long list or object, which would have no way to be read to
// its end, the JSON is windowed here, from the record that the same grant reads (S1-R2).
func forwardWindow(ctx context.Context, call Call) (Reply, error) {
	args := call.Args.(windowArgs)
	response, err := call.RS.Do(ctx, args.Request(call.Scope))
	if err == nil {
		response = args.withMatches(ctx, call, response)
	}
	if err == nil || rs.AsError(err).Code != fieldNotText {
		return Reply{Call: call, Answer: Answer{Response: response}}, err
	}
	top, _, _ := strings.Cut(args.field, ".")
	record := fetchArgs{recordArg: args.recordArg, fields: []string{top}}
	response, readErr := call.RS.Do(ctx, record.Request(call.Scope))
	if readErr != nil {
		return Reply{Call: call}, readErr
	}
	value := fieldJSON(response.Body, args.field)
	if value == "" {
		return Reply{Call: call, Answer: Answer{Response: response}}, err
	}
	window, err := args.jsonWindow(value)
	if err != nil {
		return Reply{Call: call}, err
	}
	return Reply{Call: call, Answer: Answer{Response: args.withMatches(ctx, call, response.WithBody(window))}}, nil
}

// fieldJSON is the value of a field, or of a dotted path into it, or nothing when the record has none.
func fieldJSON(record, path string) string {
	o := rs.AsObject(record)
	if inner := o.Object("data"); inner.Has("data") {
		o = inner
	}
	for value := o.Get("data"); value != ""; {
		if whole := memberOf(value, path); whole != "" { // a name may hold a dot
			compact, _ := rs.Compact(whole)
			return compact
		}
		name, rest, dotted := strings.Cut(path, ".")
		if !dotted {
			return ""
		}
		value, path = memberOf(value, name), rest
	}
	return ""
}

// memberOf is a member of an object, or an element of an array by its number.
func memberOf(value, name string) string {
	if list, ok := rs.AsArray(value); ok {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(list) {
			return list[i]
		}
		return ""
	}
	return rs.AsObject(value).Get(name)
}

// jsonWindow answers as a resource server does for a text.
func (w windowArgs) jsonWindow(text string) (string, error) {
	const defaultLimit = 4096
	total := utf8.RuneCountInString(text)
	start, end := w.offset, w.offset+w.limit
	if w.limit == 0 {
		end = start + defaultLimit
	}
	window := rs.Object{}
	if w.q != "" {
		at := strings.Index(text, w.q)
		if at < 0 {
			return "", &rs.Error{
				Code: "query_not_found", Param: "q",
				Message: fmt.Sprintf("%s is not in the JSON of field %s.", quote.Exact(w.q), quote.Exact(w.field)),
			}
		}
		first := utf8.RuneCountInString(text[:at])
		last := first + utf8.RuneCountInString(w.q)
		start, end = first-around(w.before), last+around(w.after)
		window = append(window, numberMember("match_start_chars", first), numberMember("match_end_chars", last))
	}
	start = min(max(start, 0), total)
	end = min(end, total)
	runes := []rune(text)
	part := string(runes[start:end])
	window = append(window,
		rs.Member{Name: "text", Value: rs.EncodeJSON(part)}, numberMember("start_chars", start), numberMember("end_chars", end),
		numberMember("total_chars", total), rs.Member{Name: "complete", Value: rs.EncodeJSON(end-start == total)})
	if end < total {
		window = append(window, numberMember("next_offset_chars", end), rs.Member{Name: "has_more", Value: rs.EncodeJSON(true)})
	}
	field := rs.Object{{Name: "path", Value: rs.EncodeJSON(w.field)}, {Name: "type", Value: rs.EncodeJSON("json")}}
	return rs.Object{{Name: "field", Value: field.JSON()}, {Name: "window", Value: window.JSON()}}.JSON(), nil
}

// around is how many characters beside a match are shown.
func around(asked *int) int {
	const usual = 200
	if asked == nil {
		return usual
	}
	return *asked
}

func numberMember(name string, n int) rs.Member {
	return rs.Member{Name: name, Value: rs.EncodeJSON(n)}
}
