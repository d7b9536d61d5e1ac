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

// What sums up rows, or stands below them, is told from a row by what the cells of its columns hold above it.

// A cellKind is what a cell holds, as far as that tells rows from other lines.
type cellKind int

const (
	aText cellKind = iota
	aNumber
	aDay // or a time of a day
)

// A columnAbove is what a column holds in the rows above a line.
type columnAbove struct {
	kinds [aDay + 1]int // of its first cells
	sum   readings
	size  float64 // of its numbers, whatever their signs
	other bool    // it holds others
}

// readings are a number with a decimal comma and with a decimal point, which differ where one mark stands before three digits.
type readings [2]float64

// A column is known by so many cells. Those are of its kind that four of five are at least.
const sampledCells, share = 20, 0.8

func (c *columnAbove) sampled() int { return c.kinds[aText] + c.kinds[aNumber] + c.kinds[aDay] }

func (c *columnAbove) is(kind cellKind) bool {
	return c.sampled() > 0 && float64(c.kinds[kind]) >= share*float64(c.sampled())
}

func kindOf(cell string) cellKind {
	plain := clean(cell)
	number, _, _ := split(plain)
	switch {
	case isAmount(strings.TrimPrefix(number, "+")):
		return aNumber
	case isTyped(plain):
		return aDay
	}
	return aText
}

// amount reads a number, with its currency, of a column of numbers.
func amount(cell string) (read readings, ok bool) {
	from, to := 0, len(cell)
	for from < to && (cell[from] < '0' || cell[from] > '9') {
		from++
	}
	for to > from && (cell[to-1] < '0' || cell[to-1] > '9') {
		to--
	}
	number, marks, last, isMixed := 0.0, 0, 0, false
	for index := from; index < to; index++ {
		switch one := cell[index]; {
		case one >= '0' && one <= '9':
			number = 10*number + float64(one-'0')
		case one == '.' || one == ',':
			isMixed = isMixed || marks > 0 && cell[last] != one
			marks, last = marks+1, index
		case one != '\'' && one != ' ' && one < 0x80:
			return read, false
		}
	}
	if from > 0 && strings.ContainsAny(cell[:from], "-−(") || to < len(cell) && strings.ContainsAny(cell[to:], "-−dD") {
		number = -number
	}
	read = readings{number, number}
	if below := to - last - 1; marks == 1 || isMixed {
		fraction := number / math.Pow10(below)
		if isMixed || below != 3 || cell[last] == ',' {
			read[0] = fraction
		}
		if isMixed || below != 3 || cell[last] == '.' {
			read[1] = fraction
		}
	}
	return read, from < to
}

// above remembers what stands above a line.
type above struct {
	columns  []columnAbove
	parts    [][]readings // the sums above which the last parts of the rows begin, of which the first is that of all
	read     []readings   // of the line
	isNumber []bool       // of its cells
	many     int          // rows of the last part
	last     int          // the last line that is a row
	longest  int          // first cell, in bytes
}

// maxParts is of how many parts the sums are remembered.
const maxParts = 8

func (a *above) begin(columns int) {
	*a = above{columns: make([]columnAbove, columns), read: make([]readings, columns), isNumber: make([]bool, columns)}
	a.part()
}

// part ends a part of the rows.
func (a *above) part() {
	if a.many = 0; len(a.parts) == maxParts {
		a.parts = slices.Delete(a.parts, 1, 2)
	}
	sums := make([]readings, len(a.columns))
	for index := range a.columns {
		sums[index] = a.columns[index].sum
	}
	a.parts = append(a.parts, sums)
}

// look reads the numbers of a line, and counts those that are the sum of the rows above it, or of the last parts of them.
func (a *above) look(cells []string) (sums int) {
	for index, cell := range cells[:min(len(cells), len(a.columns))] {
		column := &a.columns[index]
		a.isNumber[index] = false
		if cell == "" || column.other {
			continue
		}
		if a.read[index], a.isNumber[index] = amount(cell); !a.isNumber[index] || column.size == 0 {
			continue
		}
		for _, part := range a.parts {
			if column.isSum(a.read[index], part[index]) {
				sums++
				break
			}
		}
	}
	return sums
}

