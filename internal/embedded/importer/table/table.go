// Package table reads rows of cells: comma separated values, and what else is a table.
package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	utf16 "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// A reader reads rows of comma separated values (RFC 4180) under a header. A quotation mark that is never closed would make encoding/csv
// take the rest of the file for one cell, so rows are put together here: lines, until their quotation marks are even.
type reader struct {
	lines   *item.Lines
	comma   rune
	names   []string
	cells   map[string]Cell // nil: leave all cells strings
	idField *string
	begun   bool
	above   []int // lines above the header that were passed over
}

// NewReader reads rows under a header. The cells are of the types that are given by column, or strings. The column that is the id is
// looked up in the header whatever its case: idField is set to its name there.
func NewReader(input *bufio.Reader, cells map[string]Cell, idField *string) item.Reader {
	if start, _ := input.Peek(2); HasUTF16Mark(start) {
		input = bufio.NewReader(transform.NewReader(input, utf16.BOMOverride(transform.Nop)))
	}
	return &reader{lines: item.NewLines(input), cells: cells, idField: idField}
}

// HasUTF16Mark reports that a text begins as UTF-16 does.
func HasUTF16Mark(start []byte) bool {
	return bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff"))
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
		if len(bytes.TrimSpace(first)) == 0 {
			continue
		}
		if r.comma == 0 && !r.findHeader(first) {
			continue
		}
		cells, err = r.split(first)
		return cells, line, err
	}
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
	for _, comma := range []rune{',', ';', '\t'} {
		if counts[comma] > most {
			r.comma, most = comma, counts[comma]
		}
	}
	return true
}

// split makes cells of a line and of those that its quotation marks take in. A mark that is part of a text, as in 5" nails, takes in none.
func (r *reader) split(first []byte) ([]string, error) {
	line := r.lines.Number
	if bytes.Count(first, []byte(`"`))%2 == 0 {
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
	cells, err := r.parse(first, true)
	if err == nil && len(r.names) > 0 && len(cells) != len(r.names) {
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
	parser := csv.NewReader(bytes.NewReader(text))
	parser.Comma, parser.LazyQuotes, parser.FieldsPerRecord = r.comma, lazily, -1
	cells, err := parser.Read()
	if err != nil {
		return nil, err
	}
	for index, cell := range cells {
		cells[index] = utf8text.Mend(cell)
	}
	return cells, nil
}

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
		r.names = columnNames(header)
		for _, name := range r.names {
			if *r.idField == "id" && strings.EqualFold(name, "id") {
				*r.idField = name
			}
		}
	}
	if len(r.above) > 0 {
		line := r.above[0]
		r.above = r.above[1:]
		return item.Item{}, item.UnusableError{Line: line, Reason: "above the header"}
	}
	cells, line, err := r.row()
	if err != nil {
		return item.Item{}, err
	}
	for len(cells) > len(r.names) && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) > len(r.names) {
		return item.Item{}, item.UnusableError{Line: line, Reason: fmt.Sprintf("the row has %d cells, and the header %d", len(cells), len(r.names))}
	}
	one := item.Item{Line: line, Fields: make([]item.Field, 0, len(r.names))}
	for index, name := range r.names {
		value := []byte("null")
		if index < len(cells) && cells[index] != "" {
			value = r.cells[name].value(cells[index])
		}
		one.Fields = append(one.Fields, item.Field{Name: name, Value: value})
		if unitField := r.cells[name].UnitField; unitField != "" {
			unit := []byte("null")
			if index < len(cells) {
				if _, sign := split(strings.TrimSpace(cells[index])); sign != "" {
					unit = item.JSON(sign)
				}
			}
			one.Fields = append(one.Fields, item.Field{Name: unitField, Value: unit})
		}
	}
	return one, nil
}

// columnNames makes names of fields from a header: letters, digits, ".", "_" and "-", each once.
func columnNames(header []string) []string {
	names := make([]string, len(header))
	taken := map[string]bool{}
	for index, title := range header {
		name := strings.Trim(strings.Map(func(one rune) rune {
			if unicode.IsLetter(one) || unicode.IsDigit(one) || unicode.IsMark(one) || strings.ContainsRune("._-", one) {
				return one
			}
			return '_'
		}, strings.TrimSpace(title)), "_")
		if name == "" {
			name = fmt.Sprintf("column_%d", index+1)
		}
		unique := name
		for number := 2; taken[unique]; number++ {
			unique = fmt.Sprintf("%s_%d", name, number)
		}
		taken[unique] = true
		names[index] = unique
	}
	return names
}
