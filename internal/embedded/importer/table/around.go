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

// An above describes the rows above a line: the line of the last row, the number of rows, that of the rows after the last total, and the
// bytes of the longest first cell.
type above struct {
	columns                   []columnAbove
	last, rows, many, longest int
}

// A columnAbove describes one column of those rows.
type columnAbove struct {
	kinds    [aDay + 1]int // number of each kind, of its first cells
	sum      float64       // of its numbers
	before   []float64     // sum at each of the last totals
	size     float64       // sum of the absolute values of its numbers
	read     float64       // number in the current line
	isNumber bool          // the current line has one
}

// The kinds of cells, as far as they tell rows from other lines. A time of day is of the kind aDay.
const aText, aNumber, aDay = 0, 1, 2

// sampledCells is how many cells show the kind of a column, if four in five are of that kind.
const sampledCells = 20

func (c *columnAbove) sampled() int { return c.kinds[aText] + c.kinds[aNumber] + c.kinds[aDay] }

func (c *columnAbove) is(kind int) bool { return c.kinds[kind] > 0 && 5*c.kinds[kind] >= 4*c.sampled() }

// isTyped reports a column of numbers or of dates.
func (c *columnAbove) isTyped() bool { return c.is(aNumber) || c.is(aDay) }

// isAlike reports a number in a column of numbers, or a date in a column of dates.
func (c *columnAbove) isAlike(cell string, kind int) bool {
	return c.is(kind) && (kind == aNumber && c.isNumber && isBare(cell) || kindOf(cell) == kind)
}

func kindOf(cell string) int {
	plain := clean(cell)
	if number, _, _ := split(plain); isAmount(strings.TrimPrefix(number, "+")) {
		return aNumber
	}
	_, _, _, isClock := sexagesimal(plain)
	return count(isClock || isDay(plain)) * aDay
}

// longestBeside is the most bytes of signs and currency around a number.
const longestBeside = 6

// amount parses a number in a column of numbers, fast. Three digits after a single mark are a fraction if that mark is decimal.
func amount(cell string, decimal byte) (number float64, ok bool) {
	from, to := strings.IndexAny(cell, digits), strings.LastIndexAny(cell, digits)+1
	if from < 0 || from+len(cell)-to > longestBeside {
		return 0, false
	}
	marks, last, isMixed := 0, 0, false
	for index := from; index < to; index++ {
		switch one := cell[index]; {
		case one >= '0' && one <= '9':
			number = 10*number + float64(one-'0')
		case one == '.' || one == ',':
			isMixed = isMixed || marks > 0 && cell[last] != one
			marks, last = marks+1, index
		case one != '\'' && one != ' ' && one < utf8.RuneSelf: // marks of thousands
			return 0, false
		}
	}
	if strings.ContainsAny(cell[:from], "-−(") || strings.ContainsAny(cell[to:], "-−dD") {
		number = -number
	}
	if below := to - last - 1; isMixed || marks == 1 && (below != 3 || cell[last] == decimal) {
		number /= math.Pow10(below)
	}
	return number, true
}

// look parses the numbers of a line, and counts those that are the sum of all rows above it, or of the rows after one of the last totals.
func (r *reader) look(cells []string) (sums int) {
	decimal := byte('.')
	if r.comma == ';' {
		decimal = ','
	}
	for index, cell := range cells[:min(len(cells), len(r.columns))] {
		column := &r.over.columns[index]
		column.isNumber = false
		if cell == "" || column.sampled() >= sampledCells && !column.is(aNumber) {
			continue
		}
		column.read, column.isNumber = amount(cell, decimal)
		isSum := func(before float64) bool {
			sum := column.sum - before
			return sum != 0 && math.Abs(sum-column.read) <= 1e-10*column.size
		}
		sums += count(column.isNumber && (isSum(0) || slices.ContainsFunc(column.before, isSum)))
	}
	return sums
}

// manyTotals is how many totals are remembered: one for each day of a month.
const manyTotals = 31

// endPart begins a new part of the table, which has separate totals.
func (a *above) endPart() {
	a.many = 0
	for index := range a.columns {
		column := &a.columns[index]
		column.before = append(column.before[max(len(column.before)-manyTotals, 0):], column.sum)
	}
}

