package document

import (
	"bytes"
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"time"
)

// rows writes the rows of a sheet as they are read.
type rows struct {
	book    *Workbook
	decoder *xml.Decoder
	ready   bytes.Buffer
	number  int // of the row that was written last
	err     error
}

func (r *rows) Read(into []byte) (int, error) {
	for r.ready.Len() == 0 && r.err == nil {
		r.err = r.next()
	}
	if r.ready.Len() == 0 {
		return 0, r.err
	}
	return r.ready.Read(into)
}

// How many rows and columns a sheet may have.
const (
	maxRow    = 1 << 20
	maxColumn = 1 << 14
)

// next writes the next row, and empty lines for those that are not there.
func (r *rows) next() error {
	for {
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
			r.number = number - 1
		}
		r.number++
		return r.row()
	}
}

// row writes the cells of a row.
func (r *rows) row() error {
	column := -1 // that was written last
	for {
		token, err := r.decoder.Token()
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.EndElement:
			if token.Name.Local == "row" {
				r.ready.WriteByte('\n')
				return nil
			}
		case xml.StartElement:
			if token.Name.Local != "c" {
				continue
			}
			at := columnOf(attribute(token, "r"), column+1)
			text, err := r.cell(token)
			if err != nil {
				return err
			}
			if text == "" || at <= column || at >= maxColumn {
				continue
			}
			r.ready.WriteString(strings.Repeat(",", at-max(column, 0)))
			column = at
			r.ready.WriteString(`"` + strings.ReplaceAll(text, `"`, `""`) + `"`)
		}
	}
}

// columnOf is the column of a cell such as AB12, from 0 on.
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

// cell is what a cell shows. One with an error shows nothing.
func (r *rows) cell(start xml.StartElement) (string, error) {
	var text strings.Builder
	inside := ""
	for {
		token, err := r.decoder.Token()
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local
		case xml.CharData:
			if inside == "v" || inside == "t" {
				text.Write(token)
			}
		case xml.EndElement:
			if inside = ""; token.Name.Local == "c" {
				return r.value(start, text.String()), nil
			}
		}
	}
}

func (r *rows) value(start xml.StartElement, text string) string {
	switch attribute(start, "t") {
	case "s":
		index, err := strconv.Atoi(text)
		if err != nil || index < 0 || index >= len(r.book.texts) {
			return ""
		}
		return r.book.texts[index]
	case "b":
		return strconv.FormatBool(text == "1")
	case "e":
		return ""
	case "", "n":
	default:
		return text
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	style, err := strconv.Atoi(attribute(start, "s"))
	if err == nil && style >= 0 && style < len(r.book.dates) && r.book.dates[style] && number >= 0 && number < 2_958_466 { // the year 10000
		return r.date(number)
	}
	return strconv.FormatFloat(number, 'f', -1, 64)
}

// date is a count of days as a date, with a time if it has a fraction.
func (r *rows) date(days float64) string {
	whole, fraction := math.Modf(days)
	when := r.book.epoch.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(fraction*86400)) * time.Second)
	switch {
	case fraction == 0:
		return when.Format(time.DateOnly)
	case whole == 0:
		return when.Format(time.TimeOnly)
	}
	return when.Format("2006-01-02T15:04:05")
}
