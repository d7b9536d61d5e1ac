package browse

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const maxFilters = 4

// operators are the comparisons of a filter, in the order of the form; "" is equality.
var operators = append([]string{""}, rs.RangeOperators...)

// words names comparisons and orders for people.
var words = map[string]string{
	"": "is", "gte": "at least", "gt": "more than", "lte": "at most", "lt": "less than",
	"desc": "highest or newest first", "asc": "lowest or oldest first",
}

// A query is a requested view with its parameters.
type query struct {
	View    string
	values  map[string]string // only those that are not empty
	Filters []filter
}

type filter struct{ Field, Operator, Value string }

// A refusal tells a person why an address is invalid.
type refusal string

// Error returns the sentence.
func (r refusal) Error() string { return string(r) }

// parseFilters reads the filters of a form. Unused rows are empty.
func parseFilters(fields, names, values []string) ([]filter, error) {
	if len(fields) != len(names) || len(fields) != len(values) || len(fields) > maxFilters {
		return nil, refusal("The filters of the address do not fit together.")
	}
	var all []filter
	for i, field := range fields {
		if !slices.Contains(operators, names[i]) {
			return nil, refusal("The address has an unknown comparison.")
		}
		f := filter{field, names[i], values[i]}
		if f.Field == "" || f.Value == "" {
			continue
		}
		if slices.ContainsFunc(all, func(o filter) bool {
			return o.Field == f.Field && (o.Operator == f.Operator || o.Operator == "" || f.Operator == "")
		}) {
			return nil, refusal("The filters compare one field twice in the same way.")
		}
		all = append(all, f)
	}
	return all, nil
}

// isPlain reports whether text is valid UTF-8 without control characters other than line breaks and tabs.
func isPlain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(c rune) bool {
		return unicode.IsControl(c) && !strings.ContainsRune("\r\n\t", c)
	})
}

func isObject(text string) bool {
	return json.Valid([]byte(text)) && rs.AsObject(text) != nil
}

// Get returns a parameter; "" if it is absent.
func (q query) Get(name string) string { return q.values[name] }

// with returns the query with some parameters replaced: names and values in turn; "" removes one.
func (q query) with(pairs ...string) query {
	values := map[string]string{}
	maps.Copy(values, q.values)
	for i := 0; i+1 < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	q.values = values
	return q
}

func (q query) link() string {
	values := url.Values{}
	if q.View != "streams" {
		values.Set("view", q.View)
	}
	for name, value := range q.values {
		if value != "" {
			values.Set(name, value)
		}
	}
	for _, f := range q.Filters {
		values.Add("filter", f.Field)
		values.Add("operator", f.Operator)
		values.Add("value", f.Value)
	}
	if len(values) == 0 {
		return "/"
	}
	return "/?" + values.Encode()
}

// link returns the address of a view with parameters: names and values in turn.
func link(view string, pairs ...string) string {
	return query{View: view}.with(pairs...).link()
}
