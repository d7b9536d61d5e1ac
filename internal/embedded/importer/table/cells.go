package table

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A Cell is what the cells of a column are: a type of a field, and the form of a timestamp or number when it is not one that records have.
type Cell struct {
	Kind    string // type of the field
	form    string // of dateForms
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
		if IsNumber(plain) {
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
	case c.Counts() || c.form != "":
		return c.Time(plain)
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

// Counts reports that the cells are whole numbers that count time, or are days such as 20260115.
func (c Cell) Counts() bool { return c.clock.unit > 0 || c.form == wholeDay }

// Time is a count or a date as a time, and anything else as it is.
func (c Cell) Time(count string) string {
	if day, ok := writeDate(count, c.form); ok {
		return day
	}
	number, err := strconv.ParseInt(count, 10, 64)
	if err != nil || c.clock.unit == 0 {
		return count
	}
	second := int64(time.Second / c.clock.unit)
	layout := map[int64]string{1: time.RFC3339, 1e3: "2006-01-02T15:04:05.000Z07:00", 1e6: "2006-01-02T15:04:05.000000Z07:00"}[second]
	return time.Unix(number/second-c.clock.before, number%second*int64(c.clock.unit)).UTC().Format(layout)
}

// IsNumber tells a number in JSON's form: no plus, no leading zero, which an article number or a postcode has.
func IsNumber(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' || strings.TrimLeft(digits, "0123456789.eE+-") != "" {
		return false
	}
	if strings.LastIndexByte(digits, '-') > 0 && !strings.ContainsAny(digits, "eE") { // a date: json.Valid would say at length why it is wrong
		return false
	}
	return json.Valid([]byte(text)) && !item.Overflows([]byte(text))
}

func asBoolean(text string) (truth, ok bool) {
	truth = strings.EqualFold(text, "true")
	return truth, truth || strings.EqualFold(text, "false")
}
