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

const (
	maxQuery   = 8 << 10 // bytes of a raw query
	maxFilters = 4
)

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

// choices are the allowed values of some parameters, in the order of the form.
var choices = map[string][]string{"by": {"month", "year"}, "order": {"desc", "asc"}}

// parseQuery parses the query of a URL. Its error tells a person what is wrong, and never repeats a value.
func parseQuery(raw string) (query, error) {
	given, err := url.ParseQuery(raw)
	if err != nil || len(raw) > maxQuery {
		return query{}, refusal("The address is damaged, or too long.")
	}
	q := query{View: "streams", values: map[string]string{}}
	if given.Has("view") {
		q.View = given.Get("view")
	}
	view, known := allViews[q.View]
	if !known {
		return query{}, refusal("There is no such view.")
	}
	for name, values := range given {
		repeats := name == "filter" || name == "operator" || name == "value"
		switch {
		case name != "view" && !slices.Contains(view.needs, name) && !slices.Contains(view.takes, name):
			return query{}, refusal("The address has a parameter that this view does not know.")
		case !repeats && len(values) > 1:
			return query{}, refusal("The address has " + name + " twice.")
		case !isPlain(strings.Join(values, " ")):
			return query{}, refusal("The address has a character in " + name + " that cannot be typed.")
		case !repeats && name != "view" && values[0] != "":
			q.values[name] = values[0]
		}
	}
	if err := q.checkValues(); err != nil {
		return query{}, err
	}
	q.Filters, err = parseFilters(given["filter"], given["operator"], given["value"])
	return q, err
}

func (q query) checkValues() error {
	for _, name := range allViews[q.View].needs {
		if q.values[name] == "" {
			return refusal("The address lacks " + name + ".")
		}
	}
	for name, allowed := range choices {
		if value := q.values[name]; value != "" && !slices.Contains(allowed, value) {
			return refusal("The address has an unknown value of " + name + ".")
		}
	}
	if offset := q.values["offset"]; strings.Trim(offset, "0123456789") != "" || len(offset) > 7 {
		return refusal("The address has an offset that is not a number.")
	}
	if arguments := q.values["arguments"]; arguments != "" && !isObject(arguments) {
		return refusal("The arguments are not a JSON object.")
	}
	return nil
}

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
	for pair := range slices.Chunk(pairs, 2) {
		values[pair[0]] = pair[1]
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
