package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
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

func (w windowArgs) Scope() (rs.Scope, error) { return w.scope() }

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

// forwardWindow reads a window. Resource servers window text fields only. A long list or object could not be read to its end otherwise, so
// the adapter reads the record under the same grant and windows the JSON of the field (S1-R2). For q, a resource server reports one match;
// all matches are counted in the record, and not reported if the record cannot be read.
func forwardWindow(ctx context.Context, call Call) (Reply, error) {
	args := call.Args.(windowArgs)
	top, _, _ := strings.Cut(args.Field, ".")
	record := recordRequest(call.Scope, []string{top})
	response, err := call.RS.Do(ctx, args.Request(call.Scope))
	if err == nil {
		if _, found := matchOf(response); found && args.Q != "" {
			if whole := read.Optional(ctx, call.RS, record); whole != nil {
				response = args.withMatches(response, fieldJSON(whole, args.Field))
			}
		}
		return replied(call, response, nil)
	}
	if rs.AsError(err).Code != fieldNotText {
		return Reply{Call: call}, err
	}
	whole, readErr := call.RS.Do(ctx, record)
	if readErr != nil {
		return Reply{Call: call}, readErr
	}
	value := fieldJSON(whole, args.Field)
	if value == "" {
		return Reply{Call: call}, err
	}
	window, err := args.jsonWindow(value)
	if err != nil {
		return Reply{Call: call}, err
	}
	return replied(call, args.withMatches(whole.WithBody(window), value), nil)
}

// fieldJSON returns the value of a field, or of a dotted path into it; "" if the record has none.
func fieldJSON(record *rs.Response, path string) string {
	for value := read.Record(record).Get("data"); value != ""; {
		if whole := memberOf(value, path); whole != "" { // a name may contain a dot
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

// memberOf returns the member of an object by name, or the element of an array by index.
func memberOf(value, name string) string {
	if list, ok := rs.AsArray(value); ok {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(list) {
			return list[i]
		}
		return ""
	}
	return rs.AsObject(value).Get(name)
}

// jsonWindow returns a window of JSON text in the form that a resource server answers for a text field.
func (w windowArgs) jsonWindow(text string) (string, error) {
	const defaultLimit = 4096
	runes := []rune(text)
	start, end := w.Offset, w.Offset+cmp.Or(w.Limit, defaultLimit)
	window := rs.Object{}
	if w.Q != "" {
		before, _, found := strings.Cut(text, w.Q)
		if !found {
			return "", &rs.Error{
				Code: "query_not_found", Param: "q",
				Message: fmt.Sprintf("%s is not in the JSON of field %s.", quote.Exact(w.Q), quote.Exact(w.Field)),
			}
		}
		first := utf8.RuneCountInString(before)
		last := first + utf8.RuneCountInString(w.Q)
		start, end = first-around(w.Before), last+around(w.After)
		window = append(window, rs.NewMember("match_start_chars", first), rs.NewMember("match_end_chars", last))
	}
	start, end = min(max(start, 0), len(runes)), min(end, len(runes))
	window = append(window,
		rs.NewMember("text", string(runes[start:end])), rs.NewMember("start_chars", start), rs.NewMember("end_chars", end),
		rs.NewMember("total_chars", len(runes)), rs.NewMember("complete", end-start == len(runes)))
	if end < len(runes) {
		window = append(window, rs.NewMember("next_offset_chars", end), rs.NewMember("has_more", true))
	}
	field := rs.Object{rs.NewMember("path", w.Field), rs.NewMember("type", "json")}
	return rs.Object{{Name: "field", Value: field.JSON()}, {Name: "window", Value: window.JSON()}}.JSON(), nil
}

// around returns how many characters are shown before or after a match.
func around(requested *int) int {
	const usual = 200
	if requested == nil {
		return usual
	}
	return *requested
}

// maxMatches bounds the matches whose positions are listed.
const maxMatches = 20

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
	starts, count := matchesOf(text, w.Q, first)
	if !found || count < 2 {
		return response
	}
	matches := rs.Object{rs.NewMember("count", count), rs.NewMember("starts", starts)}
	return withMembers(response, rs.Object{{Name: "matches", Value: matches.JSON()}})
}

// matchesOf returns where the first [maxMatches] matches of q in a text begin, in code points, and how many matches there are. Case does
// not matter, and matches do not overlap. It tries matches of whole words, then all matches, and returns those of which the first begins
// at first; else none.
func matchesOf(text, q string, first int) (starts []int, count int) {
	text, q = strings.ToLower(text), strings.ToLower(q) // the number of code points stays the same
	within := func(at int) bool {                       // in the middle of a word
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at:])
		return unicode.In(before, wordRunes...) && unicode.In(after, wordRunes...)
	}
	for _, wholeWords := range []bool{true, false} {
		starts, count = nil, 0
		for from, at := 0, 0; q != ""; { // one by one: there may be one for each character
			start := strings.Index(text[from:], q)
			if start < 0 {
				break
			}
			start += from
			end := start + len(q)
			at += utf8.RuneCountInString(text[from:start])
			if !wholeWords || !within(start) && !within(end) {
				if count++; count <= maxMatches {
					starts = append(starts, at)
				}
			}
			from, at = end, at+utf8.RuneCountInString(q)
		}
		if count > 0 && starts[0] == first {
			return starts, count
		}
	}
	return nil, 0
}

var wordRunes = []*unicode.RangeTable{unicode.Letter, unicode.Number, unicode.Mark}
