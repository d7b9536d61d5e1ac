package item

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

const (
	mostText   = 500 // characters that a cell shows of a longer text, at most, among other records
	maxColumns = 40  // a record with more fields is a block of lines
	maxTables  = 4   // tables on a page; if connections alternate more often, all records are in one table, with complete ids
)

// A tableGroup is consecutive records of a page, or all records that were expanded in these under one name, with their columns.
type tableGroup struct {
	relation string // the name of the latter
	items    []Item
	prefix   string // of the ids; "" if they are printed whole
	columns  []string
	emitted  bool              // no record has a time: emitted_at follows the id
	block    bool              // each record is a block of lines
	usual    map[string]string // by column: the long value of many cells, which show usualCell instead
	constant rs.Object         // fields with the same value in every record; they have no column
	related  []tableGroup
	at       map[string]int // by relation: its index in related
}

// usualCell replaces the usual value of a column in a cell. A text that equals it is quoted.
const usualCell = "~"

// findRepeated finds values that the columns of several records repeat: a short value that every record has, whose column is removed, and
// the most frequent long value, such as the one recipient of most messages, if at least a third of the records have it.
func (g *tableGroup) findRepeated() {
	const fewest, maxConstant = 3, 100   // records; bytes of a value
	const leastUsual, maxUsual = 24, 300 // bytes
	var others []string
	g.usual = map[string]string{}
	for _, column := range g.columns {
		first, same := g.items[0].Data.Get(column), 0
		counts, usual, most := map[string]int{}, "", 0
		for i := range g.items {
			value := g.items[i].Data.Get(column)
			if value == first {
				same++
			}
			if len(value) < leastUsual || len(value) > maxUsual {
				continue
			}
			if counts[value]++; counts[value] > most {
				usual, most = value, counts[value]
			}
		}
		if same >= fewest && same == len(g.items) && first != "" && len(first) <= maxConstant {
			g.constant = append(g.constant, write.Pair(column, first))
			continue
		}
		if others = append(others, column); most >= fewest && 3*most >= len(g.items) {
			g.usual[column] = usual
		}
	}
	if len(others) == 0 { // a table has a column
		g.constant = nil
		return
	}
	g.columns = others
}

func newTableGroup(relation string, items []Item) tableGroup {
	g := tableGroup{relation: relation, items: items, prefix: commonPrefix(items), columns: columnsOf(items)}
	if relation != "" { // the line of a related record is cut, after so many separators at the latest
		g.columns = g.columns[:min(len(g.columns), longestChild/len(write.Separator))]
	}
	for i := range items {
		for _, r := range items[i].Relations {
			at, known := g.at[r.Name]
			if !known {
				if at = len(g.related); at == 0 {
					g.at = map[string]int{}
				}
				g.at[r.Name], g.related = at, append(g.related, tableGroup{relation: r.Name})
			}
			g.related[at].items = append(g.related[at].items, r.Records...)
		}
	}
	for i, r := range g.related {
		g.related[i] = newTableGroup(r.relation, r.items)
	}
	return g
}

// groupRecords divides a page at each change of connection or stream, unless these change too often.
func groupRecords(items []Item) []tableGroup {
	var groups []tableGroup
	for i := range items {
		n := len(groups) - 1
		if n < 0 || groups[n].items[0].Connection != items[i].Connection || groups[n].items[0].Stream != items[i].Stream {
			groups, n = append(groups, tableGroup{items: items[i:i]}), n+1
		}
		groups[n].items = items[i-len(groups[n].items) : i+1]
	}
	if len(groups) > max(maxTables, len(items)/4) {
		groups = []tableGroup{{items: items}}
	}
	for i := range groups {
		g := newTableGroup("", groups[i].items)
		g.emitted = !slices.ContainsFunc(g.items, func(it Item) bool { return it.Authored != "" || it.Emitted == "" }) &&
			slices.ContainsFunc(g.items, func(it Item) bool { return !it.repeatsEmitted() })
		g.block = len(items) == 1 || len(g.columns) > maxColumns || clean.LongerThan(g.header(), write.LineChars)
		if !g.block { // which has few columns
			g.findRepeated()
		}
		groups[i] = g
	}
	return groups
}

