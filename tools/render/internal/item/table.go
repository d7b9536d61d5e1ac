package item

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// Records in text are a table: the names of the columns once, then a line for each record, each value as it was sent. A blank cell
// is a field that the record does not have; null, "" and [] are printed.

const (
	leastText     = 120                   // characters of a text that a cell always shows
	onlyText      = 1500                  // most characters of a text in a page of one record
	recordBytes   = 7 << 10               // most bytes of one record
	maxChildShown = 20                    // most related records of one record and relation
	longestChild  = write.LineChars - 300 // characters of a related record
	maxBlockLines = write.TextLines - 100 // most fields of a record that is a block of lines
)

// CutRecord ends the line of a related record that is not shown completely.
const CutRecord = "[cut; fetch has all of it]"

type recordTable struct {
	chars int             // most characters of a text in a cell
	cuts  []Truncation    // the truncated values of the records written so far
	all   map[string]bool // relations for which a line tells how to read all records
	blob  bool            // a blob reference is shown without the members that repeat its id
}

// Tables writes the records of a page as tables in about remaining bytes. records has the lines of each record, with the head of a group
// before its first. notes say how to read the rest of truncated texts, except for a single record, whose cells have the call. The length
// of texts in cells is chosen so that all fit.
func Tables(items []Item, remaining int) (records, notes []string) {
	t := recordTable{chars: mostText, all: map[string]bool{}}
	if len(items) == 1 {
		t.chars = onlyText
	}
	const beside = 3 * write.LineChars / 10 // bytes for heads and notes
	if size, long := measure(items); long > 0 {
		t.chars = min(max(leastText+(remaining-beside-size)/long, leastText), t.chars)
	}
	groups := groupRecords(items)
	for i := range groups {
		listed := maps.Clone(t.all)
		written := t.group(&groups[i])
		if !groups[i].block && slices.ContainsFunc(written, TooWide) {
			groups[i].block, t.all = true, listed
			written = t.group(&groups[i])
		}
		records = append(records, written...)
	}
	if at := slices.IndexFunc(t.cuts, func(c Truncation) bool { return c.Unnamed() == "" }); at >= 0 && len(items) > 1 {
		t.cuts[at].FromStart = true
		notes = []string{"(+N characters): not shown; read with the id and field, as " + t.cuts[at].readOn()}
	}
	if t.blob {
		notes = append(notes, blobNote)
	}
	return records, notes
}

// measure returns about how many bytes records take with their long texts truncated to leastText characters, and how many long texts they
// have.
func measure(items []Item) (size, long int) {
	const note = 50 // bytes of quotes and of the number of characters left out
	for i := range items {
		it := &items[i]
		size += len(it.ID) + len(it.Connection) + len(write.Separator)
		for _, m := range it.Data {
			value := m.Value
			if clean.LongerThan(value, leastText+leastText/4) {
				value = value[:clean.RuneIndex(value, leastText)]
				size, long = size+note, long+1
			}
			size += len(value) + len(write.Separator)
		}
		for _, r := range it.Relations {
			related, longRelated := measure(r.Records[:min(len(r.Records), maxChildShown)])
			size, long = size+related+len(r.Name), long+longRelated
		}
	}
	return size, long
}

// group writes each record of a group, the first after the head.
func (t *recordTable) group(g *tableGroup) []string {
	records := make([]string, len(g.items))
	for n := range g.items {
		records[n] = t.record(g, &g.items[n])
	}
	if head := g.head(); head != "" {
		records[0] = head + "\n" + records[0]
	}
	return records
}

// blobNote says what is left out of blob references, and which blobs can be read.
const blobNote = "blob_id: members that repeat it are left out. fetch with the record's id shows a text (text/*) that is attached; " +
	"no tool reads another type."

// WithoutRepeats returns a blob reference without the members that repeat its id, such as a digest and an address. It returns any other
// value unchanged.
func WithoutRepeats(value string) string {
	const least = 16 // bytes of a text that repeats something
	if !strings.Contains(value, `"blob_id"`) {
		return value
	}
	ref := rs.AsObject(value)
	id := ref.Text("blob_id")
	kept := slices.DeleteFunc(slices.Clone(ref), func(m rs.Member) bool {
		text, _ := rs.AsText(m.Value)
		return m.Name != "blob_id" && len(text) >= least && (strings.HasSuffix(text, id) || strings.HasSuffix(id, text))
	})
	if id == "" || len(kept) == len(ref) {
		return value
	}
	return kept.JSON()
}

// TooWide reports whether any of the lines has more than write.LineChars characters.
func TooWide(lines string) bool {
	for line := range strings.SplitSeq(lines, "\n") {
		if clean.LongerThan(line, write.LineChars) {
			return true
		}
	}
	return false
}

