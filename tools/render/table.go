package render

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Records in text are a table: the names of the columns once, then a line for each record, each value as it was sent. A blank cell
// is a field that the record does not have; null, "" and [] are printed.

const (
	separator     = " | "
	leastText     = 120                 // characters of a text that a cell always shows
	mostText      = 500                 // characters that it shows at most, among other records
	onlyText      = 1500                // the same of a record that is alone
	maxColumns    = 40                  // a record with more fields is a block of lines
	maxTables     = 4                   // tables on a page; records of more connections in turn stand in one, with their whole ids
	recordRoom    = recordsText - 2<<10 // bytes of one record at most
	maxChildShown = 20                  // related records of one record and relation
	maxBlockLines = TextLines - 100     // fields of a record that is a block of lines
)

// A tableGroup is some records of a page that follow one another, with their columns.
type tableGroup struct {
	items   []item
	prefix  string // of the ids; "" when they are printed whole
	emitted bool   // no record has a time of its own: when each was read stands behind the id
	columns []string
	block   bool // each record is a block of lines
	related []relatedColumns
}

// A recordTable writes the records of a page as text.
type recordTable struct {
	chars int   // that a cell shows of a text at most
	cuts  []cut // the values that are cut, of the records written
}

// groupRecords divides a page at each change of connection, unless that changes too often.
func groupRecords(items []item) []tableGroup {
	var groups []tableGroup
	for i := range items {
		n := len(groups) - 1
		if n < 0 || groups[n].items[0].conn != items[i].conn || groups[n].items[0].stream != items[i].stream {
			groups, n = append(groups, tableGroup{items: items[i:i]}), n+1
		}
		groups[n].items = items[i-len(groups[n].items) : i+1]
	}
	if len(groups) > max(maxTables, len(items)/4) {
		groups = []tableGroup{{items: items}}
	}
	for i := range groups {
		g := &groups[i]
		g.emitted = !slices.ContainsFunc(g.items, func(it item) bool { return it.authored != "" || it.emitted == "" })
		g.prefix, g.columns, g.related = commonPrefix(g.items), columnsOf(g.items), relatedOf(g.items)
		g.block = len(items) == 1 || len(g.columns) > maxColumns || longerThan(g.header(), LineChars)
	}
	return groups
}

// commonPrefix is what the ids of most records of one connection and stream begin with; "" when there is no such beginning. An id
// that does not begin with it is printed whole.
func commonPrefix(items []item) string {
	prefix := ""
	for i := range items {
		switch it := &items[i]; {
		case it.ref == (rs.Ref{}): // has no id that could be printed
		case it.conn != items[0].conn || it.stream != items[0].stream:
			return ""
		case prefix == "" || strings.HasPrefix(prefix, rs.RecordURIPrefix):
			prefix = idPrefix(it)
		}
	}
	return prefix
}

// idPrefix is the part of an id before its record id.
func idPrefix(it *item) string {
	if strings.HasPrefix(it.id, rs.RecordURIPrefix) {
		return it.id[:strings.LastIndexByte(it.id, '/')+1]
	}
	return strings.TrimSuffix(it.id, it.recordID)
}

// columnsOf are the names of all fields, in the order in which they are met.
func columnsOf(items []item) []string {
	var columns []string
	seen := map[string]bool{}
	for i := range items {
		for _, m := range items[i].data {
			if repeatsID(&items[i], m) || seen[m.Name] {
				continue
			}
			seen[m.Name] = true
			columns = append(columns, m.Name)
		}
	}
	return columns
}

// repeatsID reports the field that says the record's id again.
func repeatsID(it *item, m member) bool {
	if m.Name != "id" || rs.Kind(m.Value) != "string" {
		return false
	}
	id, _ := rs.AsText(m.Value)
	return id == it.recordID
}

// measure is about how many bytes records take whose long texts are cut to leastText characters, and how many long texts there are.
func measure(items []item) (size, long int) {
	const note = 50 // bytes of quotes, and of how much is cut
	for i := range items {
		it := &items[i]
		size += len(it.id) + len(it.conn) + len(separator)
		for _, m := range it.data {
			value := m.Value
			if longerThan(value, leastText+leastText/4) {
				value = value[:runeIndex(value, leastText)]
				size, long = size+note, long+1
			}
			size += len(value) + len(separator)
		}
		for _, r := range it.relations {
			related, longRelated := measure(r.records[:min(len(r.records), maxChildShown)])
			size, long = size+related+len(r.name), long+longRelated
		}
	}
	return size, long
}

// write writes the records of a page with texts of at most t.chars characters, each with its head, if it is the first of a group. A
// group with a record that does not fit into a line becomes blocks.
func (t *recordTable) write(groups []tableGroup) (records [][]byte) {
	for i := range groups {
		g := &groups[i]
		written := t.group(g)
		if !g.block && slices.ContainsFunc(written, tooWide) {
			g.block = true
			written = t.group(g)
		}
		records = append(records, written...)
	}
	return records
}

