package services

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// What finance programs and devices write is a table in other words. Its rows are written as comma separated values, whose reader finds out
// what is in them.

// rowsOf are the readers of such files, by the endings of their names.
var rowsOf = map[string]func(string) ([][]string, error){".ofx": ofxRows, ".qfx": ofxRows, ".gpx": gpx.rows,
	".tcx": tcx.rows, ".kml": kml.rows, ".xml": xmlRows}

// maxRows is how large such a file may be, in bytes.
const maxRows = 64 << 20

// Rows returns the rows of a file as comma separated values, under a header.
func Rows(file io.Reader, ending string) (io.Reader, error) {
	text, err := io.ReadAll(io.LimitReader(file, maxRows+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxRows {
		return nil, fmt.Errorf("more than %d MiB", maxRows>>20)
	}
	rows, lost := rowsOf[strings.ToLower(ending)](utf8text.Mend(string(text)))
	if len(rows) < 2 {
		return nil, cmp.Or(lost, errors.New("it holds no transaction and no point"))
	}
	filled := make([]bool, len(rows[0])) // the columns in which there is something
	for _, row := range rows[1:] {
		for column, cell := range row {
			filled[column] = filled[column] || cell != ""
		}
	}
	var table bytes.Buffer
	writer := csv.NewWriter(&table)
	for _, row := range rows {
		var cells []string
		for column, cell := range row {
			if filled[column] {
				cells = append(cells, cell)
			}
		}
		_ = writer.Write(cells) // to memory
	}
	writer.Flush()
	return io.MultiReader(&table, failing{cmp.Or(lost, io.EOF)}), nil
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// ofxRows are the transactions of the accounts of a bank, in the older form of OFX, whose elements need not end, or in XML.
func ofxRows(text string) (rows [][]string, lost error) {
	rows, lost = ofx.rows(text)
	if strings.Contains(text, "<INVTRANLIST>") {
		lost = cmp.Or(lost, errors.New("what was bought and sold in an investment account is left out"))
	}
	return rows, lost
}

// ofxMoment is a time as records have it, or a day where a bank only names one, of "20260115" or "20260115093000.000[-5:EST]".
func ofxMoment(text string) string {
	digits, zone, _ := strings.Cut(strings.TrimSuffix(text, "]"), "[")
	digits, _, _ = strings.Cut(digits, ".")
	when, err := time.Parse("20060102150405"[:min(len(digits), 14)], digits)
	zone, _, _ = strings.Cut(zone, ":")
	hours, unnumbered := strconv.ParseFloat(strings.TrimSpace(zone), 64)
	isZoned := unnumbered == nil && hours >= -14 && hours <= 14
	switch clock := strings.TrimRight(digits[min(len(digits), 8):], "0"); {
	case err != nil || len(digits) < 8:
		return text
	case clock == "" && len(digits) == 8, !isZoned && (clock == "" || clock == "12"):
		return when.Format(time.DateOnly)
	case !isZoned:
		return when.Format("2006-01-02T15:04:05")
	}
	east := int(3600 * hours)
	return when.Add(-time.Duration(east) * time.Second).In(time.FixedZone("", east)).Format(time.RFC3339)
}
