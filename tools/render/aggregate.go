package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// How much of an aggregation text shows. The rows that do not fit are counted, with a call that shows them.
const (
	groupsText = 16 << 10 // bytes of rows
	groupRows  = write.TextLines - 16
)

// Aggregate renders an aggregation: its number, or a table of groups with other_count (S3-R12, S3-R13). Structured is {"data": body}.
// What does not fit is cut between two groups, on each channel for itself, with a call that goes on there (D18).
func Aggregate(response *rs.Response, q AggregateQuery) (Result, error) {
	const what = "aggregate"
	o, err := decode(response, what)
	if err != nil {
		return Result{}, err
	}
	a := aggregateAnswer{AggregateQuery: q, object: o}
	if inner := o.Object("data"); inner != nil && !o.Has("metric") { // the members beside data are kept, too
		for _, beside := range o.Without("data") {
			if !inner.Includes(beside.Name) {
				inner = append(inner, beside)
			}
		}
		a.object = inner
	}
	a.Stream = cmp.Or(a.Text("stream"), q.Stream)
	groups, grouped := rs.AsArray(a.Get("groups"))
	if !grouped && !a.Includes("value") {
		return Result{}, invalidResponse(what, "has neither value nor groups")
	}
	lines := a.number()
	if grouped {
		a.readRows(groups)
		lines = a.table()
	}
	why, _ := conditions("aggregate", a.Empty)
	return Result{Text: strings.Join(write.Clipped(slices.Concat(lines, a.notes(), why)), "\n"), Structured: []byte(a.structured())}, nil
}

// number is the answer without groups, such as "2,064 messages: Work mail 803, Personal mail 458" or "sum of total of orders = 98.5 GBP".
func (a aggregateAnswer) number() []string {
	if n, ok := a.Number("value"); ok && a.Text("metric") == "count" {
		line := write.Thousands(n) + " " + write.ShownName(a.Stream)
		if n == 1 {
			line = "1 record of " + write.ShownName(a.Stream)
		}
		return []string{cmp.Or(a.connections(line+": "), line)}
	}
	line := a.head() + " = " + write.ShownValue(a.Get("value"))
	if unit := a.Text("unit"); unit != "" {
		line += " " + write.ShownValue(write.JSON(unit))
	}
	if n, ok := a.Number("count"); ok {
		line += fmt.Sprintf(" (%s by %d with a value)", write.ShownValue(a.Get("sum")), n)
	}
	return write.NotEmpty(a.withCounts(line), a.connections("records: "))
}

// head is what was computed: "count of messages", "sum of total of orders by month of ordered_at".
func (a aggregateAnswer) head() string {
	head := write.ShownName(cmp.Or(a.Text("metric"), "aggregate")) + " of "
	if field := a.Text("field"); field != "" {
		head += write.ShownName(field) + " of "
	}
	head += write.ShownName(a.Stream)
	if by := a.Text("group_by"); by != "" {
		head += " by " + write.ShownName(by)
	}
	if by := a.Text("group_by_time"); by != "" {
		head += " by " + write.ShownName(cmp.Or(a.Text("granularity"), "time")) + " of " + write.ShownName(by)
	}
	return clean.Clip(head, write.LineChars/2)
}

// withCounts adds to a line how many records were counted, in which zone, and how many reads of the resource server the answer took.
func (a aggregateAnswer) withCounts(line string) string {
	if n, ok := a.Number("filtered_record_count"); ok {
		line += " · " + write.Plural(n, "record")
	}
	if zone := a.Text("time_zone"); zone != "" && a.Has("groups") {
		line += " · " + write.ShownName(zone)
	}
	if n, ok := a.Number("reads"); ok && a.Flag("composed") {
		line += " · " + write.Plural(n, "read")
	}
	return line
}

