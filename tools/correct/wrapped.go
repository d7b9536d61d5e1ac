package correct

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// wrappers are what other query languages put around a condition; the value is an operator that it stands for, "" for none.
var wrappers = map[string]string{
	"where": "", "filter": "", "query": "", "term": "", "terms": "", "range": "", "bool": "", "must": "", "constant_score": "",
	"match": "match", "match_phrase": "match", "wildcard": "match", "prefix": "match", "regexp": "match",
	"not": "not", "must_not": "not",
}

// unwrapped returns the conditions inside those of a filter that other languages wrap, such as {"range":{"total":{"gte":5}}} and
// {"bool":{"must":[…]}}; nil where there is nothing to unwrap. A filter that has such a name for a field compares it with no object of
// other fields.
func unwrapped(o rs.Object) (conditions []string) {
	found := false
	for _, m := range o {
		operator, wraps := wrappers[strings.ToLower(strings.TrimLeft(m.Name, "$_"))]
		inner, isList := rs.AsArray(m.Value)
		if !isList {
			inner = []string{m.Value}
		}
		for _, raw := range inner {
			fields := rs.AsObject(raw)
			if !wraps || len(fields) == 0 || isOperator(fields[0].Name) && rs.AsObject(fields[0].Value) == nil {
				conditions = append(conditions, rs.Object{{Name: m.Name, Value: raw}}.JSON())
				continue
			}
			found = true
			for _, field := range fields {
				value := field.Value
				if within := rs.AsObject(value); within != nil && within.Text("query", "value") != "" && operator != "" {
					value = rs.EncodeJSON(within.Text("query", "value"))
				}
				if within, nested := wrappers[strings.ToLower(field.Name)]; nested && operator != "" { // not all of it can be what one condition is not
					inside := unwrapped(rs.Object{field})
					if within != "" || len(inside) != 1 || len(rs.AsObject(inside[0])) != 1 {
						return nil
					}
					field = rs.AsObject(inside[0])[0]
					if _, again := wrappers[strings.ToLower(field.Name)]; again {
						return nil
					}
					value = field.Value
				}
				if operator != "" {
					value = rs.Object{{Name: operator, Value: value}}.JSON()
				}
				conditions = append(conditions, rs.Object{{Name: field.Name, Value: value}}.JSON())
			}
		}
	}
	if !found {
		return nil
	}
	return conditions
}

// isOperator reports whether a word compares a field with something.
func isOperator(word string) bool {
	_, certain := operatorOf(word)
	plain := strings.ToLower(strings.TrimLeft(word, "$_"))
	return certain || lists[plain] || absences[plain] || exclusions[plain] || seeks[plain] || likely[plain] != "" || plain == "between"
}

// isPeriod reports whether two values are the first and the last day or time of a period.
func isPeriod(values []string) bool {
	return len(values) == 2 && isTime(values[0]) && isTime(values[1]) && !Reversed(values[0], values[1])
}

// isTime reports whether a value is a date or time as a filter takes it.
func isTime(raw string) bool {
	s, _ := text(raw)
	_, err := rs.ReadTime(s)
	return err == nil
}

var twoDates = regexp.MustCompile(`(?i)^\s*([0-9][^\s/]*?)(?:\s*(?:\.{2,3}|/)\s*|\s+(?:to|until|till|through|and|-|–|—)\s+)([0-9][^\s/]*)\s*$`)

// periodOf is the range that a text such as "2026-05-01..2026-05-31" means; "" for anything else.
func periodOf(raw string) string {
	s, _ := text(raw)
	found := twoDates.FindStringSubmatch(s)
	if found == nil || !isPeriod([]string{rs.EncodeJSON(found[1]), rs.EncodeJSON(found[2])}) {
		return ""
	}
	return rs.Object{{Name: "gte", Value: rs.EncodeJSON(found[1])}, {Name: "lte", Value: rs.EncodeJSON(found[2])}}.JSON()
}

var tailOfSQL = regexp.MustCompile(`(?i)^(.*?)(?:\s+order\s+by\s+([\w.]+)(?:\s+(asc|desc))?)?(?:\s+limit\s+([0-9]+))?\s*;?\s*$`)

// withoutTail gives the order and the limit behind a filter that is written as SQL their own arguments.
func (t Tool) withoutTail(args rs.Object) rs.Object {
	s, ok := text(args.Get("filter"))
	found := tailOfSQL.FindStringSubmatch(s)
	if !ok || found == nil || found[2] == "" && found[4] == "" {
		return args
	}
	args = args.With("filter", rs.EncodeJSON(strings.TrimPrefix(found[1], "WHERE ")))
	if found[2] != "" && t.Takes("sort") && !args.Has("sort") {
		field := found[2]
		if strings.EqualFold(found[3], "desc") {
			field = "-" + field
		}
		args = args.With("sort", rs.EncodeJSON(field))
	}
	if found[4] != "" && t.Takes("limit") && !args.Has("limit") {
		args = args.With("limit", found[4])
	}
	return args
}

// chosen is a list of the names that an object chooses, as {"total":1,"merchant":true} does; any other value as it is.
func chosen(raw string) string {
	o := rs.AsObject(raw)
	var names []string
	for _, m := range o {
		if m.Value != "1" && m.Value != "true" && m.Value != "{}" {
			return raw
		}
		names = append(names, m.Name)
	}
	if names == nil {
		return raw
	}
	return listed(names)
}

// expanded takes an object of relations with their limits apart: {"attachments":{"limit":3}}.
func expanded(args rs.Object) rs.Object {
	relations := rs.AsObject(args.Get("expand"))
	var names []string
	var limits rs.Object
	for _, m := range relations {
		limit, ok := rs.AsObject(m.Value).Number("limit")
		if !ok || args.Has("expand_limit") {
			return args
		}
		names, limits = append(names, m.Name), append(limits, rs.Member{Name: m.Name, Value: strconv.Itoa(limit)})
	}
	if names == nil {
		return args
	}
	return args.With("expand", listed(names)).With("expand_limit", limits.JSON())
}

// oneAggregation takes the metric and the field of one aggregation out of an object that other APIs have for it.
func (t Tool) oneAggregation(args rs.Object) rs.Object {
	if group := rs.AsObject(args.Get("group_by_time")); t.Name == "aggregate" && group.Text("field") != "" && !args.Has("granularity") {
		args = args.With("group_by_time", rs.EncodeJSON(group.Text("field"))).With("granularity", group.Get("granularity"))
	}
	for _, m := range args {
		if t.Name != "aggregate" || args.Has("metric") || !aggregations[snake(m.Name)] {
			continue
		}
		one := rs.AsObject(only(m.Value))
		if within := rs.AsObject(m.Value); len(within) == 1 { // {"spent":{"sum":{"field":"total"}}}
			if function := rs.AsObject(within[0].Value); len(function) == 1 && rs.AsObject(function[0].Value) != nil {
				one = append(rs.Object{{Name: "metric", Value: rs.EncodeJSON(function[0].Name)}}, rs.AsObject(function[0].Value)...)
			}
		}
		metric, field := one.Text("metric", "function", "type", "op", "operation"), one.Text("field", "column")
		if metric == "" {
			continue
		}
		args = renamed(args, m.Name, "metric", t.string(t.parameter("metric"), rs.EncodeJSON(metric)))
		if field != "" {
			args = args.With("field", rs.EncodeJSON(field))
		}
		return args
	}
	return args
}
