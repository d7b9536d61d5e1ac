package tools

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// Bounds of what is read to explain a page without records: a count for each field of the filter, and the values of a field of which
// no record has the one that was asked for.
const (
	maxExplained    = 5
	maxKnownValues  = 12
	explainDeadline = 1500 * time.Millisecond
)

// explainable reports whether a page has no records because of its filter.
func (q queryRecordsArgs) explainable(response *rs.Response) bool {
	list, ok := response.List()
	return ok && len(q.filter) > 0 && len(list.Items) == 0 && q.position == (render.Position{}) && q.changesSince == "" &&
		!list.Envelope.Has("next_cursor") && !list.Envelope.Flag("has_more")
}

// explainEmpty reads how many records each field of a filter leaves alone. What is not answered is not said.
func explainEmpty(ctx context.Context, call Call, f filter) []render.EmptyField {
	ctx, cancel := context.WithTimeout(ctx, explainDeadline)
	defer cancel()
	var fields []render.EmptyField
	for _, c := range f {
		if !slices.ContainsFunc(fields, func(e render.EmptyField) bool { return e.Field == c.field }) && len(fields) < maxExplained {
			fields = append(fields, render.EmptyField{Field: c.field, Alone: -1})
		}
	}
	_ = inParallel(ctx, len(fields), func(ctx context.Context, i int) error {
		explainField(ctx, call, f, &fields[i])
		return nil
	})
	return fields
}

func explainField(ctx context.Context, call Call, f filter, e *render.EmptyField) {
	own := slices.DeleteFunc(slices.Clone(f), func(c condition) bool { return c.field != e.Field })
	counted, err := countRecords(ctx, call, own, "")
	if err != nil {
		return
	}
	n, ok := counted.Number("value")
	if !ok {
		return
	}
	e.Alone = n
	if n > 0 || own[0].operator != "" {
		return
	}
	if grouped, err := countRecords(ctx, call, nil, e.Field); err == nil {
		for _, raw := range grouped.Array("groups") {
			if one := rs.AsObject(raw); len(e.Values) < maxKnownValues && one.Has("key") {
				count, _ := one.Number("count")
				e.Values = append(e.Values, render.KnownValue{Key: one.Get("key"), Count: count})
			}
		}
	}
}

func countRecords(ctx context.Context, call Call, f filter, groupBy string) (rs.Object, error) {
	query := url.Values{"metric": {"count"}}
	setText(query, "connection_id", call.Scope.ConnectionID)
	if groupBy != "" {
		query.Set("group_by", groupBy)
		setNumber(query, "limit", maxKnownValues)
	}
	f.write(query)
	response, err := call.RS.Do(ctx, rs.Request{Path: rs.Path("streams", call.Scope.Stream, "aggregate"), Query: query})
	if err != nil {
		return nil, err
	}
	o := rs.AsObject(response.Distinct())
	if inner := o.Object("data"); inner != nil && !o.Has("metric") {
		return inner, nil
	}
	return o, nil
}
