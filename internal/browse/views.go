package browse

import (
	"context"
	"net/url"
	"slices"
	"strings"

	g "maragu.dev/gomponents"
)

const maxQuery = 8 << 10 // bytes of a raw query

// allViews has the required and optional parameters of each view, and the function that shows it.
var allViews = map[string]struct {
	needs, takes []string
	show         func(*view, context.Context) g.Node
}{
	"streams": {nil, []string{"offset"}, (*view).streams},
	"records": {[]string{"stream"}, []string{"connection", "sort", "order", "cursor", "filter", "operator", "value"}, (*view).records},
	"record":  {[]string{"id"}, nil, (*view).record},
	"file":    {[]string{"uri", "name"}, nil, nil},
	"months":  {[]string{"stream"}, []string{"connection", "field", "by"}, (*view).months},
	"search":  {nil, []string{"q", "stream", "since", "until", "cursor"}, (*view).search},
	"call":    {nil, []string{"tool", "arguments"}, (*view).tool},
	"connect": {nil, nil, nil},
}

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