// commonPrefix returns what the ids of most records of one connection and stream begin with; "" if there is no such prefix. An id without
// the prefix is printed whole.
func commonPrefix(items []Item) string {
	prefix := ""
	for i := range items {
		switch it := &items[i]; {
		case it.Ref == (rs.Ref{}): // has no id that could be printed
		case it.Connection != items[0].Connection || it.Stream != items[0].Stream:
			return ""
		case prefix == "" || strings.HasPrefix(prefix, rs.RecordURIPrefix):
			prefix = idPrefix(it)
		}
	}
	return prefix
}

func idPrefix(it *Item) string {
	if strings.HasPrefix(it.ID, rs.RecordURIPrefix) {
		return it.ID[:strings.LastIndexByte(it.ID, '/')+1]
	}
	return strings.TrimSuffix(it.ID, it.RecordID)
}

// columnsOf returns the names of all fields, in the order of their first occurrence.
func columnsOf(items []Item) []string {
	var columns []string
	seen := map[string]bool{}
	for i := range items {
		for _, m := range items[i].Data {
			if !seen[m.Name] && !repeatsID(&items[i], m) {
				seen[m.Name], columns = true, append(columns, m.Name)
			}
		}
	}
	return columns
}

// repeatsID reports whether a field repeats the record's id.
func repeatsID(it *Item, m rs.Member) bool {
	id, ok := rs.AsText(m.Value)
	return ok && m.Name == "id" && id == it.RecordID
}

// repeatsEmitted reports whether a field of the record has the same instant as emitted_at, in UTC if the field has no zone.
func (it *Item) repeatsEmitted() bool {
	emitted, err := rs.ReadTime(it.Emitted)
	isEmitted := func(text string) bool {
		at, err := rs.ReadTime(text)
		return err == nil && at.Equal(emitted)
	}
	return err == nil && slices.ContainsFunc(it.Data, func(m rs.Member) bool {
		text, _ := rs.AsText(m.Value)
		return write.Day(text) != "" && (isEmitted(text) || isEmitted(text+"Z"))
	})
}

func (g *tableGroup) header() string {
	names := []string{"id"}
	if g.emitted {
		names = append(names, "emitted_at (of the record)")
	}
	line := strings.Join(append(names, write.Each(g.columns, write.ShownName)...), write.Separator)
	nothing := !slices.ContainsFunc(g.items, func(it Item) bool { return it.Deleted || len(it.Data) > 0 })
	notes := strings.Join(write.NotEmpty(write.When(g.prefix != "", "id = "+g.prefix+" + first column"),
		write.When(nothing, "these records have nothing of what was asked for")), "; ")
	if line += write.When(notes != "", " ("+notes+")"); g.relation == "" {
		return line
	}
	return clean.Clip("  "+write.ShownName(g.relation)+": "+line, write.LineChars)
}

// head returns the lines before the records of a group: its columns, and those of related records; "" if each record is a block.
func (g *tableGroup) head() string {
	if g.block {
		return ""
	}
	value := func(raw string) string {
		cell, _ := clean.Cell(raw, mostText)
		return cell
	}
	same := write.Each(g.constant, func(m rs.Member) string { return write.ShownName(m.Name) + " " + value(m.Value) })
	lines := write.NotEmpty(g.header(), write.Lead("in each row: ", strings.Join(same, write.Separator)))
	lines = append(lines, write.EachOf(g.columns, len(g.columns), func(column string) string {
		usual := g.usual[column]
		return write.When(usual != "", usualCell+" in "+write.ShownName(column)+": "+value(usual))
	})...)
	lines = append(lines, write.EachOf(g.related, len(g.related), func(r tableGroup) string {
		return write.When(len(r.columns) > 0, r.header())
	})...)
	return strings.Join(lines, "\n")
}
