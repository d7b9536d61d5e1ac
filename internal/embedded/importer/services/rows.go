package services

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// What finance programs and devices write is a table in other words. Its rows are written as comma separated values, whose reader finds out
// what is in them.

// rowsOf are the readers of such files, by the endings of their names.
var rowsOf = map[string]func(string) ([][]string, error){".ofx": ofxRows, ".qfx": ofxRows, ".qif": qifRows, ".gpx": gpx.rows,
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
	began := map[string]int{}
	text = ofxMark().ReplaceAllStringFunc(text, func(mark string) string {
		part := ofxMark().FindStringSubmatch(mark)
		switch name := strings.ToUpper(part[2]); {
		case mark == "<":
			return "&lt;"
		case len(mark) == 1:
			return "\ufffd"
		case name == "":
			return mark
		case part[1] == "":
			began[name]++
		case began[name] == 0: // the end of what never began
			return ""
		default:
			began[name]--
		}
		return strings.ToUpper(mark)
	})
	rows, lost = ofx.rows(text)
	if strings.Contains(text, "<INVTRANLIST>") {
		lost = cmp.Or(lost, errors.New("what was bought and sold in an investment account is left out"))
	}
	return rows, lost
}

// ofxMark is a tag, whose name may be in small letters, or what banks write in texts and XML does not have there: a bracket, or a control
// character.
var ofxMark = item.Expression(`(?s)<!\[CDATA\[.*?\]\]>|<[?!][^>]*>|<(/?)([A-Za-z][\w.]*)\s*/?>|[<\x00-\x08\x0b\x0c\x0e-\x1f]`)

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

// qifDay undoes how Quicken pads the parts of dates with spaces, as in "1/ 5/94", and marks those of this century, as in "1/15'26".
var qifDay = strings.NewReplacer("/ ", "/", "' ", "/200", "'", "/20")

// qifRows are the transactions of Quicken and of programs that write as it does. Its lists of categories and the like are passed over.
func qifRows(text string) ([][]string, error) {
	const fields = "DTPMLNCYIQO"
	rows := [][]string{{"date", "amount", "payee", "memo", "category", "number", "cleared", "security", "price", "quantity", "commission",
		"address", "splits", "account", "kind"}}
	last := len(rows[0]) - 1
	row := make([]string, len(rows[0]))
	var address, splits []string // of the transaction
	account, kind, loads, named := "", "", true, false
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r", "\n"), "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(line, item.ByteOrderMark))
		if line == "" {
			continue
		}
		at, value := strings.IndexByte(fields, line[0]), strings.TrimSpace(line[1:])
		switch {
		case line[0] == '!':
			named = strings.HasPrefix(strings.ToLower(line), "!account")
			if title, ok := strings.CutPrefix(strings.ToLower(line), "!type:"); ok {
				kind = title
				loads = slices.Contains([]string{"bank", "cash", "ccard", "oth a", "oth l", "invst"}, title)
			}
		case line[0] == '^':
			if !named && loads && row[0]+row[1] != "" {
				row[0] = qifDay.Replace(row[0])
				row[len(fields)], row[len(fields)+1] = strings.Join(address, "\n"), strings.Join(splits, " ")
				row[last-1], row[last] = account, kind
				rows = append(rows, row)
			}
			row, address, splits = make([]string, len(rows[0])), nil, nil
		case named && line[0] == 'N':
			account = value
		case named || !loads || value == "" && at < 0:
		case line[0] == 'A':
			address = append(address, value)
		case line[0] == 'S' || line[0] == 'E' || line[0] == '$':
			splits = append(splits, value)
		case at >= 0:
			row[at] = value
		}
	}
	return rows, nil
}
