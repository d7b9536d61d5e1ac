// Package capability writes what may be asked of a field, a relation and a stream, as the schema routes of the PDPP contract have it.
package capability

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// An Object is a JSON object whose members keep the order of the stream's declaration.
type Object []Member

// A Member is a name with what it is. A json.RawMessage is written as it is.
type Member struct {
	Name  string
	Value any
}

// MarshalJSON writes the members in order.
func (o Object) MarshalJSON() ([]byte, error) {
	out := bytes.NewBufferString("{")
	for i, member := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(member.Name)
		if err != nil {
			return nil, err
		}
		value, isRaw := member.Value.(json.RawMessage)
		if !isRaw {
			if value, err = json.Marshal(member.Value); err != nil {
				return nil, err
			}
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// A Field is what may be asked of a field, in full.
type Field struct {
	Type           string         `json:"type,omitempty"`
	Role           string         `json:"role,omitempty"`
	Aggregation    map[string]Use `json:"aggregation"`
	Granted        bool           `json:"granted"`
	LexicalSearch  Use            `json:"lexical_search"`
	Schema         Object         `json:"schema"`
	SemanticSearch Use            `json:"semantic_search"`
	ExactFilter    Use            `json:"exact_filter"`
	RangeFilter    RangeUse       `json:"range_filter"`
}

// A Use is whether a field declares something, and whether the grant lets it be used.
type Use struct {
	Declared bool `json:"declared"`
	Usable   bool `json:"usable"`
}

// A RangeUse is a use with its operators.
type RangeUse struct {
	Use
	Operators []string `json:"operators,omitempty"`
}

// aggregations are the kinds of aggregation that a field may declare.
var aggregations = [...]string{"count_distinct", "group_by", "group_by_time", "max", "min", "sum"}

// OfField tells of a granted field: all that is declared is usable.
func OfField(field model.Field, meaning bool) Field {
	declared := func(yes bool) Use { return Use{Declared: yes, Usable: yes} }
	f := Field{
		Type: extendedType(field), Role: field.Role, Aggregation: map[string]Use{}, Granted: true,
		LexicalSearch: declared(field.Lexical), Schema: fieldSchema(field), ExactFilter: declared(canExact(field)),
		RangeFilter: RangeUse{Use: declared(canRange(field))}, SemanticSearch: declared(meaning && store.HasMeaning(field)),
	}
	if f.RangeFilter.Declared {
		f.RangeFilter.Operators = store.Operators()
	}
	for _, kind := range aggregations {
		f.Aggregation[kind] = declared(canAggregate(field, kind))
	}
	return f
}

func canExact(f model.Field) bool { return f.Exact && store.KindOf(f) != store.KindNone }

func canRange(f model.Field) bool { return f.Range && store.KindOf(f) != store.KindNone }

func canAggregate(f model.Field, kind string) bool {
	return slices.Contains(f.Aggregations, kind) && store.KindOf(f) != store.KindNone &&
		(kind != "group_by_time" || store.KindOf(f) == store.KindInstant)
}

// Flags spells the capabilities in one string, such as "t=timestamp,role=event-time,eq,r=gte|gt|lte|lt,a=max|min".
func Flags(field model.Field, meaning bool) string {
	kind := extendedType(field)
	kind = cmp.Or(kind, strings.Join(jsonTypes(field), "|"))
	flags := []string{"t=" + kind}
	if field.Role != "" {
		flags = append(flags, "role="+field.Role)
	}
	if canExact(field) {
		flags = append(flags, "eq")
	}
	if canRange(field) {
		flags = append(flags, "r="+strings.Join(store.Operators(), "|"))
	}
	if field.Lexical {
		flags = append(flags, "lex")
	}
	if meaning && store.HasMeaning(field) {
		flags = append(flags, "sem")
	}
	var kinds []string
	for _, kind := range aggregations {
		if canAggregate(field, kind) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) > 0 {
		flags = append(flags, "a="+strings.Join(kinds, "|"))
	}
	return strings.Join(flags, ",")
}

// extendedType is the type of a field where JSON has none for it.
func extendedType(field model.Field) string {
	switch field.Type {
	case "text", "timestamp", "blob":
		return field.Type
	}
	return ""
}

// jsonTypes are the types that a field's JSON may have.
func jsonTypes(field model.Field) []string {
	kind := field.Type
	switch kind {
	case "text", "timestamp", "":
		kind = "string"
	case "blob":
		kind = "object"
	}
	if field.Nullable {
		return []string{kind, "null"}
	}
	return []string{kind}
}

// fieldSchema is the field's JSON Schema.
func fieldSchema(field model.Field) Object {
	types := jsonTypes(field)
	schema := Object{{"type", types}}
	if len(types) == 1 {
		schema = Object{{"type", types[0]}}
	}
	if store.KindOf(field) == store.KindInstant {
		schema = append(schema, Member{"format", "date-time"})
	}
	if kind := extendedType(field); kind != "" {
		schema = append(schema, Member{"x_pdpp_type", kind})
	}
	if field.Role != "" {
		schema = append(schema, Member{"x_pdpp_role", field.Role})
	}
	return schema
}

// A Relation is what may be asked of a relation.
type Relation struct {
	Name                string `json:"name"`
	Stream              string `json:"stream"`
	TargetStream        string `json:"target_stream"`
	Cardinality         string `json:"cardinality"`
	Granted             bool   `json:"granted"`
	Usable              bool   `json:"usable"`
	ChildParentKeyField string `json:"child_parent_key_field,omitempty"`
	ForeignKey          string `json:"foreign_key"`
	DefaultLimit        int    `json:"default_limit,omitempty"`
	MaxLimit            int    `json:"max_limit,omitempty"`
}

// OfRelation tells of a relation that is granted, and may be followed, or is not.
func OfRelation(relation model.Relation, granted, usable bool) Relation {
	e := Relation{
		Name: relation.Name, Stream: relation.Target, TargetStream: relation.Target, Cardinality: relation.Cardinality,
		Granted: granted, Usable: usable, ForeignKey: relation.ForeignKey,
	}
	if relation.Cardinality != "has_one" {
		e.DefaultLimit, e.MaxLimit = relation.Limits()
	}
	return e
}
