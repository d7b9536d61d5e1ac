package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// Limits of an aggregation in text. Rows that do not fit are counted, with a call that shows them.
const (
	groupsText = 16 << 10 // bytes of rows
	groupRows  = write.TextLines - 16
)

// An AggregateQuery is the call that an aggregation answers.
type AggregateQuery struct {
	Stream    string
	Arguments object       // as sent, for the calls that are printed
	Coverage  Coverage     // of an answer without records
	Empty     []EmptyField // why no record matches the filter, if that is known
}

type aggregateAnswer struct {
	AggregateQuery
	object
	rows  []groupRow
	units []string // each has a column unless there are more than maxUnits; [""] if there are no units
}

// maxUnits bounds the columns of a table and the parts of a row.
const maxUnits = 24

// columns returns the units that have a column; [""] if each number has its unit beside it.
func (a aggregateAnswer) columns() []string {
	if len(a.units) > maxUnits {
		return []string{""}
	}
	return a.units
}

// A groupRow is one group of an answer. It has several parts if its numbers have several units.
type groupRow struct {
	key   string // JSON
	parts []object
}

// Aggregate renders an aggregation: its number, or a table of groups with other_count (S3-R12, S3-R13). Structured is {"data": body}. Each
// channel shows as many groups as fit, with a call that continues after them (D18).
func Aggregate(response *rs.Response, q AggregateQuery) (Result, error) {
	const what = "aggregate"
	o, err := answer.Decode(response, what)
	if err != nil {
		return Result{}, err
	}
	a := aggregateAnswer{AggregateQuery: q, object: o}
	a.Stream = cmp.Or(a.Text("stream"), q.Stream)
	groups, grouped := rs.AsArray(a.Get("groups"))
	if !grouped && !a.Includes("value") {
		return Result{}, answer.Invalid(what, "has neither value nor groups")
	}
	lines := a.number()
	if grouped {
		a.readRows(groups)
		lines = a.table()
	}
	why, _ := answer.Conditions("aggregate", a.Empty)
	return Result{Text: strings.Join(write.Clipped(slices.Concat(lines, a.notes(), why)), "\n"), Structured: a.structured()}, nil
}

func (a *aggregateAnswer) readRows(groups []string) {
	seen := map[string]bool{}
	for _, raw := range groups {
		part := rs.AsObject(raw)
		if unit := part.Text("unit"); !seen[unit] {
			seen[unit] = true
			a.units = append(a.units, unit)
		}
		key := cmp.Or(part.Get("key"), "null")
		last := len(a.rows) - 1
		if last >= 0 && a.rows[last].key == key && part.Has("unit") && len(a.rows[last].parts) < maxUnits {
			a.rows[last].parts = append(a.rows[last].parts, part)
			continue
		}
		a.rows = append(a.rows, groupRow{key, []object{part}})
	}
	if len(groups) == 0 {
		a.units = []string{""}
	}
}

// number returns the lines of an answer without groups, such as "2,064 messages: Work mail 803, Personal mail 458" or "sum of total of
// orders = 98.5 GBP".
func (a aggregateAnswer) number() []string {
	if n, ok := a.Number("value"); ok && a.Text("metric") == "count" {
		line := write.Thousands(n) + " " + write.ShownName(a.Stream)
		if n == 1 {
			line = "1 record of " + write.ShownName(a.Stream)
		}
		return []string{cmp.Or(a.connections(line+": "), line)}
	}
	line := a.head() + " = " + write.ShownValue(a.Get("value")) + a.unit(" ", a.Text("unit"))
	if n, ok := a.Number("count"); ok {
		line += fmt.Sprintf(" (%s by %d with a value)", write.ShownValue(a.Get("sum")), n)
	}
	return write.NotEmpty(a.withCounts(line), a.connections("records: "))
}

// unit returns a unit, or another text that the resource server sent, after a lead; "" for none.
func (a aggregateAnswer) unit(lead, text string) string {
	return write.When(text != "", lead+write.ShownValue(write.JSON(text)))
}

// head is what was computed: "count of messages", "sum of total of orders by month of ordered_at".
func (a aggregateAnswer) head() string {
	name := func(lead, text, behind string) string {
		return write.When(text != "", lead+write.ShownName(text)+behind)
	}
	time := a.Text("group_by_time")
	head := name("", cmp.Or(a.Text("metric"), "aggregate"), " of ") + name("", a.Text("field"), " of ") + write.ShownName(a.Stream) +
		name(" by ", a.Text("group_by"), "") + write.When(time != "", name(" by ", cmp.Or(a.Text("granularity"), "time"), "")+name(" of ", time, ""))
	return clean.Clip(head, write.LineChars/2)
}

func (a aggregateAnswer) withCounts(line string) string {
	records, counted := a.Number("filtered_record_count")
	zone := a.Text("time_zone")
	reads, read := a.Number("reads")
	return line + write.When(counted, " · "+write.Plural(records, "record")) +
		write.When(zone != "" && a.Has("groups"), " · "+write.ShownName(zone)) +
		write.When(read && a.Flag("composed"), " · "+write.Plural(reads, "read"))
}

