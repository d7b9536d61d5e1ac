package tools

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A filter is a typed filter, ready to be written as bracketed parameters (S3-R10). The empty filter writes nothing.
type filter []condition

// A condition compares one field with one value; an empty operator means equality.
type condition struct{ field, operator, value string }

// maxConditions bounds a filter.
const maxConditions = 50

var filterHint = `Send an object such as {"status":"paid"} or {"sent_at":{"gte":"2026-01-01","lt":"2026-02-01"}}; operators: ` + strings.Join(rs.RangeOperators, ", ") + "."

func invalidFilter(format string, values ...any) *rs.Error {
	return &rs.Error{Code: rs.InvalidFilter, Param: "filter", Message: fmt.Sprintf(format, values...), Hint: filterHint}
}

// filter reads the filter argument.
func (a *arguments) filter() filter {
	raw, ok := a.given("filter")
	if !ok {
		return nil
	}
	f, err := parseFilter(raw)
	if err != nil {
		a.fail(err)
		return nil
	}
	return f
}

// parseFilter reads an object of fields, each with a scalar or an object of range operators.
func parseFilter(raw string) (filter, error) {
	if raw[0] == '"' {
		return nil, invalidFilter("filter is the string %s; it must be an object.", show(raw))
	}
	fields, err := readObject(raw)
	if err != nil {
		return nil, invalidFilter("filter is %s; it must be an object in which each field stands once.", show(raw))
	}
	if len(fields) == 0 {
		return nil, invalidFilter("filter is an empty object; leave it out to read everything.")
	}
	var f filter
	for _, field := range fields {
		if !isParameterName(field.Name) {
			return nil, invalidFilter("filter names the field %s; send the bare name, without brackets.", quote(field.Name))
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

func parseCondition(field, raw string) (filter, error) {
	if raw[0] != '{' {
		value, ok := scalar(raw)
		if !ok {
			return nil, invalidFilter("filter compares %s with %s; a string, number or boolean is expected.", quote(field), show(raw))
		}
		return filter{{field, "", value}}, nil
	}
	operators, err := readObject(raw)
	if err != nil || len(operators) == 0 {
		return nil, invalidFilter("filter compares %s with %s; a range needs at least one operator.", quote(field), show(raw))
	}
	var f filter
	for _, operator := range operators {
		if !slices.Contains(rs.RangeOperators, operator.Name) {
			return nil, invalidFilter("filter uses the operator %s on %s, which does not exist.", quote(operator.Name), quote(field))
		}
		value, ok := scalar(operator.Value)
		if !ok {
			return nil, invalidFilter("filter compares %s %s with %s; a string or number is expected.", quote(field), operator.Name, show(operator.Value))
		}
		f = append(f, condition{field, operator.Name, value})
	}
	return f, nil
}

// scalar returns a string, number or boolean as it goes into a parameter. Numbers keep the digits they came with.
func scalar(raw string) (string, bool) {
	text, ok := rs.AsText(raw)
	if rs.Kind(raw) != "string" {
		return text, ok && len(text) <= 400
	}
	return text, ok && text != "" && len(text) <= 4096 && utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// write adds the filter's parameters: filter[field]=value and filter[field][operator]=value, never a bare filter=.
func (f filter) write(query url.Values) {
	for _, c := range f {
		if c.operator == "" {
			query.Add("filter["+c.field+"]", c.value)
		} else {
			query.Add("filter["+c.field+"]["+c.operator+"]", c.value)
		}
	}
}

// isParameterName reports whether a name can stand between brackets.
func isParameterName(name string) bool {
	return strings.TrimSpace(name) != "" && len(name) <= maxNameBytes && utf8.ValidString(name) &&
		!strings.ContainsAny(name, "[]") && !strings.ContainsFunc(name, unicode.IsControl)
}
