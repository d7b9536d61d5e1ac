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

// An xmlTable says which elements of a file in XML are rows, and what of it is in their cells. What is around a row has the name of its
// element and of the one around it, "trk/name"; an attribute that of its element, "Amt@Ccy".
type xmlTable struct {
	header []string
	kinds  map[string]string // elements that are rows, with what the column "kind" says of them
	cells  map[string]string // columns of what is in a row
	around map[string]string // columns of what stands around rows
	finish func(row map[string]string)

	lenient bool // an element that does not end by itself ends with the one around it
}

// Devices and apps write tracks, and finance programs and banks statements.
var (
	gpx = xmlTable{
		header: []string{"track", "kind", "time", "latitude", "longitude", "elevation", "heart_rate", "name", "description"},
		kinds:  map[string]string{"trkpt": "track point", "rtept": "route point", "wpt": "place"},
		cells: map[string]string{"@lat": "latitude", "@lon": "longitude",
			"/time": "time", "/ele": "elevation", "/hr": "heart_rate", "/name": "name", "/desc": "description"},
		around: map[string]string{"trk/name": "track", "rte/name": "track"},
	}
	tcx = xmlTable{
		header: []string{"activity", "kind", "time", "latitude", "longitude", "elevation", "distance_so_far", "heart_rate", "cadence",
			"lap_seconds", "lap_distance", "lap_calories"},
		kinds: map[string]string{"Trackpoint": "track point", "Lap": "lap"},
		cells: map[string]string{"/Time": "time", "/LatitudeDegrees": "latitude", "/LongitudeDegrees": "longitude",
			"/AltitudeMeters": "elevation", "Trackpoint/DistanceMeters": "distance_so_far",
			"HeartRateBpm/Value": "heart_rate", "Trackpoint/Cadence": "cadence", "Lap@StartTime": "time", "Lap/TotalTimeSeconds": "lap_seconds",
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
			place := append(strings.Split(row["latitude"], ","), "", "") // longitude, latitude, and perhaps how high
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
			"end_to_end_id", "other_account", "account"},
		kinds: map[string]string{"Ntry": ""},
		cells: map[string]string{"BookgDt/Dt": "date", "BookgDt/DtTm": "date", "ValDt/Dt": "valued_at", "ValDt/DtTm": "valued_at",
			"Ntry/Amt": "amount", "Amt@Ccy": "currency", "Ntry/CdtDbtInd": "kind", "Ntry/Sts": "status",
			"Sts/Cd": "status", "Ntry/AcctSvcrRef": "reference", "Refs/EndToEndId": "end_to_end_id", "Dbtr/Nm": "debtor", "Cdtr/Nm": "creditor",
			"DbtrAcct/IBAN": "debtor account", "CdtrAcct/IBAN": "creditor account",
			"RmtInf/Ustrd": "purpose", "CdtrRefInf/Ref": "purpose", "Ntry/AddtlNtryInf": "booking_text"},
		// the first one is that of the account
		around: map[string]string{"Stmt/IBAN": "account", "Rpt/IBAN": "account", "Ntfctn/IBAN": "account"},
		finish: func(row map[string]string) {
			row["name"], row["other_account"] = row["debtor"], row["debtor account"]
			if row["kind"] == "DBIT" {
				row["name"], row["other_account"], row["amount"] = row["creditor"], row["creditor account"], "-"+row["amount"]
			}
		},
	}
)

// joined are the columns of what may be in a row more than once.
var joined = []string{"debtor", "creditor", "purpose", "line", "data", "text", "files"}

type openElement struct {
	name   string
	around map[string][]string // what it says of the rows in it, by column
	row    map[string][]string // its cells by column; nil for an element that is no row
}

// maxRepeated is how many times as long as a file its rows may be, each of which has what is around it.
const maxRepeated = 16

func (t xmlTable) rows(text string) (rows [][]string, lost error) {
	rows = [][]string{t.header}
	decoder := item.NewXML(strings.NewReader(text), int64(len(text))+1)                              // of a file that is not too long
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil } // it is UTF-8 by now
	decoder.Strict, decoder.Entity = !t.lenient, xml.HTMLEntity
	var inside []openElement
	var said []byte // since the last mark of an element: CDATA comes by itself
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
			said = append(said, token...)
			continue
		case xml.Comment:
			continue
		}
		if value := strings.TrimSpace(string(said)); value != "" && len(inside) > 1 {
			t.put(inside, "/"+inside[len(inside)-1].name, value)
		}
		said = said[:0]
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
	said := map[string]string{}
	for column, texts := range row {
		said[column] = strings.Join(texts, "\n")
	}
	if t.finish != nil {
		t.finish(said)
	}
	cells := make([]string, len(t.header))
	for index, column := range t.header {
		cells[index] = said[column]
	}
	return cells
}

// open begins an element. A row has what is said around it, such as the names of folders.
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

// rowOf is where the innermost row is; -1: none.
func rowOf(inside []openElement) int {
	row := len(inside) - 1
	for row >= 0 && inside[row].row == nil {
		row--
	}
	return row
}

// put gives a value to the row that it is in or, outside of rows, to those that follow in the element that it describes.
func (t xmlTable) put(inside []openElement, name, value string) {
	from := len(inside) - 1 // the element with the attribute, or that around the text
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

// phone is what SMS Backup & Restore writes of the messages and the calls of a phone.
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
			// these stand for nothing
			lines := slices.DeleteFunc(strings.Split(value, "\n"), func(line string) bool { return line == "null" || line == "(Unknown)" })
			row[column] = strings.TrimSpace(strings.Join(lines, "\n"))
		}
	},
}

var (
	messageDirections = map[string]string{"1": "received", "2": "sent", "3": "draft", "4": "outgoing", "5": "failed", "6": "queued"}
	callDirections    = map[string]string{"1": "incoming", "2": "outgoing", "3": "missed", "4": "voicemail", "5": "rejected"}

	// layout is how a message with pictures is shown, among its texts.
	layout = item.Expression(`(?s)<smil.*?</smil>`)
	// halves are the two halves of a character of UTF-16, each written as one, which XML does not know.
	halves = item.Expression(`&#5[5-6]\d{3};&#5[6-7]\d{3};`)
)

// isPhone reports that XML begins as the messages or the calls of a phone do.
func isPhone(start []byte) bool {
	return bytes.Contains(start, []byte("<smses")) || bytes.Contains(start, []byte("<calls "))
}

// IsXMLRows reports that XML begins as what a bank sends of an account (camt.052 to .054 of ISO 20022) or a phone keeps of its messages.
func IsXMLRows(name string, start []byte) bool {
	return strings.EqualFold(path.Ext(name), ".xml") && (bytes.Contains(start, []byte("iso:20022:tech:xsd:camt.05")) || isPhone(start))
}

func xmlRows(text string) ([][]string, error) {
	if !isPhone([]byte(text[:min(len(text), 4096)])) {
		return camt.rows(text)
	}
	return phone.rows(halves().ReplaceAllStringFunc(text, func(pair string) string {
		var first, second rune
		_, _ = fmt.Sscanf(pair, "&#%d;&#%d;", &first, &second) // two numbers of five digits, as the expression has them
		return string(utf16.DecodeRune(first, second))
	}))
}
