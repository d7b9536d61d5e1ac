package table

import (
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A Cell is how the cells of a column are converted: the type of the field, and the form of timestamps or numbers if it is not the one that
// records have.
type Cell struct {
	Kind    string // type of the field
	form    string // of dateForms
	numbers numberForms
	clock   timeCount
	exact   bool   // its numbers are strings, which no program rounds
	utc     bool   // its times have no zone, and the name of the column says that they are in UTC
	epoch   bool   // the Unix epoch means no time
	Side    string // the column that says which of its amounts are debits; empty: none
	Zone    string // the column with the zone of its times, which have none; empty: none

	Beside    []Beside // further fields, for what its type cannot represent
	hasStrays bool     // one of them has the cells of another kind, unchanged
	zero      bool     // a count of 0 means no time
}

// A Beside is a further field that a cell adds to a record: the currency or percent sign of a number, the seconds of a duration, a stray
// cell, or the moment that a day and a time of day in another cell make.
type Beside struct {
	Name, Kind string
	Nullable   bool   // even if the cell itself is not
	Clock      string // the column of that time of day; empty: not needed
	// text returns the text of its value; "" for null.
	text func(of Cell, cell, clock string) string
}

func (b Beside) append(to []byte, of Cell, cell, clock string) []byte {
	switch text := b.text(of, cell, clock); {
	case text == "":
		return append(to, "null"...)
	case b.Kind == "number":
		return append(to, text...)
	default:
		return model.Quote(to, text)
	}
}

// Nullable reports that a cell that is not empty can be null.
func (c Cell) Nullable() bool { return c.hasStrays || c.zero }

func (c Cell) isText() bool { return c.Kind == "" || c.Kind == "string" || c.Kind == "text" }

// Append appends the converted cell as JSON.
func (c Cell) Append(to []byte, cell string) []byte {
	plain := clean(cell)
	if !c.isText() {
		plain, _ = bookedDay(plain)
	}
	if plain == "" || c.isStray(plain) || !c.isText() && isMissing(plain) {
		return append(to, "null"...)
	}
	switch c.Kind {
	case "integer", "number":
		number, _, _ := split(plain)
		if c.numbers != 0 {
			number = c.numbers.plain(number)
		}
		if IsNumber(number) {
			return append(to, number...)
		}
	case "boolean":
		if truth, ok := asBoolean(plain); ok {
			return strconv.AppendBool(to, truth)
		}
	case "timestamp", "date", model.LocalTime:
		if plain = c.timestamp(plain); plain == "" {
			return append(to, "null"...)
		}
		return model.Quote(to, plain)
	}
	return model.Quote(to, cell)
}

// Value converts the value of a JSON field, and returns its further fields. clock returns the text of the field with a name.
func (c Cell) Value(value []byte, clock func(name string) string) (converted []byte, extra []item.Field) {
	isText := value[0] == '"'
	if value = c.exactly(value); value[0] == 'n' || len(c.Beside) == 0 && !c.counts() && !c.epoch && (c.Kind != "number" || !isText) {
		return value, nil
	}
	text := string(value)
	if isText {
		text = model.Unquote(value)
	}
	for _, one := range c.Beside {
		if found := one.append(nil, c, text, clock(one.Clock)); found[0] != 'n' {
			extra = append(extra, item.Field{Name: one.Name, Value: found})
		}
	}
	return c.Append(nil, text), extra
}

// unitOf returns the currency or percent sign of a cell; "" if it has none.
func unitOf(_ Cell, cell, _ string) string {
	_, unit, _ := split(clean(cell))
	return unit
}

// strayOf returns a cell that is a stray or has a second date; "" for any other cell.
func strayOf(c Cell, cell, _ string) string {
	plain := clean(cell)
	if _, isBooked := bookedDay(plain); isBooked || plain != "" && !isMissing(plain) && c.isStray(plain) {
		return cell
	}
	return ""
}

// timestamp returns a time in the form that records have; "" for the Unix epoch if that means no time.
func (c Cell) timestamp(plain string) string {
	if plain = c.written(plain); c.epoch && isEpoch(plain) {
		return ""
	}
	if c.utc && len(plain) > len(time.DateOnly) && item.IsTimestamp(plain) {
		plain += "Z"
	}
	return plain
}

// written converts a count, a date in the form of the column, or one with a space before its time to the form of records. Other text stays.
func (c Cell) written(plain string) string {
	clock, layout := plain[min(len(plain), len(time.DateOnly)):], "2006-01-02T15:04:05.999999999"
	switch {
	case c.clock.unit > 0:
		return c.clock.moment(plain)
	case c.form != "":
		day, clock := splitDate(plain)
		if written, ok := writeDate(c.form, day, clock); ok {
			return written
		}
	case strings.HasPrefix(clock, " "):
		if strings.ContainsAny(clock, "+-ZU") {
			layout = time.RFC3339Nano
		}
		if when, ok := model.ParseInstant(plain); ok {
			return when.Format(layout)
		}
	}
	return plain
}

// exactly returns a JSON value in which programs round no whole number. A number in a field of numbers stays a number.
func (c Cell) exactly(value []byte) []byte {
	first := value[0]
	isNumber := first == '-' || first >= '0' && first <= '9'
	switch {
	case first == '[', first == '{', isNumber && c.isText() && !c.exact:
		return item.Exact(value)
	case isNumber && c.exact:
		return item.JSON(strings.TrimSuffix(string(value), ".0"))
	}
	return value
}

// counts reports that the cells are counts of time, or dates in another form than records have.
func (c Cell) counts() bool { return c.clock.unit > 0 || c.form != "" }

// isStray reports a cell that does not have the type of the column.
func (c Cell) isStray(plain string) bool {
	if !c.hasStrays {
		return false
	}
	number, _, _ := split(plain)
	if c.Kind == "integer" || c.Kind == "number" || c.clock.unit > 0 || c.form == wholeDay {
		return !IsNumber(plain) && (c.numbers == 0 || !isAmount(strings.TrimPrefix(number, "+")))
	}
	day, clock := splitDate(plain)
	_, isWritten := writeDate(c.form, day, clock)
	return !item.IsTimestamp(plain) && (c.form == "" || !isWritten)
}
