package correct

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/identifier"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Hint says what the arguments ask for that the call of [Tool.Guess] does not, and how to ask for it; "" for nothing.
func (t Tool) Hint(args rs.Object) string {
	asked := args
	for _, m := range args {
		if excludes(m) && t.Takes("filter") {
			asked = t.filteredBy(args.Without(m.Name), rs.Object{m})
		}
	}
	p, ok := plan(asked)
	if !ok && p.Never == "" {
		p = foreign.Plan{}
	}
	id, several := args.Text("id"), identifier.Several(args.Text("id"))
	one, names := t.oneOf(args)
	call, worded := t.worded(args)
	_, spreads := spread(args)
	aggregates, identifies := t.Takes("metric"), t.Takes("id") && id != ""
	operator := slices.IndexFunc(args, t.IsOperator)
	unknown := slices.IndexFunc(args, func(m rs.Member) bool {
		_, isText := written.Text(m.Value)
		found, _ := foreign.SearchBounds(m)
		return isText && found == nil && !t.Takes(m.Name) && t.Takes("since") && bounds[written.Snake(m.Name)] && !namesSomeone(m)
	})
	_, computes := t.computing(args)
	switch {
	case t.readsSQL(args):
		return `No tool reads SQL: conditions are a filter, such as {"total":{"gt":100}}, all of which hold; aggregate counts, sums and groups.`
	case computes:
		return "query_records lists records; aggregate computes."
	case p.Never != "":
		return "No value of " + quote.Line(p.Never) + " fulfils all of these conditions; if any of them is meant, send a call for each."
	case p.Calls > 1:
		return severalCalls(p.Calls)
	case identifier.IsPage(id) && identifies:
		return "That is the address of a page, not the id of a record; the call below finds records that name it."
	case several != nil && identifies:
		return callForEach(len(several))
	case t.titleIn(args) != "":
		return titleHint
	case identifies && !strings.Contains(id, ":"):
		return identifier.Own(id, args.Text("connection_id"), args.Text("stream"))
	case aggregates && one == "group_by":
		_, hint := oneGroup(args.Text("metric"), names)
		return "aggregate takes one group_by. " + hint
	case aggregates && one != "":
		return "aggregate takes one " + one + ". " + callForEach(len(names))
	case aggregates && spreads:
		return "No metric is that; the call below lists the values in their order, from which it can be worked out."
	case aggregates && slices.ContainsFunc(args, func(m rs.Member) bool { return m.Name != "order" && sorts(written.Snake(m.Name)) }):
		return "Groups are in the order of their numbers, or of time; order is asc or desc."
	case recurring(args.Text("granularity")) != "":
		return recurring(args.Text("granularity"))
	case aggregates && worded && t.Name != call.Tool:
		return "aggregate looks for no words: search finds the records that have them."
	case slices.ContainsFunc(args, t.boundsTime) && (p.Excluded != nil || p.Sought != nil): // the call looks up the fields of both
	case p.Excluded != nil:
		return excludedHint(t, *p.Excluded, args)
	case p.Sought != nil && aggregates && isGrouped(args) && args.Text("group_by") != p.Sought.Name:
		return listsValues(p.Sought.Name)
	case p.Sought != nil && aggregates:
		return "No filter looks for a part of a text: the call below groups by " + quote.Line(p.Sought.Name) + "; add up the values that have it."
	case p.Sought != nil:
		return "No filter looks within a text: search finds whole words."
	case operator >= 0 && foreign.NamesRecipient(operatorWords[written.Snake(args[operator].Name)]):
		return "No argument is " + args[operator].Name + ". " + foreign.RecipientHint
	case operator >= 0:
		return "No argument is " + args[operator].Name + ": filter compares a field with a whole name or address, q finds words in any field."
	case unknown >= 0 && timeOfDay().MatchString(args[unknown].Value):
		return "A time of day bounds no search. aggregate counts by hour: group_by_time with granularity hour."
	case unknown >= 0:
		text, _ := written.Text(args[unknown].Value)
		return "No days are known of " + args[unknown].Name + " " + quote.Exact(text) +
			`: send them as since and until, such as "2026-04-05".`
	case t.Takes("cursor") && slices.ContainsFunc(args, func(m rs.Member) bool { return !t.Takes(m.Name) && pages[written.Snake(m.Name)] }):
		return "Pages have no numbers: each answer prints the call for the next page, with its cursor. The call below reads the first."
	}
	return ""
}

var timeOfDay = written.Expression(`(?i)\b(?:night|morning|noon|afternoon|evening|nachts?|morgens|abends?|nuit|matin|soir|` +
	`noche|tarde|notte|sera)\b`)

