package render

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// How much of an aggregation text shows. The rows that do not fit are counted, with a call that shows them.
const (
	groupsText = 16 << 10 // bytes of rows
	groupRows  = textLines - 16
	keyChars   = 120 // of a key or a value; a longer one is cut
	maxGroups  = 100 // that can be asked for
	maxUnits   = 20  // columns of a table
)

// An AggregateQuery is the call that an aggregation answers.
type AggregateQuery struct {
	Stream    string
	Arguments object       // as sent, for the calls that are printed
	Empty     []EmptyField // why the filter leaves no records, where that was found out
}

// Aggregate renders an aggregation: its number, or a table of groups with other_count (S3-R12, S3-R13). Structured is {"data": body}.
// What does not fit is cut between two groups, on each channel for itself, with a call that goes on there (D18).
func Aggregate(response *rs.Response, q AggregateQuery) (Result, error) {
	const what = "aggregate"
	o, err := decode(response, what)
	if err != nil {
		return Result{}, err
	}
	a := aggregateAnswer{AggregateQuery: q, object: o, raw: response.Distinct()}
	if inner := o.Object("data"); inner != nil && !o.Has("metric") { // what stands beside it is kept, too
		for _, beside := range o.Without("data") {
			if !inner.Includes(beside.Name) {
				inner = append(inner, beside)
			}
		}
		a.object, a.raw = inner, inner.JSON()
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
	lines = append(append(lines, a.notes()...), explain("aggregate", a.Empty)...)
	for i, line := range lines {
		lines[i] = clip(line, lineChars)
	}
	return Result{Text: strings.Join(lines, "\n"), Structured: []byte(a.structured())}, nil
}

// An aggregateAnswer is an answer with the groups that it has.
type aggregateAnswer struct {
	AggregateQuery
	object
	raw     string // the same
	rows    []groupRow
	units   []string       // each has a column; of numbers without a unit, or with one alone, there is one column
	columns map[string]int // by unit; nil where the units are too many, and each number has a row
}

// A groupRow is what an answer says of one group: several parts where its numbers have several units.
type groupRow struct {
	key   string // JSON
	parts []object
}

func (a *aggregateAnswer) readRows(groups []string) {
	a.columns = map[string]int{}
	parts := make([]object, len(groups))
	for i, raw := range groups {
		parts[i] = rs.AsObject(raw)
		unit := parts[i].Text("unit")
		if _, known := a.columns[unit]; !known {
			a.columns[unit] = len(a.units)
			a.units = append(a.units, unit)
		}
	}
	if len(a.units) > maxUnits || len(a.units) == 0 {
		a.units, a.columns = []string{""}, nil
	}
	for _, part := range parts {
		key := cmp.Or(part.Get("key"), "null")
		if last := len(a.rows) - 1; last >= 0 && a.rows[last].key == key && part.Has("unit") && a.columns != nil {
			a.rows[last].parts = append(a.rows[last].parts, part)
			continue
		}
		a.rows = append(a.rows, groupRow{key, []object{part}})
	}
}

// number is the answer without groups, such as "2,064 messages: Work mail 803, Personal mail 458" or "sum of total of orders = 98.5 GBP".
func (a aggregateAnswer) number() []string {
	value := shownValue(a.Get("value"))
	if n, ok := a.Number("value"); ok && a.Text("metric") == "count" {
		if n == 1 {
			return []string{"1 record of " + shownName(a.Stream) + a.connections(": ")}
		}
		return []string{thousands(n) + " " + shownName(a.Stream) + a.connections(": ")}
	}
	line := a.head() + " = " + value
	if unit := a.Text("unit"); unit != "" {
		line += " " + shownValue(encode(unit))
	}
	if n, ok := a.Number("count"); ok {
		line += fmt.Sprintf(" (%s by %d with a value)", shownValue(a.Get("sum")), n)
	}
	return append([]string{line + a.records() + a.reads()}, a.connectionLine()...)
}

// head is what was computed: "count of messages", "sum of total of orders by month of ordered_at".
func (a aggregateAnswer) head() string {
	head := shownName(cmp.Or(a.Text("metric"), "aggregate")) + " of "
	if field := a.Text("field"); field != "" {
		head += shownName(field) + " of "
	}
	head += shownName(a.Stream)
	if by := a.Text("group_by"); by != "" {
		head += " by " + shownName(by)
	}
	if by := a.Text("group_by_time"); by != "" {
		head += " by " + shownName(cmp.Or(a.Text("granularity"), "time")) + " of " + shownName(by)
	}
	return clip(head, lineChars/2)
}

// records says how many records were counted.
func (a aggregateAnswer) records() string {
	n, ok := a.Number("filtered_record_count")
	if !ok {
		return ""
	}
	return " · " + plural(n, "record")
}

// reads says how many reads of the resource server it took to compose the answer.
func (a aggregateAnswer) reads() string {
	if n, ok := a.Number("reads"); ok && a.Flag("composed") {
		return " · " + plural(n, "read")
	}
	return ""
}

// table is the head, a row for each group, and what is not shown.
func (a aggregateAnswer) table() []string {
	head := a.head() + a.records()
	if zone := a.Text("time_zone"); zone != "" {
		head += " · " + shownName(zone)
	}
	lines := append([]string{head + a.reads()}, a.connectionLine()...)
	by := "group"
	if field := a.Text("group_by"); field != "" {
		by = shownName(field)
	} else if g := a.Text("granularity"); g != "" {
		by = shownName(g)
	}
	columns := []string{by}
	for _, unit := range a.units {
		columns = append(columns, shownValue(encode(cmp.Or(unit, a.Text("unit"), a.Text("metric"), "value"))))
	}
	lines = append(lines, strings.Join(columns, " | "))
	size, shown := 0, 0
	for _, row := range a.rows {
		line := a.row(row)
		if size += len(line) + 1; size > groupsText || shown == groupRows {
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
	for _, part := range row.parts {
		text := shownValue(cmp.Or(part.Get("value"), part.Get("count")))
		if n, ok := part.Number("count"); ok && part.Includes("value") && a.Text("metric") != "count" {
			text = fmt.Sprintf("%s of %d", shownValue(part.Get("value")), n)
		}
		if unit := part.Text("unit"); unit != "" && a.columns == nil {
			text += " " + shownValue(encode(unit))
		}
		cells[1+a.columns[part.Text("unit")]] = text
	}
	return strings.TrimRight(strings.Join(cells, " | "), " ")
}

// key is the key of a group: a date as it is, of a month without its day and of a year without its month; anything else as a cell.
func (a aggregateAnswer) key(raw string) string {
	text, _ := rs.AsText(raw)
	if _, err := time.Parse(time.DateOnly, text); err != nil || !a.Has("group_by_time") {
		return shownValue(raw)
	}
	switch a.Text("granularity") {
	case "month":
		return strings.TrimSuffix(text, "-01")
	case "year":
		return strings.TrimSuffix(text, "-01-01")
	}
	return text
}

// shownValue is a value as tables show it, or its beginning. A text is as a filter takes it: where a table would clean it, it is escaped.
func shownValue(raw string) string {
	b, left := appendCell(nil, withoutDust(raw), keyChars)
	value := string(b)
	if text, _ := rs.AsText(raw); rs.Kind(raw) == "string" && (oneLine(text) != text || strings.ContainsAny(text, ";'()")) {
		shown := text[:runeIndex(text, keyChars)]
		value, left = quote(shown), utf8.RuneCountInString(text[len(shown):])
	}
	if left > 0 {
		return fmt.Sprintf("%s… (%s more characters)", strings.TrimSuffix(value, ellipsis), thousands(left))
	}
	return value
}

// withoutDust is a number less what adding up in binary leaves behind its fifteenth digit: 80.2 for 80.19999999999999. A number that has
// so many digits of its own keeps them.
func withoutDust(raw string) string {
	const digits, dust = 15, 4
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil || !strings.Contains(raw, ".") || strings.ContainsAny(raw, "eE") {
		return raw
	}
	if clean := strconv.FormatFloat(f, 'g', digits, 64); len(clean)+dust <= len(raw) && len(raw) > digits {
		return clean
	}
	return raw
}

// connections names each connection with how many of the records it has, behind a separator; nothing for one connection.
func (a aggregateAnswer) connections(separator string) string {
	var parts []string
	for _, raw := range a.Array("connections") {
		o := rs.AsObject(raw)
		count := "not counted"
		if n, ok := o.Number("count"); ok {
			count = thousands(n)
		}
		parts = append(parts, shownValue(encode(o.Text("display_name", "connection_id")))+" "+count)
	}
	if len(parts) == 0 {
		return ""
	}
	return separator + strings.Join(parts, ", ")
}

func (a aggregateAnswer) connectionLine() []string {
	if list := a.connections(": "); list != "" {
		return []string{"records" + list}
	}
	return nil
}

// notes are what must be known to read the numbers.
func (a aggregateAnswer) notes() []string {
	notes := append(datesReadAs(a.object), freshness(a.object)...)
	switch field := a.Text("unit_field"); {
	case field == "":
	case a.Flag("unit_unknown"):
		notes = append(notes, shownName(field)+" cannot be grouped by here, so the numbers may mix several: filter by "+shownName(field)+".")
	case field == a.Text("group_by") && !a.Arguments.Has("group_by"):
		notes = append(notes, shownName(a.Text("field"))+" is not all in one "+shownName(field)+": each is computed alone.")
	}
	if a.Flag("changed") {
		notes = append(notes, "Some groups had other records when they were read than when they were counted: ask again for exact numbers.")
	}
	if a.Flag("approximate") {
		notes = append(notes, "approximate=true: the figures are estimates.")
	}
	return append(notes, listing{meta: a.Object("meta")}.warnings(3)...)
}
