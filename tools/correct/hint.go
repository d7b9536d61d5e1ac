package correct

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/identifier"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Hint explains what the arguments ask for and the call of [Tool.Guess] does not, and how to ask for it; "" for nothing.
func (t Tool) Hint(args rs.Object) string {
	args = t.ofSQL(foreign.Joined(args))
	p, ok := plan(args)
	if !ok && p.Never == "" { // a condition would be lost
		p = foreign.Plan{}
	}
	_, computes := t.computing(args)
	_, worded := t.worded(args)
	says := cmp.Or(
		quote.When(t.readsSQL(args), `No tool reads SQL: conditions are a filter, such as {"total":{"gt":100}}, all of which hold; `+
			`aggregate counts, sums and groups.`),
		quote.When(computes, "query_records lists records; aggregate computes."),
		quote.When(p.Never != "", "No value of "+quote.Line(p.Never)+
			" fulfils all of these conditions; if any of them is meant, send a call for each."),
		quote.When(p.Calls > 1, severalCalls(p)),
		quote.When(t.Takes("id"), t.idHint(args)),
		quote.When(t.Name == "aggregate", t.aggregateHint(args)),
		recurring(args.Text("granularity")),
		quote.When(t.Name == "search" && args.Has("cursor") && !hasQueryOrBound(args), "Send a cursor with the arguments of its search."),
		quote.When(t.Name == "aggregate" && worded, "aggregate looks for no words: search finds the records that have them."),
	)
	switch {
	case says != "":
		return says
	case p.Excluded != nil || p.Sought != nil:
		return t.conditionHint(args, p)
	}
	return t.unknownHint(args)
}

// idHint explains what was sent in place of the id of one record; "" if the id is right.
func (t Tool) idHint(args rs.Object) string {
	id := args.Text("id")
	several := identifier.Several(id)
	_, stream := identifier.StreamAlone(id)
	return cmp.Or(
		quote.When(stream != "", streamHint),
		quote.When(identifier.IsPage(id), "That is the address of a page, not the id of a record; the call below finds records that name it."),
		quote.When(several != nil, CallForEach(len(several))),
		quote.When(t.titleIn(args) != "", titleHint),
		quote.When(id != "" && !strings.Contains(id, ":"), identifier.Own(id, args.Text("connection_id"), args.Text("stream"))),
	)
}

// aggregateHint explains which metric, group or order no aggregate has; "" if all are possible.
func (t Tool) aggregateHint(args rs.Object) string {
	_, one, names := t.oneOf(args)
	_, spreads := t.spread(args)
	computed := slices.DeleteFunc(slices.Clone(args), func(m rs.Member) bool { return !foreign.Metrics[m.Name] })
	isSort := func(m rs.Member) bool { return m.Name != "order" && foreign.Sorts(written.Snake(m.Name)) }
	if one == "group_by" {
		_, hint := oneGroup(args.Text("metric"), names)
		return "aggregate takes one group_by. " + hint
	}
	return cmp.Or(
		quote.When(one != "", "aggregate takes one "+one+". "+CallForEach(len(names))),
		quote.When(len(computed) > 1, "aggregate takes one metric. "+CallForEach(len(computed))),
		quote.When(spreads, "No metric is that; the call below lists the values in their order, from which it can be worked out."),
		quote.When(args.Has("granularity") && !args.Has("group_by_time"),
			"group_by_time is the field with the time; a month is its granularity."),
		quote.When(slices.ContainsFunc(args, isSort), "Groups are in the order of their numbers, or of time; order is asc or desc."),
	)
}

// conditionHint explains how to find the records of a condition that no filter expresses.
func (t Tool) conditionHint(args rs.Object, p foreign.Plan) string {
	switch {
	case slices.ContainsFunc(args, t.boundsTime): // the call looks up the fields of both
		return ""
	case p.Excluded != nil:
		return excludedHint(t, p, args)
	case t.Name != "aggregate":
		return "No filter looks within a text: search finds whole words."
	case isGrouped(args) && args.Text("group_by") != p.Sought.Name:
		return listsValues(p.Sought.Name)
	}
	return "No filter looks for a part of a text: the call below groups by " + quote.Line(p.Sought.Name) + "; add up the values that have it."
}

