package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A groupsRest says which groups an answer shows and leaves out.
type groupsRest struct {
	says string
	next *write.Object // arguments of the call that shows more; nil if there is none
	tool string        // of that call
}

// rest describes an answer that shows the first n groups: what it leaves out, and the call that shows more.
func (a aggregateAnswer) rest(n int) groupsRest {
	noun, qualifier := "group", write.When(a.leavesOutEmpty(), " with records")
	if a.Has("group_by_time") {
		noun = write.ShownName(cmp.Or(a.Text("granularity"), noun))
	}
	otherCount := a.other()
	groupCount, _ := a.Number("group_count")
	total := max(len(a.rows), groupCount)
	hasMore := a.Has("more_groups")
	if total == n && otherCount == 0 && !hasMore {
		return groupsRest{says: a.allShown(n, noun, qualifier)}
	}
	shown := write.Plural(total, noun)
	if total > n { // else there may be other groups, of which only the records are counted
		shown = fmt.Sprintf("%d of %s%s", n, write.When(groupCount == 0 && (otherCount > 0 || hasMore), "at least "), shown)
	}
	areAllRead := total == n && groupCount > 0 // each group was read
	r := groupsRest{says: "shown " + shown + qualifier + a.sequence(noun, areAllRead)}
	var hidden []string
	if n < len(a.rows) {
		records := a.recordsOf(n, len(a.rows))
		hidden = append(hidden, write.Plural(len(a.rows)-n, noun)+write.When(records > 0, " with "+write.Plural(records, "record")))
	}
	if otherCount > 0 {
		hidden = append(hidden, a.others(otherCount, groupCount)...)
	}
	if len(hidden) > 0 {
		r.says += fmt.Sprintf("; not shown: %s (other_count=%d)", strings.Join(hidden, " and "), otherCount)
	}
	r.says += write.When(hasMore, "; the resource server does not say whether there are more")
	if !areAllRead {
		a.addNext(&r, n)
	}
	return r
}

// allShown says that the first n groups are all. The last one may be the records without a time, which are not counted as a group.
func (a aggregateAnswer) allShown(n int, noun, with string) string {
	undated := ""
	if n > 1 && a.Has("group_by_time") && a.rows[n-1].key == "null" {
		if records := a.recordsOf(n-1, n); records > 0 {
			n, undated = n-1, ", and "+write.Plural(records, "record")+" without "+write.ShownName(a.Text("group_by_time"))
		}
	}
	switch n {
	case 0:
		return "no groups"
	case 1:
		return "shown 1 " + noun + with + undated + ", which is all"
	}
	usual := !a.Has("order") && !a.Flag("unordered") && !a.descends()
	return "all " + write.Plural(n, noun) + with + " shown" + write.When(!usual, a.sequence(noun, true)) + undated
}

// cutGroups names the weeks or longer groups of which the filter leaves out days; "" for none.
func (a aggregateAnswer) cutGroups() string {
	days := map[string][3]int{"week": {0, 0, 7}, "month": {0, 1, 0}, "quarter": {0, 3, 0}, "year": {1, 0, 0}}[a.Text("granularity")]
	bounds := a.Arguments.Object("filter").Object(a.Text("group_by_time"))
	bound := func(names ...string) time.Time {
		text := bounds.Text(names...)
		day, _ := time.Parse(time.DateOnly, text[:min(len(text), len(time.DateOnly))])
		return day
	}
	from, until := bound("gte", "gt"), bound("lt", "lte")
	if !bounds.Has("lt") || len(bounds.Text("lt")) > len(time.DateOnly) && !strings.Contains(bounds.Text("lt"), "T00:00:00") {
		until = until.AddDate(0, 0, 1) // after its last day
	}
	var cut []string
	for _, row := range a.rows {
		text, _ := rs.AsText(row.key)
		begin, err := time.Parse(time.DateOnly, text)
		isCut := begin.Before(from) || bounds.Has("lt") != bounds.Has("lte") && begin.AddDate(days[0], days[1], days[2]).After(until)
		if err == nil && days != [3]int{} && isCut {
			cut = append(cut, a.key(row.key))
		}
	}
	return write.When(len(cut) > 0, "The filter leaves out days of "+strings.Join(cut[:min(len(cut), 4)], ", ")+".")
}

// sequence says which groups come first; "" if these are the ones with most records or the earliest. all reports whether every group is
// known.
func (a aggregateAnswer) sequence(noun string, all bool) string {
	metric, ofEach := write.ShownName(a.Text("metric")), write.When(len(a.units) > 1, " within each "+write.ShownName(a.Text("unit_field")))
	if n, partly := a.Number("compared"); partly {
		ofEach += fmt.Sprintf(" among the %d with the most records", n)
	}
	isLowest := a.Text("order") == "asc" || a.Text("metric") == "min" && !a.Has("order")
	isBelow := func(part object) bool { return strings.HasPrefix(part.Get("value"), "-") } // as the expenses of a bank account
	switch {
	case a.Flag("unordered"):
		return ", not in the order asked for: more " + noun + "s than one answer compares"
	case a.Has("ordered_by") && isLowest:
		return ", lowest " + metric + " first" + ofEach + write.When(a.Flag("all_negative"), ", as all are below 0")
	case a.Has("ordered_by"):
		return ", highest " + metric + " first" + ofEach +
			write.When(!all && metric == "sum" && !a.Arguments.Has("order") && a.someNumber(isBelow), "; order asc begins with the lowest, below 0")
	case a.Has("order"):
		return ", fewest records first"
	case a.descends():
		return ", latest first"
	}
	return write.When(a.Has("group_by") && metric != "count" && !all, ", chosen by number of records, not by "+metric)
}

