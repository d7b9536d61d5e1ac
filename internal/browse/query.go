package browse

import (
	"context"
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
	maxQuery   = 8 << 10 // bytes of a query as it comes
	maxFilters = 4
)

// views has the parameters of each view, those that it needs first, and what makes it for the template of its name.
var views = map[string]struct {
	needs, takes []string
	show         func(*Pages, context.Context, query) any
}{
	"streams": {nil, []string{"offset"}, (*Pages).streams},
	"records": {[]string{"stream"}, []string{"connection", "sort", "order", "cursor"}, (*Pages).records}, // and filters
	"record":  {[]string{"id"}, nil, (*Pages).record},
	"file":    {[]string{"uri", "name"}, nil, nil},
	"months":  {[]string{"stream"}, []string{"connection", "field", "by"}, (*Pages).months},
	"search":  {nil, []string{"q", "stream", "since", "until", "cursor"}, (*Pages).search},
	"call":    {nil, []string{"tool", "arguments"}, (*Pages).tool},
	"connect": {nil, nil, nil},
}

// choices are the values of parameters that are chosen.
var choices = map[string][]string{"by": {"month", "year"}, "order": {"asc", "desc"}}

// operators are how a filter compares: "" is equal. In this order the form shows them.
var operators = []struct{ Name, Words string }{
	{"", "is"}, {"gte", "at least"}, {"gt", "more than"}, {"lte", "at most"}, {"lt", "less than"},
}

// A query is a view that is asked for, with its parameters.
type query struct {
	View    string
	values  map[string]string // without those that are empty
	Filters []filter
}

type filter struct{ Field, Operator, Value string }

// A refusal is what a person reads about an address that is not of a view.
type refusal string

// Error returns the sentence.
func (r refusal) Error() string { return string(r) }

// parseQuery reads the query of a URL. What does not belong to a view is a refusal, which repeats no value.
func parseQuery(raw string) (query, error) {
	given, err := url.ParseQuery(raw)
	if err != nil || len(raw) > maxQuery {
		return query{}, refusal("The address is damaged, or too long.")
	}
	q := query{View: "streams", values: map[string]string{}}
	if given.Has("view") {
		q.View = given.Get("view")
	}
	view, known := views[q.View]
	if !known {
		return query{}, refusal("There is no such view.")
	}
	for name, values := range given {
		filters := q.View == "records" && slices.Contains([]string{"filter", "operator", "value"}, name)
		switch {
		case !filters && name != "view" && !slices.Contains(view.needs, name) && !slices.Contains(view.takes, name):
			return query{}, refusal("The address has a parameter that this view does not know.")
		case !filters && len(values) > 1:
			return query{}, refusal("The address has " + name + " twice.")
		case slices.ContainsFunc(values, func(value string) bool { return !isPlain(value) }):
			return query{}, refusal("The address has a character in " + name + " that cannot be typed.")
		case !filters && name != "view" && values[0] != "":
			q.values[name] = values[0]
		}
	}
	for _, name := range view.needs {
		if q.values[name] == "" {
			return query{}, refusal("The address lacks " + name + ".")
		}
	}
	for name, allowed := range choices {
		if value := q.values[name]; value != "" && !slices.Contains(allowed, value) {
			return query{}, refusal("The address has a value of " + name + " that there is not.")
		}
	}
	if offset := q.values["offset"]; strings.Trim(offset, "0123456789") != "" || len(offset) > 7 {
		return query{}, refusal("The address has an offset that is not a number.")
	}
	if arguments := q.values["arguments"]; arguments != "" && !isObject(arguments) {
		return query{}, refusal("The arguments are not a JSON object.")
	}
	if q.Filters, err = parseFilters(given["filter"], given["operator"], given["value"]); err != nil {
		return query{}, err
	}
	return q, nil
}

// parseFilters reads the filters of a form, in which unused ones are empty.
func parseFilters(fields, names, values []string) ([]filter, error) {
	if len(fields) != len(names) || len(fields) != len(values) || len(fields) > maxFilters {
		return nil, refusal("The filters of the address do not fit together.")
	}
	var all []filter
	for i, field := range fields {
		if !slices.ContainsFunc(operators, func(o struct{ Name, Words string }) bool { return o.Name == names[i] }) {
			return nil, refusal("The address has a comparison that there is not.")
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

// isPlain reports text in UTF-8 of characters that a person can type.
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

// with returns the query with other values of some parameters: names and values in turn, "" for none.
func (q query) with(pairs ...string) query {
	values := map[string]string{}
	maps.Copy(values, q.values)
	for i := 0; i+1 < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	q.values = values
	return q
}

// link is the address of the view.
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

// link is the address of a view with parameters: names and values in turn.
func link(view string, pairs ...string) string {
	return query{View: view}.with(pairs...).link()
}
