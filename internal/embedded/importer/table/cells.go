package table

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A Cell is what the cells of a column are: a type of a field, and the form of a timestamp or number when it is not one that records have.
type Cell struct {
	Kind    string // type of the field
	form    string // of dateForms
	numbers numberForms
	clock   clock
	exact   bool // its numbers are texts, which no program rounds
	utc     bool // its times say no zone, and its name says that they are those of UTC
	epoch   bool // the time at which Unix begins to count is none

	Beside    []Beside // fields for what its type cannot hold
	hasStrays bool     // one of those has the cells of another kind, unchanged
	zero      bool     // a count of 0 is no time
}

// A Beside is a further field that a cell gives a record: the currency or the percent sign of a number, the seconds of a duration, a cell
// of another kind than the others, or the moment that a day and a time of the day in another cell make.
type Beside struct {
	Name, Kind string
	Nullable   bool   // though the cell itself may not be
	Clock      string // the column of that other cell; empty: it is not needed
	// Append writes it as JSON.
	Append func(to []byte, of Cell, cell, clock string) []byte
}

// Nullable reports that the cell is null where it says something.
func (c Cell) Nullable() bool { return c.hasStrays || c.zero }

func (c Cell) isText() bool { return c.Kind == "" || c.Kind == "string" || c.Kind == "text" }

// Append writes a cell as JSON.
func (c Cell) Append(to []byte, cell string) []byte {
	plain := clean(cell)
	if plain == "" || c.isStray(plain) || !c.isText() && IsMissing(plain) {
		return append(to, "null"...)
	}
	switch c.Kind {
	case "integer", "number":
		number, _, _ := split(plain)
		if c.numbers != 0 {
			return append(to, c.numbers.plain(number)...)
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

// Value is the value of a field of JSON, and what stands beside it; clock is what a field holds.
func (c Cell) Value(value []byte, clock func(name string) string) (own []byte, beside []item.Field) {
	isText := value[0] == '"'
	if value = c.exactly(value); value[0] == 'n' || len(c.Beside) == 0 && !c.counts() && !c.epoch && (c.Kind != "number" || !isText) {
		return value, nil
	}
	text := string(value)
	if isText {
		text = model.Unquote(value)
	}
	for _, one := range c.Beside {
		if said := one.Append(nil, c, text, clock(one.Clock)); said[0] != 'n' {
			beside = append(beside, item.Field{Name: one.Name, Value: said})
		}
	}
	return c.Append(nil, text), beside
}

// appendUnit writes the currency or the percent sign of a cell as JSON: null if it has none.
func appendUnit(to []byte, _ Cell, cell, _ string) []byte {
	if _, found, _ := split(clean(cell)); found != "" {
		return model.Quote(to, found)
	}
	return append(to, "null"...)
}

// appendStray writes a cell that is a stray as JSON, and null for any other.
func appendStray(to []byte, c Cell, cell, _ string) []byte {
	if plain := clean(cell); plain == "" || IsMissing(plain) || !c.isStray(plain) {
		return append(to, "null"...)
	}
	return model.Quote(to, cell)
}

// timestamp writes a time as records do.
func (c Cell) timestamp(plain string) string {
	if plain = c.written(plain); c.epoch && isEpoch(plain) {
		return ""
	}
	if c.utc && len(plain) > len(time.DateOnly) && item.IsTimestamp(plain) {
		plain += "Z"
	}
	return plain
}

// written is a count, a date in the form of the column or one with a space before its time as records have it, and anything else as it is.
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

// exactly is a value of JSON in which no whole number is rounded by a program that reads it. What is to be a number stays one.
func (c Cell) exactly(value []byte) []byte {
	first := value[0]
	isNumber := first == '-' || first >= '0' && first <= '9'
	switch {
	case first == '[', first == '{', isNumber && c.isText() && !c.exact:
		return item.Exact(value)
	case isNumber && c.exact:
		return item.JSON(string(value))
	}
	return value
}

// counts reports that the cells are numbers that count time, or dates in another form than records have.
func (c Cell) counts() bool { return c.clock.unit > 0 || c.form != "" }

// moment is a count as a time, nothing for 0.
func (c clock) moment(count string) string {
	if strings.ContainsAny(count, "eE") { // as some programs write large numbers
		if number, err := strconv.ParseFloat(count, 64); err == nil {
			count = strconv.FormatFloat(number, 'f', -1, 64)
		}
	}
	whole, fraction, _ := strings.Cut(count, ".")
	number, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return count
	}
	second := int64(time.Second / c.unit)
	when := time.Unix(number/second-c.before, number%second*int64(c.unit)).UTC()
	switch {
	case number == 0 && strings.Trim(fraction, "0") == "":
		return ""
	case fraction != "":
		part, _ := strconv.ParseFloat("0."+fraction, 64) // digits
		if whole[0] == '-' {
			part = -part
		}
		return when.Add(time.Duration(part * float64(c.unit))).Round(time.Microsecond).Format(time.RFC3339Nano)
	case second == 1:
		return when.Format(time.RFC3339)
	}
	return when.Format("2006-01-02T15:04:05." + strings.Repeat("0", len(strconv.FormatInt(second, 10))-1) + "Z07:00")
}

// IsMissing reports a cell that says that there is nothing: null in a column of numbers or dates, and itself among texts.
func IsMissing(cell string) bool {
	if cell = strings.TrimSpace(cell); len(cell) > len("0000-00-00 00:00:00") {
		return false
	}
	switch strings.ToLower(cell) {
	case "-", "--", "---", "–", "—", "n/a", "na", "#n/a", "null", "nan", `\n`, "not available", "0000-00-00", "0000-00-00 00:00:00":
		return true
	}
	return false
}

// clean is a cell without spaces around it, and with the minus that programs read.
func clean(cell string) string {
	cell = strings.TrimSpace(cell)
	if last := len(cell) - 1; last > 1 && cell[0] == '\'' && cell[last] == '\'' { // a text for spreadsheets
		cell = cell[1:last]
	}
	if len(cell) > 2 && cell[:2] == "- " && cell[2] >= '0' && cell[2] <= '9' {
		cell = "-" + cell[2:]
	}
	if cell == "" || cell[0] < utf8.RuneSelf && cell[len(cell)-1] < utf8.RuneSelf {
		return cell
	}
	for _, minus := range [...]string{"−", "–", "－"} {
		if rest, ok := strings.CutPrefix(cell, minus); ok && rest != "" {
			return "-" + rest
		}
		if rest, ok := strings.CutSuffix(cell, minus); ok && rest != "" {
			return rest + "-"
		}
	}
	return cell
}

func asBoolean(text string) (truth, ok bool) {
	truth = strings.EqualFold(text, "true")
	return truth, truth || strings.EqualFold(text, "false")
}
