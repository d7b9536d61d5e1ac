package aggregate

import (
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
)

// moneyWords are parts of names of fields that have amounts of money.
var moneyWords = []string{"price", "amount", "total", "subtotal", "cost", "fee", "tax", "discount", "balance", "paid", "spent", "refund", "salary"}

// isMoney reports whether a field may have amounts of money.
func isMoney(field string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(field), "_"), func(word string) bool { return slices.Contains(moneyWords, word) })
}

// parentUnits reads in which currencies or units the records are whose parts are added up, such as the orders of order items: a price of an
// item is in the currency of its order. A single one is added to the answer; of several it is said that they are mixed, and which
// aggregation keeps them apart.
func (r *Aggregation) parentUnits(ctx context.Context) {
	if !isMoney(r.Args.Field) {
		return
	}
	scope := rs.Scope{ConnectionID: r.scope.ConnectionID}
	schema := r.schemas.Of(ctx, r.reads, scope).Document
	if schema == nil {
		return
	}
	for i := range schema.Streams {
		parent := &schema.Streams[i]
		at := slices.IndexFunc(parent.Relations(), func(one rs.Relation) bool {
			return one.Target == r.scope.Stream && one.ForeignKey != "" && known.HasConnection(parent, r.scope.ConnectionID)
		})
		if at < 0 {
			continue
		}
		scope.Stream = parent.Name
		named := known.ReadStream(schema, scope)
		unit := named.UnitOf(r.Args.Field)
		own := ""
		for _, field := range parent.Fields() {
			if unit == "" && isMoney(field.Name) {
				unit = named.UnitOf(field.Name)
			}
			if own == "" && isMoney(field.Name) && field.Granted && slices.Contains(field.Aggregates, r.Args.Metric) {
				own = field.Name
			}
		}
		if unit != "" {
			r.addParentUnits(ctx, scope, unit, own, parent.Relations()[at].ForeignKey)
			return
		}
	}
}

func (r *Aggregation) addParentUnits(ctx context.Context, scope rs.Scope, unit, own, foreignKey string) {
	q := Args{Metric: "count", GroupBy: unit, Limit: maxGroups, Zone: r.Args.Zone}
	filtered := false // by what does not say which parents are meant
	for _, c := range r.Args.Filter {
		if c.Field == foreignKey && c.Operator == "" {
			q.Filter = filter.Filter{{Field: "id", Value: c.Value}}
		} else {
			filtered = true
		}
	}
	_, body, err := r.do(ctx, scope, q)
	if err != nil {
		return
	}
	var units []string
	for _, g := range readGroups(body) {
		if text, ok := g.text(); ok {
			units = append(units, text)
		}
	}
	switch {
	case len(units) == 1:
		r.add("unit", units[0])
	case len(units) > 1 && r.Args.GroupBy != foreignKey:
		mixed := map[string]any{"stream": scope.Stream, "field": unit, "values": units[:min(len(units), maxUnits)]}
		switch {
		case filtered:
			mixed["possible"] = true
		case own != "" && q.Filter == nil:
			mixed["apart"] = map[string]any{"tool": "aggregate", "arguments": map[string]string{"stream": scope.Stream, "metric": r.Args.Metric, "field": own}}
		}
		r.add("mixed_units", mixed)
	}
}
