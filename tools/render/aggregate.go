package render

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// groupsText is how many bytes the groups take in text. As many as can be asked for fit with keys of usual length.
const groupsText = 16 << 10

// keyChars is the longest key of a group that text shows whole.
const keyChars = 120

// An AggregateQuery is the call that an aggregation answers.
type AggregateQuery struct {
	Stream    string
	Arguments object // as sent, for the calls that are printed
}

// Aggregate renders an aggregation: metric, stream and number, or the groups with other_count (S3-R12, S3-R13).
// Structured is {"data": body}. Groups that do not fit are cut between two of them, on each channel for itself, with what the
// others hold and a call that shows them (D18).
func Aggregate(response *rs.Response, q AggregateQuery) (Result, error) {
	const what = "aggregate"
	o, err := decode(response, what)
	if err != nil {
		return Result{}, err
	}
	g := grouping{q: q, agg: o}
	if inner := o.Object("data"); inner != nil && !o.Has("metric") {
		g.agg = inner
	}
	groups, grouped := rs.AsArray(g.agg.Get("groups"))
	if !grouped && !g.agg.Includes("value") {
		return Result{}, invalidResponse(what, "has neither value nor groups")
	}
	head := aggregateHead(g.agg, q.Stream)
	if !grouped {
		lines := append([]string{head + " = " + aggregateValue(g.agg.Get("value"))}, aggregateNotes(g.agg)...)
		return Result{Text: strings.Join(lines, "\n"), Structured: []byte(g.structured(response.Distinct()))}, nil
	}
	g.groups = groups
	return Result{Text: g.text(head), Structured: []byte(g.structured(response.Distinct()))}, nil
}

// aggregateHead is "count of messages" or "sum of size_bytes in messages", with the dimension of the groups. A value fits
// behind it.
func aggregateHead(agg object, stream string) string {
	if s := agg.Text("stream"); s != "" {
		stream = s
	}
	metric := "aggregate"
	if m := preview(agg.Text("metric"), labelChars); m != "" {
		metric = name(m)
	}
	head := metric + " of " + shownName(stream)
	if field := agg.Text("field"); field != "" {
		head = metric + " of " + shownName(field) + " in " + shownName(stream)
	}
	if by := agg.Text("group_by"); by != "" {
		head += " by " + shownName(by)
	}
	if by := agg.Text("group_by_time"); by != "" {
		head += " by " + shownName(by)
		if g := agg.Text("granularity"); g != "" {
			head += " per " + name(preview(g, labelChars))
		}
		if zone := agg.Text("time_zone"); zone != "" {
			head += " (" + name(preview(zone, labelChars)) + ")"
		}
	}
	return clip(head, LineChars-keyChars-10)
}

// A grouping is an aggregation by the values of a field or by time.
type grouping struct {
	q      AggregateQuery
	agg    object
	groups []string
}

// text lists as many groups as fit, other_count beside them.
func (g grouping) text(head string) string {
	items := make([]string, 0, len(g.groups))
	size := 0
	for _, raw := range g.groups {
		item := bucket(rs.AsObject(raw), g.agg)
		if size += len(item) + 2; size > groupsText {
			break
		}
		items = append(items, item)
	}
	shown := len(items)
	if len(g.groups) == 0 {
		items = []string{"no groups"}
	}
	l := new(lines)
	l.open(head, ": ")
	l.list("  ", items)
	other := ""
	if n, ok := g.agg.Number("other_count"); ok {
		other = fmt.Sprintf("other_count=%d", n)
		if n > 0 {
			other += " in groups that are not listed: " + otherGroups(g.agg)
		}
	}
	if shown == len(g.groups) && other != "" && !longerThan(string(l.b[l.start:])+other, LineChars-2) {
		l.add("; ", other)
		other = ""
	}
	if shown < len(g.groups) {
		l.open(g.shown(shown))
		tool, a := g.rest(shown)
		if call := jsonText(a.call(tool)); !longerThan(call, LineChars-10) {
			l.open("Next: ", call)
		}
	}
	if other != "" {
		l.open(other)
	}
	for _, note := range aggregateNotes(g.agg) {
		l.open(note)
	}
	return string(l.b)
}

