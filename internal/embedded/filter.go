package embedded

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// filtered narrows the sources to those that the filters make sense to, and to the records that they ask for.
func (c *call) filtered(sources []access) ([]access, *apiError) {
	kept, err := keepUsable(sources, func(s access) *apiError {
		_, err := s.filter(c.params.filters)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.warnLeftOut(sources, kept, "filter")
	for i, s := range kept {
		if kept[i], err = s.filter(c.params.filters); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// filter narrows a source. A field that is not granted cannot be filtered by: the answer would tell its value.
func (s access) filter(filters []filterParam) (access, *apiError) {
	for _, f := range filters {
		field, err := s.demand(f.field)
		if err != nil {
			return access{}, err
		}
		condition, err := s.condition(field, f)
		if err != nil {
			return access{}, err
		}
		s.Source = s.Narrow(condition)
	}
	return s, nil
}

func (s access) condition(field model.Field, f filterParam) (store.Where, *apiError) {
	target, comparable := s.Column(field.Name)
	switch {
	case f.operator == "" && (!field.Exact || !comparable):
		return store.Where{}, invalidRequest("Exact filters are not supported on '%s'", field.Name)
	case f.operator != "" && (!field.Range || !comparable):
		return store.Where{}, invalidRequest("Range filters are not supported on '%s'", field.Name)
	case f.operator != "" && !slices.Contains(store.Operators(), f.operator):
		return store.Where{}, invalidRequest("Unsupported range operator '%s' on '%s'", f.operator, field.Name)
	}
	w, ok := target.Filter(f.operator, f.value)
	if !ok {
		return store.Where{}, invalidRequest("Filter value %q on '%s' is not a %s", f.value, field.Name, target.Kind.Noun()).withParam("filter[" + field.Name + "]")
	}
	return w, nil
}
