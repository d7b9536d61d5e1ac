package services

import (
	"bytes"
	"cmp"
	_ "embed" // xmlTables
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// The files of finance programs and of devices are tables in other formats. They are converted to CSV, so that the CSV reader determines
// the types of the columns.

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
	rows, lost := rowsOf(strings.ToLower(ending), utf8text.Mend(string(text)))
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

// rowsOf returns the rows of a file with the lower-case ending, and an error if some of it was not read.
func rowsOf(ending, text string) (rows [][]string, lost error) {
	switch {
	case ending == ".ofx" || ending == ".qfx": // in XML, or in the older form, in which elements need no end tag
		rows, lost = tableOf("ofx").rows(text)
		if strings.Contains(text, "<INVTRANLIST>") {
			lost = cmp.Or(lost, errors.New("what was bought and sold in an investment account is left out"))
		}
		return rows, lost
	case ending != ".xml":
		return tableOf(strings.TrimPrefix(ending, ".")).rows(text)
	case !isPhone([]byte(text[:min(len(text), 4096)])):
		return tableOf("camt").rows(text)
	}
	return tableOf("phone").rows(surrogatePairs().ReplaceAllStringFunc(text, func(pair string) string {
		var first, second rune
		_, _ = fmt.Sscanf(pair, "&#%d;&#%d;", &first, &second) // cannot fail: the expression requires five digits each
		return string(utf16.DecodeRune(first, second))
	}))
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

// filled matches an amount with a plus or zeros before it, such as "+00000000000000.1600".
var filled = regexp.MustCompile(`^\s*(?:\+|(-)?)0*([0-9].*)$`)

// An xmlTable says which elements of an XML file are rows, and which values go to which column.
type xmlTable struct {
	header []string
	kinds  map[string]string // elements that are rows, with their value of the column "kind"
	cells  map[string]string // columns of values in a row
	around map[string]string // columns of values outside of rows
	finish func(row map[string]string)

	lenient bool // an element without an end tag ends with its parent
}

// xmlTables has the tracks of devices and apps (gpx, tcx, kml), the statements of finance programs and banks (ofx, camt), and the messages
// and calls that SMS Backup & Restore writes (phone). A line has a column with its values: after "=" those in a row, after "<" those
// outside of rows. A value for text names an ancestor and the element, "trk/name", one for an attribute its element, "Amt@Ccy"; without the
// first name it applies anywhere in a row. A column after "-" is only for finishers.
//
//go:embed xmlrows.txt
var xmlTables string

var finishers = map[string]func(row map[string]string){
	"kml": func(row map[string]string) {
		place := append(strings.Split(row["latitude"], ","), "", "") // longitude, latitude and, optionally, elevation
		row["longitude"], row["latitude"], row["elevation"] = place[0], place[1], place[2]
	},
	"ofx": func(row map[string]string) {
		row["date"] = ofxMoment(row["date"])
		row["amount"] = filled.ReplaceAllString(row["amount"], "$1$2")
	},
	"camt": func(row map[string]string) { // the first IBAN around it is that of the account
		row["name"], row["other_account"] = row["debtor"], row["debtor_account"]
		if row["kind"] == "DBIT" {
			row["name"], row["other_account"], row["amount"] = row["creditor"], row["creditor_account"], "-"+row["amount"]
		}
		if row["balance"] != "" {
			row["kind"], row["date"] = row["code"], row["day"]
		}
		if row["side"] == "DBIT" {
			row["balance"] = "-" + row["balance"]
		}
	},
	"phone": func(row map[string]string) {
		names := messageDirections
		if row["kind"] == "call" {
			names = callDirections
		}
		row["direction"] = cmp.Or(names[row["direction"]], row["direction"])
		row["text"] = layout().ReplaceAllString(row["text"], "")
		for column, value := range row {
			// the app writes these for missing values
			lines := slices.DeleteFunc(strings.Split(value, "\n"), func(line string) bool { return line == "null" || line == "(Unknown)" })
			row[column] = strings.TrimSpace(strings.Join(lines, "\n"))
		}
	},
}

func tableOf(name string) xmlTable {
	t := xmlTable{finish: finishers[name], lenient: name == "ofx"}
	t.kinds, t.cells, t.around = map[string]string{}, map[string]string{}, map[string]string{}
	_, text, _ := strings.Cut(xmlTables, "["+name+"]\n")
	text, _, _ = strings.Cut(text, "\n\n")
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		words := strings.Fields(line)
		if words[0] == "row" {
			t.kinds[words[1]] = strings.Join(words[2:], " ")
			continue
		}
		column, isHidden := strings.CutPrefix(words[0], "-")
		if !isHidden {
			t.header = append(t.header, column)
		}
		into := t.cells
		for _, value := range words[1:] {
			if value == "<" {
				into = t.around
			}
			into[value] = column // marks are no values
		}
	}
	return t
}

// joined are the columns that join all values of a row with newlines; other columns take the first value.
var joined = []string{"debtor", "creditor", "purpose", "line", "data", "text", "files"}

type openElement struct {
	name   string
	around map[string][]string // values for the rows inside it, by column
	row    map[string][]string // its cells by column; nil if the element is not a row
}

// maxRepeated limits the size of all rows to this multiple of the size of the file, because each row repeats the values around it.
const maxRepeated = 16

func (t xmlTable) rows(text string) (rows [][]string, lost error) {
	rows = [][]string{t.header}
	decoder := item.NewXML(strings.NewReader(text), int64(len(text))+1)                              // the caller limits the text
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil } // the text is UTF-8 already
	decoder.Strict, decoder.Entity = !t.lenient, xml.HTMLEntity
	var inside []openElement
	var content []byte // all text since the last tag: a CDATA section is a token by itself
	size, most := 0, min(maxRepeated*len(text), maxRows)
	for {
		token, err := decoder.Token()
		switch {
		case size > most:
			return rows, fmt.Errorf("its rows have more than %d KiB, which is too much for its size: it repeats what is around them", most>>10)
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil:
			return rows, fmt.Errorf("not XML from here on: %w", err)
		}
		switch token := token.(type) {
		case xml.CharData:
			content = append(content, token...)
			continue
		case xml.Comment:
			continue
		}
		if value := strings.TrimSpace(string(content)); value != "" && len(inside) > 1 {
			t.put(inside, "/"+inside[len(inside)-1].name, value)
		}
		content = content[:0]
		switch token := token.(type) {
		case xml.StartElement:
			inside = append(inside, t.open(token.Name.Local, inside))
			for _, attribute := range token.Attr {
				t.put(inside, "@"+attribute.Name.Local, attribute.Value)
			}
		case xml.EndElement:
			last := inside[len(inside)-1]
			inside = inside[:len(inside)-1]
			if last.row == nil {
				continue
			}
			cells := t.cellsOf(last.row)
			for _, cell := range cells {
				size += len(cell)
			}
			rows = append(rows, cells)
		}
	}
}