// add counts a row that look has read.
func (a *above) add(cells []string, line int) {
	a.rows, a.many, a.last, a.longest = a.rows+1, a.many+1, line, max(a.longest, len(cells[0]))
	for index, cell := range cells {
		if cell == "" {
			continue
		}
		column := &a.columns[index]
		if column.sampled() < sampledCells && isFilled(cell) {
			kind := kindOf(cell)
			column.kinds[kind]++
			column.isNumber = column.isNumber && kind == aNumber
		}
		if column.isNumber {
			column.sum += column.read
			column.size += math.Abs(column.read)
		}
	}
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
	isNamed := kind == aTotal || numbers == sums && endsAsTotal(cells) && r.over.rows > 1
	isUnnamed := numbers == sums && texts == 0 && r.over.many > 1 && !r.begins(cells)
	switch {
	case kind == aBalance:
		if r.endsHere(!isOwn) {
			return item.TotalBelow, ""
		}
	case sums > 0 && !isOwn && (isNamed || isUnnamed):
		r.over.endPart()
		return item.TotalOfRows, ""
	case kind == 0:
	case isOwn:
		if sums > 0 {
			return "", asARow
		}
	case r.over.rows > 0 && r.endsHere(true):
		return item.TotalBelow, ""
	case numbers > 0:
		return "", notTheSum
	}
	return "", ""
}

// holds counts the numbers of a line, and the texts in columns of texts. isOwn reports a date or an id where rows have one.
func (r *reader) holds(cells []string) (numbers, texts int, isOwn bool) {
	for index, cell := range cells[:min(len(cells), len(r.columns))] {
		column := &r.over.columns[index]
		switch kindOf(cell) {
		case aDay:
			isOwn = isOwn || column.is(aDay)
		case aNumber:
			isOwn = isOwn || strings.EqualFold(r.columns[index].name, *r.IDField)
			numbers += count(!column.isNumber || column.read != 0)
		default:
			texts += count(isFilled(cell) && !column.isTyped())
		}
	}
	return numbers, texts, isOwn
}

// begins reports a line whose first cell may be that of a row.
func (r *reader) begins(cells []string) bool {
	return isFilled(cells[0]) && (!r.over.columns[0].isTyped() || kindOf(cells[0]) != aText)
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
			alike += count(alike < needed && r.over.columns[index].isAlike(cell, kind))
		}
	}
	text := strings.TrimSpace(cells[0])
	switch {
	case r.ended || alike > 0:
		return alike == needed
	case text != "" && !r.begins(cells) || strings.HasSuffix(text, ":"):
		return false
	case filled(cells) > 1 || len(r.columns) < narrowest || r.over.last == 0:
		return true
	}
	first, _ := utf8.DecodeRuneInString(text)
	isWord := unicode.IsLetter(first) || unicode.IsDigit(first)
	return line == r.over.last+1 && isWord && len(text) <= 2*r.over.longest && !strings.Contains(text, ":")
}

// widthOf returns the number of cells up to the last one that is not empty.
func widthOf(cells []string) int {
	width := len(cells)
	for width > 0 && !isFilled(cells[width-1]) {
		width--
	}
	return width
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

// The kinds of names of rows that sum up others, or have the balance of an account after them.
const aTotal, aBalance = 1, 2

// totalKind returns the kind of a row's name, else 0. Only dates may come before the name, which does not begin with a digit.
func totalKind(cells []string) (kind int) {
	at := slices.IndexFunc(cells, func(cell string) bool { return cell != "" && (cell[0] < '-' || cell[0] > '9') })
	if at < 0 || len(cells[at]) > 32 { // longer than all names below
		return 0
	}
	switch strings.ToLower(strings.TrimSuffix(strings.TrimSpace(cells[at]), ":")) {
	case "total", "totals", "total amount", "transactions total", "grand total", "grand totals", "subtotal", "subtotals", "sub-total", "sum",
		"summe", "zwischensumme", "teilsumme", "gesamt", "gesamtsumme", "gesamtbetrag", "gesamtergebnis", "total général", "total general",
		"total geral", "sous-total", "totale", "subtotale", "totaal", "subtotaal", "suma", "razem", "celkem", "összesen", "итого", "всего",
		"合計", "小計", "合计", "小计", "总计", "總計":
		kind = aTotal
	case "total balance", "kontostand", "neuer kontostand", "alter kontostand", "saldo", "endsaldo", "schlusssaldo", "balance",
		"closing balance", "ending balance", "saldo final", "solde", "eindsaldo":
		kind = aBalance
	}
	if kind > 0 && slices.ContainsFunc(cells[:at], func(cell string) bool { return cell != "" && !isDay(cell) }) {
		return 0
	}
	return kind
}

// endsAsTotal reports a row whose first text begins or ends with such a name: "Summe Januar", "January total".
func endsAsTotal(cells []string) bool {
	words := strings.Fields(cells[max(slices.IndexFunc(cells, isFilled), 0)])
	return len(words) > 1 && totalKind(words[:1])+totalKind(words[len(words)-1:]) > 0
}
