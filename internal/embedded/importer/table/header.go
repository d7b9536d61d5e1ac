package table

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// named returns the first row as the names of columns. A file without a header begins with a row as the next one, with a date or money
// where that has one, or has that row alone, or has numbers alone: then the columns have no names, and the rows wait to be read.
func (r *rows) named(first []string, line int) []string {
	headless := len(first) > 1 && !slices.ContainsFunc(first, func(cell string) bool { return !isAmount(cell) }) &&
		slices.ContainsFunc(first, isFraction)
	if !headless && !slices.ContainsFunc(first, isNoName) {
		return first
	}
	first = slices.Clone(first)
	cells, below, err := r.row()
	r.waiting = []row{{slices.Clone(cells), below, err}}
	headless = headless || errors.Is(err, io.EOF)
	for index, cell := range cells[:min(len(cells), len(first))] {
		headless = headless || isNoName(cell) && isNoName(first[index])
	}
	if headless {
		r.waiting = append([]row{{first, line, nil}}, r.waiting...)
		return make([]string, len(first))
	}
	return first
}

// narrowest is how many columns a table has at least to be told from lines of text.
const narrowest = 3

// beginsSection reports a row that names the columns of a section, as brokers write several into one file: behind the name of the section
// stands what each row is.
func beginsSection(cells []string) bool { return len(cells) > narrowest && cells[1] == "Header" }

// isHeader reports a row of which most cells are names of columns: some programs write a header above each table or row of theirs.
func (r *rows) isHeader(cells []string) bool {
	names := 0
	for _, cell := range cells {
		if cell != "" && slices.Contains(r.header, cell) {
			names++
		}
	}
	return len(cells) >= narrowest && 2*names > len(cells)
}

// units are the signs in a header that are words in a name.
var units = strings.NewReplacer("€", "EUR", "£", "GBP", "%", "percent")

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
		}, units.Replace(strings.TrimSpace(title))), "_")
		name = cmp.Or(name, fmt.Sprintf("column_%d", index+1))
		unique := name
		for number := 2; taken[unique]; number++ {
			unique = fmt.Sprintf("%s_%d", name, number)
		}
		taken[unique] = true
		names[index] = unique
	}
	return names
}

// isNoName reports a text that no column is called: a date, or money that is below zero or has its currency.
func isNoName(text string) bool {
	number, unit, _ := split(clean(text))
	return isDay(text) || isAmount(number) && (unit != "" && unit != "%" || number[0] == '-')
}
