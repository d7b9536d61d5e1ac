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
	"02.01.06", "02.01.06 15:04", "2/1/06", "1/2/06",
}

// A Cell is what the cells of a column are: a type of a field, and the form of a timestamp or number when it is not one that records have.
type Cell struct {
	Kind    string // type of the field
	layout  string
	numbers numberForms
	clock   clock

	// UnitField is the field beside it that holds the currency or the percent sign; empty: there is none.
	UnitField string
}

// appendTo writes a cell as JSON.
func (c Cell) appendTo(text []byte, cell string) []byte {
	plain := strings.TrimSpace(cell)
	switch c.Kind {
	case "integer", "number":
		if c.numbers != 0 {
			number, _ := split(plain)
			return append(text, c.numbers.plain(number)...)
		}
		if isNumber(plain) {
			return append(text, plain...)
		}
	case "boolean":
		if truth, ok := asBoolean(plain); ok {
			return strconv.AppendBool(text, truth)
		}
	case "timestamp":
		return item.AppendString(text, c.timestamp(plain))
	}
	return item.AppendString(text, cell)
}

// timestamp writes a time as records do.
func (c Cell) timestamp(plain string) string {
	day := len(time.DateOnly)
	switch {
	case c.Counts():
		return c.Time(plain)
	case c.layout != "":
		if when, err := time.Parse(c.layout, plain); err == nil {
			return isoForm(when, c.layout)
		}
	case len(plain) > day && plain[day] == ' ':
		when, ok := model.ParseInstant(plain)
		switch {
		case ok && strings.ContainsAny(plain[day:], "+-ZU"):
			return when.Format(time.RFC3339)
		case ok:
			return when.Format("2006-01-02T15:04:05")
		}
	}
	return plain
}

// Counts reports that the cells are whole numbers that count time.
func (c Cell) Counts() bool { return c.clock.unit > 0 }

// Time is a count as a time, and anything else as it is.
func (c Cell) Time(count string) string {
	number, err := strconv.ParseInt(count, 10, 64)
	if err != nil {
		return count
	}
	second := int64(time.Second / c.clock.unit)
	layout := map[int64]string{1: time.RFC3339, 1e3: "2006-01-02T15:04:05.000Z07:00", 1e6: "2006-01-02T15:04:05.000000Z07:00"}[second]
	return time.Unix(number/second-c.clock.before, number%second*int64(c.clock.unit)).UTC().Format(layout)
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
	return json.Valid([]byte(text)) && !item.Overflows([]byte(text))
}

func asBoolean(text string) (truth, ok bool) {
	truth = strings.EqualFold(text, "true")
	return truth, truth || strings.EqualFold(text, "false")
}
