package table

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// cellDates are the forms of a date in a table that records do not have. A column is converted when exactly one of them fits all of its
// cells: 03/04/2026 alone is in March or in April.
var cellDates = [...]string{
	"2/1/2006", "1/2/2006", "2/1/2006 15:04", "1/2/2006 15:04", "2/1/2006 15:04:05", "1/2/2006 15:04:05", "1/2/2006 3:04 PM", "2/1/2006 3:04 PM",
	"1/2/2006 3:04:05 PM", "2/1/2006 3:04:05 PM", "2.1.2006", "2.1.2006 15:04", "2.1.2006 15:04:05", "2006/1/2", "2006/1/2 15:04", "2006/1/2 15:04:05",
	"2-1-2006", "1-2-2006", "2 Jan 2006", "2-Jan-2006", "Jan 2, 2006", "2 January 2006", "January 2, 2006", "Jan 2, 2006, 3:04:05 PM", time.RFC1123Z, time.RFC1123,
	"02.01.06", "02.01.06 15:04", "02/01/06", "01/02/06",
}

// A Cell is what the cells of a column are: a type of a field, and the form of a timestamp or number when it is not one that records have.
type Cell struct {
	Kind    string // type of the field
	layout  string
	numbers numberForms
	unix    time.Duration // what is counted since 1970; 0: it is no count

	// UnitField is the field beside it that holds the currency or the percent sign; empty: there is none.
	UnitField string
}

// value is a cell as JSON.
func (c Cell) value(cell string) []byte {
	plain := strings.TrimSpace(cell)
	switch c.Kind {
	case "integer", "number":
		if c.numbers != 0 {
			number, _ := split(plain)
			return []byte(c.numbers.plain(number))
		}
		if isNumber(plain) {
			return []byte(plain)
		}
	case "boolean":
		if truth, ok := asBoolean(plain); ok {
			return strconv.AppendBool(nil, truth)
		}
	case "timestamp":
		if count, err := strconv.ParseInt(plain, 10, 64); c.unix != 0 && err == nil {
			when := time.Unix(0, 0).UTC().Add(time.Duration(count) * c.unix)
			if c.unix == time.Second {
				return item.JSON(when.Format(time.RFC3339))
			}
			return item.JSON(when.Format("2006-01-02T15:04:05.000Z07:00"))
		}
		if when, err := time.Parse(c.layout, plain); c.layout != "" && err == nil {
			return item.JSON(isoForm(when, c.layout))
		}
		if when, ok := model.ParseInstant(plain); ok && len(plain) > len(time.DateOnly) && plain[len(time.DateOnly)] == ' ' {
			if strings.ContainsAny(plain[len(time.DateOnly):], "+-Z") {
				return item.JSON(when.Format(time.RFC3339))
			}
			return item.JSON(when.Format("2006-01-02T15:04:05"))
		}
		return item.JSON(plain)
	}
	return item.JSON(cell)
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
