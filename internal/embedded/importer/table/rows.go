package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// rows reads rows of cells. It joins lines itself until their quotation marks are even, because encoding/csv would take the rest of the
// file as one cell if a mark is never closed.
type rows struct {
	lines   *item.Lines
	quoted  *bufio.Reader // of a row with quotation marks
	parser  *csv.Reader   // of quoted
	cells   []string      // of the last row
	comma   rune
	sheet   bool     // rows end at their last cell that is not empty
	header  []string // nil until it is known
	waiting []row    // rows that were read to find out whether there is a header

	isDoubtful bool // the header may be a row
}

// A row is read from one line, or from several if a cell has line breaks.
type row struct {
	cells []string
	line  int
	err   error
}

// A returns replaces the line ends of old Macs (\r) by newlines.
type returns struct{ input io.Reader }

func (r returns) Read(into []byte) (int, error) {
	count, err := r.input.Read(into)
	copy(into, bytes.ReplaceAll(into[:count], []byte("\r"), []byte("\n")))
	return count, err
}

// row reads the cells of the next row that is not empty.
func (r *rows) row() (cells []string, line int, err error) {
	for {
		first, err := r.lines.Next()
		line = r.lines.Number
		if errors.Is(err, item.ErrTooLong) {
			return nil, line, item.Unusable(line, "%s", err)
		}
		if err != nil {
			return nil, line, err
		}
		if len(bytes.TrimSpace(first)) == 0 || len(r.header) == 0 && isBlank(first) {
			continue
		}
		if r.comma == 0 && !r.findHeader(first) {
			continue
		}
		cells, err = r.cellsOf(first)
		return cells, line, err
	}
}

func (r *rows) next() (cells []string, line int, err error) {
	if len(r.waiting) == 0 {
		return r.row()
	}
	one := r.waiting[0]
	r.waiting = r.waiting[1:]
	return one.cells, one.line, one.err
}

// findHeader finds the separator of cells in the first line, and reports whether that line is the header. Spreadsheets may name the
// separator in a line above the header: "sep=;".
func (r *rows) findHeader(first []byte) bool {
	text := strings.ToLower(strings.TrimSpace(string(first)))
	if mark, ok := strings.CutPrefix(strings.Trim(text, `"`), "sep="); ok && utf8.RuneCountInString(mark) == 1 {
		r.comma, _ = utf8.DecodeRuneInString(mark)
		return false
	}
	line := strings.TrimRight(string(first), "\r\n")
	cells := func(comma rune) int { return len(item.SplitOutsideQuotes(line, comma)) }
	r.comma = slices.MaxFunc([]rune{',', ';', '\t', '|'}, func(a, b rune) int { return cells(a) - cells(b) })
	return true
}

// cellsOf splits a line into cells, together with the lines below that are within its quotation marks. A mark that is part of a text, as in
// 5" nails, includes no further lines.
func (r *rows) cellsOf(first []byte) ([]string, error) {
	line := r.lines.Number
	marks := bytes.Count(first, []byte(`"`))
	if marks == 0 && utf8.Valid(first) { // most rows, for which a parser would be slow
		text := strings.TrimSuffix(strings.TrimSuffix(string(first), "\n"), "\r")
		r.cells = slices.AppendSeq(r.cells[:0], strings.SplitSeq(text, string(r.comma)))
		return r.cells, nil
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
		if errors.Is(err, item.ErrTooLong) {
			more = append(more, nil) // Next returns the error again
			break
		}
		if err != nil {
			r.lines.Number--
			break // a read error comes again
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
	// A cell that includes the end of the line is not closed.
	cells, err := r.parse(append(bytes.TrimRight(text[:len(first)], "\r\n"), '\n'), true)
	if err == nil && len(r.header) > 0 && (len(cells) != len(r.header) || strings.HasSuffix(cells[len(cells)-1], "\n")) {
		return nil, item.Unusable(line, "a quotation mark is opened and not closed")
	}
	return cells, asUnusable(line, err)
}

// asUnusable returns the error of a lenient parser, which is only that the separator of cells is not one that it can use.
func asUnusable(line int, err error) error {
	if err == nil {
		return nil
	}
	return item.Unusable(line, "not a row: %s", err)
}

func (r *rows) parse(text []byte, lazily bool) ([]string, error) {
	if r.parser == nil {
		r.parser = csv.NewReader(r.quoted)
		r.parser.Comma, r.parser.FieldsPerRecord, r.parser.ReuseRecord = r.comma, -1, true
	}
	r.quoted.Reset(bytes.NewReader(text))
	r.parser.LazyQuotes = lazily
	r.parser.TrimLeadingSpace = bytes.Contains(text, []byte(string(r.comma)+` "`)) // a mark after a space opens a cell too
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

func isBlank(line []byte) bool { return len(bytes.Trim(line, " \t\r\n,;|")) == 0 }

func filled(row []string) (cells int) {
	for _, cell := range row {
		cells += count(isFilled(cell))
	}
	return cells
}

func isFilled(cell string) bool { return strings.Trim(cell, "\" ") != "" }

// widthOf returns the number of cells up to the last one that is not empty.
func widthOf(cells []string) int {
	width := len(cells)
	for width > 0 && !isFilled(cells[width-1]) {
		width--
	}
	return width
}

// split splits a line into cells, without empty cells at its end.
func (r *rows) split(line []byte) []string {
	cells := item.SplitOutsideQuotes(utf8text.Mend(strings.TrimRight(string(line), "\r\n")), r.comma)
	for index, cell := range cells {
		cells[index] = strings.ReplaceAll(strings.Trim(strings.TrimSpace(cell), `"`), `""`, `"`)
	}
	return cells[:widthOf(cells)]
}

// A Section is one of the tables of such a file. Tables with the same columns are one section.
type Section struct {
	Name  string // its title, else "table 2"; empty: the first one without a title
	Lines []Span
}

// A Span is a range of lines: From is the first, To the one after the last.
type Span struct{ From, To int }

// within returns a function to be called with the number of each line in order. It reports whether the line is in the section (isIn), and
// whether that or a later line may be (isOn).
func (s *Section) within() func(line int) (isIn, isOn bool) {
	spans := s.Lines
	return func(line int) (isIn, isOn bool) {
		for len(spans) > 0 && line >= spans[0].To {
			spans = spans[1:]
		}
		return len(spans) > 0 && line >= spans[0].From, len(spans) > 0
	}
}