func (t Tool) unknownHint(args rs.Object) string {
	if at := slices.IndexFunc(args, t.IsOperator); at >= 0 {
		hint := ": filter compares a field with a whole name or address, q finds words in any field."
		if name := args[at].Name; foreign.NamesRecipient(foreign.OperatorWords[written.Snake(name)]) {
			hint = ". " + foreign.RecipientHint
		}
		return "No argument is " + args[at].Name + hint
	}
	for _, m := range args {
		text, isText := written.Text(m.Value)
		found, _ := foreign.SearchBounds(m, t.now)
		switch {
		case !isText || found != nil || t.Takes(m.Name) || !t.Takes("since") || !foreign.Bounds[written.Snake(m.Name)] || foreign.NamesSomeone(m):
		case timeOfDay().MatchString(m.Value):
			return "A time of day bounds no search. aggregate counts by hour: group_by_time with granularity hour."
		default:
			return "No days are known of " + m.Name + " " + quote.Exact(text) + `: send them as since and until, such as "2026-04-05".`
		}
	}
	isPage := func(m rs.Member) bool {
		return !t.Takes(m.Name) && (m.Name == "cursor" || foreign.Pages[written.Snake(m.Name)])
	}
	return quote.When((t.Takes("limit") || t.Takes("offset_chars")) && slices.ContainsFunc(args, isPage),
		"Pages have no numbers: each answer prints the call for the next one. The call below reads the first.")
}

var timeOfDay = written.Expression(`(?i)\b(?:night|morning|noon|afternoon|evening|nachts?|morgens|abends?|nuit|matin|soir|` +
	`noche|tarde|notte|sera)\b`)

// SeasonSays states the months assumed for a season that arguments name as a time; "" if they name none.
func SeasonSays(args rs.Object) string {
	for _, m := range slices.Concat(args, foreign.Operands(args.Object("filter"))) {
		name := written.Snake(m.Name)
		text, _ := written.Text(m.Value)
		isTime := foreign.BoundWords[name] != "" || written.IsTimeName(name)
		if season, month := written.Season(text); season != "" && isTime {
			return fmt.Sprintf("A season is taken for three whole months, as in the north: %s begins with %s. In the south it is half a year apart.",
				season, month)
		}
	}
	return ""
}

// LeavesOut names the arguments that a call proposed for them ignores, except those without an effect on a read.
func (c Call) LeavesOut(args rs.Object) string {
	var left []string
	proposed := c.Arguments.JSON()
	words := func(text string) string { return " " + strings.Join(strings.FieldsFunc(text, isBetween), " ") + " " }
	has := func(text string) bool { return strings.Contains(words(proposed), words(text)) }
	for _, m := range foreign.Joined(args) {
		value := strings.Trim(m.Value, `"{}[]`)
		several, _ := rs.AsArray(m.Value)
		switch {
		case value == "" || m.Value == "null" || c.accountsFor(m),
			rs.Kind(m.Value) != "number" && has(value), strings.Contains(proposed, ":"+m.Value):
		case len(several) > 1 && m.Name != "filter" && has(several[0]) && !has(several[1]):
			left = append(left, "all but the first of "+quote.Names([]string{m.Name}, 1))
		case !c.Arguments.Has(m.Name):
			left = append(left, quote.Names([]string{m.Name}, 1))
		}
	}
	if left == nil {
		return ""
	}
	return "The call below leaves out " + strings.Join(left[:min(len(left), maxShown)], ", ") + "."
}

