package correct

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// oneAggregation takes metric, field and group out of the notation of other APIs for an aggregation; false if it is not understood.
func (t Tool) oneAggregation(args rs.Object) (rs.Object, bool) {
	if t.Name != "aggregate" {
		return args, true
	}
	for _, name := range []string{"group_by_time", "group_by"} {
		group := t.withNames(rs.AsObject(args.Get(name))) // {"field":"ordered_at","interval":"week"}
		if field := group.Text("field"); field != "" {
			args = args.With(name, rs.EncodeJSON(field)).WithAll(group.Without("field"))
		}
		if group.Has("granularity") {
			args = args.Renamed(name, "group_by_time", args.Get(name))
		}
	}
	if args.Flag("distinct") && args.Text("metric") == "count" && args.Has("field") {
		args = args.Without("distinct").With("metric", `"count_distinct"`)
	}
	if one, several := t.oneOf(args); one == "group_by" && args.Has(one) {
		by, _ := oneGroup(args.Text("metric"), several)
		args = args.With(one, rs.EncodeJSON(by))
	}
	for _, m := range args {
		if !t.aggregates(m, args) {
			continue
		}
		if found := foreign.Aggregation(m.Name, m.Value, t.metric); found.Has("metric") {
			args = args.Renamed(m.Name, "metric", found.Get("metric")).WithAll(found)
			break
		}
	}
	return args, !slices.ContainsFunc(args, func(m rs.Member) bool { return foreign.Aggregations[written.Snake(m.Name)] })
}

// aggregates reports whether an argument has a metric in the notation of other APIs: in an object, or as its name.
func (t Tool) aggregates(m rs.Member, args rs.Object) bool {
	name := written.Snake(m.Name)
	if m.Name == "metric" || args.Has("metric") {
		return m.Name == "metric" && rs.AsObject(soleItem(m.Value)) != nil
	}
	_, isText := written.Text(m.Value)
	return foreign.Aggregations[name] || isText && t.metric(name) != "" && !t.Takes(m.Name) && !args.Has("field")
}

// oneOf returns the argument of an aggregate that takes one name but was given several, and these names; "" for none.
func (t Tool) oneOf(args rs.Object) (name string, several []string) {
	for _, m := range args {
		name = t.withNames(rs.Object{{Name: m.Name, Value: `""`}})[0].Name // metrics means metric
		several := written.Names(list(m.Value))
		isCut := strings.Contains(m.Value, "(") && written.IsTimeName(m.Value) // date_trunc('month', ordered_at)
		if len(several) > 1 && !isCut && rs.AsObject(m.Value) == nil && (name == "metric" || name == "field" || name == "group_by") {
			return name, several
		}
	}
	return "", nil
}

// oneGroup picks the field that one call groups by, and explains how to group by all. Amounts have a column for each unit anyway.
func oneGroup(metric string, several []string) (by, hint string) {
	at := slices.IndexFunc(several, written.IsUnitName)
	if len(several) == 2 && at >= 0 && metric != "" && !strings.HasPrefix(metric, "count") {
		return several[1-at], "Amounts come apart by " + quote.Line(several[at]) + " in each group anyway."
	}
	apart := max(0, slices.IndexFunc(several, written.IsTimeName)) // a filter cannot list every time
	others := slices.Delete(slices.Clone(several), apart, apart+1)
	return several[0], "For all of these, send a call for each value of " + quote.Names(others, maxShown) + " in filter."
}

// metric returns the metric that a word means, as JSON; "" for none.
func (t Tool) metric(word string) string {
	p := t.parameter("metric")
	if raw := t.string(p, rs.EncodeJSON(strings.TrimPrefix(word, "$"))); p.allows(raw) {
		return raw
	}
	return ""
}

// spread returns the call that lists the values of a field in order, for a number without a metric, such as the median; false otherwise.
func (t Tool) spread(args rs.Object) (Call, bool) {
	metric, _ := written.Text(args.Get("metric"))
	if t.Name != "aggregate" || !foreign.OfValues().MatchString(written.Snake(metric)) || args.Text("field") == "" || !args.Has("stream") {
		return Call{}, false
	}
	call := instead("query_records", args, nil, "filter", "time_zone")
	call.Arguments = call.Arguments.With("fields", list(args.Get("field"))).With("sort", args.Get("field")).With("limit", "100")
	return call, true
}
