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
	if word, ok := written.Text(args.Get("group_by_time")); ok && granularities[word] && !args.Has("granularity") {
		args = args.With("granularity", rs.EncodeJSON(word))
	}
	if args.Has("granularity") && args.Has("group_by") && !args.Has("group_by_time") {
		args = renamed(args, "group_by", "group_by_time", args.Get("group_by"))
	}
	return args
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

// isUnit reports whether a field says what unit a number beside it is in.
func isUnit(field string) bool {
	return field == "currency" || field == "unit" || strings.HasSuffix(field, "_currency") || strings.HasSuffix(field, "_unit")
}

var statementForm = written.Expression(`(?is)^\s*(?:select\s+(distinct\s+)?(.+?)\s+from\s+["'\x60]?(\w+)["'\x60]?)?` +
	`\s*(?:\bwhere\b\s*)?(.*?)` +
	`(?:\s*\bgroup\s+by\s+([\w.]+))?(?:\s*\border\s+by\s+(.+?)(?:\s+(asc|desc))?)?(?:\s*\blimit\s+([0-9]+))?\s*;?\s*$`)

// statement takes a statement of SQL apart, or what follows the conditions of one: its filter stays a text. tool is the one that answers
// it. It is false where no argument is one.
func (t Tool) statement(args rs.Object) (tool string, apart rs.Object, ok bool) {
	for _, m := range args {
		s, _ := written.Text(m.Value)
		name := written.Snake(m.Name)
		holds := name == "filter" || name == "sql" || name == "statement" || slices.Contains(words, name)
		if !t.Takes("filter") || t.Takes("q") || !holds || len(s) > foreign.LongestText {
			continue
		}
		found := statementForm().FindStringSubmatch(s)
		if found == nil || found[2]+found[5]+found[6]+found[8] == "" {
			continue
		}
		apart = args.Without(m.Name)
		add := func(name, value string) {
			if value != "" && !apart.Has(name) {
				apart = apart.With(name, rs.EncodeJSON(value))
			}
		}
		add("stream", found[3])
		add("filter", strings.TrimSpace(found[4]))
		tool = t.Name
		var fields []string
		for _, column := range written.Names(found[2]) {
			if of := metricOfField().FindStringSubmatch(column); of != nil {
				if tool == "aggregate" && t.Name != tool || apart.Has("metric") && t.Name != "aggregate" {
					return "", nil, false // it has several numbers
				}
				tool = "aggregate"
				add("metric", column)
			} else if column != "*" {
				fields = append(fields, column)
			}
		}
		switch {
		case found[1] != "" && len(fields) == 1:
			tool, found[5] = "aggregate", fields[0]
		case tool != "aggregate" && found[5] == "" && len(fields) > 0 && !apart.Has("fields"):
			apart = apart.With("fields", rs.EncodeJSON(fields))
		}
		if found[5] != "" {
			tool = "aggregate"
			add("group_by", found[5])
		}
		if tool == "aggregate" {
			add("metric", "count")
		}
		if found[6] != "" {
			add("sort", map[bool]string{true: "-"}[strings.EqualFold(found[7], "desc")]+found[6])
		}
		if found[8] != "" && !apart.Has("limit") {
			apart = apart.With("limit", found[8])
		}
		return tool, apart, true
	}
	return "", nil, false
}