func (t *recordTable) record(g *tableGroup, it *Item) string {
	var line string
	switch {
	case g.block && it.Deleted: // a block has no header with the prefix of ids
		line = t.row(&tableGroup{}, it)
	case g.block:
		line = t.block(it)
	default:
		line = t.row(g, it)
	}
	lines, size := []string{line}, len(line)
	for i := range it.Relations {
		for _, related := range t.relation(g, it, &it.Relations[i], recordBytes-size-1) {
			lines, size = append(lines, related), size+1+len(related)
		}
	}
	return strings.Join(lines, "\n")
}

// block returns a record as lines of "name: value".
func (t *recordTable) block(it *Item) string {
	b := "id: " + it.Handle("", "(none)")
	emitted := it.Authored == "" && it.Emitted != "" && !it.repeatsEmitted()
	b += write.When(emitted, "\nemitted_at (of the record): "+clean.Name(it.Emitted)) +
		write.When(len(it.Data) == 0, "\nThis record has nothing of what was asked for.")
	for i, m := range it.Data {
		if repeatsID(it, m) {
			continue
		}
		line := it.LineName(m) + ": " + string(t.appendCell(nil, it, m, true))
		if len(b)+1+len(line) > recordBytes-write.LineChars || clean.LongerThan(line, write.LineChars) || i == maxBlockLines {
			return b + fmt.Sprintf("\n%s of this record, from %s on, in fetch with its id",
				write.Plural(len(it.Data)-i, "more field"), write.ShownName(m.Name))
		}
		b += "\n" + line
	}
	return b
}

// ownWords are words with which lines of the adapter start.
var ownWords = []string{"attached", "cite", "connection_id", "empty", "expanded", "id", "next", "send", "unavailable", "warning"}

// LineName returns a field's name for the start of a line: quoted if lines of the adapter start with the same word, except the record's id.
func (it *Item) LineName(m rs.Member) string {
	shown := write.ShownName(m.Name)
	if slices.Contains(ownWords, strings.ToLower(shown)) && !repeatsID(it, m) {
		return clean.Quote(shown)
	}
	return shown
}

func (t *recordTable) row(g *tableGroup, it *Item) string {
	id := it.Handle(g.prefix, "(no id)")
	switch {
	case it.Deleted && it.DeletedAt != "":
		return id + write.Separator + "(deleted_at " + clean.Name(it.DeletedAt) + ")"
	case it.Deleted:
		return id + write.Separator + "(deleted)"
	}
	b := append(make([]byte, 0, 1<<10), id...) // enough for most without an allocation
	if g.emitted {
		b = append(append(b, write.Separator...), clean.Name(it.Emitted)...)
	}
	for _, column := range g.columns {
		b = append(b, write.Separator...)
		if value := it.Data.Get(column); value != "" && value == g.usual[column] {
			b = append(b, usualCell...)
		} else if value != "" || it.Data.Includes(column) {
			b = t.appendCell(b, it, write.Pair(column, value), false)
		}
	}
	return string(bytes.TrimRight(b, " "))
}

// appendCell appends a value, and how much of it is not shown, with the call that reads the rest if call is set.
func (t *recordTable) appendCell(b []byte, it *Item, m rs.Member, call bool) []byte {
	value := WithoutRepeats(m.Value)
	t.blob = t.blob || len(value) < len(m.Value)
	b, left := clean.AppendCell(b, value, t.chars)
	if left == 0 {
		return b
	}
	c := Truncation{Item: it, Field: m, Shown: t.chars}
	t.cuts = append(t.cuts, c)
	readOn := ""
	if call {
		readOn = ": " + c.readOn()
	}
	return append(b, " (+"+write.Thousands(left)+" characters"+readOn+")"...)
}

// relation returns the lines of as many related records of a record as fit, and how to read the others.
func (t *recordTable) relation(g *tableGroup, it *Item, related *Relation, remaining int) []string {
	table := &g.related[g.at[related.Name]]
	var lines []string
	if g.block && len(related.Records) > 0 && len(table.columns) > 0 {
		lines = []string{table.header()}
	}
	start, written := "  "+write.ShownName(related.Name)+": ", 0
	for written < min(len(related.Records), maxChildShown) && write.Size(lines) < remaining-write.LineChars {
		line := t.row(table, &related.Records[written])
		if clean.LongerThan(line, longestChild) {
			line = clean.Clip(line, longestChild) + " " + CutRecord
		}
		lines = append(lines, start+line)
		written++
	}
	switch rest := related.Rest(written); {
	case rest != "" && !t.all[related.Name]: // once: the call of another record differs by the id alone
		t.all[related.Name] = true
		lines = append(lines, start+rest+"; "+related.All(it))
	case rest != "":
		lines = append(lines, start+rest+write.Lead("; likewise with ", related.of(it)))
	case len(related.Records) == 0:
		lines = append(lines, start+"none")
	}
	return lines
}