// structured is the answer as received when it fits, else with as many groups as do, what the others hold and how to see them.
func (g grouping) structured(raw string) string {
	out := object{pair("data", raw)}.JSON()
	if len(out) <= StructuredHard {
		return out
	}
	head := rs.AsObject(fitted(g.agg.Without("groups").JSON(), documentHead))
	groups := slices.Clone(g.groups)
	page := func(n int) string {
		out := object{}
		if n < len(groups) {
			tool, a := g.rest(n)
			if call := a.json(); len(call) <= LineChars {
				out = append(out, pair("next", object{pair("tool", encode(tool)), pair("arguments", call)}.JSON()))
			}
			out = append(out, pair("shown", encode(g.shown(n))))
		}
		data := head
		if g.groups != nil {
			data = head.With("groups", rs.JoinArray(groups[:n]))
		}
		return append(out, pair("data", data.JSON())).JSON()
	}
	count := most(len(groups), func(n int) bool { return len(page(n)) <= StructuredHard })
	if count == 0 && len(groups) > 0 {
		count = 1
		groups[0] = fitted(groups[0], StructuredTarget)
	}
	return page(count)
}

// shown says how many groups are shown, and what these and the others hold when they are counted.
func (g grouping) shown(n int) string {
	text := fmt.Sprintf("Shown %d of %d groups", n, len(g.groups))
	sum := [2]int{}
	for i, raw := range g.groups {
		count, ok := rs.AsObject(raw).Number("count")
		if !ok {
			return text + "."
		}
		if i < n {
			sum[0] += count
		} else {
			sum[1] += count
		}
	}
	return text + fmt.Sprintf(", with %s; the other %d hold %d.", plural(sum[0], "record"), len(g.groups)-n, sum[1])
}

// rest is the call that leads to the groups after the first n. Groups of time go on where these end; groups of values have
// no order to go on in, so that their records are the way.
func (g grouping) rest(n int) (tool string, a *arguments) {
	if by := g.agg.Text("group_by_time"); by != "" && n < len(g.groups) {
		key, filter := rs.AsObject(g.groups[n]).Text("key"), g.q.Arguments.Object("filter")
		if key != "" && !longerThan(key, keyChars) && (!filter.Has(by) || filter.Object(by) != nil) {
			bounds := append(object{pair("gte", encode(key))}, keep(filter.Object(by), func(op string) bool { return op == "lt" || op == "lte" })...)
			return "aggregate", new(arguments).rest(g.q.Arguments.With("filter", filter.With(by, bounds.JSON()).JSON()))
		}
	}
	own := keep(g.q.Arguments, func(name string) bool { return name == "connection_id" || name == "filter" })
	a = new(arguments).text("stream", g.q.Stream).rest(own)
	if by := g.agg.Text("group_by", "group_by_time"); by != "" {
		a.put("fields", "["+quote(by)+"]")
	}
	return "query_records", a.number("limit", maxGroups)
}

// maxGroups is the most groups that can be asked for.
const maxGroups = 100

// otherGroups says how to see the groups beyond the limit: of a field the smaller ones, of time the later ones.
func otherGroups(agg object) string {
	limit, _ := agg.Number("limit")
	switch field := agg.Text("group_by_time"); {
	case field != "":
		return "usually the later ones; filter " + shownName(field) + " to see them, or use a coarser granularity"
	case limit >= maxGroups:
		return "filter to see them"
	}
	return "raise limit or filter to see them"
}

// bucket is one group, "true=266".
func bucket(group, agg object) string {
	key := groupKey(group.Get("key"))
	value := group.Get("count")
	if v := group.Get("value"); v != "" {
		value = v
		if n, ok := group.Number("count"); ok && agg.Text("metric") != "count" {
			return key + "=" + aggregateValue(value) + " (" + plural(n, "record") + ")"
		}
	}
	return key + "=" + aggregateValue(value)
}

// groupKey is the key of a group as a filter takes it; of a very long one the beginning.
func groupKey(raw string) string {
	if rs.Kind(raw) != "string" {
		return aggregateValue(raw)
	}
	s, _ := rs.AsText(raw)
	switch {
	case longerThan(s, keyChars):
		return quote(s[:runeIndex(s, keyChars)]) + fmt.Sprintf("… (%d characters)", utf8.RuneCountInString(s))
	case s == "null":
		return quote(s)
	}
	return name(s)
}

// aggregateValue is a number or null as it is written, or a string, quoted where it could be taken for more.
func aggregateValue(raw string) string {
	switch rs.Kind(raw) {
	case "nothing", "null":
		return "null"
	case "number", "boolean":
		return preview(raw, keyChars)
	case "string":
		s, _ := rs.AsText(raw)
		return name(preview(s, keyChars))
	}
	return preview(raw, keyChars)
}

func aggregateNotes(agg object) []string {
	var notes []string
	if n, ok := agg.Number("filtered_record_count"); ok {
		notes = append(notes, fmt.Sprintf("filtered_record_count=%d", n))
	}
	if agg.Flag("approximate") {
		notes = append(notes, "approximate=true: the figures are estimates.")
	}
	return append(notes, listing{meta: agg.Object("meta")}.warnings(3)...)
}
