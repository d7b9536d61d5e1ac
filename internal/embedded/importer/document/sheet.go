package document

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// Rows reads the rows of a sheet and returns them as comma separated values.
type Rows struct {
	book    *Workbook
	decoder *item.XML
	ready   bytes.Buffer
	written int   // bytes of the rows so far
	most    int   // limit of written
	number  int   // number of the last row
	column  int   // the last one of the row that was written; -1: none
	width   int   // most columns of the rows so far, except for single cells far to the right
	widest  int   // the same before the row
	lines   int   // lines written so far
	lacks   bool  // a formula of the row has no result
	lacking []int // lines of such rows
	err     error
}

func (r *Rows) Read(into []byte) (int, error) {
	for r.ready.Len() == 0 && r.err == nil {
		if r.err = r.next(); r.written > r.most {
			r.err = fmt.Errorf("its rows have more than %d KiB, which is too much for its size: it repeats texts that its cells share", r.most>>10)
		}
	}
	if r.ready.Len() == 0 {
		return 0, r.err
	}
	return r.ready.Read(into)
}

// The most rows and columns of a sheet.
const (
	maxRow    = 1 << 20
	maxColumn = 1 << 14
)

// NoResult is the note on a row with a formula whose result is not in the file.
const NoResult = "it has a formula without a result; open the file in a spreadsheet program and save it again"

// Lacks reports whether the row on a line has such a formula. Lines must not decrease from call to call.
func (r *Rows) Lacks(line int) bool {
	for len(r.lacking) > 0 && r.lacking[0] < line {
		r.lacking = r.lacking[1:]
	}
	return len(r.lacking) > 0 && r.lacking[0] == line
}

// next writes the next row, after empty lines for the rows that are missing before it.
func (r *Rows) next() error {
	for {
		r.decoder.Left.N = item.MaxLine
		token, err := r.decoder.Token()
		if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "row" {
			continue
		}
		if number, err := strconv.Atoi(attribute(start, "r")); err == nil && number > r.number && number <= maxRow {
			r.ready.WriteString(strings.Repeat("\n", number-r.number-1))
			r.lines += number - r.number - 1
			r.number = number - 1
		}
		r.number++
		return r.row()
	}
}

// write writes a text into a column, if that is to the right of the last one.
func (r *Rows) write(at int, text string) {
	if text == "" || at <= r.column || at >= maxColumn {
		return
	}
	if at >= item.MaxFields && r.widest > 0 { // wider than any table: put it after all others, without as many commas
		at = max(r.column+1, min(at, r.widest))
	} else {
		r.width = max(r.width, at+1)
	}
	r.ready.WriteString(strings.Repeat(",", at-max(r.column, 0)))
	r.column = at
	r.ready.WriteString(`"` + strings.ReplaceAll(text, `"`, `""`) + `"`)
}

func (r *Rows) row() error {
	r.column, r.widest = -1, r.width
	position, before := -1, r.ready.Len() // column of the last cell; bytes written before the row
	for {
		token, err := r.decoder.Token()
		if err != nil {
			return err
		}
		if end, ok := token.(xml.EndElement); ok && end.Name.Local == "row" {
			break
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "c" {
			continue
		}
		position = columnOf(attribute(start, "r"), position+1)
		text, err := r.cell(start)
		if err != nil {
			return err
		}
		if r.write(position, text); r.ready.Len() > maxRow+item.MaxLine {
			return fmt.Errorf("row %d is longer than %d MiB", r.number, item.MaxLine>>20) // and such a row cannot be skipped
		}
	}
	if r.ready.WriteByte('\n'); r.lacks {
		r.lacks, r.lacking = false, append(r.lacking, r.lines+1)
	}
	r.lines += bytes.Count(r.ready.Bytes()[before:], []byte("\n"))
	r.written += r.ready.Len() - before
	return nil
}

// columnOf returns the column of a cell such as AB12, counted from 0, or otherwise if the name has none.
func columnOf(name string, otherwise int) int {
	column := 0
	for index := 0; index < len(name) && index < 3 && name[index] >= 'A' && name[index] <= 'Z'; index++ {
		column = 26*column + int(name[index]-'A') + 1
	}
	if column == 0 {
		return otherwise
	}
	return column - 1
}

// cell returns what a cell shows. A cell with an error shows nothing.
func (r *Rows) cell(start xml.StartElement) (string, error) {
	var text strings.Builder
	inside, formula := "", false
	for {
		token, err := r.decoder.Token()
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local
			formula = formula || inside == "f"
		case xml.CharData:
			if inside == "v" || inside == "t" {
				text.Write(token)
			}
		case xml.EndElement:
			if inside = ""; token.Name.Local == "c" {
				if formula && text.Len() == 0 && attribute(start, "t") != "str" { // a text may be empty
					r.lacks = true
				}
				return r.value(start, text.String()), nil
			}
		}
	}
}

