package table

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A line is distinguished from totals and lines below the table by the columns of the rows above it.

// look parses the numbers of a line, and counts those that are the sum of all rows above it, or of the rows after one of the last totals.
func (r *reader) look(cells []string) (sums int) {
	decimal := byte('.')
	if r.comma == ';' {
		decimal = ','
	}
	for index, cell := range cells[:min(len(cells), len(r.columns))] {
		column := &r.rowsAbove.columns[index]
		column.isNumber = false
		if cell == "" || column.kinds.all() >= sampledCells && !column.is(aNumber) {
			continue
		}
		column.current, column.isNumber = parseAmount(cell, decimal)
		isSum := func(before float64) bool {
			sum := column.sum - before
			return sum != 0 && math.Abs(sum-column.current) <= 1e-10*column.size
		}
		sums += count(column.isNumber && (isSum(0) || slices.ContainsFunc(column.atTotals, isSum)))
	}
	return sums
}

const notTheSum = "it is called a total, and no number of it is the sum of the rows above it; it is kept as a row"
const asARow = "it is called a total and is the sum of the rows above it, but has a date or an id as they do; it is kept as a row"

// place returns where a line is if it is not a row, or a note on a row that is named like a total.
func (r *reader) place(cells []string, line int) (place, note string) {
	if r.sections {
		return "", ""
	}
	if sums, kind := r.look(cells), totalKind(cells); sums > 0 || kind > 0 {
		place, note = r.placeOfTotal(cells, kind, sums)
	}
	if place == "" && note == "" && !r.isRow(cells, line) && (r.ended || r.endsHere(true)) {
		place = item.BelowTable
	}
	r.ended = r.ended || place == item.BelowTable || place == item.TotalBelow
	return place, note
}

// placeOfTotal is place for a line that is named like a total or a balance, or that has sums. A line with another name is a total if all
// its numbers are sums.
func (r *reader) placeOfTotal(cells []string, kind, sums int) (place, note string) {
	numbers, texts, isOwn := r.holds(cells)
	isNamed := kind == aTotal || numbers == sums && endsAsTotal(cells) && r.rowsAbove.count > 1
	isUnnamed := numbers == sums && texts == 0 && r.rowsAbove.sinceTotal > 1 && !r.begins(cells)
	switch {
	case kind == aBalance:
		if r.endsHere(!isOwn) {
			return item.TotalBelow, ""
		}
	case sums > 0 && !isOwn && (isNamed || isUnnamed):
		r.rowsAbove.endPart()
		return item.TotalOfRows, ""
	case kind == 0:
	case isOwn:
		if sums > 0 {
			return "", asARow
		}
	case r.rowsAbove.count > 0 && r.endsHere(true):
		return item.TotalBelow, ""
	case numbers > 0:
		return "", notTheSum
	}
	return "", ""
}

// holds counts the numbers of a line, and the texts in columns of texts. isOwn reports a date or an id where rows have one.
func (r *reader) holds(cells []string) (numbers, texts int, isOwn bool) {
	for index, cell := range cells[:min(len(cells), len(r.columns))] {
		column := &r.rowsAbove.columns[index]
		switch kindOf(cell) {
		case aDay:
			isOwn = isOwn || column.is(aDay)
		case aNumber:
			isOwn = isOwn || strings.EqualFold(r.columns[index].name, *r.IDField)
			numbers += count(!column.isNumber || column.current != 0)
		default:
			texts += count(isFilled(cell) && !column.isTyped())
		}
	}
	return numbers, texts, isOwn
}

// begins reports a line whose first cell may be that of a row.
func (r *reader) begins(cells []string) bool {
	return isFilled(cells[0]) && (!r.rowsAbove.columns[0].isTyped() || kindOf(cells[0]) != aText)
}

// isRow reports a line with more than half as many cells as the header, with a number or a date where rows have one, or that at least
// begins like a row. A single text is a row only directly below another row, and if it is no remark: one with a colon or another mark, or
// twice as long as any first cell. After a line that is no row, two cells must be like those of rows.
func (r *reader) isRow(cells []string, line int) bool {
	cells = cells[:widthOf(cells)]
	if 2*len(cells) > len(r.columns) {
		return true
	}
	alike, needed := 0, 1+count(r.ended)
	for _, kind := range [...]int{aNumber, aDay} { // dates last: they take longer to parse
		for index, cell := range cells {
			alike += count(alike < needed && r.rowsAbove.columns[index].isAlike(cell, kind))
		}
	}
	text := strings.TrimSpace(cells[0])
	switch {
	case r.ended || alike > 0:
		return alike == needed
	case text != "" && !r.begins(cells) || strings.HasSuffix(text, ":"):
		return false
	case filled(cells) > 1 || len(r.columns) < fewestColumns || r.rowsAbove.lastLine == 0:
		return true
	}
	first, _ := utf8.DecodeRuneInString(text)
	isWord := unicode.IsLetter(first) || unicode.IsDigit(first)
	return line == r.rowsAbove.lastLine+1 && isWord && len(text) <= 2*r.rowsAbove.longestFirst && !strings.Contains(text, ":")
}

// endsHere reports that all lines until the end of the file, or until another header, are as short as those of a preamble, or are totals if
// orTotals is set: what a bank writes below a table. It reads at most preambleLines lines.
func (r *rows) endsHere(orTotals bool) bool {
	var lines [][]byte
	defer func() { r.lines.Back(lines...) }()
	for len(lines) < preambleLines {
		line, err := r.lines.Next()
		if err != nil {
			r.lines.Number--
			return errors.Is(err, io.EOF)
		}
		lines = append(lines, slices.Clone(line))
		cells := r.split(line)
		if len(cells) > 1 && slices.Equal(cells, r.header) {
			return true
		}
		if 2*len(cells) > len(r.header) && (!orTotals || totalKind(cells) == 0) {
			return cells[0] == r.header[0] && r.isHeader(cells)
		}
	}
	return false
}
