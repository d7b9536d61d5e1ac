package embedded

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// rangeOperators are the comparisons of a range filter and what they are in SQL.
var rangeOperators = [...]struct{ name, sql string }{{"gte", ">="}, {"gt", ">"}, {"lte", "<="}, {"lt", "<"}}

// filtered narrows the sources to those that the filters make sense to, and returns the condition for each.
func (c *call) filtered(sources []access) ([]access, []where, error) {
	kept, err := keepUsable(sources, func(s access) *apiError {
		_, err := filterWhere(s, c.params.filters)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	c.warnLeftOut(sources, kept, "filter")
	conditions := make([]where, len(kept))
	for i, s := range kept {
		condition, err := filterWhere(s, c.params.filters)
		if err != nil {
			return nil, nil, err
		}
		conditions[i] = s.conditions().with(condition)
	}
	return kept, conditions, nil
}

// filterWhere turns filters into a condition on a source's table. A field that is not granted cannot be filtered by:
// the answer would tell its value.
func filterWhere(s access, filters []filterParam) (where, *apiError) {
	var w where
	for _, f := range filters {
		field, err := s.demand(f.field)
		if err != nil {
			return where{}, err
		}
		if err := filterClause(s, field, f, &w); err != nil {
			return where{}, err
		}
	}
	return w, nil
}

func filterClause(s access, field model.Field, f filterParam, w *where) *apiError {
	target, comparable := s.column(field.Name)
	if f.operator == "" {
		if !field.Exact || !comparable {
			return invalidRequest("Exact filters are not supported on '%s'", field.Name)
		}
		value, err := target.kind.operand(field.Name, f.value)
		if err != nil {
			return err
		}
		if target.kind == kindList {
			w.and("EXISTS (SELECT 1 FROM json_each("+target.name+") WHERE CAST(value AS TEXT) = ?)", value)
		} else {
			w.and(target.name+" = ?", value)
		}
		return nil
	}
	if !field.Range || !comparable {
		return invalidRequest("Range filters are not supported on '%s'", field.Name)
	}
	at := slices.IndexFunc(rangeOperators[:], func(o struct{ name, sql string }) bool { return o.name == f.operator })
	if at < 0 {
		return invalidRequest("Unsupported range operator '%s' on '%s'", f.operator, field.Name)
	}
	value, err := target.kind.operand(field.Name, f.value)
	if err != nil {
		return err
	}
	w.and(target.name+" "+rangeOperators[at].sql+" ?", value)
	return nil
}
