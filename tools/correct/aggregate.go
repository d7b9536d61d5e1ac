package correct

import (
	"cmp"
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
			args = renamed(args, name, "group_by_time", args.Get(name))
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
		found := &aggregation{tool: t}
		if t.aggregates(m, args) && found.read(m.Name, m.Value) && found.args.Has("metric") {
			args = renamed(args, m.Name, "metric", found.args.Get("metric")).WithAll(found.args)
			break
		}
	}
	return args, !slices.ContainsFunc(args, func(m rs.Member) bool { return aggregations[written.Snake(m.Name)] })
}

// aggregates reports whether an argument has a metric in the notation of other APIs: in an object, or as its name.
func (t Tool) aggregates(m rs.Member, args rs.Object) bool {
	name := written.Snake(m.Name)
	if m.Name == "metric" || args.Has("metric") {
		return m.Name == "metric" && rs.AsObject(soleItem(m.Value)) != nil
	}
	_, isText := written.Text(m.Value)
	return aggregations[name] || isText && t.metric(name) != "" && !t.Takes(m.Name) && !args.Has("field")
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

// An aggregation collects the arguments of an aggregate from the notation of other APIs: an object with its metric and field, the $group of
// a MongoDB pipeline, terms and date_histogram of Elasticsearch.
type aggregation struct {
	tool Tool
	args rs.Object
}

// set sets an argument. It is false for an empty value, or if another value was set before: no aggregate computes two numbers.
func (a *aggregation) set(name, value string) bool {
	before := a.args.Get(name)
	a.args = a.args.With(name, value)
	return value != "" && (before == "" || before == value)
}

// read reads one member of the aggregation; false if something is not understood.
func (a *aggregation) read(name, raw string) bool {
	o := rs.AsObject(raw)
	text, _ := written.Text(raw)
	of := strings.TrimPrefix(cmp.Or(text, o.Text("field", "column")), "$")
	if of != "" {
		of = rs.EncodeJSON(of)
	}
	switch name {
	case "$match":
		return len(o) > 0 && a.set("filter", foreign.Canonical(raw))
	case "$limit":
		return a.set("limit", raw)
	case "$sort": // groups are sorted by their counts, or by time
		return true
	case "_id":
		return raw == "null" || a.set("group_by", of)
	case "terms":
		return a.set("group_by", of) && a.set("metric", `"count"`)
	case "date_histogram":
		interval := o.Text("calendar_interval", "interval", "fixed_interval")
		return granularities[interval] && a.set("metric", `"count"`) && a.set("group_by_time", of) &&
			a.set("granularity", rs.EncodeJSON(interval))
	}
	return a.readNumber(name, raw, of)
}

// readNumber reads the metric or its field, or members that contain them.
func (a *aggregation) readNumber(name, raw, of string) bool {
	o := rs.AsObject(raw)
	list, isList := rs.AsArray(raw)
	text, isText := written.Text(raw)
	switch metric := a.tool.metric(name); {
	case metric == `"count"` && o == nil || metric != "" && raw == "1": // of $sum
		return a.set("metric", `"count"`)
	case metric != "" && of != "":
		return a.set("metric", metric) && a.set("field", of)
	case isText && slices.Contains([]string{"metric", "function", "type", "op", "operation"}, name):
		return a.set("metric", cmp.Or(a.tool.metric(text), raw))
	case isText && (name == "field" || name == "column"):
		return a.set("field", raw)
	case isList:
		return !slices.ContainsFunc(list, func(item string) bool { return !a.read("", item) })
	}
	return len(o) > 0 && !slices.ContainsFunc(o, func(m rs.Member) bool { return !a.read(m.Name, m.Value) })
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
