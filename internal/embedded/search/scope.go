package search

import "slices"

// A Scope says which columns and records of an index are visible, by number of source.
type Scope []sourceScope

type sourceScope struct {
	*Source         // nil: it is not searched
	at      int     // index of the source in the request
	average float32 // average length of its records; 0: unknown, or some fields are hidden
}

// NewScope returns the scope of sources.
func NewScope(sources []Source) Scope {
	var scope Scope
	for i := range sources {
		if source := &sources[i]; source.IsSearched() {
			scope = append(scope, make(Scope, max(source.Number+1-len(scope), 0))...)
			scope[source.Number] = sourceScope{Source: source, at: i}
		}
	}
	return scope
}

// at returns the scope of a source, nil if nothing of it is visible.
func (s Scope) at(source int) *sourceScope {
	if source >= len(s) || s[source].Source == nil {
		return nil
	}
	return &s[source]
}

// of returns the scope of the source of a record, nil if the record is not visible.
func (s Scope) of(source int, version uint32) *sourceScope {
	one := s.at(source)
	if one == nil || one.Only != nil && !one.Only[int64(version)] {
		return nil
	}
	return one
}

// weight returns the weight of a column, 0 if it is not visible.
func (s *sourceScope) weight(column int) float32 {
	if column < 0 || column >= len(s.Weights) { // negative in a damaged row
		return 0
	}
	return s.Weights[column]
}

// Weight returns the weight of a column of a record, 0 if it is not visible.
func (s Scope) Weight(source int, version uint32, column int) float32 {
	one := s.of(source, version)
	if one == nil {
		return 0
	}
	return one.weight(column)
}

// BodyWeight is the weight of a match in a body. In a body, a match counts less the longer the record is.
const BodyWeight = 1

// A Source is one stream of one connection, restricted to what a grant shows.
type Source struct {
	Number           int
	Weights          []float32      // of a match in each searched field; a body has BodyWeight, and a field that the grant does not show 0
	Only             map[int64]bool // versions of the records that may be found; nil for all of them
	HasConversations bool           // its records form conversations: a match also raises its neighbors
}

// IsSearched reports whether the grant shows a searched field.
func (s *Source) IsSearched() bool {
	return slices.ContainsFunc(s.Weights, func(weight float32) bool { return weight > 0 })
}
