package render

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A groupsRest is what an answer does not show of its groups.
type groupsRest struct {
	says string
	next *arguments // of the call that shows more; nil where there is none
}

// rest says what is shown where only the first n groups are, and how to see the others.
func (a aggregateAnswer) rest(n int) groupsRest {
	noun := "group"
	if a.Has("group_by_time") {
		noun = cmp.Or(a.Text("granularity"), noun)
	}
	other := a.other()
	known, _ := a.Number("group_count")
	total := max(len(a.rows), known, n)
	of := ""
	if total > n {
		of = fmt.Sprintf(" of %d", total)
		if known == 0 && other > 0 { // there may be others, of which only the records are counted
			of = fmt.Sprintf(" of at least %d", total)
		}
	}
	r := groupsRest{says: fmt.Sprintf("shown %d%s %s", n, of, strings.TrimPrefix(plural(total, noun), strconv.Itoa(total)+" "))}
	hidden := a.recordsOf(n, len(a.rows))
	switch {
	case total == 0 && other == 0:
		r.says = "no groups"
		return r
	case total == n && other == 0:
		r.says = fmt.Sprintf("all %s shown", plural(n, noun))
		if n == 1 {
			r.says = "shown 1 " + noun + ", which is all"
		}
		return r
	case total == n && known > 0: // each group was read
		r.says += fmt.Sprintf("; other_count=%d: records without a value to group by", other)
		return r
	}
	if a.chosenByCount() {
		r.says += ", chosen by number of records, not by " + shownName(a.Text("metric"))
	}
	r.says += fmt.Sprintf("; other_count=%d", other)
	if hidden+other > 0 {
		r.says += fmt.Sprintf(": %s in other groups", plural(hidden+other, "record"))
		if a.Has("group_by") && n == len(a.rows) {
			r.says += " or without " + shownName(a.Text("group_by"))
		}
	}
	if r.next = a.next(n); r.next == nil {
		r.says += "; filter to see them"
	}
	return r
}

// chosenByCount reports whether the groups are those with the most records although something else is computed of them.
func (a aggregateAnswer) chosenByCount() bool {
	return a.Has("group_by") && !a.Has("group_by_time") && a.Text("metric") != "count"
}

// other is how many records are in none of the groups that the answer has: what it says, or what its counts leave.
func (a aggregateAnswer) other() int {
	other, _ := a.Number("other_count")
	total, counted := a.Number("filtered_record_count")
	if !counted || a.Flag("composed") && a.Text("metric") != "count" {
		return other
	}
	return max(other, total-a.recordsOf(0, len(a.rows)))
}

// recordsOf is how many records some of the groups have.
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

// next is the call that leads to the groups after the first n; nil where none does. Those of time go on where these end. Those of values
// have no order to go on in, so that more can only be listed at once.
func (a aggregateAnswer) next(n int) *arguments {
	if by := a.Text("group_by_time"); by != "" {
		filter, from := a.Arguments.Object("filter"), a.Text("next_from")
		if n < len(a.rows) {
			from, _ = rs.AsText(a.rows[n].key)
		}
		if from == "" || longerThan(from, keyChars) || filter.Has(by) && filter.Object(by) == nil {
			return nil
		}
		bounds := append(object{pair("gte", encode(from))}, filter.Object(by).Without("gte", "gt")...)
		return new(arguments).rest(a.Arguments.With("filter", filter.With(by, bounds.JSON()).JSON()))
	}
	if limit, ok := a.Number("limit"); ok && n == limit && limit < maxGroups {
		return new(arguments).rest(a.Arguments.With("limit", encode(maxGroups)))
	}
	return nil
}

// lines are the rest in text.
func (r groupsRest) lines() []string {
	if r.next == nil || longerThan(r.next.json(), lineChars-30) {
		return []string{r.says}
	}
	return []string{r.says, "next: " + r.next.call("aggregate")}
}

// structured is the answer as received, without what it is nested in, when it fits, else with as many groups as do, and how to see the
// others.
func (a aggregateAnswer) structured() string {
	whole := object{pair("data", a.raw)}
	if len(a.Empty) > 0 {
		whole = append(whole, pair("conditions", explained("aggregate", a.Empty)))
	}
	if rest := a.rest(len(a.rows)); a.chosenByCount() && a.other() > 0 {
		whole = append(whole, pair("shown", encode(rest.says)))
	}
	if out := whole.JSON(); fitsStructured(out) {
		return out
	}
	head := rs.AsObject(fitted(a.Without("groups").JSON(), documentHead))
	groups := a.Array("groups")
	if groups == nil {
		return object{pair("data", head.JSON())}.JSON()
	}
	out, _ := fullest(len(a.rows), func(n int) string {
		parts := groups[:a.partsOf(n)]
		if len(parts) == 1 && len(parts[0]) > structuredTarget { // a group that fills a page alone
			parts = []string{fitted(parts[0], structuredTarget)}
		}
		out := object{pair("data", head.With("groups", rs.JoinArray(parts)).JSON())}
		if n == len(a.rows) {
			return out.JSON()
		}
		rest := a.rest(n)
		out = append(out, pair("shown", encode(rest.says)))
		if rest.next != nil && len(rest.next.json()) <= lineChars {
			out = append(out, pair("next", toolCall("aggregate", rest.next)))
		}
		return out.JSON()
	}, fitsStructured)
	return out
}

// partsOf is how many of the answer's groups the first n rows are.
func (a aggregateAnswer) partsOf(n int) int {
	parts := 0
	for _, row := range a.rows[:n] {
		parts += len(row.parts)
	}
	return parts
}
