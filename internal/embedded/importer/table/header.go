package table

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// named returns the names of columns from the first row. A file has no header if its first row is only numbers, is a row of values like the
// next one, or has a value and is the only row: then the names are empty, and the rows are read again.
func (r *rows) named(first []string, line int) []string {
	headless := len(first) > 1 && !slices.ContainsFunc(first, func(cell string) bool { return !isAmount(cell) }) &&
		slices.ContainsFunc(first, decimals().MatchString)
	first = slices.Clone(first)
	r.header = first // with which a quotation mark that is not closed is found
	cells, below, err := r.row()
	r.waiting = []row{{slices.Clone(cells), below, err}}
	areRows, isDoubtful := compareRows(first, cells)
	if headless || areRows || errors.Is(err, io.EOF) && slices.ContainsFunc(first, isNoName) {
		r.waiting = append([]row{{first, line, nil}}, r.waiting...)
		return make([]string, len(first))
	}
	r.isDoubtful = isDoubtful
	return first
}

const mayBeRow = "the line above it names the columns, although it has a number where this row has one; it may be a row"

// year matches a number that is rather the name of a column.
var year = item.Expression(`^(?:19|20)\d\d$`)

// compareRows reports that the first row of a file is one of values, like the row below it: both have a text that is no name in a column,
// a time of day in the first one, or a number in one and the same text in another. So have prices in one column; in several they may be
// versions. If a number in a single column is all that they share, the first row is doubtful.
func compareRows(first, below []string) (areRows, isDoubtful bool) {
	prices, numbers, same := 0, 0, 0
	for index, cell := range below[:min(len(below), len(first))] {
		above := first[index]
		if isNoName(cell) && isNoName(above) || index == 0 && kindOf(cell) == aDay && kindOf(above) == aDay {
			return true, false
		}
		prices += count(price().MatchString(cell) && price().MatchString(above))
		numbers += count(isAmount(cell) && isAmount(above) && !year().MatchString(above))
		same += count(cell == above && isFilled(cell) && !isAmount(cell))
	}
	return prices == 1 || numbers > 0 && same > 0, numbers == 1
}

// fewestColumns is the fewest columns of a table that tell it from lines of text.
const fewestColumns = 3

// beginsSection reports a row that names the columns of a section. Brokers write several sections into one file; the kind of each row comes
// after the name of the section.
func beginsSection(cells []string) bool { return len(cells) > fewestColumns && cells[1] == "Header" }

// isHeader reports a row of which most cells are names of columns: some programs write a header above each table or row.
func (r *rows) isHeader(cells []string) bool {
	names := 0
	for _, cell := range cells {
		if cell != "" && slices.Contains(r.header, cell) {
			names++
		}
	}
	return len(cells) >= fewestColumns && 2*names > len(cells)
}

// unitsInName replaces signs in a header by words that can be part of a name.
var unitsInName = strings.NewReplacer("€", "EUR", "£", "GBP", "%", "percent")

// columnNames makes unique names of fields from a header, of letters, digits, ".", "_" and "-".
func columnNames(header []string) []string {
	names := make([]string, len(header))
	taken := map[string]bool{}
	for index, title := range header {
		name := strings.Trim(strings.Map(func(one rune) rune {
			if unicode.IsLetter(one) || unicode.IsDigit(one) || unicode.IsMark(one) || strings.ContainsRune("._-", one) {
				return one
			}
			return '_'
		}, unitsInName.Replace(strings.TrimSpace(title))), "_")
		name = cmp.Or(item.Name(name), fmt.Sprintf("column_%d", index+1))
		unique := name
		for number := 2; taken[unique]; number++ {
			unique = fmt.Sprintf("%s_%d", name, number)
		}
		taken[unique] = true
		names[index] = unique
	}
	return names
}

// price matches an amount of money without its currency.
var price = item.Expression(`^\d+[.,]\d\d$`)

// isNoName reports a text that is not the name of a column: a date, an amount of money that is negative or has a currency, a mail address,
// a link, the number of a book, or true.
func isNoName(text string) bool {
	text = clean(text)
	number, unit, _ := split(text)
	_, isTruth := asBoolean(text)
	isLong := isDigits(text) && (len(text) >= len("9780000000") || len(text) == len(wholeDay) && isWholeDay(text))
	return isLong || isTruth || address().MatchString(text) || isDay(text) ||
		isAmount(number) && (unit != "" && unit != "%" || number[0] == '-')
}

