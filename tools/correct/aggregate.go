package correct

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

var metricOfField = written.Expression(`^\s*(\w+)\s*\(\s*(?:(?i:distinct)\s+)?([\w.]+|\*)\s*\)\s*$`)

// computed brings the arguments of an aggregate into their form: "sum(total)" is a metric and its field.
func computed(args rs.Object) rs.Object {
	metric, _ := written.Text(args.Get("metric"))
	if found := metricOfField().FindStringSubmatch(metric); found != nil && !args.Has("field") {
		name := strings.ToLower(found[1])
		name = cmp.Or(wordForms["metric"][name], name)
		if strings.Contains(strings.ToLower(metric), "distinct ") {
			if name != "count" && name != "count_distinct" {
				return args // of distinct values there is a number alone
			}
			name = "count_distinct"
		}
		metric = name
		args = args.With("metric", rs.EncodeJSON(name)).With("field", rs.EncodeJSON(found[2]))
	}
	if field, _ := written.Text(args.Get("field")); field == "*" && metric == "count" {
		args = args.Without("field")
	}
	if args.Has("granularity") && args.Has("group_by") && !args.Has("group_by_time") {
		args = renamed(args, "group_by", "group_by_time", args.Get("group_by"))
	}
	return ordered(args)
}

// oneAggregation takes the metric and the field of one aggregation out of an object that other APIs have for it.
func (t Tool) oneAggregation(args rs.Object) rs.Object {
	if t.Name != "aggregate" {
		return args
	}
	if group := rs.AsObject(args.Get("group_by_time")); group.Text("field") != "" && !args.Has("granularity") {
		args = args.With("group_by_time", rs.EncodeJSON(group.Text("field"))).With("granularity", group.Get("granularity"))
	}
	if args.Flag("distinct") && args.Text("metric") == "count" && args.Has("field") {
		args = args.Without("distinct").With("metric", `"count_distinct"`)
	}
	if one, several := t.oneOf(args); one == "group_by" && args.Has(one) {
		by, _ := oneGroup(args.Text("metric"), several)
		args = args.With(one, rs.EncodeJSON(by))
	}
	for _, m := range args {
		name := written.Snake(m.Name)
		_, isText := written.Text(m.Value)
		found := &aggregation{tool: t}
		switch object := rs.AsObject(only(m.Value)) != nil; {
		case m.Name == "metric" && object, aggregations[name] && !args.Has("metric"):
		case isText && t.metric(name) != "" && !t.Takes(m.Name) && !args.Has("metric") && !args.Has("field"):
		default:
			continue
		}
		if found.read(m.Name, m.Value) && found.args.Has("metric") {
			return renamed(args, m.Name, "metric", found.args.Get("metric")).WithAll(found.args)
		}
	}
	return args
}

// metric is the one of an aggregate that a word means, as JSON; "" for none.
func (t Tool) metric(word string) string {
	p := t.parameter("metric")
	if raw := t.string(p, rs.EncodeJSON(strings.TrimPrefix(word, "$"))); p.allows(raw) {
		return raw
	}
	return ""
}

// An aggregation are the arguments of an aggregate that is written as other APIs do: an object for its metric and field, the $group of a
// pipeline of MongoDB, terms and date_histogram of Elasticsearch.
type aggregation struct {
	tool Tool
	args rs.Object
}

// set sets an argument; it is false where that has another value: no aggregate computes two numbers.
func (a *aggregation) set(name, value string) bool {
	before := a.args.Get(name)
	a.args = a.args.With(name, value)
	return value != "" && (before == "" || before == value)
}

// read reads one member of it; false where something is not understood.
func (a *aggregation) read(name, raw string) bool {
	o := rs.AsObject(raw)
	list, isList := rs.AsArray(raw)
	text, isText := written.Text(raw)
	of := rs.EncodeJSON(strings.TrimPrefix(cmp.Or(text, o.Text("field", "column")), "$"))
	switch metric := a.tool.metric(name); {
	case name == "$match":
		return len(o) > 0 && a.set("filter", foreign.Canonical(raw))
	case name == "$limit":
		return a.set("limit", raw)
	case name == "$sort" || name == "_id" && raw == "null": // groups are sorted by their counts, or by time
		return true
	case name == "_id" || name == "terms":
		return of != `""` && a.set("group_by", of) && (name == "_id" || a.set("metric", `"count"`))
	case name == "date_histogram":
		interval := o.Text("calendar_interval", "interval", "fixed_interval")
		return of != `""` && granularities[interval] && a.set("metric", `"count"`) && a.set("group_by_time", of) &&
			a.set("granularity", rs.EncodeJSON(interval))
	case metric == `"count"` && o == nil || metric != "" && raw == "1": // of $sum
		return a.set("metric", `"count"`)
	case metric != "" && of != `""`:
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

// spread is the list of the values of a field, in their order, for a number that is no metric but can be worked out from them, such as the
// median; false for any other metric.
func spread(args rs.Object) (Call, bool) {
	metric, _ := written.Text(args.Get("metric"))
	if !ofValues().MatchString(written.Snake(metric)) || args.Text("field") == "" || !args.Has("stream") {
		return Call{}, false
	}
	call := instead("query_records", args, nil, "filter", "time_zone")
	call.Arguments = call.Arguments.With("fields", list(args.Get("field"))).With("sort", args.Get("field")).With("limit", "100")
	return call, true
}

var ofValues = written.Expression(`^(?:approx_)?(?:median|percentiles?|quantile|quartile|p\d\d|` +
	`std|stdev|stddev|standard_deviation|variance|var)(?:_|$)`)
