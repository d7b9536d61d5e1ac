package embedded

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// parameters are the query parameters of a read, all of which its route supports.
type parameters struct {
	single  map[string]string
	lists   map[string][]string
	filters []filterParam
	limits  map[string]string // expand_limit[relation]
}

// A filterParam is one filter[field]=value or filter[field][operator]=value.
type filterParam struct {
	field, operator, value string // operator is empty for equality
}

type routeParams struct {
	single  []string
	lists   []string // may be repeated, with or without []
	filter  bool
	expand  bool // expand_limit[relation]
	lenient bool // unknown parameters are ignored
}

func parseParams(rawQuery string, known routeParams) (parameters, *apiError) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return parameters{}, invalidRequest("Malformed query string")
	}
	p := parameters{single: map[string]string{}, lists: map[string][]string{}, limits: map[string]string{}}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if refusal := p.take(key, values[key], known); refusal != nil {
			return parameters{}, refusal
		}
	}
	return p, nil
}

func (p *parameters) take(key string, values []string, known routeParams) *apiError {
	name, brackets, _ := strings.Cut(key, "[")
	relation, isLimit := strings.CutSuffix(brackets, "]")
	isLimit = isLimit && name == "expand_limit" && known.expand
	switch {
	case slices.Contains(known.lists, name) && (brackets == "" || brackets == "]"):
		p.lists[name] = append(p.lists[name], values...)
		return nil
	case name == "filter" && known.filter:
		return p.takeFilter(brackets, values)
	case !isLimit && !slices.Contains(known.single, key):
		if known.lenient {
			return nil
		}
		return invalidRequest("Unsupported query parameter: %s", key).withParam(key)
	case len(values) > 1:
		return invalidRequest("Query parameter %s must be given once", key).withParam(key)
	case isLimit:
		p.limits[relation] = values[0]
	default:
		p.single[key] = values[0]
	}
	return nil
}

// maxFilters limits the filters of a read, all of which become one condition of SQLite.
const maxFilters = 100

// takeFilter parses a filter parameter from after its first bracket: field] or field][operator].
func (p *parameters) takeFilter(brackets string, values []string) *apiError {
	inner, closed := strings.CutSuffix(brackets, "]")
	path := strings.Split(inner, "][")
	if !closed || len(path) > 2 || slices.Contains(path, "") {
		operators := strings.Join(rs.RangeOperators, "|")
		return invalidRequest("A filter is written filter[field]=value or filter[field][%s]=value", operators).withParam("filter")
	}
	if len(p.filters)+len(values) > maxFilters {
		return invalidRequest("A read can have at most %d filters", maxFilters).withParam("filter")
	}
	for _, value := range values {
		p.filters = append(p.filters, filterParam{field: path[0], operator: strings.Join(path[1:], ""), value: value})
	}
	return nil
}

func (p parameters) has(name string) bool { return p.single[name] != "" }

// positional are the parameters that may differ between pages of one query. Connections are bound separately, by id.
var positional = []string{"cursor", "limit", "count", "changes_since", "connection_id", "connector_instance_id"}

// binding returns the canonical form of a query, without the positional parameters, for a cursor to be bound to.
func binding(query url.Values, connectionID string) string {
	for name, values := range query {
		slices.Sort(values)
		if slices.Contains(positional, name) {
			query.Del(name)
		}
	}
	query.Set("connection_id", connectionID)
	return query.Encode()
}