func (t *recordTable) group(g *tableGroup) [][]byte {
	records := make([][]byte, len(g.items))
	size := 0 // of the largest record so far
	for n := range g.items {
		b := make([]byte, 0, size+64)
		if n == 0 {
			for _, line := range g.head() {
				b = append(append(b, line...), '\n')
			}
		}
		records[n] = append(t.appendRecord(b, g, &g.items[n]), '\n')
		size = max(size, len(records[n]))
	}
	return records
}

func tooWide(record []byte) bool {
	for line := range bytes.Lines(record) {
		if len(line) > LineChars && utf8.RuneCount(line) > LineChars {
			return true
		}
	}
	return false
}

// header names the columns.
func (g *tableGroup) header() string { return header(g.prefix, g.columns, g.emitted) }

func header(prefix string, columns []string, emitted bool) string {
	names := append(make([]string, 0, 2+len(columns)), "id")
	if emitted {
		names = append(names, "emitted_at")
	}
	for _, column := range columns {
		names = append(names, shownName(column))
	}
	line := strings.Join(names, separator)
	if prefix != "" {
		line += " (id = " + prefix + " + first column)"
	}
	return line
}

// head are the lines before the records of a group: the columns, and those of related records.
func (g *tableGroup) head() []string {
	if g.block {
		return nil
	}
	lines := []string{g.header()}
	for i := range g.related {
		lines = append(lines, g.related[i].header()...)
	}
	return lines
}

// appendRecord appends a record with what came with it: one line or several.
func (t *recordTable) appendRecord(b []byte, g *tableGroup, it *item) []byte {
	end := len(b) + recordRoom
	switch {
	case g.block && it.deleted: // no header says what its id begins with
		b = t.appendRow(b, "", nil, false, it)
	case g.block:
		b = t.appendBlock(b, it, end)
	default:
		b = t.appendRow(b, g.prefix, g.columns, g.emitted, it)
	}
	for i := range it.relations {
		b = t.appendRelation(b, g, &it.relations[i], end)
	}
	return b
}

// appendBlock appends a record as lines of "name: value".
func (t *recordTable) appendBlock(b []byte, it *item, end int) []byte {
	b = append(append(b, "id: "...), it.id...)
	if it.id == "" {
		b = append(b, "(none)"...)
	}
	if conn := it.separate(); conn != "" {
		b = appendName(append(b, " connection_id="...), conn)
	}
	if it.authored == "" && it.emitted != "" {
		b = appendName(append(b, "\nemitted_at: "...), it.emitted)
	}
	for i, m := range it.data {
		if repeatsID(it, m) {
			continue
		}
		line := append(append(b, '\n'), shownName(m.Name)...)
		line = t.appendCell(append(line, ": "...), it, m, true)
		if len(line) > end-LineChars || utf8.RuneCount(line[len(b):]) > LineChars || i == maxBlockLines {
			return fmt.Appendf(b, "\n%s of this record, from %s on, in fetch with its id", plural(len(it.data)-i, "more field"), shownName(m.Name))
		}
		b = line
	}
	return b
}

// appendRow appends a record as a line of the table.
func (t *recordTable) appendRow(b []byte, prefix string, columns []string, emitted bool, it *item) []byte {
	switch rest, ok := strings.CutPrefix(it.id, prefix); {
	case it.id == "":
		b = append(b, "(no id)"...)
	case ok:
		b = append(b, rest...)
	default:
		b = append(b, it.id...)
	}
	if conn := it.separate(); conn != "" {
		b = appendName(append(b, " connection_id="...), conn)
	}
	if it.deleted {
		return append(append(b, separator...), deletedCell(it)...)
	}
	if emitted {
		b = appendName(append(b, separator...), it.emitted)
	}
	for _, column := range columns {
		b = append(b, separator...)
		if it.data.Includes(column) {
			b = t.appendCell(b, it, pair(column, it.data.Get(column)), false)
		}
	}
	return bytes.TrimRight(b, " ")
}

// appendCell appends a value, and how much of it is not shown; with call how that is read.
func (t *recordTable) appendCell(b []byte, it *item, m member, call bool) []byte {
	b, left := appendValue(b, m.Value, t.chars)
	if left == 0 {
		return b
	}
	c := cut{it: it, field: m, shown: t.chars}
	t.cuts = append(t.cuts, c)
	b = append(append(append(b, " (+"...), thousands(left)...), " characters"...)
	if call {
		b = append(append(b, ": "...), c.readOn()...)
	}
	return append(b, ')')
}

func deletedCell(it *item) string {
	if it.deletedAt != "" {
		return "(deleted_at " + name(it.deletedAt) + ")"
	}
	return "(deleted)"
}
