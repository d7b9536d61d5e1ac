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

// What its columns hold above it tells a row from what sums up rows, or stands below them.

// above is that, with the line of the last row, how many rows there are, and below the last total, and the bytes of the longest first cell.
type above struct {
	columns                   []columnAbove
	last, rows, many, longest int
}

type columnAbove struct {
	kinds    [aDay + 1]int // of its first cells
	sum      float64       // of its numbers
	before   []float64     // up to the last totals
	size     float64       // of its numbers, whatever their signs
	read     float64       // the number of the line at hand
	isNumber bool          // it has one
}

// What a cell holds, as far as that tells rows from other lines. A time of a day is one too.
const aText, aNumber, aDay = 0, 1, 2

// sampledCells are enough to know a column, of which four in five are of its kind.
const sampledCells = 20

func (c *columnAbove) sampled() int { return c.kinds[aText] + c.kinds[aNumber] + c.kinds[aDay] }

func (c *columnAbove) is(kind int) bool { return c.kinds[kind] > 0 && 5*c.kinds[kind] >= 4*c.sampled() }

// isTyped reports a column of numbers or of dates.
func (c *columnAbove) isTyped() bool { return c.is(aNumber) || c.is(aDay) }

// isAlike reports a number in a column of those, or a date in one of dates.
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

// longestBeside is how many bytes of signs and of a currency are beside a number at most.
const longestBeside = 6

// amount reads a number of a column of those, as quickly as it can. Three digits behind a mark are a fraction if decimals have that mark.
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
		case one != '\'' && one != ' ' && one < utf8.RuneSelf: // which mark thousands
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

// look reads the numbers of a line, and counts those that are the sum of all rows above it, or of those below one of the last totals.
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

// manyTotals are as many as a month has days, each with a total of its own.
const manyTotals = 31

// endPart begins to sum up anew, too.
func (a *above) endPart() {
	a.many = 0
	for index := range a.columns {
		column := &a.columns[index]
		column.before = append(column.before[max(len(column.before)-manyTotals, 0):], column.sum)
	}
}

// add takes in a row that was looked at.
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

// place is where a line stands that is no row, with what is said of one that is kept though it is called a total.
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

// placeOfTotal is place for a line that is called a total or a balance, or of whose numbers some are sums. One that is called
// neither is a total if all its numbers are sums.
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

// holds counts the numbers of a line, and the texts where rows may have them; isOwn reports a date or an id where rows have one.
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

// begins reports a line whose first cell is one of a row.
func (r *reader) begins(cells []string) bool {
	return isFilled(cells[0]) && (!r.over.columns[0].isTyped() || kindOf(cells[0]) != aText)
}

// isRow reports that a line has more than half of the cells of the header, a number or a date where the rows have those, or at least
// begins as they do. A text alone is a row only right below another one, if it is no remark: one with a colon or another mark, or longer
// than they begin with. Below what is no row one has two cells as those have.
func (r *reader) isRow(cells []string, line int) bool {
	cells = cells[:widthOf(cells)]
	if 2*len(cells) > len(r.columns) {
		return true
	}
	alike, needed := 0, 1+count(r.ended)
	for _, kind := range [...]int{aNumber, aDay} { // which takes longer to read
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

// widthOf is how many cells a line has up to the last that holds something.
func widthOf(cells []string) int {
	width := len(cells)
	for width > 0 && !isFilled(cells[width-1]) {
		width--
	}
	return width
}

// endsHere reports that all lines until the end of the file, or until another header, are as short as those of a preamble, or totals, if
// they may be: what a bank writes below a table.
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

// What a row is called that sums up the others, or says what an account holds after them.
const aTotal, aBalance = 1, 2

// totalKind is 0 of a row that is called neither: only dates stand before its name, which does not begin with a digit.
func totalKind(cells []string) (kind int) {
	at := slices.IndexFunc(cells, func(cell string) bool { return cell != "" && (cell[0] < '-' || cell[0] > '9') })
	if at < 0 || len(cells[at]) > 32 { // longer than each of these
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

// endsAsTotal reports a row whose first text begins or ends with such a word: "Summe Januar", "January total".
func endsAsTotal(cells []string) bool {
	words := strings.Fields(cells[max(slices.IndexFunc(cells, isFilled), 0)])
	return len(words) > 1 && totalKind(words[:1])+totalKind(words[len(words)-1:]) > 0
}
