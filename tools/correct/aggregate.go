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

// partOfTime is a time in SQL that is cut to its hour, day, week and so on.
var partOfTime = written.Expression(`(?i)^(?:date_?trunc\(\s*['"]?)?(hour|day|week|month|quarter|year)(?:['"]?\s*,|\()\s*([\w.]+)\s*\)$`)

// aggregate compares the fields of an aggregate with those that it can compute on and group by.
func (c *correction) aggregate() {
	metric, _ := written.Text(c.args.Get("metric"))
	for _, name := range []string{"field", "group_by", "group_by_time"} {
		if several := written.Names(c.args.Text(name)); len(several) > 1 && c.stream.field(several[0]) != nil {
			c.say(rs.UnknownField, name, "aggregate takes one %s.", name)
			c.args = c.args.With(name, rs.EncodeJSON(several[0]))
			c.hint = CallForEach(len(several))
		}
	}
	if field, ok := written.Text(c.args.Get("field")); ok && strings.ContainsAny(field, "*+/()<>=") && c.stream.field(field) == nil {
		c.say(rs.UnknownField, "field", "aggregate computes on one field of %s; %s is an expression.", c.stream.Name, quote.Text(field))
		c.open, c.partly = true, true
	} else if ok && metric != "count" {
		if to := c.name("field", field, aggregates(metric), "take "+metric); to != "" {
			c.args = c.args.With("field", rs.EncodeJSON(to))
		}
	}
	for _, name := range []string{"group_by", "group_by_time"} {
		if field, ok := written.Text(c.args.Get(name)); ok && !c.timeGroup(name, field, metric) {
			if to := c.name(name, field, aggregates(name), "group"); to != "" {
				c.args = c.args.With(name, rs.EncodeJSON(to))
			}
		}
	}
}

// timeGroup mends a group that is written as one of time and is none, or the other way round; false where that is not so.
func (c *correction) timeGroup(name, field, metric string) bool {
	f, at := c.stream.field(field), c.stream.Time()
	granularity := cmp.Or(wordForms["granularity"][written.Snake(field)], written.Snake(field))
	part := partOfTime().FindStringSubmatch(field)
	times := c.stream.near("date", aggregates("group_by_time"))
	byTime := func(field, granularity string) {
		c.args = renamed(c.args, name, "group_by_time", rs.EncodeJSON(field)).With("granularity", rs.EncodeJSON(granularity))
	}
	switch {
	case recurring(field) != "" && f == nil && len(times) > 0:
		c.say(rs.UnknownField, name, "%s has no field %s.", c.stream.Name, quote.Text(field))
		byTime(times[0], likelyForms["granularity"][written.Snake(field)])
		c.hint = recurring(field)
	case granularities[granularity] && f == nil && len(times) > 0:
		c.say(rs.UnknownField, name, "%s is a granularity; group_by_time names the field.", quote.Text(field))
		byTime(times[0], granularity)
	case name == "group_by" && f != nil && aggregates("group_by_time")(*f) && !aggregates(name)(*f):
		c.say(rs.UnknownField, name, "%s is a time: group_by_time groups by it.", quote.Text(field))
		byTime(field, "month")
	case name == "group_by_time" && at != "" && f != nil && aggregates("group_by")(*f) && !aggregates(name)(*f): // by a granularity beside it
		c.say(rs.UnknownField, name, "%s is no time.", quote.Text(field))
		if c.args = c.args.With(name, rs.EncodeJSON(at)); metric == "count" || !isUnit(field) {
			c.args = renamed(c.args, name, "group_by", rs.EncodeJSON(field)).Without("granularity", "time_zone")
			c.hint = "aggregate groups by a field or by time: for both, send a call for each value of " + quote.Line(field) + " in filter."
		}
	case part != nil && c.stream.field(part[2]) != nil:
		c.say(rs.UnknownField, name, "A group of time is a field and its granularity.")
		byTime(part[2], strings.ToLower(part[1]))
	default:
		return false
	}
	return true
}

