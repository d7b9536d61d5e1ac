package embedded

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// An orderedObject is a JSON object whose members keep the order of the stream's declaration.
type orderedObject []orderedMember

type orderedMember struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o orderedObject) MarshalJSON() ([]byte, error) {
	out := bytes.NewBufferString("{")
	for i, member := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(member.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(member.value)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// A fieldCapability is what may be asked of a field, in full.
type fieldCapability struct {
	Type           string                `json:"type,omitempty"`
	Role           string                `json:"role,omitempty"`
	Aggregation    map[string]capability `json:"aggregation"`
	Granted        bool                  `json:"granted"`
	LexicalSearch  capability            `json:"lexical_search"`
	Schema         orderedObject         `json:"schema"`
	SemanticSearch capability            `json:"semantic_search"`
	ExactFilter    capability            `json:"exact_filter"`
	RangeFilter    rangeCapability       `json:"range_filter"`
}

type capability struct {
	Declared bool `json:"declared"`
	Usable   bool `json:"usable"`
}

type rangeCapability struct {
	capability
	Operators []string `json:"operators,omitempty"`
}

// aggregationKinds are the kinds of aggregation that a field may declare.
var aggregationKinds = [...]string{"count_distinct", "group_by", "group_by_time", "max", "min", "sum"}

// newFieldCapability tells of a granted field: all that is declared is usable.
func newFieldCapability(field model.Field, embeddings bool) fieldCapability {
	declared := func(yes bool) capability { return capability{Declared: yes, Usable: yes} }
	f := fieldCapability{
		Type: extendedType(field), Role: field.Role, Aggregation: map[string]capability{}, Granted: true,
		LexicalSearch: declared(field.Lexical), Schema: fieldSchema(field), ExactFilter: declared(canExact(field)),
		RangeFilter: rangeCapability{capability: declared(canRange(field))}, SemanticSearch: declared(embeddings && isEmbedded(field)),
	}
	if f.RangeFilter.Declared {
		f.RangeFilter.Operators = operatorNames()
	}
	for _, kind := range aggregationKinds {
		f.Aggregation[kind] = declared(canAggregate(field, kind))
	}
	return f
}

func canExact(f model.Field) bool { return f.Exact && kindOf(f) != kindNone }

func canRange(f model.Field) bool { return f.Range && kindOf(f) != kindNone }

func canAggregate(f model.Field, kind string) bool {
	return slices.Contains(f.Aggregations, kind) && kindOf(f) != kindNone && (kind != "group_by_time" || kindOf(f) == kindInstant)
}

func operatorNames() []string {
	names := make([]string, len(rangeOperators))
	for i, operator := range rangeOperators {
		names[i] = operator.name
	}
	return names
}

// compactFlags spells the capabilities in one string, such as "t=timestamp,role=event-time,eq,r=gte|gt|lte|lt,a=max|min".
func compactFlags(field model.Field, embeddings bool) string {
	kind := extendedType(field)
	if kind == "" {
		kind = strings.Join(jsonTypes(field), "|")
	}
	flags := []string{"t=" + kind}
	if field.Role != "" {
		flags = append(flags, "role="+field.Role)
	}
	if canExact(field) {
		flags = append(flags, "eq")
	}
	if canRange(field) {
		flags = append(flags, "r="+strings.Join(operatorNames(), "|"))
	}
	if field.Lexical {
		flags = append(flags, "lex")
	}
	if embeddings && isEmbedded(field) {
		flags = append(flags, "sem")
	}
	var kinds []string
	for _, kind := range aggregationKinds {
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
func fieldSchema(field model.Field) orderedObject {
	types := jsonTypes(field)
	schema := orderedObject{{"type", types}}
	if len(types) == 1 {
		schema = orderedObject{{"type", types[0]}}
	}
	if kindOf(field) == kindInstant {
		schema = append(schema, orderedMember{"format", "date-time"})
	}
	if kind := extendedType(field); kind != "" {
		schema = append(schema, orderedMember{"x_pdpp_type", kind})
	}
	if field.Role != "" {
		schema = append(schema, orderedMember{"x_pdpp_role", field.Role})
	}
	return schema
}

// An expandCapability tells of a relation.
type expandCapability struct {
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

func newExpandCapability(relation model.Relation, granted, usable bool) expandCapability {
	e := expandCapability{
		Name: relation.Name, Stream: relation.Target, TargetStream: relation.Target, Cardinality: relation.Cardinality,
		Granted: granted, Usable: usable, ForeignKey: relation.ForeignKey,
	}
	if relation.Cardinality != "has_one" {
		e.DefaultLimit, e.MaxLimit = relationLimits(relation)
	}
	return e
}
