// Package table reads rows of cells: comma separated values, and what else is a table.
package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// A reader reads rows of comma separated values (RFC 4180) under a header. A quotation mark that is never closed would make encoding/csv
// take the rest of the file for one cell, so rows are put together here: lines, until their quotation marks are even.
type reader struct {
	lines    *item.Lines
	quoted   *bufio.Reader // of a row with quotation marks
	parser   *csv.Reader   // of quoted
	comma    rune
	columns  []column
	cells    map[string]Cell // nil: leave all cells strings
	idField  *string
	begun    bool
	above    []int // lines above the header that were passed over
	ended    bool  // what follows stands below the table
	trimmed  bool  // rows end at their last cell that holds something
	sections bool  // rows begin with the name of their section and what they are in it
	header   []string
	waiting  []row // that were read to find out whether there is a header

	split  []string // the cells of the row that was read last, and what was made of them
	text   []byte
	fields []item.Field
}

// A row is what is read of a line, or of several where a cell has line breaks.
type row struct {
	cells []string
	line  int
	err   error
}

// A column is what becomes of its cells.
type column struct {
	Cell
	name         string
	key, unitKey []byte // what comes before the value in a record, and before its unit
}

// NewReader reads rows under a header. The cells are of the types that are given by column, or strings. The column that is the id is
// looked up in the header whatever its case: idField is set to its name there. Rows of a sheet end at their last cell that holds something.
func NewReader(input *bufio.Reader, cells map[string]Cell, idField *string, sheet bool) item.Reader {
	if start, _ := input.Peek(4096); !sheet && bytes.IndexByte(start, '\n') < 0 && bytes.IndexByte(start, '\r') >= 0 { // as old Macs end lines
		input = bufio.NewReader(returns{input})
	}
	return &reader{lines: item.NewLines(input), quoted: bufio.NewReader(nil), cells: cells, idField: idField, trimmed: sheet}
}

// returns is a file whose lines end as on old Macs.
type returns struct{ input io.Reader }

func (r returns) Read(into []byte) (int, error) {
	count, err := r.input.Read(into)
	for index, one := range into[:count] {
		if one == '\r' {
			into[index] = '\n'
		}
	}
	return count, err
}

// row reads the cells of the next row that is not empty.
func (r *reader) row() (cells []string, line int, err error) {
	for {
		first, err := r.lines.Next()
		line = r.lines.Number
		if errors.Is(err, item.ErrTooLong) {
			return nil, line, item.UnusableError{Line: line, Reason: err.Error()}
		}
		if err != nil {
			return nil, line, err
		}
		if len(bytes.TrimSpace(first)) == 0 || len(r.columns) == 0 && isBlank(first) {
			continue
		}
		if r.comma == 0 && !r.findHeader(first) {
			continue
		}
		cells, err = r.cellsOf(first)
		return cells, line, err
	}
}

// next is the first of the rows that wait, or the next one.
func (r *reader) next() (cells []string, line int, err error) {
	if len(r.waiting) == 0 {
		return r.row()
	}
	one := r.waiting[0]
	r.waiting = r.waiting[1:]
	return one.cells, one.line, one.err
}

// findHeader finds what separates cells from the first line, and reports whether that line is the header. Spreadsheets may write it above.
func (r *reader) findHeader(first []byte) bool {
	text := strings.ToLower(strings.TrimSpace(string(first)))
	if mark, ok := strings.CutPrefix(strings.Trim(text, `"`), "sep="); ok && utf8.RuneCountInString(mark) == 1 {
		r.comma, _ = utf8.DecodeRuneInString(mark)
		return false
	}
	r.comma = ','
	most, quoted := 0, false
	counts := map[rune]int{}
	for _, one := range text {
		if one == '"' {
			quoted = !quoted
		}
		if !quoted {
			counts[one]++
		}
	}
	counts['\t'] += bytes.Count(first, []byte("\t")) - strings.Count(text, "\t") // at the ends of the line
	for _, comma := range []rune{',', ';', '\t', '|'} {
		if counts[comma] > most {
			r.comma, most = comma, counts[comma]
		}
	}
	return true
}

// cellsOf makes cells of a line and of those that its quotation marks take in. A mark that is part of a text, as in 5" nails, takes in none.
func (r *reader) cellsOf(first []byte) ([]string, error) {
	line := r.lines.Number
	marks := bytes.Count(first, []byte(`"`))
	if marks == 0 && utf8.Valid(first) { // most rows, for which a parser would be slow
		r.split = r.split[:0]
		comma := string(r.comma)
		for rest, more := strings.TrimSuffix(strings.TrimSuffix(string(first), "\n"), "\r"), true; more; {
			var cell string
			cell, rest, more = strings.Cut(rest, comma)
			r.split = append(r.split, cell)
		}
		return r.split, nil
	}
	if marks%2 == 0 {
		cells, err := r.parse(first, false)
		if err != nil {
			cells, err = r.parse(first, true)
		}
		return cells, asUnusable(line, err)
	}
	text := bytes.Clone(first)
	var more [][]byte
	for len(text) <= item.MaxLine {
		next, err := r.lines.Next()
		if err != nil {
			r.lines.Number--
			break // a broken file shows on the next read; a line too long is lost with what came before
		}
		more = append(more, bytes.Clone(next))
		text = append(text, next...)
		if bytes.Count(next, []byte(`"`))%2 == 0 {
			continue
		}
		if cells, err := r.parse(text, false); err == nil {
			return cells, nil
		}
		break
	}
	r.lines.Back(more...)
	// A cell that takes in the end of the line is not closed.
	cells, err := r.parse(append(bytes.TrimRight(text[:len(first)], "\r\n"), '\n'), true)
	if err == nil && len(r.columns) > 0 && (len(cells) != len(r.columns) || strings.HasSuffix(cells[len(cells)-1], "\n")) {
		return nil, item.UnusableError{Line: line, Reason: "a quotation mark is opened and not closed"}
	}
	return cells, asUnusable(line, err)
}

