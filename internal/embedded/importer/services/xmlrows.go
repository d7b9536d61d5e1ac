package services

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// An xmlTable says which elements of an XML file are rows, and which values go to which column. A key for text names an ancestor and the
// element, "trk/name", a key for an attribute its element, "Amt@Ccy". Without the first name it applies anywhere in a row.
type xmlTable struct {
	header []string
	kinds  map[string]string // elements that are rows, with their value of the column "kind"
	cells  map[string]string // columns of values in a row
	around map[string]string // columns of values outside of rows
	finish func(row map[string]string)

	lenient bool // an element without an end tag ends with its parent
}

// The tracks of devices and apps (GPX, TCX, KML), and the statements of finance programs and banks (OFX, camt).
var (
	gpx = xmlTable{
		header: []string{"track", "kind", "time", "latitude", "longitude", "elevation", "heart_rate", "cadence", "power", "temperature",
			"speed", "activity", "name", "description"},
		kinds: map[string]string{"trkpt": "track point", "rtept": "route point", "wpt": "place"},
		cells: map[string]string{"@lat": "latitude", "@lon": "longitude",
			"/time": "time", "/ele": "elevation", "/hr": "heart_rate", "/cad": "cadence", "/power": "power",
			"/atemp": "temperature", "/speed": "speed", "/name": "name", "/desc": "description"},
		around: map[string]string{"trk/name": "track", "rte/name": "track", "trk/type": "activity"},
	}
	tcx = xmlTable{
		header: []string{"activity", "kind", "time", "latitude", "longitude", "elevation", "distance_so_far", "heart_rate", "cadence",
			"speed", "power", "lap_seconds", "lap_distance", "lap_calories"},
		kinds: map[string]string{"Trackpoint": "track point", "Lap": "lap"},
		cells: map[string]string{"/Time": "time", "/LatitudeDegrees": "latitude", "/LongitudeDegrees": "longitude",
			"/AltitudeMeters": "elevation", "Trackpoint/DistanceMeters": "distance_so_far",
			"HeartRateBpm/Value": "heart_rate", "Trackpoint/Cadence": "cadence", "TPX/Speed": "speed", "TPX/Watts": "power",
			"Lap@StartTime": "time", "Lap/TotalTimeSeconds": "lap_seconds",
			"Lap/DistanceMeters": "lap_distance", "Lap/Calories": "lap_calories"},
		around: map[string]string{"Activity@Sport": "activity"},
	}
	kml = xmlTable{
		header: []string{"folder", "name", "description", "time", "until", "latitude", "longitude", "elevation", "address", "line", "data"},
		kinds:  map[string]string{"Placemark": ""},
		cells: map[string]string{"Placemark/name": "name", "Placemark/description": "description", "TimeStamp/when": "time",
			"TimeSpan/begin": "time", "TimeSpan/end": "until", "Placemark/address": "address",
			"Point/coordinates": "latitude", "/coordinates": "line", "Track/when": "line", "Track/coord": "line", "Data@name": "data",
			"Data/value": "data", "SimpleData@name": "data", "/SimpleData": "data"},
		around: map[string]string{"Document/name": "folder", "Folder/name": "folder"},
		finish: func(row map[string]string) {
			place := append(strings.Split(row["latitude"], ","), "", "") // longitude, latitude and, optionally, elevation
			row["longitude"], row["latitude"], row["elevation"] = place[0], place[1], place[2]
		},
	}
	ofx = xmlTable{
		lenient: true,
		header:  []string{"id", "date", "amount", "currency", "kind", "name", "memo", "check_number", "account"},
		kinds:   map[string]string{"STMTTRN": ""},
		cells: map[string]string{"STMTTRN/FITID": "id", "STMTTRN/DTPOSTED": "date", "STMTTRN/TRNAMT": "amount", "STMTTRN/TRNTYPE": "kind",
			"STMTTRN/NAME": "name", "PAYEE/NAME": "name", "STMTTRN/MEMO": "memo", "STMTTRN/CHECKNUM": "check_number"},
		around: map[string]string{"STMTRS/CURDEF": "currency", "CCSTMTRS/CURDEF": "currency", "INVSTMTRS/CURDEF": "currency",
			"OFX/CURDEF": "currency", "STMTRS/ACCTID": "account", "CCSTMTRS/ACCTID": "account", "INVSTMTRS/ACCTID": "account"},
		finish: func(row map[string]string) { row["date"] = ofxMoment(row["date"]) },
	}
	camt = xmlTable{
		header: []string{"date", "valued_at", "amount", "currency", "name", "purpose", "booking_text", "kind", "status", "reference",
			"end_to_end_id", "other_account", "account", "balance"},
		kinds: map[string]string{"Ntry": "", "Bal": ""},
		cells: map[string]string{"BookgDt/Dt": "date", "BookgDt/DtTm": "date", "ValDt/Dt": "valued_at", "ValDt/DtTm": "valued_at",
			"Ntry/Amt": "amount", "Amt@Ccy": "currency", "Ntry/CdtDbtInd": "kind", "Ntry/Sts": "status",
			"Sts/Cd": "status", "Ntry/AcctSvcrRef": "reference", "Refs/EndToEndId": "end_to_end_id", "Dbtr/Nm": "debtor", "Cdtr/Nm": "creditor",
			"DbtrAcct/IBAN": "debtor account", "CdtrAcct/IBAN": "creditor account",
			"RmtInf/Ustrd": "purpose", "CdtrRefInf/Ref": "purpose", "Ntry/AddtlNtryInf": "booking_text",
			"Bal/Amt": "balance", "Bal/CdtDbtInd": "side", "CdOrPrtry/Cd": "code", "CdOrPrtry/Prtry": "code", "Dt/Dt": "day", "Dt/DtTm": "day"},
		// the first IBAN is that of the account
		around: map[string]string{"Stmt/IBAN": "account", "Rpt/IBAN": "account", "Ntfctn/IBAN": "account"},
		finish: func(row map[string]string) {
			row["name"], row["other_account"] = row["debtor"], row["debtor account"]
			if row["kind"] == "DBIT" {
				row["name"], row["other_account"], row["amount"] = row["creditor"], row["creditor account"], "-"+row["amount"]
			}
			if row["balance"] != "" {
				row["kind"], row["date"] = row["code"], row["day"]
			}
			if row["side"] == "DBIT" {
				row["balance"] = "-" + row["balance"]
			}
		},
	}
)

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

