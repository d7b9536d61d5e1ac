package browse

import (
	"context"
	"net/url"
	"slices"
	"strings"

	g "maragu.dev/gomponents"
)

const maxQuery = 8 << 10 // bytes of a query as it comes

// views has the parameters of each view, those that it needs first, and what makes its content.
var views = map[string]struct {
	needs, takes []string
	show         func(*view, context.Context) g.Node
}{
	"streams": {nil, []string{"offset"}, (*view).streams},
	"records": {[]string{"stream"}, []string{"connection", "sort", "order", "cursor"}, (*view).records}, // and filters
	"record":  {[]string{"id"}, nil, (*view).record},
	"file":    {[]string{"uri", "name"}, nil, nil},
	"months":  {[]string{"stream"}, []string{"connection", "field", "by"}, (*view).months},
	"search":  {nil, []string{"q", "stream", "since", "until", "cursor"}, (*view).search},
	"call":    {nil, []string{"tool", "arguments"}, (*view).tool},
	"connect": {nil, nil, nil},
}

// choices are the values of parameters that are chosen, as they are offered.
var choices = map[string][]string{"by": {"month", "year"}, "order": {"desc", "asc"}}

// parseQuery reads the query of a URL. wrong is what a person reads about one that is not of a view, else "".
func parseQuery(raw string) (q query, wrong string) {
	given, err := url.ParseQuery(raw)
	q = query{View: "streams", values: map[string]string{}}
	if given.Has("view") {
		q.View = given.Get("view")
	}
	view, known := views[q.View]
	if err != nil || len(raw) > maxQuery || !known {
		return query{}, noPage
	}
	single := slices.Concat([]string{"view"}, view.needs, view.takes)
	for name, values := range given {
		filters := q.View == "records" && slices.Contains([]string{"filter", "operator", "value"}, name)
		fits := filters || len(values) == 1 && slices.Contains(single, name)
		if !fits || slices.ContainsFunc(values, func(value string) bool { return !isPlain(value) }) {
			return query{}, noPage
		}
		if !filters && name != "view" && values[0] != "" {
			q.values[name] = values[0]
		}
	}
	for name, allowed := range choices {
		if value := q.values[name]; value != "" && !slices.Contains(allowed, value) {
			return query{}, noPage
		}
	}
	offset, arguments := q.values["offset"], q.values["arguments"]
	lacks := slices.ContainsFunc(view.needs, func(name string) bool { return q.values[name] == "" })
	if lacks || strings.Trim(offset, "0123456789") != "" || len(offset) > 7 {
		return query{}, noPage
	}
	if arguments != "" && !isObject(arguments) {
		return query{}, "The arguments are not a JSON object."
	}
	if q.Filters, wrong = parseFilters(given["filter"], given["operator"], given["value"]); wrong != "" {
		return query{}, wrong
	}
	return q, ""
}