func (a aggregateAnswer) table() []string {
	lines := write.NotEmpty(a.withCounts(a.head()), a.connections("records: "))
	columns := []string{write.ShownName(cmp.Or(a.Text("group_by", "granularity"), "group"))}
	for _, unit := range a.columns() {
		columns = append(columns, write.ShownValue(write.JSON(cmp.Or(unit, a.Text("unit"), a.Text("metric"), "value"))))
	}
	rows := write.Each(a.rows[:min(len(a.rows), groupRows)], a.row)
	shown := write.Fitting(rows, groupsText, groupRows)
	return slices.Concat(lines, []string{strings.Join(columns, write.Separator)}, rows[:shown], a.rest(shown).lines())
}

// row returns "2026-01 | 866.85 of 11 | 52.3 of 1": the numbers of a group, each with how many records it is computed from.
func (a aggregateAnswer) row(row groupRow) string {
	columns := a.columns()
	cells := make([]string, 1+len(columns))
	title := a.unit(" (", row.parts[0].Text("title"))
	cells[0] = a.key(row.key) + write.When(title != "", title+")")
	for _, part := range row.parts {
		text := write.ShownValue(cmp.Or(part.Get("value"), part.Get("count")))
		if n, ok := part.Number("count"); ok && part.Includes("value") && a.Text("metric") != "count" {
			text = fmt.Sprintf("%s of %d", write.ShownValue(part.Get("value")), n)
		}
		column := slices.Index(columns, part.Text("unit"))
		if column < 0 {
			text += a.unit(" ", part.Text("unit"))
		}
		cell := &cells[1+max(column, 0)]
		*cell = write.When(*cell != "", *cell+", ") + text
	}
	return strings.TrimRight(strings.Join(cells, write.Separator), " ")
}

// key returns the key of a group: a month without its day, a year without month and day, another date as is, anything else as a cell.
func (a aggregateAnswer) key(raw string) string {
	text, _ := rs.AsText(raw)
	if _, err := time.Parse(time.DateOnly, text); err != nil || !a.Has("group_by_time") {
		return write.ShownValue(raw)
	}
	return strings.TrimSuffix(text, map[string]string{"month": "-01", "year": "-01-01"}[a.Text("granularity")])
}

func (a aggregateAnswer) connections(beginning string) string {
	parts := write.Each(a.Array("connections"), func(raw string) string {
		o := rs.AsObject(raw)
		count := "not counted"
		if n, ok := o.Number("count"); ok {
			count = write.Thousands(n)
		}
		return write.ShownValue(write.JSON(o.Text("display_name", "connection_id"))) + " " + count
	})
	return write.Lead(beginning, strings.Join(parts, ", "))
}

func (a aggregateAnswer) notes() []string {
	field := a.Text("unit_field")
	unknown := a.Flag("unit_unknown")
	apart := field != "" && field == a.Text("group_by") && !a.Arguments.Has("group_by")
	unit := write.ShownName(field)
	warned := answer.List{Meta: a.Object("meta")}.WithoutLeftOut(a.object)
	records, counted := a.Number("filtered_record_count")
	return write.NotEmpty(slices.Concat(answer.DatesReadAs(a.object, counted && records == 0), a.Coverage.Lines(), []string{
		write.When(field != "" && unknown, unit+" cannot be grouped by here, so the numbers may mix several: filter by "+unit+"."),
		write.When(apart && !unknown && len(a.rows) > 1, write.ShownName(a.Text("field"))+" is not all in one "+unit+": each is computed alone."),
		write.When(apart && !unknown && len(a.rows) == 1 && a.other() > 0, "What is without "+unit+" is not in it."),
		answer.Noted(a.Object("mixed_units")), answer.Noted(a.Object("ids_of")),
	}, a.asides(), []string{
		answer.Noted(a.Object("every")),
		write.When(a.Flag("of_values") && len(a.rows) > 0, "of N counts the records that have a value."),
		write.When(a.Flag("changed"), "Some groups had other records when they were read than when they were counted: ask again for exact numbers."),
		write.When(a.Flag("approximate"), "approximate=true: the figures are estimates."),
	}, answer.MissingFields(a.object), warned.Warnings(3))...)
}

// asides returns what both channels say of the groups.
func (a aggregateAnswer) asides() []string {
	distinct := a.Text("metric") == "count_distinct" && len(a.Array("connections")) > 1
	return write.NotEmpty(a.cutGroups(), write.When(distinct, "a value that several connections have is counted once"))
}

// structured returns the answer as received, without an object around it, if that fits, else with as many groups as fit and the call that
// shows the others.
func (a aggregateAnswer) structured() string {
	noun := write.ShownName(cmp.Or(a.Text("granularity"), "group"))
	empty := write.When(a.leavesOutEmpty() && len(a.rows) > 0, noun+"s without records are left out")
	note := strings.Join(write.NotEmpty(append([]string{empty}, a.asides()...)...), "; ")
	_, why := answer.Conditions("aggregate", a.Empty)
	complete := new(write.Object).Put("data", a.JSON()).Put("conditions", why)
	if a.Has("groups") && a.other() > 0 {
		a.rest(len(a.rows)).put(complete)
	}
	if out := complete.Optional("note", note).JSON(); write.FitsStructured(out) {
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
		out := new(write.Object).Put("data", head.With("groups", answer.Joined(parts)).JSON()).Optional("note", note)
		if n < len(a.rows) {
			a.rest(n).put(out)
		}
		return out.JSON()
	}, write.FitsStructured)
	return out
}