// rowOf returns the index of the innermost row, or -1 outside of rows.
func rowOf(inside []openElement) int {
	row := len(inside) - 1
	for row >= 0 && inside[row].row == nil {
		row--
	}
	return row
}

// put adds a value to the innermost row or, outside of rows, to the element that it describes, for the rows that follow in that element.
func (t xmlTable) put(inside []openElement, name, value string) {
	from := len(inside) - 1 // the element of the attribute, or the parent of the element with the text
	if name[0] == '/' {
		from--
	}
	row := rowOf(inside)
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

// phone describes the messages and calls that SMS Backup & Restore writes.
var phone = xmlTable{
	header: []string{"date", "kind", "direction", "number", "name", "subject", "text", "files", "seconds"},
	kinds:  map[string]string{"sms": "message", "mms": "message", "call": "call"},
	cells: map[string]string{
		"sms@date": "date", "sms@type": "direction", "sms@address": "number", "sms@contact_name": "name", "sms@subject": "subject",
		"sms@body": "text",
		"mms@date": "date", "mms@msg_box": "direction", "mms@address": "number", "mms@contact_name": "name", "mms@sub": "subject",
		"part@text": "text", "part@cl": "files",
		"call@date": "date", "call@type": "direction", "call@number": "number", "call@contact_name": "name", "call@duration": "seconds",
	},
	finish: func(row map[string]string) {
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

// IsXMLRows reports whether an .xml file begins like a bank statement (camt.052 to .054 of ISO 20022) or like phone.
func IsXMLRows(name string, start []byte) bool {
	return strings.EqualFold(path.Ext(name), ".xml") && (bytes.Contains(start, []byte("iso:20022:tech:xsd:camt.05")) || isPhone(start))
}

func xmlRows(text string) ([][]string, error) {
	if !isPhone([]byte(text[:min(len(text), 4096)])) {
		return camt.rows(text)
	}
	return phone.rows(surrogatePairs().ReplaceAllStringFunc(text, func(pair string) string {
		var first, second rune
		_, _ = fmt.Sscanf(pair, "&#%d;&#%d;", &first, &second) // cannot fail: the expression requires five digits each
		return string(utf16.DecodeRune(first, second))
	}))
}