func (t xmlTable) cellsOf(row map[string][]string) []string {
	values := map[string]string{}
	for column, texts := range row {
		values[column] = strings.Join(texts, "\n")
	}
	if t.finish != nil {
		t.finish(values)
	}
	cells := make([]string, len(t.header))
	for index, column := range t.header {
		cells[index] = values[column]
	}
	return cells
}

// open returns a new element. A row starts with the values around it, such as the names of its folders.
func (t xmlTable) open(name string, inside []openElement) openElement {
	one := openElement{name: name, around: map[string][]string{}}
	if kind, ok := t.kinds[name]; ok {
		one.row = map[string][]string{}
		if kind != "" {
			one.row["kind"] = []string{kind}
		}
		for _, outer := range inside {
			for column, value := range outer.around {
				one.row[column] = []string{strings.Join(slices.Concat(one.row[column], value), "/")}
			}
		}
	}
	return one
}

// put adds a value to the innermost row or, outside of rows, to the element that it describes, for the rows that follow in that element.
func (t xmlTable) put(inside []openElement, name, value string) {
	from := len(inside) - 1 // the element of the attribute, or the parent of the element with the text
	if name[0] == '/' {
		from--
	}
	row := len(inside) - 1 // the innermost; -1 outside of rows
	for row >= 0 && inside[row].row == nil {
		row--
	}
	for at := from; at >= 0; at-- {
		column, into := t.around[inside[at].name+name], inside[at].around
		if row >= 0 {
			column, into = t.cells[inside[at].name+name], inside[row].row
			if at == row || name[0] == '@' {
				column = cmp.Or(column, t.cells[name])
			}
		}
		if column != "" && (into[column] == nil || row >= 0 && slices.Contains(joined, column)) {
			into[column] = append(into[column], value)
			return
		}
		if name[0] == '@' || at == row {
			return
		}
	}
}

var (
	messageDirections = map[string]string{"1": "received", "2": "sent", "3": "draft", "4": "outgoing", "5": "failed", "6": "queued"}
	callDirections    = map[string]string{"1": "incoming", "2": "outgoing", "3": "missed", "4": "voicemail", "5": "rejected"}

	// layout matches the SMIL layout of a message with pictures, which is among its texts.
	layout = item.Expression(`(?s)<smil.*?</smil>`)
	// surrogatePairs matches a UTF-16 surrogate pair written as two character references, which is not valid XML.
	surrogatePairs = item.Expression(`&#5[5-6]\d{3};&#5[6-7]\d{3};`)
)

// isPhone reports whether XML begins like the messages or calls of SMS Backup & Restore.
func isPhone(start []byte) bool {
	return bytes.Contains(start, []byte("<smses")) || bytes.Contains(start, []byte("<calls "))
}

// IsXMLRows reports whether an .xml file begins like a bank statement (camt.052 to .054 of ISO 20022), or like messages or calls.
func IsXMLRows(name string, start []byte) bool {
	return strings.EqualFold(path.Ext(name), ".xml") && (bytes.Contains(start, []byte("iso:20022:tech:xsd:camt.05")) || isPhone(start))
}