// table is the head, a row for each group, and what is not shown.
func (a aggregateAnswer) table() []string {
	lines := write.NotEmpty(a.withCounts(a.head()), a.connections("records: "))
	columns := []string{write.ShownName(cmp.Or(a.Text("group_by", "granularity"), "group"))}
	for _, unit := range a.units {
		columns = append(columns, write.ShownValue(write.JSON(cmp.Or(unit, a.Text("unit"), a.Text("metric"), "value"))))
	}
	lines = append(lines, strings.Join(columns, " | "))
	remaining, shown := groupsText, 0
	for _, row := range a.rows[:min(len(a.rows), groupRows)] {
		line := a.row(row)
		if remaining -= len(line) + 1; remaining < 0 {
			break
		}
		lines = append(lines, line)
		shown++
	}
	return append(lines, a.rest(shown).lines()...)
}

// row is "2026-01 | 866.85 of 11 | 52.3 of 1": the numbers of a group, and of how many records each is.
func (a aggregateAnswer) row(row groupRow) string {
	cells := make([]string, 1+len(a.units))
	cells[0] = a.key(row.key)
	if title := row.parts[0].Text("title"); title != "" {
		cells[0] += " (" + write.ShownValue(write.JSON(title)) + ")"
	}
	for _, part := range row.parts {
		text := write.ShownValue(cmp.Or(part.Get("value"), part.Get("count")))
		if n, ok := part.Number("count"); ok && part.Includes("value") && a.Text("metric") != "count" {
			text = fmt.Sprintf("%s of %d", write.ShownValue(part.Get("value")), n)
		}
		if unit := part.Text("unit"); unit != "" && a.columns == nil {
			text += " " + write.ShownValue(write.JSON(unit))
		}
		cells[1+a.columns[part.Text("unit")]] = text
	}
	return strings.TrimRight(strings.Join(cells, " | "), " ")
}

// key is the key of a group: a date as it is, of a month without its day and of a year without its month; anything else as a cell.
func (a aggregateAnswer) key(raw string) string {
	text, _ := rs.AsText(raw)
	if _, err := time.Parse(time.DateOnly, text); err != nil || !a.Has("group_by_time") {
		return write.ShownValue(raw)
	}
	switch a.Text("granularity") {
	case "month":
		return strings.TrimSuffix(text, "-01")
	case "year":
		return strings.TrimSuffix(text, "-01-01")
	}
	return text
}

// connections is a line that names each connection with how many of the records it has; "" for one connection.
func (a aggregateAnswer) connections(beginning string) string {
	var parts []string
	for _, raw := range a.Array("connections") {
		o := rs.AsObject(raw)
		count := "not counted"
		if n, ok := o.Number("count"); ok {
			count = write.Thousands(n)
		}
		parts = append(parts, write.ShownValue(write.JSON(o.Text("display_name", "connection_id")))+" "+count)
	}
	if len(parts) == 0 {
		return ""
	}
	return beginning + strings.Join(parts, ", ")
}

// notes are what must be known to read the numbers.
func (a aggregateAnswer) notes() []string {
	notes := append(datesReadAs(a.object), a.Coverage.lines()...)
	switch field := a.Text("unit_field"); {
	case field == "":
	case a.Flag("unit_unknown"):
		notes = append(notes, fmt.Sprintf("%[1]s cannot be grouped by here, so the numbers may mix several: filter by %[1]s.", write.ShownName(field)))
	case field == a.Text("group_by") && !a.Arguments.Has("group_by"):
		notes = append(notes, write.ShownName(a.Text("field"))+" is not all in one "+write.ShownName(field)+": each is computed alone.")
	}
	if mixed := a.Object("mixed_units"); mixed != nil {
		unit := write.ShownName(mixed.Text("field"))
		mixes := "and this mixes them."
		if mixed.Flag("possible") {
			mixes = "and this may mix them."
		}
		notes = append(notes, fmt.Sprintf("%s has no %s of its own; that of its %s is one of %s, %s",
			write.ShownName(a.Text("field")), unit, write.ShownName(mixed.Text("stream")),
			strings.Join(write.Each(write.Words(mixed, "values"), clean.Bare), ", "), mixes))
		if arguments := mixed.Object("apart").Object("arguments"); arguments != nil {
			notes = append(notes, fmt.Sprintf("another number, that of %s of the %s, by %s: aggregate %s",
				write.ShownName(arguments.Text("field")), write.ShownName(mixed.Text("stream")), unit, arguments.JSON()))
		}
	}
	notes = append(append(notes, a.untitled()), a.counted()...)
	if a.Flag("changed") {
		notes = append(notes, "Some groups had other records when they were read than when they were counted: ask again for exact numbers.")
	}
	if a.Flag("approximate") {
		notes = append(notes, "approximate=true: the figures are estimates.")
	}
	warned := listing{meta: a.Object("meta")}.withoutLeftOut(a.object)
	return write.NotEmpty(slices.Concat(notes, missingFields(a.object), warned.warnings(3))...)
}