// address matches a mail address or a link.
var address = item.Expression(`^(?:[^\s@]+@[^\s@]+\.\pL+|https?://\S+)$`)

// isWholeDay reports a day such as 20260115.
func isWholeDay(text string) bool {
	day, err := time.Parse(wholeDay, text)
	return err == nil && day.Year() > 1979 && day.Year() < 2101
}

// A header is searched for in at most preambleLines lines and preambleBytes bytes of a file.
const (
	preambleLines = 40
	preambleBytes = 64 << 10
)

// passPreamble skips and returns what a bank writes above a header: lines with at most half as many cells as most lines have. The header is
// the first line with more cells, if none of them begins with a digit. A first line with digits that is narrower than most lines is no
// header. If no line fits, the first line is the header.
func (r *rows) passPreamble() (above []row) {
	lines := r.ahead(preambleLines)
	comma, header := findPreamble(lines, r.sheet)
	if header > 0 {
		r.comma = comma
	}
	for range header {
		line, _ := r.lines.Next()
		if cells := r.split(line); !isBlank(line) && filled(cells) > 0 {
			above = append(above, row{cells: cells, line: r.lines.Number})
		}
	}
	return above
}

// ahead returns lines that are read again later, from the next one that is not blank.
func (r *rows) ahead(most int) (lines [][]byte) {
	for size := 0; len(lines) < most && size < preambleBytes; {
		line, err := r.lines.Next()
		if err != nil && !errors.Is(err, item.ErrTooLong) {
			r.lines.Number--
			break // the next read returns it again
		}
		if len(lines) > 0 || err != nil || !isBlank(line) {
			lines = append(lines, bytes.Clone(line))
			size += len(line)
		}
	}
	r.lines.Back(lines...)
	return lines
}

// findPreamble returns the separator of cells, and the number of lines above the header; 0 and 0 if it finds no preamble.
func findPreamble(lines [][]byte, sheet bool) (comma rune, header int) {
	commas, least := []rune{';', ',', '\t', '|'}, fewestColumns
	if sheet { // in which no text is split at commas
		commas, least = []rune{','}, 2
	}
	for _, comma := range commas {
		p := preamble{lines, make([][]string, len(lines)), sheet, least}
		for index, line := range lines {
			p.rows[index] = item.SplitOutsideQuotes(strings.TrimRight(string(line), "\r\n"), comma)
		}
		if len(lines) > 0 && beginsSection(p.rows[0]) {
			return 0, 0
		}
		if header, ok := p.header(); ok {
			return comma, header
		}
	}
	return 0, 0
}

// A preamble is the first lines of a file, split into cells by one separator.
type preamble struct {
	lines [][]byte
	rows  [][]string
	sheet bool
	least int // fewest columns of a table
}

// header finds the line that names the columns.
func (p preamble) header() (at int, ok bool) {
	for at := range p.rows {
		if p.sheet && namesSheet(p.rows[at:], p.rows[:at]) && p.isBetweenCells(at) {
			return at, true
		}
	}
	width, arePairs := p.width()
	if width == 0 {
		return 0, false
	}
	remarks := slices.IndexFunc(p.rows, func(row []string) bool { return len(row) == width || !strings.HasPrefix(row[0], "#") })
	at = p.firstAbove(width, remarks)
	if arePairs || at == 0 && len(p.rows[0]) != width && hasDigits(p.rows[0]) { // or an account with its balance, as wide as a row
		at = slices.IndexFunc(p.rows, func(row []string) bool { return len(row) == width && 2*filled(row) > width })
	}
	switch {
	case at <= 0 || len(p.rows[at]) != width || slices.ContainsFunc(p.rows[at], isValue) || !p.isBetweenCells(at):
		return 0, false
	case width < p.least && at != remarks && len(bytes.TrimSpace(p.lines[at-1])) > 0: // a text with a comma
		return 0, false
	}
	return at, !arePairs || mostAre(p.rows[at:], width)
}

