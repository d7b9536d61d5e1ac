package correct

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
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
	args = foreign.Counted(args)
	sent, one, several := t.oneOf(args)
	items, _ := rs.AsArray(list(args.Get(sent)))
	switch {
	case one == "group_by" && args.Has(one):
		by, _ := oneGroup(args.Text("metric"), several)
		args = args.With(one, rs.EncodeJSON(by))
	case one == "metric" && len(items) > 0:
		first := max(0, slices.IndexFunc(items, func(item string) bool { return strings.Contains(item, "(") })) // others are groups
		args = foreign.Computed(args.Renamed(sent, "metric", items[first]))
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

// oneOf returns the argument of an aggregate that takes one name but was given several, as it was sent and as the tool names it, and these
// names; "" for none.
func (t Tool) oneOf(args rs.Object) (sent, name string, several []string) {
	for _, m := range args {
		name = t.withNames(rs.Object{{Name: m.Name, Value: `""`}})[0].Name // metrics means metric
		several := written.Names(list(m.Value))
		given := args.Has(name) && m.Name != name
		if items, _ := rs.AsArray(m.Value); !given && name == "metric" && len(items) > 1 && rs.Kind(items[0]) == "object" {
			return m.Name, name, items
		}
		isCut := strings.Contains(m.Value, "(") && written.IsTimeName(m.Value) // date_trunc('month', ordered_at)
		if len(several) > 1 && !given && !isCut && rs.AsObject(m.Value) == nil && (name == "metric" || name == "field" || name == "group_by") {
			return m.Name, name, several
		}
	}
	return "", "", nil
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

// ofValues matches the name of a number that can be worked out from values, such as the median.
var ofValues = written.Expression(`^(?:approx_)?(?:median|percentiles?|quantile|quartile|p\d\d|` +
	`std|stdev|stddev|standard_deviation|variance|var)(?:_|$)`)

// spread returns the call that lists the values of a field in order, for a number without a metric, such as the median; false otherwise.
func (t Tool) spread(args rs.Object) (Call, bool) {
	metric, _ := written.Text(args.Get("metric"))
	if t.Name != "aggregate" || !ofValues().MatchString(written.Snake(metric)) || args.Text("field") == "" || !args.Has("stream") {
		return Call{}, false
	}
	call := instead("query_records", args, nil, "filter", "time_zone")
	call.Arguments = call.Arguments.With("fields", list(args.Get("field"))).With("sort", args.Get("field")).With("limit", "100")
	return call, true
}

// aggregate checks the fields of an aggregate: whether it can compute on them and group by them.
func (c *correction) aggregate(args rs.Object) rs.Object {
	metric, _ := written.Text(args.Get("metric"))
	for _, name := range []string{"field", "group_by", "group_by_time"} {
		if several := written.Names(args.Text(name)); len(several) > 1 && c.stream.Field(several[0]) != nil {
			c.report("unknown_field", name, "aggregate takes one %s.", name)
			hint := CallForEach(len(several))
			if name == "group_by" {
				several[0], hint = oneGroup(metric, several)
			}
			c.send(answer{hint: hint})
			args = args.With(name, rs.EncodeJSON(several[0]))
		}
	}
	field, ok := written.Text(args.Get("field"))
	title, _, titled := strings.Cut(field, " (") // the title of a column, with its unit
	titled = titled && strings.HasSuffix(field, ")") && len(c.stream.Near(title, nil)) > 0 || c.stream.Spelled(field) != ""
	switch {
	case !ok:
	case strings.ContainsAny(field, "*+/()<>=") && !titled:
		c.report("unknown_field", "field", "aggregate computes on one field of %s; %s is an expression.", c.stream.Name, quote.Text(field))
		c.send(answer{kind: sendSchema})
	case metric == "count":
		c.report("invalid_request", "field", "count takes no field: it counts records, and count_distinct the values of a field.")
		args = args.Without("field")
	default: // after "", the mended arguments are not sent
		args = args.With("field", rs.EncodeJSON(c.name("field", field, fields.Aggregates(metric), "take "+metric)))
	}
	for _, name := range []string{"group_by", "group_by_time"} {
		field, ok := written.Text(args.Get(name))
		if !ok {
			continue
		}
		if grouped, ok := c.timeGroup(args, name, field, metric); ok {
			args = grouped
		} else {
			args = args.With(name, rs.EncodeJSON(c.name(name, field, fields.Aggregates(name), toGroup)))
		}
	}
	return args
}

// sources are names of the connection of a record, which no group is by.
var sources = written.Set("connection connection_id connection_name connector connector_key display_name source account account_id")

// timeGroup mends a group by time that is sent as a group by a field, or the reverse; false if it is neither.
func (c *correction) timeGroup(args rs.Object, name, field, metric string) (rs.Object, bool) {
	if f := c.stream.Field(field); f != nil {
		return c.fieldGroup(args, name, *f, metric)
	}
	byTime := fields.Aggregates("group_by_time")
	times, near := c.stream.Near("date", byTime), c.stream.Near(field, byTime)
	unit := cmp.Or(foreign.WordForms["granularity"][written.Snake(field)], written.Snake(field))
	for _, time := range c.stream.Suited(byTime) {
		if strings.Contains(field, time) {
			times, unit = []string{time}, foreign.UnitIn(strings.Replace(field, time, "", 1))
		}
	}
	likely := cmp.Or(foreign.LikelyForms["granularity"][unit], unit)
	switch {
	case sources[written.Snake(field)]:
		c.report("unknown_field", name, "%s is no field: a number over several connections names each with its own.", quote.Text(field))
		return args.Without(name), true
	case foreign.Granularities[likely] && len(times) > 0:
		c.lacks(name, field, ": group_by_time names a time, and granularity its unit.")
		c.send(answer{hint: recurring(unit)})
		return byPeriod(args, name, times[0], likely), true
	case strings.Contains(field, "("):
		c.lacks(name, field, ": an expression is no group.")
		c.send(answer{kind: sendSchema})
		return args, true
	case name == "group_by" && len(near) > 0 && len(c.stream.Near(field, fields.Aggregates(name))) == 0:
		c.lacks(name, field, "; %s is a time: group_by_time groups by it.", quote.Line(near[0]))
		return byPeriod(args, name, near[0], cmp.Or(quote.When(unit == "date", "day"), "month")), true
	}
	return args, false
}

// fieldGroup mends a group_by that names a time, or a group_by_time that names another field; false if it is neither.
func (c *correction) fieldGroup(args rs.Object, name string, f rs.SchemaField, metric string) (rs.Object, bool) {
	groups, groupsTime := fields.Aggregates("group_by")(f), fields.Aggregates("group_by_time")(f)
	at := c.stream.Time()
	switch {
	case name == "group_by" && groupsTime && !groups:
		c.report("unknown_field", name, "%s is a time: group_by_time groups by it.", quote.Text(f.Name))
		return byPeriod(args, name, f.Name, "month"), true
	case name == "group_by_time" && groups && !groupsTime && at != "": // a granularity may have moved it there
		c.report("unknown_field", name, "%s is no time.", quote.Text(f.Name))
		if metric != "count" && written.IsUnitName(f.Name) {
			return args.With(name, rs.EncodeJSON(at)), true
		}
		c.send(answer{hint: "aggregate groups by a field or by time: for both, send a call for each value of " + quote.Line(f.Name) +
			" in filter."})
		return args.Renamed(name, "group_by", rs.EncodeJSON(f.Name)).Without("granularity", "time_zone"), true
	}
	return args, false
}

func byPeriod(args rs.Object, name, field, granularity string) rs.Object {
	return args.Renamed(name, "group_by_time", rs.EncodeJSON(field)).With("granularity", rs.EncodeJSON(granularity))
}
