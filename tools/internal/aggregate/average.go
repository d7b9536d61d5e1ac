package aggregate

import (
	"cmp"
	"context"
	"math/big"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
)

// average answers an average without groups.
func (r *Aggregation) average(ctx context.Context) (*rs.Response, rs.Object, error) {
	q := r.Args
	q.Metric = "sum"
	response, body, err := r.do(ctx, r.scope, q)
	if err != nil {
		return nil, nil, err
	}
	_, count, err := r.withValue(ctx, body)
	if err != nil {
		return nil, nil, err
	}
	r.add("composed", true)
	return response, body.Without("links").WithAll(rs.Object{
		{Name: "metric", Value: `"avg"`}, {Name: "value", Value: quotient(body.Get("value"), count)},
		{Name: "sum", Value: cmp.Or(body.Get("value"), "null")}, rs.NewMember("count", count),
	}), nil
}

// withValue is how many of the records that an answer counted have a value of the field, where an average needs that, and the least value,
// by which those of a group are told; that is "" for any other metric, and where all records have a value.
func (r *Aggregation) withValue(ctx context.Context, body rs.Object) (least string, count int, err error) {
	all, counted := body.Number("filtered_record_count")
	if r.Args.Metric != "avg" || r.Args.Filter.Has(r.Args.Field) {
		return "", all, nil
	}
	_, answer, err := r.do(ctx, r.scope, Args{Metric: "min", Field: r.Args.Field, Filter: r.Args.Filter})
	least, ok := rs.AsText(answer.Get("value"))
	if err != nil || !ok {
		return "", all, err
	}
	count, err = r.countFrom(ctx, r.Args.Filter, least)
	if counted && all == count {
		least = ""
	}
	return least, count, err
}

// countFrom is how many records have at least a value.
func (r *Aggregation) countFrom(ctx context.Context, f filter.Filter, least string) (int, error) {
	q := Args{Metric: "count", Filter: append(slices.Clone(f), filter.Condition{Field: r.Args.Field, Operator: "gte", Value: least})}
	_, body, err := r.do(ctx, r.scope, q)
	count, _ := body.Number("value")
	return count, err
}

// quotient is a sum by a count with at most six decimals; null where there is none.
func quotient(sum string, count int) string {
	number, ok := new(big.Rat).SetString(sum)
	if !ok || count == 0 {
		return "null"
	}
	return decimal(number.Quo(number, big.NewRat(int64(count), 1)))
}

// decimal is a number with at most six decimals.
func decimal(number *big.Rat) string {
	text := strings.TrimRight(strings.TrimRight(number.FloatString(6), "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}
