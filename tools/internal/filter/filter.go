// Package filter has the typed filter of a call, and what its dates mean.
package filter

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
)

// A Filter is a typed filter, ready to be written as bracketed parameters (S3-R10). The empty filter writes nothing.
type Filter []Condition

// A Condition compares one field with one value; an empty operator means equality.
type Condition struct {
	Field, Operator string
	Value           Value
}

const (
	maxConditions = 50 // of a filter
	// MaxNameBytes bounds a field, stream, relation or connection name.
	MaxNameBytes = 256
)

var filterHint = `Send an object such as {"status":"paid"} or {"sent_at":{"gte":"2026-01-01","lt":"2026-02-01"}}; operators: ` + strings.Join(rs.RangeOperators, ", ") + "."

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
	if len(operators) == 0 || !isDistinct(operators) {
		return nil, invalidFilter("filter compares %s with %s; a range needs at least one operator.", quote.Exact(field), quote.JSON(raw))
	}
	var f Filter
	for _, operator := range operators {
		if !slices.Contains(rs.RangeOperators, operator.Name) {
			return nil, invalidFilter("filter uses the operator %s on %s, which does not exist.", quote.Exact(operator.Name), quote.Exact(field))
		}
		value, ok := valueOfJSON(operator.Value)
		if !ok {
			return nil, invalidFilter("filter compares %s %s with %s; a string or number is expected.", quote.Exact(field), operator.Name, quote.JSON(operator.Value))
		}
		f = append(f, Condition{field, operator.Name, value})
	}
	if lower, upper, reversed := f.reversed(); reversed {
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

// reversed returns the operators of the bounds of one field that end before they begin, if there are such bounds.
func (f Filter) reversed() (lower, upper string, found bool) {
	for _, from := range f {
		for _, until := range f {
			if rs.IsLowerBound(from.Operator) && rs.IsUpperBound(until.Operator) && isReversed(from.Value, until.Value) {
				return from.Operator, until.Operator, true
			}
		}
	}
	return "", "", false
}

// Write adds the filter's parameters: filter[field]=value and filter[field][operator]=value, never a bare filter=.
func (f Filter) Write(query url.Values) {
	for _, c := range f {
		if c.Operator == "" {
			query.Add("filter["+c.Field+"]", c.Value.text)
		} else {
			query.Add("filter["+c.Field+"]["+c.Operator+"]", c.Value.text)
		}
	}
}

// Object returns the filter as the object that a call has.
func (f Filter) Object() (o rs.Object) {
	for _, c := range f {
		value := rs.EncodeJSON(c.Value.text)
		if c.Operator != "" {
			value = o.Object(c.Field).With(c.Operator, value).JSON()
		}
		o = o.With(c.Field, value)
	}
	return o
}

// IsName reports whether a name can be put between the brackets of a parameter.
func IsName(name string) bool {
	return strings.TrimSpace(name) != "" && len(name) <= MaxNameBytes && utf8.ValidString(name) &&
		!strings.ContainsAny(name, "[]") && !strings.ContainsFunc(name, unicode.IsControl)
}

// Narrowed returns the filter with one more condition. If the filter has a bound with the same operator, the narrower one of the two stays.
func (f Filter) Narrowed(c Condition) Filter {
	at := slices.IndexFunc(f, func(other Condition) bool { return other.Field == c.Field && other.Operator == c.Operator })
	if at < 0 || c.Operator == "" {
		return append(slices.Clone(f), c)
	}
	f = slices.Clone(f)
	if c.Value.after(f[at].Value) == rs.IsLowerBound(c.Operator) {
		f[at] = c
	}
	return f
}

// Has reports whether a condition is on a field.
func (f Filter) Has(field string) bool {
	return slices.ContainsFunc(f, func(c Condition) bool { return c.Field == field })
}

// Without returns the filter without the conditions on a field.
func (f Filter) Without(field string) Filter {
	return f.WithoutFunc(func(c Condition) bool { return c.Field == field })
}

// WithoutFunc returns the filter without some conditions.
func (f Filter) WithoutFunc(left func(Condition) bool) Filter {
	return slices.DeleteFunc(slices.Clone(f), left)
}

// Only returns the filter in which a field must equal a value, without other conditions on the field.
func (f Filter) Only(field, value string) Filter {
	return append(f.Without(field), Condition{Field: field, Value: ValueOf(value)})
}
