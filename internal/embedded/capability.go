package embedded

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// uses are the operations that a field supports: the schema routes advertise them, and reads enforce them.
type uses struct {
	exact, lexical, meaning bool
	operators               []string // of a range filter
	aggregations            []string
}

// aggregations are the kinds of aggregation that a field may declare.
var aggregations = [...]string{"count_distinct", "group_by", "group_by_time", "max", "min", "sum"}

// usesOf returns the uses of a field; meaning is whether the server has semantic search.
func usesOf(field model.Field, meaning bool) uses {
	kind := store.KindOf(field)
	u := uses{
		exact: field.Exact && kind != store.KindNone, operators: store.Operators(field),
		lexical: field.Lexical, meaning: meaning && store.HasMeaning(field),
	}
	for _, one := range aggregations {
		if slices.Contains(field.Aggregations, one) && kind != store.KindNone && (one != "group_by_time" || kind == store.KindInstant) {
			u.aggregations = append(u.aggregations, one)
		}
	}
	return u
}

// full describes a granted field in the full schema. Everything that is declared is usable.
func (u uses) full(field model.Field) object {
	declared := func(yes bool) object { return object{{"declared", yes}, {"usable", yes}} }
	aggregation, ranged := object{}, declared(u.operators != nil)
	for _, one := range aggregations {
		aggregation.set(one, declared(slices.Contains(u.aggregations, one)))
	}
	if u.operators != nil {
		ranged.set("operators", u.operators)
	}
	return object{
		{"aggregation", aggregation}, {"granted", true}, {"lexical_search", declared(u.lexical)}, {"schema", fieldSchema(field)},
		{"semantic_search", declared(u.meaning)}, {"exact_filter", declared(u.exact)}, {"range_filter", ranged},
	}.with("type", extendedType(field)).with("role", field.Role)
}

// flags describes the same in one string, such as "t=timestamp,role=event-time,eq,r=gte|gt|lte|lt,a=max|min".
func (u uses) flags(field model.Field) string {
	flags := []string{"t=" + cmp.Or(extendedType(field), strings.Join(jsonTypes(field), "|"))}
	for _, one := range [...]struct {
		there bool
		flag  string
	}{
		{field.Role != "", "role=" + field.Role}, {u.exact, "eq"}, {u.operators != nil, "r=" + strings.Join(u.operators, "|")},
		{u.lexical, "lex"}, {u.meaning, "sem"}, {len(u.aggregations) > 0, "a=" + strings.Join(u.aggregations, "|")},
	} {
		if one.there {
			flags = append(flags, one.flag)
		}
	}
	return strings.Join(flags, ",")
}

// queryOf describes the queries that a stream supports, by query parameter.
func queryOf(fields []model.Field, relations []object, meaning bool) object {
	named := func(supports func(uses) bool) (names []string) {
		for _, field := range fields {
			if supports(usesOf(field, meaning)) {
				names = append(names, field.Name)
			}
		}
		return names
	}
	ranged, supported, expand := object{}, object{{"count", true}}, []object{}
	for _, field := range fields {
		if operators := store.Operators(field); operators != nil {
			ranged = append(ranged, member{field.Name, operators})
		}
	}
	for _, one := range aggregations {
		supported = supported.with(one, named(func(u uses) bool { return slices.Contains(u.aggregations, one) }))
	}
	for _, relation := range relations {
		if relation.get("usable") == true {
			expand = append(expand, relation.only("name", "default_limit", "max_limit"))
		}
	}
	query := object{{"range_filters", ranged}, {"aggregations", supported}, {"expand", expand}}
	if lexical := named(func(u uses) bool { return u.lexical }); lexical != nil {
		query.set("search", object{{"lexical_fields", lexical}}.with("semantic_fields", named(func(u uses) bool { return u.meaning })))
	}
	return query
}

// extendedType returns the type of a field if it is not a JSON type, or "".
func extendedType(field model.Field) string {
	if slices.Contains([]string{"text", "timestamp", "date", model.LocalTime, "blob"}, field.Type) {
		return field.Type
	}
	return ""
}

func jsonTypes(field model.Field) []string {
	kind := field.Type
	switch kind {
	case "text", "timestamp", "date", model.LocalTime, "":
		kind = "string"
	case "blob":
		kind = "object"
	}
	if field.Nullable {
		return []string{kind, "null"}
	}
	return []string{kind}
}

func fieldSchema(field model.Field) object {
	schema := object{}.with("x_pdpp_type", extendedType(field)).with("x_pdpp_role", field.Role)
	if schema.set("type", jsonTypes(field)); !field.Nullable {
		schema.set("type", jsonTypes(field)[0])
	}
	switch {
	case field.Type == model.LocalTime: // JSON Schema has no format for it
	case field.Type == "date":
		schema.set("format", "date")
	case store.KindOf(field) == store.KindInstant:
		schema.set("format", "date-time")
	}
	return schema
}

func recordSchema(fields []model.Field) object {
	properties, required := object{}, []string{}
	for _, field := range fields {
		properties = append(properties, member{field.Name, fieldSchema(field)})
		if !field.Nullable {
			required = append(required, field.Name)
		}
	}
	return object{{"type", "object"}, {"properties", properties}, {"required", required}}
}
