package filter

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

const (
	maxConditions = 50 // of a filter
	// MaxNameBytes bounds a field, stream, relation or connection name.
	MaxNameBytes = 256
)

var filterHint = `Send an object such as {"status":"paid"} or {"sent_at":{"gte":"2026-01-01","lt":"2026-02-01"}}; operators: ` +
	strings.Join(rs.RangeOperators, ", ") + "."

func invalidFilter(format string, values ...any) *rs.Error {
	return &rs.Error{Code: "invalid_filter", Param: "filter", Message: fmt.Sprintf(format, values...), Hint: filterHint}
}

// Parse reads valid JSON: an object of fields, each with a scalar or an object of range operators.
func Parse(raw string) (Filter, error) {
	if raw[0] == '"' {
		return nil, invalidFilter("filter is the string %s; it must be an object.", quote.JSON(raw))
	}
	fields := rs.AsObject(raw)
	if fields == nil || !isDistinct(fields) {
		return nil, invalidFilter("filter is %s; it must be an object in which each field stands once.", quote.JSON(raw))
	}
	if len(fields) == 0 {
		return nil, invalidFilter("filter is an empty object; leave it out to read everything.")
	}
	var f Filter
	for _, field := range fields {
		if !IsName(field.Name) {
			return nil, invalidFilter("filter names the field %s; send the bare name, without brackets.", quote.Exact(field.Name))
		}
		conditions, err := parseCondition(field.Name, field.Value)
		if err != nil {
			return nil, err
		}
		if f = append(f, conditions...); len(f) > maxConditions {
			return nil, invalidFilter("filter has more than %d conditions.", maxConditions)
		}
	}
	return f, nil
}

func parseCondition(field, raw string) (Filter, error) {
	if raw[0] != '{' {
		value, ok := valueOfJSON(raw)
		if !ok {
			return nil, invalidFilter("filter compares %s with %s; a string, number or boolean is expected.", quote.Exact(field), quote.JSON(raw))
		}
		return Filter{{field, "", value}}, nil
	}
	operators := rs.AsObject(raw)
	if !isDistinct(operators) {
		return nil, invalidFilter("filter compares %s with %s; each operator may stand once.", quote.Exact(field), quote.JSON(raw))
	}
	if len(operators) == 0 {
		return nil, invalidFilter("filter compares %s with %s; a range needs at least one operator.", quote.Exact(field), quote.JSON(raw))
	}
	var f Filter
	for _, operator := range operators {
		if !slices.Contains(rs.RangeOperators, operator.Name) {
			return nil, invalidFilter("filter uses the operator %s on %s, which does not exist.", quote.Exact(operator.Name), quote.Exact(field))
		}
		value, ok := valueOfJSON(operator.Value)
		if !ok {
			return nil, invalidFilter("filter compares %s %s with %s; a string or number is expected.",
				quote.Exact(field), operator.Name, quote.JSON(operator.Value))
		}
		f = append(f, Condition{field, operator.Name, value})
	}
	if lower, upper, reversed := written.ReversedRange(operators); reversed {
		e := invalidFilter("the range of %s ends before it begins: %s %s, %s %s.",
			quote.Exact(field), lower, quote.JSON(operators.Get(lower)), upper, quote.JSON(operators.Get(upper)))
		e.Hint = "The call below has these bounds the other way round."
		return nil, e
	}
	return f, nil
}

// isDistinct reports whether no name occurs twice: parsers disagree on which one counts.
func isDistinct(o rs.Object) bool {
	names := map[string]bool{}
	for _, m := range o {
		names[m.Name] = true
	}
	return len(names) == len(o)
}

// valueOfJSON reads a string, number or boolean that a query parameter can have; false for any other value. Numbers keep the digits they
// came with.
func valueOfJSON(raw string) (v Value, ok bool) {
	text, ok := rs.AsText(raw)
	if rs.Kind(raw) == "string" {
		ok = ok && text != "" && len(text) <= 4096 && utf8.ValidString(text) && !strings.ContainsRune(text, 0)
		return ValueOf(text), ok
	}
	v = Value{text: text}
	if rs.Kind(raw) == "number" {
		v.form = asNumber
	}
	return v, ok && len(text) <= 400
}

// IsName reports whether a name can be put between the brackets of a parameter.
func IsName(name string) bool {
	return strings.TrimSpace(name) != "" && len(name) <= MaxNameBytes && utf8.ValidString(name) &&
		!strings.ContainsAny(name, "[]") && !strings.ContainsFunc(name, unicode.IsControl)
}
