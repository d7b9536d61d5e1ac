// Package table reads rows of cells, such as comma separated values, and infers the types of columns.
package table

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Options are how rows are read. Without Cells all cells are strings.
type Options struct {
	Cells      map[string]Cell // types of cells by column; other columns are strings
	IDField    *string         // "id" is replaced by the name of that column in the header, whatever its case
	Semicolons *bool           // set to true if semicolons separate the cells, as where numbers have decimal commas
	Sheet      bool            // rows end at their last cell that is not empty
	Section    *Section        // the table to read, of several in the file; nil: the whole file
}

// A reader reads rows of comma separated values (RFC 4180) below a header.
type reader struct {
	rows
	Options
	columns   []tableColumn
	fields    []item.Field // of the current row
	values    []byte       // of the current row
	preamble  []row        // lines above the header, the first items
	rowsAbove rowsAbove    // rows above the current line
	ended     bool         // the lines that follow are below the table
	lonely    int          // line of a header of one cell, or of a section, below which nothing was found yet; else 0
	sections  bool         // rows begin with the name of their section and their kind in it
	tasks     tasks
	period    time.Time // first day of the period of a file of DATEV; zero: of any other file
}

// A tableColumn is a column of the header, with how its cells are converted.
type tableColumn struct {
	Cell
	name  string
	clock int // for a column of days: the column with their times of day; -1: none
	side  int // for a column of amounts: the column with their sides; -1: none
	zone  int // for a column of times: the column with their zones; -1: none
}

// tasks are rows as Todoist writes them, where a row of kind "section" names the section of the rows below it.
type tasks struct {
	isList        bool
	kind, content int    // the columns with the kind and the text of a row
	within        string // name of the current section
}

func taskList(header []string) tasks {
	one := tasks{kind: slices.Index(header, "TYPE"), content: slices.Index(header, "CONTENT")}
	one.isList = one.kind >= 0 && one.content >= 0 && slices.Contains(header, "INDENT") && !slices.Contains(header, "SECTION")
	return one
}

// section appends the section of a row as JSON: null for a row that is a section itself or above the first one.
func (t *tasks) section(to []byte, cells []string) []byte {
	isNamed := max(t.kind, t.content) < len(cells) && cells[t.kind] == "section"
	if isNamed {
		t.within = cells[t.content]
	}
	if isNamed || t.within == "" {
		return append(to, "null"...)
	}
	return model.Quote(to, t.within)
}

// NewReader returns the rows below a header.
func NewReader(input *bufio.Reader, options Options) item.Records {
	// old Macs end lines with \r
	if start, _ := input.Peek(4096); !options.Sheet && bytes.IndexByte(start, '\n') < 0 && bytes.IndexByte(start, '\r') >= 0 {
		input = bufio.NewReader(returns{input})
	}
	r := &reader{rows: rows{lines: item.NewLines(input), quoted: bufio.NewReader(nil), sheet: options.Sheet}, Options: options}
	if r.Section != nil {
		r.lines.Within = r.Section.within()
	}
	return item.Read(func() error {
		err := r.enter()
		if r.Semicolons != nil && r.comma == ';' {
			*r.Semicolons = true
		}
		return err
	}, r.next)
}

func (r *reader) enter() error {
	r.preamble = r.passPreamble()
	r.period = periodOf(r.preamble)
	header, line, err := r.row()
	switch bad, ok := errors.AsType[item.UnusableError](err); {
	case ok:
		return item.UnusableError{Line: line, Reason: "the header is " + bad.Reason}
	case err != nil:
		return err
	case len(header) > item.MaxFields:
		return item.UnusableError{Reason: fmt.Sprintf("it has %d columns, and a stream has at most %d fields", len(header), item.MaxFields)}
	}
	if r.begin(r.named(header, line)); filled(r.header) == 1 || r.Section != nil {
		r.lonely = line
	}
	return nil
}