func (r *Rows) value(start xml.StartElement, text string) string {
	switch attribute(start, "t") {
	case "s":
		index, err := strconv.Atoi(text)
		if err != nil || index < 0 || index >= len(r.book.texts) {
			return ""
		}
		return unescape(r.book.texts[index])
	case "b":
		return strconv.FormatBool(text == "1")
	case "e":
		return ""
	case "", "n":
	default:
		return unescape(text)
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	var style cellStyle
	if at, err := strconv.Atoi(attribute(start, "s")); err == nil && at >= 0 && at < len(r.book.styles) {
		style = r.book.styles[at]
	}
	if style.kind != asNumber && number >= 0 && number < 2_958_466 { // before the year 10000
		return r.date(number, style.kind)
	}
	if strings.Trim(text, "-0123456789") != "" { // a whole number keeps all its digits
		number, _ = strconv.ParseFloat(strconv.FormatFloat(number, 'g', shownDigits, 64), 64)
		text = strconv.FormatFloat(number, 'f', -1, 64)
	}
	if style.currency == "" {
		return text
	}
	if _, fraction, _ := strings.Cut(text, "."); len(fraction) == 3 { // three digits could be thousands
		text += "0"
	}
	return text + " " + style.currency
}

// escaped matches the form in which workbooks write a character that XML cannot have.
var escaped = item.Expression(`_x[0-9A-Fa-f]{4}_`)

func unescape(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	text = escaped().ReplaceAllStringFunc(text, func(code string) string {
		one, _ := strconv.ParseUint(code[2:6], 16, 16) // digits
		return string(rune(one))
	})
	return strings.ReplaceAll(text, "\r\n", "\n")
}

const (
	shownDigits = 15  // of a number: sums of fractions differ in the digits after these
	clockDays   = 366 // a time of day with fewer days is rather a duration than a date of which only the time is shown
	leapless    = 60  // from this day on, counts from 1900 are one too large, because 1900 is taken for a leap year
)

// date returns a count of days as a date, with a time if it has a fraction, as a time of day, or as hours, minutes and seconds.
func (r *Rows) date(days float64, style numberStyle) string {
	whole, fraction := math.Modf(days)
	seconds := int(math.Round(days * 86400))
	if style == asElapsed || style == asClock && days >= 1 && days < clockDays {
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	from1900 := r.book.epoch.Year() < 1904
	if whole > 0 && whole < leapless && from1900 {
		whole++
	}
	when := r.book.epoch.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(fraction*86400)) * time.Second)
	switch {
	case style == asClock && whole == 0, whole == 0 && fraction > 0:
		return when.Format(time.TimeOnly)
	case whole == 0 && from1900:
		return "" // Excel shows it as day 0 of January 1900
	case fraction == 0:
		return when.Format(time.DateOnly)
	}
	return when.Format("2006-01-02T15:04:05")
}
