package render

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Aggregate renders an aggregation: metric, stream and number, or the groups with other_count (S3-R12, S3-R13).
// Structured is {"data": body}.
func Aggregate(body []byte, stream string) (Result, error) {
	const what = "aggregate"
	o, raw, err := decode(body, what)
	if err != nil {
		return Result{}, err
	}
	agg := o
	if inner := o.Object("data"); inner != nil && !o.Has("metric") {
		agg = inner
	}
	groups, grouped := rs.AsArray(agg.Get("groups"))
	if !grouped && !agg.Includes("value") {
		return Result{}, invalidResponse(what, "has neither value nor groups", nil)
	}
	head := aggregateHead(agg, stream)
	if !grouped {
		lines := append([]string{head + " = " + aggregateValue(agg.Get("value"))}, aggregateNotes(agg)...)
		return dataResult(strings.Join(lines, "\n"), raw), nil
	}
	return dataResult(groupsText(agg, head, groups), raw), nil
}

// aggregateHead is "count of messages" or "sum of size_bytes in messages", with the dimension of the groups.
func aggregateHead(agg object, stream string) string {
	if s := agg.Text("stream"); s != "" {
		stream = s
	}
	metric := preview(agg.Text("metric"), labelChars)
	if metric == "" {
		metric = "aggregate"
	}
	head := metric + " of " + name(stream)
	if field := agg.Text("field"); field != "" {
		head = metric + " of " + name(field) + " in " + name(stream)
	}
	if by := agg.Text("group_by"); by != "" {
		head += " by " + name(by)
	}
	if by := agg.Text("group_by_time"); by != "" {
		head += " by " + name(by)
		if g := agg.Text("granularity"); g != "" {
			head += " per " + preview(g, labelChars)
		}
		if zone := agg.Text("time_zone"); zone != "" {
			head += " (" + preview(zone, labelChars) + ")"
		}
	}
	return head
}

// groupsText lists as many groups as fit, other_count beside them.
func groupsText(agg object, head string, groups []json.RawMessage) string {
	line := head + ": "
	if len(groups) == 0 {
		line += "no groups"
	}
	lines := []string{}
	shown, size := 0, 0
	for _, raw := range groups {
		pair := bucket(rs.AsObject(raw), agg)
		if size += len(pair) + 2; size > bucketText {
			break
		}
		if longerThan(line+pair, LineChars-200) { // a line of groups ends before it is too long
			lines, line = append(lines, strings.TrimRight(line, " ")), ""
		}
		line += pair
		if shown++; shown < len(groups) {
			line += ", "
		}
	}
	if shown < len(groups) {
		line = strings.TrimRight(line, ", ") + fmt.Sprintf("; shown %d of %d groups in text, all are in structured output", shown, len(groups))
	}
	if other, ok := agg.Number("other_count"); ok {
		line += fmt.Sprintf("; other_count=%d", other)
		if other > 0 {
			line += " in groups that are not listed: " + otherGroups(agg)
		}
	}
	lines = append(lines, line)
	return strings.Join(append(lines, aggregateNotes(agg)...), "\n")
}

// maxGroups is the most groups that can be asked for.
const maxGroups = 100

// otherGroups says how to see the groups beyond the limit: of a field the smaller ones, of time the later ones.
func otherGroups(agg object) string {
	limit, _ := agg.Number("limit")
	switch field := agg.Text("group_by_time"); {
	case field != "":
		return "usually the later ones; filter " + name(field) + " to see them, or use a coarser granularity"
	case limit >= maxGroups:
		return "filter to see them"
	}
	return "raise limit or filter to see them"
}

// bucket is one group, "true=266".
func bucket(group, agg object) string {
	key := "null"
	if raw := group.Get("key"); raw != nil {
		key = aggregateValue(raw)
	}
	if strings.ContainsAny(key, ",=; ") {
		key = quote(key)
	}
	value := group.Get("count")
	if v := group.Get("value"); v != nil {
		value = v
		if n, ok := group.Number("count"); ok && agg.Text("metric") != "count" {
			return key + "=" + aggregateValue(value) + " (" + plural(n, "record") + ")"
		}
	}
	return key + "=" + aggregateValue(value)
}

// aggregateValue is a number, string or null as it is written.
func aggregateValue(raw []byte) string {
	switch rs.Kind(raw) {
	case "nothing", "null":
		return "null"
	case "string", "number", "boolean":
		s, _ := rs.AsText(raw)
		return preview(s, 120)
	}
	return preview(string(raw), 120)
}

func aggregateNotes(agg object) []string {
	var notes []string
	if n, ok := agg.Number("filtered_record_count"); ok {
		notes = append(notes, fmt.Sprintf("filtered_record_count=%d", n))
	}
	if agg.Flag("approximate") {
		notes = append(notes, "approximate=true: the figures are estimates.")
	}
	return append(notes, listing{envelope: agg}.warnings(3)...)
}