func (r *reader) next() (item.Item, error) {
	if len(r.preamble) > 0 {
		above := r.preamble[0]
		r.preamble = r.preamble[1:]
		return r.outside(above.line, item.AboveHeader, above.cells)
	}
	cells, line, err := r.rows.next()
	for err == nil && !slices.ContainsFunc(cells, isFilled) { // spreadsheets write empty rows at the end of a sheet
		cells, line, err = r.rows.next()
	}
	lonely := r.lonely
	if r.lonely = 0; lonely > 0 && errors.Is(err, io.EOF) {
		err = item.Unusable(lonely, item.HeaderAlone)
		if len(r.columns) == 1 {
			err = item.Unusable(lonely, "a cell alone, which would name a column without rows")
		}
	}
	if err != nil {
		return item.Item{}, err
	}
	for len(cells) > len(r.columns) && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	switch {
	case len(cells) > 1 && slices.Equal(cells, r.header):
		r.ended = false
		r.rowsAbove.endPart()
		return item.Item{}, item.Unusable(line, item.HeaderAgain)
	case cells[0] == r.header[0] && r.isHeader(cells), r.sections && beginsSection(cells):
		r.begin(cells)
		return item.Item{}, item.Unusable(line, item.AnotherHeader)
	case r.sections && len(cells) > 1 && strings.HasSuffix(strings.ToLower(cells[1]), "total"):
		return item.Item{}, item.Unusable(line, item.TotalOfRows)
	}
	if !r.period.IsZero() {
		completeDays(cells, r.header, r.period)
	}
	place, note := r.place(cells, line)
	if place != "" {
		return r.outside(line, place, cells)
	}
	if len(cells) > len(r.columns) {
		return item.Item{}, item.Unusable(line, "the row has %d cells, and the header %d", len(cells), len(r.columns))
	}
	if r.isDoubtful {
		note, r.isDoubtful = cmp.Or(note, mayBeRow), false
	}
	r.rowsAbove.add(cells, r.lines.Number)
	return r.record(line, cells, note), nil
}

func (r *reader) record(line int, cells []string, note string) item.Item {
	one := item.Item{Line: line, Fields: r.fields[:0], Note: note}
	r.values = r.values[:0]
	put := func(name, zone string, values []byte) {
		if zone != "" {
			values = withZone(values, len(r.values), zone)
		}
		one.Fields = append(one.Fields, item.Field{Name: name, Value: values[len(r.values):]})
		r.values = values
	}
	at := func(index int) string {
		if index < 0 || index >= len(cells) {
			return ""
		}
		return cells[index]
	}
	for index, column := range r.columns {
		put(column.name, at(column.zone), column.Append(r.values, signed(at(index), at(column.side))))
		for _, extra := range column.Beside {
			put(extra.Name, at(column.zone), extra.append(r.values, column.Cell, at(index), at(column.clock)))
		}
	}
	if r.tasks.isList {
		put("SECTION", "", r.tasks.section(r.values, cells))
	}
	r.fields = one.Fields
	// A row is too short if it ends before the last column with a name or, in a table without names, before the last column.
	if rest := r.header[len(cells):]; !r.sheet && len(rest) > 0 &&
		(slices.ContainsFunc(rest, isFilled) || !slices.ContainsFunc(r.header, isFilled)) {
		one.Note = cmp.Or(note, fmt.Sprintf("the row has %d cells, and the header %d; it is kept", len(cells), len(r.columns)))
	}
	return one
}

// outside returns an item for a line that is not a row of the table, such as an account with its balance. A line that only names the kind
// of the data is skipped.
func (r *reader) outside(line int, place string, cells []string) (item.Item, error) {
	var words []string
	for _, cell := range cells {
		if isFilled(cell) {
			words = append(words, strings.TrimSpace(cell))
		}
	}
	if len(words) > 0 && typeName().MatchString(words[0]) {
		return item.Item{}, item.UnusableError{Line: line, Reason: place}
	}
	one := item.Item{Line: line, Place: place}
	one.Put("line", line)
	one.Put("place", place)
	one.Put("text", strings.Join(words, " "))
	return one, nil
}

// typeName matches what programs call the kind of their data, such as com.samsung.health.weight.
var typeName = item.Expression(`^[a-z]\w*(?:\.[a-z]\w*){2,}$`)

func (r *reader) begin(header []string) {
	r.header, r.columns, r.ended = slices.Clone(header), nil, false
	if r.sections = r.sections || beginsSection(header); r.sections {
		r.header[0] = "Section"
	}
	r.tasks = taskList(r.header)
	names := columnNames(r.header)
	r.rowsAbove = rowsAbove{columns: make([]columnAbove, len(names))}
	for _, name := range names {
		cell := r.Cells[name]
		one := tableColumn{Cell: cell, name: name, clock: -1, side: slices.Index(names, cell.Side), zone: slices.Index(names, cell.Zone)}
		for _, extra := range one.Beside {
			one.clock = max(one.clock, slices.Index(names, extra.Clock))
		}
		r.columns = append(r.columns, one)
		if *r.IDField == "id" && strings.EqualFold(name, "id") {
			*r.IDField = name
		}
	}
}
