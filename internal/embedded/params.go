package embedded

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// params are the query parameters of a read, checked against the set that its route knows.
type params struct {
	single  map[string]string
	lists   map[string][]string
	filters []filterParam
	limits  map[string]string // expand_limit[relation]
}

// A filterParam is one filter[field]=value or filter[field][operator]=value.
type filterParam struct {
	field, operator, value string // operator is empty for equality
}

// routeParams are the parameters that a route knows.
type routeParams struct {
	single  []string
	lists   []string // may be repeated, with or without []
	filter  bool
	expand  bool // expand_limit[relation]
	lenient bool // unknown parameters are ignored
}

// parseParams reads a query string.
func parseParams(rawQuery string, known routeParams) (params, *apiError) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return params{}, invalidRequest("Malformed query string")
	}
	p := params{single: map[string]string{}, lists: map[string][]string{}, limits: map[string]string{}}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if refusal := p.take(key, values[key], known); refusal != nil {
			return params{}, refusal
		}
	}
	return p, nil
}

func (p *params) take(key string, values []string, known routeParams) *apiError {
	name, brackets, _ := strings.Cut(key, "[")
	switch {
	case slices.Contains(known.lists, name) && (brackets == "" || brackets == "]"):
		p.lists[name] = append(p.lists[name], values...)
		return nil
	case name == "filter" && known.filter:
		return p.takeFilter(key, values)
	case name == "expand_limit" && known.expand && strings.HasSuffix(brackets, "]"):
		p.limits[strings.TrimSuffix(brackets, "]")] = values[len(values)-1]
		return nil
	case !slices.Contains(known.single, key):
		if known.lenient {
			return nil
		}
		return invalidRequest("Unsupported query parameter: %s", key).withParam(key)
	case len(values) > 1:
		return invalidRequest("Query parameter %s must be given once", key).withParam(key)
	}
	p.single[key] = values[0]
	return nil
}

// takeFilter reads filter[field] and filter[field][operator].
func (p *params) takeFilter(key string, values []string) *apiError {
	path := strings.Split(strings.TrimPrefix(key, "filter"), "[")[1:]
	if len(path) == 0 || len(path) > 2 {
		return invalidRequest("A filter is written filter[field]=value or filter[field][gte|gt|lte|lt]=value").withParam("filter")
	}
	var parts [2]string
	for i, part := range path {
		name, closed := strings.CutSuffix(part, "]")
		if !closed || name == "" {
			return invalidRequest("A filter is written filter[field]=value or filter[field][gte|gt|lte|lt]=value").withParam("filter")
		}
		parts[i] = name
	}
	for _, value := range values {
		p.filters = append(p.filters, filterParam{field: parts[0], operator: parts[1], value: value})
	}
	return nil
}

// has reports whether a parameter was given and is not empty.
func (p params) has(name string) bool { return p.single[name] != "" }

// number reads a whole number that is at least low. A number above high is clamped to it, which clamped tells.
func (p params) number(name string, fallback, low, high int) (value int, clamped *warning, err *apiError) {
	text, ok := p.single[name]
	if !ok || text == "" {
		return fallback, nil, nil
	}
	value, parseErr := strconv.Atoi(text)
	if parseErr != nil || value < low {
		return 0, nil, invalidRequest("%s must be a whole number of at least %d, not %q", name, low, text).withParam(name)
	}
	if value > high {
		return high, &warning{Code: "limit_clamped", Message: name + " clamped to " + strconv.Itoa(high), Param: name}, nil
	}
	return value, nil, nil
}

// maxPage is the most records or hits of a page.
const maxPage = 100

// pageLimit reads limit.
func (p params) pageLimit(fallback int, noun string) (int, *warning, *apiError) {
	limit, clamped, err := p.number("limit", fallback, 1, maxPage)
	if clamped != nil {
		requested, _ := strconv.Atoi(p.single["limit"]) // number has read it
		clamped.Detail = map[string]int{"max_limit": maxPage, "requested_limit": requested}
		clamped.Message = "Requested limit=" + p.single["limit"] + " exceeds the maximum page size of 100; returned at most 100 " +
			noun + " per page. Page forward with the returned cursor."
	}
	return limit, clamped, err
}

// binding spells the query for a cursor to be bound to: everything but where in it and how far to read.
func (p params) binding(connectionID string) string {
	values := url.Values{}
	for name, value := range p.single {
		switch name {
		case "cursor", "limit", "count", "changes_since", "connection_id", "connector_instance_id":
		default:
			values.Set(name, value)
		}
	}
	for name, list := range p.lists {
		values[name] = slices.Sorted(slices.Values(list))
	}
	for _, filter := range p.filters {
		values.Add("filter["+filter.field+"]["+filter.operator+"]", filter.value)
	}
	for relation, limit := range p.limits {
		values.Set("expand_limit["+relation+"]", limit)
	}
	values.Set("connection_id", connectionID)
	return values.Encode()
}
