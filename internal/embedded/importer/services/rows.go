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

// The files of finance programs and of devices are tables in other formats. They are converted to CSV, so that the CSV reader determines
// the types of the columns.

// rowsOf has the readers of such files, by the lower-case endings of their names. The others have the names of xmlTables.
var rowsOf = map[string]func(string) ([][]string, error){".ofx": ofxRows, ".qfx": ofxRows, ".xml": xmlRows}

// maxRows is the maximum size of such a file, in bytes.
const maxRows = 64 << 20

// Rows converts a file to CSV with a header, without empty columns. The result ends with an error if part of the file was not read.
func Rows(file io.Reader, ending string) (io.Reader, error) {
	text, err := io.ReadAll(io.LimitReader(file, maxRows+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxRows {
		return nil, fmt.Errorf("more than %d MiB", maxRows>>20)
	}
	ending = strings.ToLower(ending)
	read, ok := rowsOf[ending]
	if !ok {
		read = tableOf(strings.TrimPrefix(ending, ".")).rows
	}
	rows, lost := read(utf8text.Mend(string(text)))
	if len(rows) < 2 {
		return nil, cmp.Or(lost, errors.New("it holds no transaction and no point"))
	}
	filled := make([]bool, len(rows[0])) // columns with a value in some row
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

// ofxRows returns the transactions in an OFX file: in XML, or in the older form, in which elements need no end tag.
func ofxRows(text string) (rows [][]string, lost error) {
	rows, lost = tableOf("ofx").rows(text)
	if strings.Contains(text, "<INVTRANLIST>") {
		lost = cmp.Or(lost, errors.New("what was bought and sold in an investment account is left out"))
	}
	return rows, lost
}

// ofxMoment converts an OFX time such as "20260115" or "20260115093000.000[-5:EST]" to RFC 3339, or to a time without a zone if it has
// none, or to a date if it has no time of day, or midnight or noon without a zone. It returns other texts unchanged.
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