// WithField is an aggregate with a field that its metric can be computed on, and what there is to choose from; "" where there is none.
func (s KnownStream) WithField(t Tool, args rs.Object) (send, hint string) {
	metric := args.Text("metric")
	can := aggregates(metric)
	fields := s.suited(can)
	if len(s.Fields) == 0 || len(fields) == len(s.Fields) || len(fields) == 0 {
		return "", ""
	}
	field := append(s.near("amount", can), fields[0])[0]
	hint = "Of " + s.Name + " these take " + metric + ": " + quote.Names(fields, maxShown) + "."
	return Call{t.Name, args.With("field", rs.EncodeJSON(field))}.String(), hint
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
	for _, name := range []string{"group_by", "group_by_time"} { // a list of a time and something else
		list, _ := rs.AsArray(args.Get(name))
		at := slices.IndexFunc(list, func(raw string) bool { s, _ := written.Text(raw); return written.IsTimeName(s) })
		if len(list) == 2 && at >= 0 && (!args.Has("group_by") || !args.Has("group_by_time")) {
			args = args.Without(name).With("group_by_time", list[at]).With("group_by", list[1-at])
		}
	}
	for _, m := range args {
		function := written.Snake(m.Name)
		function = cmp.Or(wordForms["metric"][function], function)
		field, isText := written.Text(m.Value)
		if isText && !args.Has("metric") && !args.Has("field") && !t.Takes(m.Name) && t.parameter("metric").allows(rs.EncodeJSON(function)) {
			return renamed(args, m.Name, "metric", rs.EncodeJSON(function)).With("field", rs.EncodeJSON(field))
		}
		if args.Has("metric") && (m.Name != "metric" || rs.AsObject(only(m.Value)) == nil) || m.Name != "metric" && !aggregations[function] {
			continue
		}
		if grouped := aggregation(m.Value); grouped != nil {
			return args.Without(m.Name).WithAll(grouped)
		}
		one := rs.AsObject(only(m.Value))
		if within := rs.AsObject(m.Value); len(within) == 1 { // {"spent":{"sum":{"field":"total"}}}
			if function := rs.AsObject(within[0].Value); len(function) == 1 && rs.AsObject(function[0].Value) != nil {
				one = append(rs.Object{{Name: "metric", Value: rs.EncodeJSON(function[0].Name)}}, rs.AsObject(function[0].Value)...)
			}
		}
		metric, field := one.Text("metric", "function", "type", "op", "operation"), one.Text("field", "column")
		if metric == "" {
			continue
		}
		args = renamed(args, m.Name, "metric", t.string(t.parameter("metric"), rs.EncodeJSON(metric)))
		if field != "" {
			args = args.With("field", rs.EncodeJSON(field))
		}
		return args
	}
	return args
}

// aggregation reads the groups of other query languages: the $group of a pipeline of MongoDB, and terms and date_histogram of
// Elasticsearch; nil for anything else.
func aggregation(raw string) (args rs.Object) {
	if stages, ok := rs.AsArray(raw); ok {
		for _, stage := range stages {
			group, match := rs.AsObject(stage).Object("$group"), rs.AsObject(stage).Object("$match")
			switch {
			case len(match) > 0:
				args = args.With("filter", foreign.Canonical(match.JSON()))
			case rs.AsObject(stage).Has("$limit"):
				args = args.With("limit", rs.AsObject(stage).Get("$limit"))
			case rs.AsObject(stage).Has("$sort"): // groups are sorted by their counts, or by time
			case len(group) == 2 && !args.Has("metric") && len(rs.AsObject(group[1].Value)) == 1:
				function := rs.AsObject(group[1].Value)[0]
				field, metric := strings.TrimPrefix(written.Unquoted(function.Value), "$"), strings.TrimPrefix(function.Name, "$")
				if args = args.With("metric", rs.EncodeJSON(metric)).With("field", rs.EncodeJSON(field)); function.Value == "1" || metric == "count" {
					args = args.With("metric", `"count"`).Without("field")
				}
				if by := group.Text("_id"); by != "" {
					args = args.With("group_by", rs.EncodeJSON(strings.TrimPrefix(by, "$")))
				}
			default:
				return nil
			}
		}
		return args
	}
	one := rs.AsObject(raw)
	if len(one) != 1 {
		return nil
	}
	terms, histogram := rs.AsObject(one[0].Value).Object("terms"), rs.AsObject(one[0].Value).Object("date_histogram")
	interval := histogram.Text("calendar_interval", "interval", "fixed_interval")
	switch {
	case len(rs.AsObject(one[0].Value)) != 1:
		return nil
	case terms.Text("field") != "":
		return rs.Object{{Name: "metric", Value: `"count"`}, {Name: "group_by", Value: terms.Get("field")}}
	case histogram.Text("field") != "" && granularities[interval]:
		return rs.Object{{Name: "metric", Value: `"count"`}, {Name: "group_by_time", Value: histogram.Get("field")},
			{Name: "granularity", Value: rs.EncodeJSON(interval)}}
	}
	return nil
}
