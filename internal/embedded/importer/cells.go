package importer

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// cellDates are the forms of a date in a table that records do not have. A column is converted when exactly one of them fits all of its cells:
// 03/04/2026 alone is in March or in April.
var cellDates = [...]string{
	"2/1/2006", "1/2/2006", "2/1/2006 15:04", "1/2/2006 15:04", "2/1/2006 15:04:05", "1/2/2006 15:04:05", "1/2/2006 3:04 PM", "2/1/2006 3:04 PM",
	"1/2/2006 3:04:05 PM", "2/1/2006 3:04:05 PM", "2.1.2006", "2.1.2006 15:04", "2.1.2006 15:04:05", "2006/1/2", "2006/1/2 15:04", "2006/1/2 15:04:05",
	"2-1-2006", "1-2-2006", "2 Jan 2006", "2-Jan-2006", "Jan 2, 2006", "2 January 2006", "January 2, 2006", "Jan 2, 2006, 3:04:05 PM", time.RFC1123Z, time.RFC1123,
}

// A cellType is what the cells of a column are: a type of a field, and the form of a timestamp or number when it is not one that records have.
type cellType struct {
	kind, layout string
	numbers      numberForms
}

// value is a cell as JSON.
func (c cellType) value(cell string) []byte {
	plain := strings.TrimSpace(cell)
	switch c.kind {
	case "integer", "number":
		if c.numbers != 0 {
			return []byte(c.numbers.plain(plain))
		}
		if isNumber(plain) {
			return []byte(plain)
		}
	case "boolean":
		if truth, ok := asBoolean(plain); ok {
			return strconv.AppendBool(nil, truth)
		}
	case "timestamp":
		if when, err := time.Parse(c.layout, plain); c.layout != "" && err == nil {
			return jsonText(isoForm(when, c.layout))
		}
		if when, ok := model.ParseInstant(plain); ok && len(plain) > len(time.DateOnly) && plain[len(time.DateOnly)] == ' ' {
			if strings.ContainsAny(plain[len(time.DateOnly):], "+-Z") {
				return jsonText(when.Format(time.RFC3339))
			}
			return jsonText(when.Format("2006-01-02T15:04:05"))
		}
		return jsonText(plain)
	}
	return jsonText(cell)
}

// isoForm writes a time as records do, as precisely as its layout is.
func isoForm(when time.Time, layout string) string {
	switch {
	case !strings.Contains(layout, ":"):
		return when.Format(time.DateOnly)
	case strings.Contains(layout, "MST") || strings.Contains(layout, "-0700"):
		return when.Format(time.RFC3339)
	}
	return when.Format("2006-01-02T15:04:05")
}

// isNumber tells a number in JSON's form: no plus, no leading zero, which an article number or a postcode has.
func isNumber(text string) bool {
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return false
	}
	return json.Valid([]byte(text))
}

func asBoolean(text string) (truth, ok bool) {
	switch strings.ToLower(text) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// addCells counts a row of a table, all of whose values are strings or null.
func (t *streamTally) addCells(fields []jsonField) []string {
	return t.addEach(fields, (*fieldTally).countCell)
}

// countCell puts a cell on the tally as what it would be in JSON.
func (t *fieldTally) countCell(value []byte) {
	if value[0] != '"' {
		t.count(value)
		return
	}
	text := unquote(value)
	plain := strings.TrimSpace(text)
	if _, ok := asBoolean(plain); ok {
		t.boolean++
		return
	}
	if isNumber(plain) {
		t.count([]byte(plain))
		t.countNumber(plain)
		return
	}
	t.countNumber(plain)
	if isTimestamp(plain) {
		t.timestamp++
		return
	}
	t.countDate(plain)
	t.countString(text)
}

// countDate strikes the forms of a date that the cell does not have.
func (t *fieldTally) countDate(text string) {
	if t.dates == 0 && !t.dateless {
		t.dates = 1<<len(cellDates) - 1
	}
	if t.dates == 0 || len(text) < len("1/2/2006") || len(text) > 40 {
		t.dates, t.dateless = 0, true
		return
	}
	for index, layout := range cellDates {
		if t.dates&(1<<index) == 0 {
			continue
		}
		if _, err := time.Parse(layout, text); err != nil {
			t.dates &^= 1 << index
		}
	}
	t.dateless = t.dates == 0
}

// dateLayout is the one form of a date that all cells have.
func (t *fieldTally) dateLayout() string {
	if t.dates == 0 || t.dates&(t.dates-1) != 0 || t.short+t.long != t.present() {
		return ""
	}
	for index, layout := range cellDates {
		if t.dates == 1<<index {
			return layout
		}
	}
	return ""
}

// cellTypes says how the cells of each column become values of its field.
func (t *streamTally) cellTypes(fields []model.Field) map[string]cellType {
	types := map[string]cellType{}
	for _, field := range fields {
		one := t.byName[field.Name]
		types[field.Name] = cellType{field.Type, one.dateLayout(), one.numberForm()}
	}
	return types
}
