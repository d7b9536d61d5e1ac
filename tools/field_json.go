package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Resource servers window text fields alone. A long list or object would have no way to be read to its end; so its JSON
// is windowed here, from the record that the same grant reads (S1-R2).

// fieldNotText is a resource server's code for a field that is no text.
const fieldNotText rs.Code = "field_not_text"

// forwardWindow reads a window; of a field that is no text, a window of its JSON.
func forwardWindow(ctx context.Context, call Call) (Reply, error) {
	args := call.Args.(windowArgs)
	response, err := call.RS.Do(ctx, args.Request(call.Scope))
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
	return Reply{Call: call, Answer: Answer{Response: response.WithBody(window)}}, nil
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
				Message: fmt.Sprintf("%s is not in the JSON of field %s.", quote(w.q), quote(w.field)),
			}
		}
		first := utf8.RuneCountInString(text[:at])
		last := first + utf8.RuneCountInString(w.q)
		start, end = first-around(w.before), last+around(w.after)
		window = append(window, number("match_start_chars", first), number("match_end_chars", last))
	}
	start = min(max(start, 0), total)
	end = min(end, total)
	runes := []rune(text)
	part := string(runes[start:end])
	window = append(window,
		rs.Member{Name: "text", Value: rs.EncodeJSON(part)}, number("start_chars", start), number("end_chars", end),
		number("total_chars", total), rs.Member{Name: "complete", Value: rs.EncodeJSON(end-start == total)})
	if end < total {
		window = append(window, number("next_offset_chars", end), rs.Member{Name: "has_more", Value: rs.EncodeJSON(true)})
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

func number(name string, n int) rs.Member {
	return rs.Member{Name: name, Value: rs.EncodeJSON(n)}
}
