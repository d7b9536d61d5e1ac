package capability

import (
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// A Query is what may be asked of a stream, by query parameter.
type Query struct {
	Search       *SearchFields  `json:"search,omitempty"`
	RangeFilters Object         `json:"range_filters"`
	Aggregations Object         `json:"aggregations"`
	Expand       []ExpandLimits `json:"expand"`
}

// SearchFields are the fields that are searched.
type SearchFields struct {
	LexicalFields  []string `json:"lexical_fields"`
	SemanticFields []string `json:"semantic_fields,omitempty"`
}

// ExpandLimits are the limits of a relation that may be expanded.
type ExpandLimits struct {
	Name         string `json:"name"`
	DefaultLimit int    `json:"default_limit,omitempty"`
	MaxLimit     int    `json:"max_limit,omitempty"`
}

// OfStream tells of granted fields, and of relations, by query parameter.
func OfStream(fields []model.Field, relations []Relation, meaning bool) Query {
	q := Query{RangeFilters: Object{}, Aggregations: Object{{"count", true}}, Expand: []ExpandLimits{}}
	var lexical, semantic []string
	for _, field := range fields {
		if field.Lexical {
			lexical = append(lexical, field.Name)
		}
		if meaning && store.HasMeaning(field) {
			semantic = append(semantic, field.Name)
		}
		if canRange(field) {
			q.RangeFilters = append(q.RangeFilters, Member{field.Name, store.Operators()})
		}
	}
	if lexical != nil {
		q.Search = &SearchFields{LexicalFields: lexical, SemanticFields: semantic}
	}
	for _, kind := range aggregations {
		var names []string
		for _, field := range fields {
			if canAggregate(field, kind) {
				names = append(names, field.Name)
			}
		}
		if names != nil {
			q.Aggregations = append(q.Aggregations, Member{kind, names})
		}
	}
	for _, r := range relations {
		if r.Usable {
			q.Expand = append(q.Expand, ExpandLimits{Name: r.Name, DefaultLimit: r.DefaultLimit, MaxLimit: r.MaxLimit})
		}
	}
	return q
}

// RecordSchema is the JSON Schema of a record of which some fields are shown.
func RecordSchema(fields []model.Field) Object {
	properties, required := Object{}, []string{}
	for _, field := range fields {
		properties = append(properties, Member{field.Name, fieldSchema(field)})
		if !field.Nullable {
			required = append(required, field.Name)
		}
	}
	return Object{{"type", "object"}, {"properties", properties}, {"required", required}}
}