// SeasonSays says which months a season is taken for that arguments name as a time; "" where they name none.
func SeasonSays(args rs.Object) string {
	for _, m := range slices.Concat(args, foreign.Operands(args.Object("filter"))) {
		name := written.Snake(m.Name)
		text, _ := written.Text(m.Value)
		isTime := foreign.BoundWords[name] != "" || bounds[name] || written.IsTimeName(name)
		if season, month := written.Season(text); season != "" && isTime {
			return fmt.Sprintf("A season is taken for three whole months, as in the north: %s begins with %s. In the south it is half a year apart.",
				season, month)
		}
	}
	return ""
}

// LeavesOut names the arguments of which nothing is in a call that is proposed for them. What says nothing about a read is none of them.
func (c Call) LeavesOut(args rs.Object) string {
	var left []string
	proposed, group := c.Arguments.JSON(), c.Arguments.Text("group_by")
	if args.Has("group_by") {
		group = ""
	}
	for _, m := range args {
		value := strings.Trim(m.Value, `"{}[]`)
		several, _ := rs.AsArray(m.Value)
		switch {
		case m.Name == "metric" && c.Tool == "query_records": // it is worked out of the values
		case m.Name == "filter" && (c.Tool == "search" || c.Arguments.Has("group_by")): // what no filter says is in the words or groups
		case c.Arguments.Has("filter") && slices.Contains(aliases["filter"], written.Snake(m.Name)): // it is in the filter
		case foreign.BoundWords[written.Snake(m.Name)] != "" && (c.Arguments.Has("since") || c.Arguments.Has("until")):
		case aggregations[written.Snake(m.Name)]: // it is in the metric
		case excludes(m) && c.Arguments.Has("group_by"): // the other groups have it
		case c.Arguments.Has("filter") && slices.Contains(wordArguments, written.Snake(m.Name)): // it is in the filter
		case value == "" || m.Value == "null" || silent[written.Snake(m.Name)] || strings.Contains(proposed, value):
		case len(several) > 1 && strings.Contains(proposed, several[0]) && !strings.Contains(proposed, several[1]):
			left = append(left, "all but the first of "+quote.Names([]string{m.Name}, 1))
		case !c.Arguments.Has(m.Name) && (group == "" || !strings.Contains(m.Name, group)): // groups show what excludes a value of theirs
			left = append(left, quote.Names([]string{m.Name}, 1))
		}
	}
	if left == nil {
		return ""
	}
	return "The call below leaves out " + strings.Join(left[:min(len(left), maxShown)], ", ") + "."
}

// excludes reports whether an argument has conditions that are to be false.
func excludes(m rs.Member) bool {
	return strings.HasPrefix(written.Snake(m.Name), "exclud") && rs.AsObject(m.Value) != nil
}

// recurring says how what recurs, such as a weekday, is counted, which is no group; "" for any other granularity.
func recurring(granularity string) string {
	word := written.Snake(granularity)
	switch likely := likelyForms["granularity"][word]; {
	case likely == "day":
		return "No group is a weekday: the call below groups by day, and the days of each weekday are to be added up."
	case likely == "week" || likely == "year":
		return "No group is a " + quote.Line(granularity) + ": the call below groups by " + likely + ", to be added up."
	case likely == "hour" && word != "minute":
		return "No group is an hour of the day: the call below groups by hour, and the same hours of all days are to be added up."
	}
	return ""
}

// severalCalls says that a call asks for the first of several alternatives.
func severalCalls(calls int) string {
	return "A filter has no or, and one value a field. " + callForEach(calls)
}

// excludedHint says how the records are found that a condition on no value, or on any but one, asks for: by groups, or in the records.
func excludedHint(t Tool, excluded rs.Member, args rs.Object) string {
	field, grouped := quote.Line(excluded.Name), isGrouped(args)
	has, groups, among := "no value", "the group null is the records without ", "look at "+field+" in the records."
	if excluded.Value == foreign.AnyOf {
		has, groups, among = "any value", "all groups but null are the records with ", "pass over the records without "+field+"."
	}
	switch absent := excluded.Value == foreign.NoneOf || excluded.Value == foreign.AnyOf; {
	case absent && t.Name == "aggregate" && !grouped:
		return "No filter finds what has " + has + "; in the call below, " + groups + field + "."
	case absent:
		return "No filter finds what has " + has + ": leave that condition out and " + among
	case written.IsNumber(excluded.Value):
		return "No filter excludes a value: the call below has what is above it; send it with lt in place of gt, too."
	case grouped:
		return "No filter excludes a value: leave that condition out, or group by " + field + "."
	case !args.Has("stream") && !args.Has("streams"):
		return "No filter excludes a value: aggregate with group_by " + field + " lists the others, in the one stream that you name."
	case t.Name == "query_records":
		each := rs.Object{{Name: excluded.Name, Value: `"VALUE"`}}.JSON()
		return "No filter excludes a value: the call below lists those of " + field + "; then send query_records for each other one, with " +
			each + " in filter."
	}
	return "No filter excludes a value: the call below groups by " + field + ", and the other groups are what is asked for."
}