// width returns how many cells most lines have, 0 if too few lines agree. A few rows may be below many lines of a name and a value:
// arePairs.
func (p preamble) width() (width int, arePairs bool) {
	widths := map[int]int{}
	for _, row := range p.rows {
		widths[len(row)]++
	}
	for one, count := range widths {
		if one >= p.least && count > 1 && cmp.Or(cmp.Compare(one*count, width*widths[width]), cmp.Compare(one, width)) > 0 {
			width = one
		}
	}
	isFull := func(row []string) bool { return len(row) == width && row[width-1] != "" }
	if widths[width-1] > 0 && !slices.ContainsFunc(p.rows, isFull) { // all rows except the header end with a separator
		for index, row := range p.rows {
			if len(row) == width {
				p.rows[index] = row[:width-1]
			}
		}
		width--
		widths[width] += widths[width+1]
	}
	if widths[2] > width*widths[width] {
		width = 2
	}
	if widths[width] < 2 {
		return 0, false
	}
	return width, widths[2] > widths[width]
}

// firstAbove returns the first line with more than half as many cells as most lines, or the names below a line with more cells than most.
func (p preamble) firstAbove(width, from int) int {
	at := from + slices.IndexFunc(p.rows[from:], func(row []string) bool { return 2*filled(row) > width })
	if at < from {
		return -1
	}
	if below := p.rows[at+1:]; !p.sheet && len(p.rows[at]) > width && len(below) > 2 && filled(below[0]) == width &&
		!hasDigits(below[0]) && hasDigits(below[1]) && hasDigits(below[2]) && mostAre(below, width) {
		at++
	}
	return at
}

// isBetweenCells reports that a line is not part of a cell that begins above it.
func (p preamble) isBetweenCells(at int) bool {
	return bytes.Count(bytes.Join(p.lines[:at], nil), []byte(`"`))%2 == 0
}

// namesSheet reports that the first of some rows of a sheet, which end at their last filled cell, is the header: all its cells are filled,
// none begins with a digit, the rows up to the next empty one are no wider and some begin cells with a digit, and the rows above are
// narrower or have gaps.
func namesSheet(rows, above [][]string) bool {
	header := rows[0]
	if len(header) < 2 || filled(header) < len(header) || hasDigits(header) {
		return false
	}
	end := slices.IndexFunc(rows, func(row []string) bool { return filled(row) == 0 })
	if end < 0 {
		end = len(rows)
	}
	isWide := func(row []string) bool { return len(row) > len(header) }
	isFull := func(row []string) bool { return len(row) >= len(header) && filled(row) == len(row) }
	return slices.ContainsFunc(rows[:end], hasDigits) && !slices.ContainsFunc(rows[:end], isWide) && !slices.ContainsFunc(above, isFull)
}

// mostAre reports that most rows of a table, which ends at an empty line, have width cells.
func mostAre(rows [][]string, width int) bool {
	if end := slices.IndexFunc(rows, func(row []string) bool { return filled(row) == 0 }); end > 1 {
		rows = rows[:end]
	}
	good := 0
	for _, row := range rows {
		good += count(len(row) == width)
	}
	return 2*good > len(rows)
}

// isValue reports a cell that begins with a digit and is not the name of a column such as "52 Week High".
func isValue(cell string) bool {
	return beginsWithDigit(cell) && (!anyWord().MatchString(strings.Trim(cell, `"`)) || isNoName(strings.Trim(cell, `"`)))
}

func hasDigits(row []string) bool { return slices.ContainsFunc(row, beginsWithDigit) }

func beginsWithDigit(cell string) bool {
	cell = strings.TrimLeft(cell, "\" -")
	return cell != "" && cell[0] >= '0' && cell[0] <= '9'
}

// periodOf returns the first day of the period of a file of DATEV, which is in the line above its header: zero for any other file.
func periodOf(above []row) (from time.Time) {
	if len(above) > 0 && len(above[0].cells) > 14 && slices.Contains([]string{"EXTF", "DTVF"}, above[0].cells[0]) {
		from, _ = time.Parse(wholeDay, cmp.Or(above[0].cells[14], above[0].cells[12])) // else of the year
	}
	return from
}

// completeDays writes the days of a row of such a file as dates: 1501 or 15012026. Those without a year are in the year from its first day.
func completeDays(cells []string, header []string, from time.Time) {
	for index, cell := range cells[:min(len(cells), len(header))] {
		if !dateName().MatchString(header[index]) || len(cell) < 3 || !isDigits(cell) {
			continue
		}
		if cell = strings.Repeat("0", len(cell)%2) + cell; len(cell) == len("0102") {
			cell += from.Format("2006")
		}
		if day, err := time.Parse("02012006", cell); err == nil {
			if day.Before(from) && len(cells[index]) <= len("0102") {
				day = day.AddDate(1, 0, 0)
			}
			cells[index] = day.Format(time.DateOnly)
		}
	}
}
