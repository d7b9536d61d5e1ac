package correct

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// plainWord is a word of a filter without the signs that other query languages put before it.
func plainWord(word string) string {
	return strings.ToLower(strings.TrimLeft(strings.TrimSpace(word), "$_"))
}

// operatorOf returns the operator that a word means; false if it is not certain.
func operatorOf(word string) (operator string, certain bool) {
	plain := plainWord(word)
	if slices.Contains(rs.RangeOperators, plain) {
		return plain, true
	}
	operator, certain = operators[plain]
	if !certain {
		operator, certain = operators[written.Snake(plain)]
	}
	return operator, certain
}

// existsForm is what Elasticsearch asks for a value of a field with.
var existsForm = written.Expression(`\{\s*"(exists|missing)"\s*:\s*\{\s*"field"\s*:\s*("[\w.-]+")\s*\}\s*\}`)

// filterOf returns a filter in its own form: by field a value, or an object of range operators. What is not certain stays as it is.
func filterOf(raw string) string {
	raw = existsForm().ReplaceAllString(raw, `{$2:{"$1":true}}`)
	if list, ok := rs.AsArray(raw); ok {
		return conjunction(list, raw)
	}
	o := rs.AsObject(raw)
	if o == nil {
		return raw
	}
	if field, condition, ok := spelled(o); ok && field != "" {
		return rs.Object{{Name: field, Value: condition}}.JSON()
	}
	if inner := unwrapped(o); inner != nil {
		return filterOf(rs.JoinArray(inner))
	}
	if len(o) == 1 && plainWord(o[0].Name) == "and" {
		if list, ok := rs.AsArray(o[0].Value); ok {
			return conjunction(list, raw)
		}
	}
	changed := slices.Clone(o)
	for i := range changed {
		changed[i].Value = condition(changed[i].Value)
	}
	return changed.JSON()
}

// condition is what one field is compared with.
func condition(raw string) string {
	if list, ok := rs.AsArray(raw); ok && len(list) == 1 && rs.Kind(list[0]) != "object" {
		return list[0]
	}
	o := rs.AsObject(raw)
	if field, compared, ok := spelled(o); ok && field == "" && len(o) == 2 {
		return compared
	}
	var ranges rs.Object
	for _, m := range o {
		operator, ok := operatorOf(m.Name)
		switch {
		case plainWord(m.Name) == "in" && len(o) == 1 && only(m.Value) != m.Value:
			return only(m.Value)
		case !ok || ranges.Includes(operator):
			return raw
		case operator == "" && len(o) == 1:
			return condition(m.Value)
		case operator == "":
			return raw
		case m.Value == "null" && len(o) > 1:
			continue // a null argument counts as absent
		}
		ranges = append(ranges, rs.Member{Name: operator, Value: m.Value})
	}
	if len(ranges) == 0 {
		return raw
	}
	return ranges.JSON()
}

// spelled reads a condition that names its parts: {"field":"total","operator":">=","value":100}, or within its field the last two.
func spelled(o rs.Object) (field, comparison string, ok bool) {
	word := "eq"
	for _, m := range o {
		s, isText := written.Text(m.Value)
		switch name := strings.ToLower(m.Name); {
		case fieldParts[name] && field == "" && isText:
			if len(o) == 2 && name != "field" && name != "field_path" {
				return "", "", false // without an operator these can be fields of the stream
			}
			field = s
		case operatorParts[name] && isText:
			word = s
		case valueParts[name] && comparison == "":
			comparison = m.Value
		default:
			return "", "", false
		}
	}
	if comparison == "" || !isOperator(word) {
		return "", "", false
	}
	return field, condition(rs.Object{{Name: word, Value: comparison}}.JSON()), true
}

// byProperty returns the conditions of a filter that names the type of each property, as Notion does: {"property":"total","number":
// {"greater_than":5}}, alone or in a list of which all hold. It is false for any other filter. A stream may have fields of these names.
func byProperty(o rs.Object) (plain rs.Object, ok bool) {
	if len(o) == 1 && plainWord(o[0].Name) == "and" {
		var conditions []string
		for _, raw := range o.Array(o[0].Name) {
			one, ok := byProperty(rs.AsObject(raw))
			if !ok {
				return nil, false
			}
			conditions = append(conditions, one.JSON())
		}
		plain = rs.AsObject(conjunction(conditions, ""))
		return plain, len(plain) > 0
	}
	name := cmp.Or(o.Text("property"), o.Text("timestamp"))
	if len(o) != 2 || name == "" {
		return nil, false
	}
	is := o.Without("property", "timestamp")
	if len(is) != 1 {
		return nil, false
	}
	return rs.Object{{Name: name, Value: condition(is[0].Value)}}, propertyTypes[is[0].Name]
}

// conjunction joins the conditions of a list, all of which must hold. If two cannot stand in one object, raw is returned.
func conjunction(list []string, raw string) string {
	var all rs.Object
	for _, item := range list {
		conditions := rs.AsObject(filterOf(item))
		if len(conditions) == 0 {
			return raw
		}
		for _, m := range conditions {
			if before := rs.AsObject(all.Get(m.Name)); before != nil && rs.AsObject(m.Value) != nil {
				for _, r := range rs.AsObject(m.Value) {
					if before.Includes(r.Name) {
						return raw
					}
					before = append(before, r)
				}
				all = all.With(m.Name, before.JSON())
				continue
			}
			if all.Includes(m.Name) {
				return raw
			}
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return raw
	}
	return all.JSON()
}

// with adds a condition to a filter.
func with(filter rs.Object, field, operator, value string) rs.Object {
	if operator == "" {
		return filter.With(field, value)
	}
	return filter.With(field, filter.Object(field).With(operator, value).JSON())
}

// wrappers are what other query languages put around a condition; the value is an operator that it stands for, "" for none.
var wrappers = map[string]string{
	"where": "", "filter": "", "query": "", "term": "", "terms": "", "range": "", "bool": "", "must": "", "constant_score": "",
	"match": "match", "match_phrase": "match", "wildcard": "match", "prefix": "match", "regexp": "match",
	"not": "not", "nor": "not", "must_not": "not", "exclude": "not", "except": "not",
}

// unwrapped returns the conditions inside those of a filter that other languages wrap, such as {"range":{"total":{"gte":5}}} and
// {"bool":{"must":[…]}}; nil where there is nothing to unwrap. A filter that has such a name for a field compares it with no object of
// other fields.
func unwrapped(o rs.Object) (conditions []string) {
	found := false
	for _, m := range o {
		operator, wraps := wrappers[plainWord(m.Name)]
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
	plain := plainWord(word)
	return certain || lists[plain] || absences[plain] || presences[plain] || exclusions[plain] || seeks[plain] || likely[plain] != "" || ranges[plain]
}