// asides are in structured output what text says in notes and in the line below the groups.
func (a aggregateAnswer) asides() string {
	var asides []string
	if a.leavesOutEmpty() && len(a.rows) > 0 {
		asides = []string{write.ShownName(cmp.Or(a.Text("granularity"), "group")) + "s without records are left out"}
	}
	return strings.Join(append(asides, a.counted()...), "; ")
}

// counted says what is among the records or values that are counted.
func (a aggregateAnswer) counted() []string {
	every, distinct := a.everyStatus(), ""
	if a.Text("metric") == "count_distinct" && len(a.Array("connections")) > 1 {
		distinct = "a value that several connections have is counted once"
	}
	return write.NotEmpty(every, distinct)
}

// untitled says how the groups are named that have no title; "" where all have one.
func (a aggregateAnswer) untitled() string {
	of := a.Object("ids_of")
	at := slices.IndexFunc(a.rows, func(row groupRow) bool { return row.parts[0].Text("title") == "" && row.key != "null" })
	if of == nil || at < 0 {
		return ""
	}
	key, _ := rs.AsText(a.rows[at].key)
	ref := rs.Ref{ConnectionID: of.Text("connection_id"), Stream: of.Text("stream"), RecordID: key}
	call := new(write.Object).Text("id", ref.String()).Call("fetch")
	return write.Offer(write.ShownName(a.Text("group_by"))+" has ids of "+write.ShownName(of.Text("stream"))+": ", call, write.LineChars/2)
}

// everyStatus says that what is added up is of every status, and how it is told apart; "" where records have none.
func (a aggregateAnswer) everyStatus() string {
	field := a.Text("every")
	if field == "" {
		return ""
	}
	says := "every " + write.ShownName(field) + " is included"
	if a.Arguments.Has("group_by") || a.Arguments.Has("group_by_time") {
		return says + "; filter by it to leave some out"
	}
	args := a.Arguments.With("group_by", write.JSON(field))
	args = slices.SortedFunc(slices.Values(args), func(a, b rs.Member) int { return strings.Compare(a.Name, b.Name) })
	return says + write.Offer("; apart: ", new(write.Object).Rest(args).Call("aggregate"), write.LineChars)
}

// structured is the answer as received, without what it is nested in, when it fits, else with as many groups as do, and how to see the
// others.
func (a aggregateAnswer) structured() string {
	complete := new(write.Object).Put("data", a.JSON())
	if len(a.Empty) > 0 {
		_, why := conditions("aggregate", a.Empty)
		complete.Put("conditions", why)
	}
	if a.Has("groups") && a.other() > 0 {
		a.rest(len(a.rows)).put(complete)
	}
	note := a.asides()
	complete.Optional("note", note)
	if out := complete.JSON(); write.FitsStructured(out) {
		return out
	}
	head := rs.AsObject(write.Truncate(a.Without("groups").JSON(), write.DocumentHead))
	if !a.Has("groups") {
		return new(write.Object).Put("data", head.JSON()).JSON()
	}
	out, _ := write.Fullest(len(a.rows), func(n int) string {
		var parts []string
		for _, row := range a.rows[:n] {
			for _, part := range row.parts {
				parts = append(parts, part.JSON())
			}
		}
		out := new(write.Object).Put("data", head.With("groups", joined(parts)).JSON()).Optional("note", note)
		if n == len(a.rows) {
			return out.JSON()
		}
		a.rest(n).put(out)
		return out.JSON()
	}, write.FitsStructured)
	return out
}
