package foreign

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Granularities are the units that aggregate groups a time by.
var Granularities = written.Set("hour day week month quarter year")

// UnitIn returns the last unit of time in an expression without its field, such as "DATE_TRUNC('month', )" or "strftime('%Y-%m', )"; "" for
// none.
func UnitIn(expression string) (unit string) {
	isBetween := func(r rune) bool { return !unicode.IsLetter(r) }
	for _, word := range strings.FieldsFunc(written.Snake(expression), isBetween) {
		if strings.Trim(word, word[:1]) == "" {
			word = word[:1] // YYYY
		}
		if word = cmp.Or(WordForms["granularity"][word], word); Granularities[word] || LikelyForms["granularity"][word] != "" {
			unit = word
		}
	}
	return unit
}

// An aggregation collects the arguments of an aggregate from the notation of other APIs: an object with its metric and field, the $group of
// a MongoDB pipeline, terms and date_histogram of Elasticsearch.
type aggregation struct {
	metric func(word string) string // as JSON; "" for a word that is not a metric
	args   rs.Object
}

// Aggregation returns the arguments of aggregate for an argument in such a notation; none if something is not understood. metric returns
// the metric that a word means, as JSON, and "" for any other word.
func Aggregation(name, raw string, metric func(word string) string) rs.Object {
	a := &aggregation{metric: metric}
	if !a.read(name, raw) {
		return nil
	}
	if !a.args.Has("metric") && (a.args.Has("group_by") || a.args.Has("group_by_time")) {
		a.args = a.args.With("metric", `"count"`)
	}
	return a.args
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
	if len(o) == 1 && o[0].Value == "true" { // {"sum":{"total":true}}
		of = o[0].Name
	}
	if of != "" {
		of = rs.EncodeJSON(of)
	}
	switch name {
	case "$match":
		return len(o) > 0 && a.set("filter", Canonical(raw))
	case "$limit":
		return a.set("limit", raw)
	case "$sort": // groups are sorted by their counts, or by time
		return true
	case "_id":
		return raw == "null" || a.set("group_by", of)
	case "terms":
		return a.set("group_by", of)
	case "date_histogram":
		interval := o.Text("calendar_interval", "interval", "fixed_interval")
		return Granularities[interval] && a.set("group_by_time", of) && a.set("granularity", rs.EncodeJSON(interval))
	}
	return a.readNumber(name, raw, of)
}

// parts are the names of the parts of an aggregation.
var parts = written.Set("metric function type op operation field column")

// readNumber reads the metric or its field, or members that contain them.
func (a *aggregation) readNumber(name, raw, of string) bool {
	o := rs.AsObject(raw)
	list, isList := rs.AsArray(raw)
	text, isText := written.Text(raw)
	switch metric := a.metric(name); {
	case metric == `"count"` && o == nil || metric != "" && raw == "1": // of $sum
		return a.set("metric", `"count"`)
	case isText && !strings.HasPrefix(text, "$") && a.metric(text) != "" && metric != rs.EncodeJSON(name) && !parts[name]: // {"total":"sum"}
		return a.set("metric", a.metric(text)) && a.set("field", rs.EncodeJSON(name))
	case metric != "" && of != "":
		return a.set("metric", metric) && a.set("field", of)
	case isText && parts[name] && name != "field" && name != "column":
		return a.set("metric", cmp.Or(a.metric(text), raw))
	case isText && (name == "field" || name == "column"):
		return a.set("field", raw)
	case isList:
		return !slices.ContainsFunc(list, func(item string) bool { return !a.read("", item) })
	}
	return len(o) > 0 && !slices.ContainsFunc(o, func(m rs.Member) bool { return !a.read(m.Name, m.Value) })
}

// metricOfField matches a metric with its field, such as "sum(total)" and sum_total.
var metricOfField = written.Expression(`^\s*(?:(\w+)\s*(?:\(\s*(?:(?i:distinct)\s+)?([\w.]+|\*)\s*\)|:\s*([\w.]+))(?:\s+(?i:as)\s+\w+)?|` +
	`((?i)sum|total|avg|average|mean|min|minimum|max|maximum|count_distinct)[_ ](?:of[_ ])?([\w.]+))\s*$`)

// Metrics are the metrics of aggregate, in the words of most APIs.
var Metrics = written.Set("count count_distinct sum avg average min max")

// valueCounts are metrics of other APIs that count the records with each value of a field.
var valueCounts = written.Set("value_counts terms mode most_common frequency distribution list top values " +
	"unique_values distinct_values")

// Counted returns the arguments of an aggregation with the distinct values or the groups that a count is probably meant of.
func Counted(args rs.Object) rs.Object {
	if of := args.Text("distinct"); of != "" && written.Truth(args.Get("distinct")) == "" && !args.Has("field") {
		args = args.With("distinct", "true").With("field", rs.EncodeJSON(of))
	}
	if args.Flag("distinct") && args.Text("metric") == "count" && args.Has("field") {
		args = args.Without("distinct").With("metric", `"count_distinct"`)
	}
	if by := args.Text("by"); by != "" && args.Has("group_by") && !args.Has("field") { // the top 5 groups by total
		args = args.Renamed("by", "field", rs.EncodeJSON(by)).With("metric", cmp.Or(args.Get("metric"), `"sum"`))
	}
	isGrouped := args.Has("group_by") || args.Has("group_by_time")
	if metric, _ := written.Text(args.Get("metric")); valueCounts[written.Snake(metric)] && args.Has("field") && !isGrouped {
		args = args.With("metric", `"count"`).Renamed("field", "group_by", args.Get("field"))
	}
	return args
}

// Computed converts the arguments of an aggregate to the listed form: "sum(total)" becomes a metric and its field.
func Computed(args rs.Object) rs.Object {
	metric, _ := written.Text(args.Get("metric"))
	isForm := WordForms["metric"][written.Snake(metric)] != ""
	if found := metricOfField().FindStringSubmatch(metric); found != nil && !args.Has("field") && !isForm {
		name := strings.ToLower(found[1] + found[4])
		name = cmp.Or(WordForms["metric"][name], name)
		if strings.Contains(strings.ToLower(metric), "distinct ") {
			if name != "count" && name != "count_distinct" {
				return args // distinct values can only be counted
			}
			name = "count_distinct"
		}
		metric = name
		args = args.With("metric", rs.EncodeJSON(name)).With("field", rs.EncodeJSON(found[2]+found[3]+found[5]))
	}
	if field, _ := written.Text(args.Get("field")); field == "*" && metric == "count" {
		args = args.Without("field")
	}
	if by, _ := written.Text(args.Get("group_by_time")); Granularities[cmp.Or(WordForms["granularity"][by], by)] && !args.Has("granularity") {
		args = args.Renamed("group_by_time", "granularity", rs.EncodeJSON(cmp.Or(WordForms["granularity"][by], by)))
	}
	if args.Has("granularity") && args.Has("group_by") && !args.Has("group_by_time") {
		args = args.Renamed("group_by", "group_by_time", args.Get("group_by"))
	}
	return ordered(args)
}