func asUnusable(line int, err error) error {
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		err = wrong.Err
	}
	return item.UnusableError{Line: line, Reason: "not a row: " + err.Error()}
}

func (r *reader) parse(text []byte, lazily bool) ([]string, error) {
	if r.parser == nil {
		r.parser = csv.NewReader(r.quoted)
		r.parser.Comma, r.parser.FieldsPerRecord, r.parser.ReuseRecord = r.comma, -1, true
	}
	r.quoted.Reset(bytes.NewReader(text))
	r.parser.LazyQuotes = lazily
	r.parser.TrimLeadingSpace = bytes.Contains(text, []byte(string(r.comma)+` "`)) // a mark behind a space is one all the same
	cells, err := r.parser.Read()
	if err != nil {
		return nil, err
	}
	for index, cell := range cells {
		if inner, ok := strings.CutPrefix(cell, `="`); ok && strings.HasSuffix(inner, `"`) { // a text for Excel
			cell = inner[:len(inner)-1]
		}
		cells[index] = utf8text.Mend(cell)
	}
	return cells, nil
}

// Semicolons reports that semicolons separate the cells, as where numbers have decimal commas.
func (r *reader) Semicolons() bool { return r.comma == ';' }

func (r *reader) Next() (item.Item, error) {
	if !r.begun {
		r.begun = true
		r.passPreamble()
		header, line, err := r.row()
		if err != nil {
			if bad, ok := errors.AsType[item.UnusableError](err); ok {
				return item.Item{}, item.UnusableError{Line: line, Reason: "the header is " + bad.Reason}
			}
			return item.Item{}, err
		}
		if len(header) > item.MaxFields {
			r.lines.Stop()
			return item.Item{}, item.UnusableError{Reason: fmt.Sprintf("it has %d columns, and a stream has at most %d fields", len(header), item.MaxFields)}
		}
		r.begin(r.named(header, line))
	}
	if len(r.above) > 0 {
		line := r.above[0]
		r.above = r.above[1:]
		return item.Item{}, item.UnusableError{Line: line, Reason: "above the header"}
	}
	cells, line, err := r.next()
	if err != nil {
		return item.Item{}, err
	}
	if !slices.ContainsFunc(cells, isFilled) {
		return r.Next() // as spreadsheets write the rest of a sheet
	}
	for len(cells) > len(r.columns) && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	switch {
	case len(cells) > 1 && slices.Equal(cells, r.header):
		return item.Item{}, item.UnusableError{Line: line, Reason: "the header again"}
	case cells[0] == r.header[0] && r.isHeader(cells), r.sections && beginsSection(cells):
		r.begin(cells)
		return item.Item{}, item.UnusableError{Line: line, Reason: "another header, which names the columns below it"}
	case r.sections && len(cells) > 1 && strings.HasSuffix(strings.ToLower(cells[1]), "total"):
		return item.Item{}, item.UnusableError{Line: line, Reason: "a total of the rows above it"}
	case isTotal(cells) && r.endsHere():
		return item.Item{}, item.UnusableError{Line: line, Reason: "a total below the table"}
	}
	if len(cells) > len(r.columns) {
		return item.Item{}, item.UnusableError{Line: line, Reason: fmt.Sprintf("the row has %d cells, and the header %d", len(cells), len(r.columns))}
	}
	if r.ended = r.ended || !r.sections && len(r.columns) >= narrowest && 2*len(cells) <= len(r.columns) && r.endsHere(); r.ended {
		return item.Item{}, item.UnusableError{Line: line, Reason: "below the table"}
	}
	r.text, r.fields = append(r.text[:0], '{'), r.fields[:0]
	for index, one := range r.columns {
		cell := ""
		if index < len(cells) {
			cell = cells[index]
		}
		r.add(one.name, one.key, one.appendTo, cell)
		if one.UnitField != "" {
			_, unit, _ := split(clean(cell))
			r.add(one.UnitField, one.unitKey, item.AppendString, unit)
		}
	}
	one := item.Item{Line: line, Text: append(r.text, '}'), Fields: r.fields}
	if r.isShort(cells) {
		one.Note = fmt.Sprintf("the row has %d cells, and the header %d; it is kept", len(cells), len(r.columns))
	}
	return one, nil
}

// isShort reports whether a row ends before its last column that has a name, or in a table without names before its last column.
func (r *reader) isShort(cells []string) bool {
	if r.trimmed || len(cells) >= len(r.columns) {
		return false
	}
	return slices.ContainsFunc(r.header[len(cells):], isFilled) || !slices.ContainsFunc(r.header, isFilled)
}

// add writes a field: null for nothing.
func (r *reader) add(name string, key []byte, value func([]byte, string) []byte, cell string) {
	r.text = append(r.text, key...)
	start := len(r.text)
	if strings.TrimSpace(cell) == "" {
		r.text = append(r.text, "null"...)
	} else {
		r.text = value(r.text, cell)
	}
	r.fields = append(r.fields, item.Field{Name: name, Value: r.text[start:len(r.text):len(r.text)]})
}