func (c *columnAbove) isSum(read, before readings) bool {
	for form := range read {
		if sum := c.sum[form] - before[form]; sum != 0 && math.Abs(sum-read[form]) <= 1e-10*c.size {
			return true
		}
	}
	return false
}

// add takes in a row that was looked at.
func (a *above) add(cells []string, line int) {
	a.many, a.last, a.longest = a.many+1, line, max(a.longest, len(cells[0]))
	for index, cell := range cells {
		column := &a.columns[index]
		if column.sampled() < sampledCells && isFilled(cell) {
			kind := kindOf(cell)
			column.kinds[kind]++
			column.other = column.sampled() == sampledCells && !column.is(aNumber)
			a.isNumber[index] = kind == aNumber && a.isNumber[index]
		}
		if a.isNumber[index] {
			for form, value := range a.read[index] {
				column.sum[form] += value
			}
			column.size += math.Abs(a.read[index][0])
		}
	}
}

// place is where a line stands that is no row, with what is said of one that is kept though it is called a total.
func (r *reader) place(cells []string, line int) (place, note string) {
	sums := r.over.look(cells)
	name := nameOfTotal(cells)
	if r.sections {
		return "", ""
	}
	numbers, texts, isDated := 0, 0, false
	if sums > 0 || name != "" {
		numbers, texts, isDated = r.holds(cells)
	}
	isBalance := totals[name]
	isTotal := name != "" && !isBalance
	switch {
	case isTotal && isDated && sums > 0:
		return "", "it is called a total and is the sum of the rows above it, but has a date or an id as they do; it is kept as a row"
	case isDated || isBalance || sums == 0:
	case isTotal, endsAsTotal(cells), texts == 0 && numbers == sums && r.over.many > 1 && !r.begins(cells):
		r.over.part()
		return item.TotalOfRows, ""
	}
	switch {
	case (isBalance || isTotal && !isDated && numbers == 0) && r.endsHere(!isDated):
		r.ended = true
		return item.TotalBelow, ""
	case isTotal && !isDated && numbers > 0:
		return "", "it is called a total, and no number of it is the sum of the rows above it; it is kept as a row"
	}
	if r.isRow(cells, line) {
		return "", ""
	}
	if r.ended = r.ended || r.endsHere(true); r.ended {
		return item.BelowTable, ""
	}
	return "", ""
}

// holds counts the numbers of a line and the texts that are in columns of those, and says whether it has a date, or an id, of its own.
func (r *reader) holds(cells []string) (numbers, texts int, isDated bool) {
	for index, cell := range cells[:min(len(cells), len(r.columns))] {
		if !isFilled(cell) {
			continue
		}
		column := &r.over.columns[index]
		switch kind := kindOf(cell); {
		case kind == aDay && column.is(aDay), kind == aNumber && strings.EqualFold(r.columns[index].name, *r.idField):
			isDated = true
		case kind == aNumber && (!r.over.isNumber[index] || r.over.read[index][0] != 0):
			numbers++
		case kind == aText && !column.mayNot(cell):
			texts++
		}
	}
	return numbers, texts, isDated
}

// begins reports a line whose first cell is one of a row.
func (r *reader) begins(cells []string) bool {
	return isFilled(cells[0]) && !r.over.columns[0].mayNot(cells[0])
}

// mayNot reports a text in a column of numbers or of dates.
func (c *columnAbove) mayNot(cell string) bool {
	return (c.is(aNumber) || c.is(aDay)) && kindOf(cell) == aText
}

// isRow reports that a line has more than half of the cells of the header, a number or a date where the rows have those, or at least
// begins as they do. A text alone is a row only right below another one, if it is no remark; below what is no row one has two such cells.
func (r *reader) isRow(cells []string, line int) bool {
	width := widthOf(cells)
	if 2*width > len(r.columns) {
		return true
	}
	alike, many := 0, filled(cells)
	for index, cell := range cells[:width] {
		column := &r.over.columns[index]
		if isFilled(cell) && !column.is(aText) && column.sampled() > 0 {
			alike += count(column.is(kindOf(cell)))
		}
	}
	switch {
	case r.ended || alike > 0:
		return alike > count(r.ended)
	case isFilled(cells[0]) && !r.begins(cells) || strings.HasSuffix(strings.TrimSpace(cells[0]), ":"):
		return false
	}
	return many > 1 || len(r.columns) < narrowest || r.over.last == 0 || line == r.over.last+1 && !r.over.isRemark(cells[0])
}

