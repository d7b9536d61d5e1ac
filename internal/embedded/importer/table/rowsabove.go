package table

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

type rowsAbove struct {
	columns      []columnAbove
	lastLine     int // of the last row
	count        int
	sinceTotal   int // rows after the last total
	longestFirst int // bytes of the longest first cell
}

type columnAbove struct {
	kinds    kindCounts // of its first cells
	sum      float64    // of its numbers
	atTotals []float64  // sum at each of the last totals
	size     float64    // sum of the absolute values of its numbers
	current  float64    // number in the current line
	isNumber bool       // the current line has one
}

// The kinds of cells, as far as they tell rows from other lines. A time of day is of the kind aDay.
const aText, aNumber, aDay = 0, 1, 2

// sampledCells is how many cells show the kind of a column, if four in five are of that kind.
const sampledCells = 20

// kindCounts has how many filled cells of a column are of each kind.
type kindCounts [aDay + 1]int

func (k kindCounts) all() int { return k[aText] + k[aNumber] + k[aDay] }

func (c *columnAbove) is(kind int) bool {
	return c.kinds[kind] > 0 && 5*c.kinds[kind] >= 4*c.kinds.all()
}

func (c *columnAbove) isTyped() bool { return c.is(aNumber) || c.is(aDay) }

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

// parseAmount parses a number in a column of numbers, fast. Three digits after a single mark are a fraction if that mark is decimal.
func parseAmount(cell string, decimal byte) (number float64, ok bool) {
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

// manyTotals is how many totals are remembered: one for each day of a month.
const manyTotals = 31

// endPart begins a new part of the table, which has separate totals.
func (r *rowsAbove) endPart() {
	r.sinceTotal = 0
	for index := range r.columns {
		column := &r.columns[index]
		column.atTotals = append(column.atTotals[max(len(column.atTotals)-manyTotals, 0):], column.sum)
	}
}

// add counts a row that look has read.
func (r *rowsAbove) add(cells []string, line int) {
	r.count, r.sinceTotal, r.lastLine, r.longestFirst = r.count+1, r.sinceTotal+1, line, max(r.longestFirst, len(cells[0]))
	for index, cell := range cells {
		if cell == "" {
			continue
		}
		column := &r.columns[index]
		if column.kinds.all() < sampledCells && isFilled(cell) {
			kind := kindOf(cell)
			column.kinds[kind]++
			column.isNumber = column.isNumber && kind == aNumber
		}
		if column.isNumber {
			column.sum += column.current
			column.size += math.Abs(column.current)
		}
	}
}

// The kinds of names of rows that sum up others, or have the balance of an account after them.
const aTotal, aBalance = 1, 2

// totalKind returns the kind of a row's name, else 0. Only dates may come before the name, which does not begin with a digit.
func totalKind(cells []string) (kind int) {
	at := slices.IndexFunc(cells, func(cell string) bool { return cell != "" && (cell[0] < '-' || cell[0] > '9') })
	if at < 0 || len(cells[at]) > 32 { // longer than all names below
		return 0
	}
	switch strings.ToLower(strings.Trim(strings.TrimSpace(cells[at]), "#:")) {
	case "total", "totals", "total amount", "transactions total", "grand total", "grand totals", "subtotal", "subtotals", "sub-total", "sum",
		"summe", "zwischensumme", "teilsumme", "gesamt", "gesamtsumme", "gesamtbetrag", "gesamtergebnis", "total général", "total general",
		"total geral", "sous-total", "totale", "subtotale", "totaal", "subtotaal", "suma", "razem", "celkem", "összesen", "итого", "всего",
		"合計", "小計", "合计", "小计", "总计", "總計":
		kind = aTotal
	case "total balance", "kontostand", "neuer kontostand", "alter kontostand", "saldo", "endsaldo", "schlusssaldo", "balance",
		"closing balance", "ending balance", "saldo final", "solde", "eindsaldo", "saldo końcowe":
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