// someNumber reports whether a number of a group is right.
func (a aggregateAnswer) someNumber(right func(part object) bool) bool {
	return slices.ContainsFunc(a.rows, func(row groupRow) bool { return slices.ContainsFunc(row.parts, right) })
}

// others says where n records are that no group of the answer includes. known is how many groups exist, or 0.
func (a aggregateAnswer) others(n, known int) []string {
	where := write.When(a.Has("next_from"), " after them") + write.When(a.Has("next_before"), " before them")
	lacking := write.NotEmpty(a.Text("group_by", "group_by_time"), write.When(len(a.units) > 1, a.Text("unit_field")))
	without := " without " + strings.Join(write.Each(lacking, write.ShownName), " or ")
	lack, isKnown := a.Number("without_count")
	hasNull := slices.ContainsFunc(a.rows, func(row groupRow) bool { return row.key == "null" })
	switch {
	case isKnown && lack >= n, !isKnown && known > 0 && known == len(a.rows):
		return []string{write.Plural(n, "record") + without}
	case !isKnown && (a.Has("next_from") || a.Has("group_by") && !hasNull):
		return []string{write.Plural(n, "record") + cmp.Or(where, " in other groups") + " or" + without}
	}
	return write.NotEmpty(write.Plural(n-lack, "record")+cmp.Or(where, " in other groups"), write.When(lack > 0, strconv.Itoa(lack)+without))
}

// descends reports whether groups of time come latest first.
func (a aggregateAnswer) descends() bool {
	return a.Has("group_by_time") && a.Arguments.Text("order") == "desc" && !a.Flag("unordered")
}

// leavesOutEmpty reports whether the groups are of time, and each has records.
func (a aggregateAnswer) leavesOutEmpty() bool {
	return a.Has("group_by_time") && !a.someNumber(func(part object) bool { return part.Get("count") == "0" })
}

// other returns how many records are outside the groups of the answer: its other_count, or the difference of its counts.
func (a aggregateAnswer) other() int {
	other, _ := a.Number("other_count")
	total, counted := a.Number("filtered_record_count")
	if !counted || a.Flag("composed") && a.Text("metric") != "count" {
		return other
	}
	return max(other, total-a.recordsOf(0, len(a.rows)))
}

func (a aggregateAnswer) recordsOf(from, until int) int {
	sum := 0
	for _, row := range a.rows[from:until] {
		for _, part := range row.parts {
			n, _ := part.Number("count")
			sum += n
		}
	}
	return sum
}

// addNext adds the call that shows the groups after the first n, if there is one. Groups of time continue where these end. Groups of values
// have no order, so the call requests more of them at once, or else their names, or their records.
func (a aggregateAnswer) addNext(r *groupsRest, n int) {
	args, by := a.Arguments, a.Arguments.Text("group_by")
	r.tool = "aggregate"
	switch limit, _ := a.Number("limit"); {
	case a.Has("group_by_time"):
		args = a.following(n)
	case n == limit && limit < rs.MaxLimit:
		args = args.With("limit", write.JSON(rs.MaxLimit))
	case by == "" || n < len(a.rows):
		args = nil
	case a.Has("group_count") && a.Text("metric") != "count": // more numbers than one answer computes
		args = args.Without("field", "order").WithAll(object{write.Pair("metric", `"count"`), rs.NewMember("limit", rs.MaxLimit)})
		r.says += ", all named by the count below"
	default: // more groups than one answer has
		fields := write.JSON(write.NotEmpty(by, args.Text("field")))
		args = args.Without("metric", "field", "group_by", "order").With("fields", fields)
		r.tool, r.says = "query_records", r.says+", each in the records below"
	}
	if args == nil {
		r.says += "; filter to see them"
		return
	}
	r.next = new(write.Object).Rest(args)
}

// following returns the arguments with which time groups continue after the first n; nil if no filter can say that.
func (a aggregateAnswer) following(n int) object {
	by := a.Text("group_by_time")
	filter, from, operator, other := a.Arguments.Object("filter"), a.Text("next_from", "next_before"), "gte", "gt"
	at := n
	if a.descends() {
		at, operator, other = n-1, "lt", "lte"
	}
	if at >= 0 && n < len(a.rows) {
		from, _ = rs.AsText(a.rows[at].key)
	}
	if from == "" || clean.LongerThan(from, write.KeyChars) || filter.Has(by) && filter.Object(by) == nil {
		return nil
	}
	bounds := append(object{rs.NewMember(operator, from)}, filter.Object(by).Without(operator, other)...)
	return a.Arguments.With("filter", filter.With(by, bounds.JSON()).JSON())
}

func (r groupsRest) lines() []string {
	return write.NotEmpty(r.says, write.Offer("next: ", r.next.Call(r.tool), write.LineChars))
}

func (r groupsRest) put(out *write.Object) {
	next := r.next.JSON()
	out.Plain("shown", r.says).Put("next", write.ToolCall(r.tool, write.When(len(next) <= write.LineChars, next)))
}