// isRemark reports a text longer than the rows begin with, or one that begins with a mark or has a colon.
func (a *above) isRemark(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(text))
	return len(text) > 2*a.longest || strings.Contains(text, ":") || !unicode.IsLetter(first) && !unicode.IsDigit(first)
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
		cells := item.SplitOutsideQuotes(strings.TrimRight(string(line), "\r\n"), r.comma)
		for index, cell := range cells {
			cells[index] = strings.Trim(cell, `"`)
		}
		if cells = cells[:widthOf(cells)]; slices.Equal(cells, r.header) && len(cells) > 1 {
			return true
		}
		if 2*len(cells) > len(r.header) && (!orTotals || nameOfTotal(cells) == "") {
			return cells[0] == r.header[0] && r.isHeader(cells)
		}
	}
	return false
}

// totals are what a row is called that sums up the others or, where it is set, says what an account holds after them.
var totals = map[string]bool{
	"total": false, "totals": false, "total amount": false, "transactions total": false, "grand total": false, "grand totals": false,
	"subtotal": false, "subtotals": false, "sub-total": false, "sum": false, "summe": false, "zwischensumme": false, "teilsumme": false,
	"gesamt": false, "gesamtsumme": false, "gesamtbetrag": false, "gesamtergebnis": false, "total général": false, "total general": false,
	"total geral": false, "sous-total": false, "totale": false, "subtotale": false, "totaal": false, "subtotaal": false, "suma": false,
	"razem": false, "celkem": false, "összesen": false, "итого": false, "всего": false, "合計": false, "小計": false, "合计": false,
	"小计": false, "总计": false, "總計": false,
	"total balance": true, "kontostand": true, "neuer kontostand": true, "alter kontostand": true, "saldo": true, "endsaldo": true,
	"schlusssaldo": true, "balance": true, "closing balance": true, "ending balance": true, "saldo final": true, "solde": true,
	"eindsaldo": true,
}

// longestTotal is more bytes than such a name has, with a colon and spaces around it.
const longestTotal = 32

// nameOfTotal is what a row is called that sums up the others: only dates stand before the word that says so, which does not begin with a
// digit. It is empty for any other row.
func nameOfTotal(cells []string) (name string) {
	at := slices.IndexFunc(cells, func(cell string) bool {
		if len(cell) > longestTotal || cell == "" || cell[0] >= '-' && cell[0] <= '9' {
			return false
		}
		name = strings.TrimSuffix(strings.TrimSpace(cell), ":")
		return isNameOfTotal(name)
	})
	if at < 0 || slices.ContainsFunc(cells[:at], func(cell string) bool { return cell != "" && !isDay(cell) }) {
		return ""
	}
	return strings.ToLower(name)
}

// endsAsTotal reports a row whose first text begins or ends with such a word: "Summe Januar", "January total".
func endsAsTotal(cells []string) bool {
	at := slices.IndexFunc(cells, isFilled)
	words := strings.Fields(strings.Trim(cells[max(at, 0)], " :"))
	return len(words) > 1 && (isNameOfTotal(words[0]) || isNameOfTotal(words[len(words)-1]))
}

// isNameOfTotal looks a name up, whatever its case, and most names without making another.
func isNameOfTotal(name string) bool {
	var small [longestTotal]byte
	if len(name) > longestTotal {
		return false
	}
	for index := range len(name) {
		one := name[index]
		if one >= utf8.RuneSelf {
			_, isOne := totals[strings.ToLower(name)]
			return isOne
		}
		if one >= 'A' && one <= 'Z' {
			one += 'a' - 'A'
		}
		small[index] = one
	}
	_, isOne := totals[string(small[:len(name)])]
	return isOne
}