func isBetween(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// WithoutUnknown returns a call without the conditions that args have as arguments, and whose names are like no field of its stream.
func (t Tool) WithoutUnknown(c Call, s Stream, args rs.Object) Call {
	filter := slices.DeleteFunc(slices.Clone(c.Arguments.Object("filter")), func(m rs.Member) bool {
		bounds, _ := foreign.SearchBounds(m, t.now)
		_, bound := foreign.BoundIn(m.Name)
		flag, _ := foreign.FlagOf(m.Name, m.Value, func(name string) bool { return s.Field(name) != nil })
		isNew := flag == "" && args.Has(m.Name) && !args.Object("filter").Includes(m.Name) && len(s.Fields) > 0 && s.Field(m.Name) == nil
		compares := bounds != nil || bound != "" || foreign.HasOperator(m.Name)   // these may be of the time field
		return isNew && !compares && append(s.Near(m.Name, nil), "id")[0] == "id" // the id of something else is not the record's own
	})
	if len(filter) < len(c.Arguments.Object("filter")) {
		c.Arguments = filtered(c.Arguments, filter)
	}
	return c
}

// accountsFor reports whether an argument has no effect on a read, or the call expresses it by another argument.
func (c Call) accountsFor(m rs.Member) bool {
	name, has := written.Snake(foreign.Lasting(m).Name), c.Arguments.Has
	switch {
	case foreign.Aggregations[name] || foreign.Silent[name]: // the metric replaces aggregations
		return true
	case m.Name == "id" && c.Tool == "query_records": // of a stream
		return true
	case m.Name == "metric": // it can be worked out from the values
		return c.Tool == "query_records"
	case slices.Contains(foreign.Aliases["metric"], name): // the hint says that it is the first of several
		return has("metric")
	case m.Name == "filter": // the words or groups replace the filter
		return c.Tool == "search" || has("group_by")
	case slices.Contains(foreign.Aliases["filter"], name) || slices.Contains(foreign.WordArguments, name), name == "sql":
		return has("filter")
	case foreign.BoundWords[name] != "":
		return has("since") || has("until")
	}
	return name == "distinct" && c.Arguments.Text("metric") == "count_distinct" ||
		m.Name == "group_by" && has("group_by_time") || written.Truth(m.Value) == "true" && has("expand")
}

// recurring explains how to count by a unit that no group is, such as a weekday; "" for any other granularity.
func recurring(granularity string) string {
	word, unit := written.Snake(granularity), quote.Line(granularity)
	likely := foreign.LikelyForms["granularity"][word]
	return quote.When(likely != "", "No group is by "+unit+": the call below groups by "+likely+
		quote.When(word != "minute" && !ofDays[strings.Trim(word, "0123456789_")], "; add up the "+likely+"s of each "+unit)+".")
}

// ofDays are the units, after a number, of lengths that no number of longer groups adds up to.
var ofDays = written.Set("d m")

func severalCalls(p foreign.Plan) string {
	return "A filter has no or, and one value a field. " + CallForEach(p.Calls) + quote.When(p.Overlaps, " "+Overlapping)
}

// excludedHint explains how to find records with no value, any value or any value but one, by groups or in the records: no filter does.
func excludedHint(t Tool, p foreign.Plan, args rs.Object) string {
	excluded, field, grouped := *p.Excluded, quote.Line(p.Excluded.Name), isGrouped(args)
	if foreign.IsAbsent(excluded) {
		has, groups, among := "no value", "the group null is the records without ", "look at "+field+" in the records."
		if excluded.Value == foreign.AnyOf {
			has, groups, among = "any value", "all groups but null are the records with ", "pass over the records without "+field+"."
		}
		if t.Name == "aggregate" && !grouped {
			return "No filter finds what has " + has + "; in the call below, " + groups + field + "."
		}
		return "No filter finds what has " + has + ": " + quote.When(t.Name == "query_records", "the call below does without that condition; ") +
			quote.When(t.Name != "query_records", "leave that condition out and ") + among
	}
	each := rs.Object{{Name: excluded.Name, Value: `"VALUE"`}}.JSON()
	return "No filter excludes a value: " + cmp.Or(
		quote.When(written.IsNumber(excluded.Value), "the call below has what is above it; send it with lt in place of gt, too."),
		quote.When(grouped, "leave that condition out, or group by "+field+"."),
		quote.When(!args.Has("stream") && !args.Has("streams"),
			"aggregate with group_by "+field+" lists the others, in the one stream that you name."),
		quote.When(t.Name == "query_records", "the call below lists those of "+field+
			"; then send query_records for each other one, with "+each+" in filter."),
		"the call below groups by "+field+", and the other groups are what is asked for.",
	) + quote.When(p.Others != nil, " It excludes by the first of the fields alone, not by "+quote.Names(distinct(p.Others), maxShown)+".")
}

// CurrencyLeftOut is the hint for a filter that compares with an amount with a currency; "" for any other filter.
func CurrencyLeftOut(args rs.Object) string {
	hasCurrency := func(m rs.Member) bool { _, ok := written.WithoutCurrency(m.Value); return ok }
	if slices.ContainsFunc(foreign.Operands(args.Object("filter")), hasCurrency) {
		return "An amount is a number: the call below leaves out its currency, which is a field of its own if the records have several."
	}
	return ""
}

var otherDate = written.Expression(`^"(?:[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2})"$`)

// MistakesDate reports whether a filter has an ambiguous or invalid date, or words in a field that is named like a time.
func MistakesDate(args rs.Object) bool {
	return slices.ContainsFunc(foreign.Operands(args.Object("filter")), func(m rs.Member) bool {
		return otherDate().MatchString(m.Value) && !written.IsTime(m.Value) || written.IsTimeName(m.Name) && written.IsWord(m.Value)
	})
}

// NoSuchDay explains a date in a call that does not exist, such as 2026-02-30, or that may be two days; "" if there is none.
func NoSuchDay(args rs.Object) string {
	for _, m := range append(foreign.Operands(args.Object("filter")), members(args, sinceUntil...)...) {
		if last, ok := written.LastOfMonth(m.Value); ok {
			return "There is no day " + quote.JSON(m.Value) + ": that month ends with " + last + ", which the call below has."
		} else if day := written.Reordered(m.Value); written.IsTime(day) {
			return "There is no day " + quote.JSON(m.Value) + ": the call below has its day and month the other way round."
		} else if days := written.DaysOf(strings.Trim(m.Value, `"`)); len(days) > 1 {
			return quote.JSON(m.Value) + " may be " + days[0].Format(time.DateOnly) + " or " + days[1].Format(time.DateOnly) +
				": send the one that is meant."
		}
	}
	return ""
}
