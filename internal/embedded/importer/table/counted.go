package table

import (
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// counted describes the numbers of a column in the form of JSON, which may count time or identify something.
type counted struct {
	whole           int   // whole numbers
	seconds         int   // other numbers that may count seconds
	zeros           int   // numbers that are 0
	lowest, highest int64 // of the whole numbers and seconds except 0
	isInexact       bool  // a whole number is beyond 2^53
	hasFraction     bool  // a number is not whole
	identifierRank  int   // how surely the column's name is that of an identifier; see identifierRank
}

// add notes a whole number: ok is false for any other number, and beyond 64 bits.
func (n *counted) add(text string) (ok bool) {
	if n.identifierRank > 0 {
		text = strings.TrimSuffix(text, ".0") // as programs write that compute with fractions
	}
	if strings.ContainsAny(text, ".eE") {
		n.hasFraction = true
		return false
	}
	n.isInexact = n.isInexact || item.IsInexact(text)
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return false
	}
	n.whole++
	n.extend(number)
	return true
}

// addFraction notes a number that add did not.
func (n *counted) addFraction(text string) {
	if number, err := strconv.ParseFloat(text, 64); err == nil && number >= firstSecond && number < lastSecond*1000 {
		n.seconds++
		n.extend(int64(number))
	}
}

func (n *counted) extend(number int64) {
	switch {
	case number == 0:
		n.zeros++
	case n.lowest == 0 && n.highest == 0:
		n.lowest, n.highest = number, number
	default:
		n.lowest, n.highest = min(n.lowest, number), max(n.highest, number)
	}
}

// clock returns the unit and epoch of the numbers; one without a unit if they are unknown.
func (n *counted) clock() timeCount {
	for _, one := range timeCounts {
		second := int64(time.Second / one.unit)
		if n.lowest >= (firstSecond+one.before)*second && n.highest < (lastSecond+one.before)*second {
			if n.highest < ofApple*second && (one.unit == time.Nanosecond || n.seconds > 0) {
				one.before = -ofApple
			}
			return one
		}
	}
	return timeCount{}
}

// A timeCount is a way to count time: its unit, and how many seconds it had counted in 1970.
type timeCount struct {
	unit   time.Duration
	before int64
}

// timeCounts are those of Unix, and that of Windows and Chrome, which starts in 1601.
var timeCounts = [...]timeCount{{time.Second, 0}, {time.Millisecond, 0}, {time.Microsecond, 0}, {time.Microsecond, 11_644_473_600},
	{time.Nanosecond, 0}}

// ofApple is the start of the clock of Apple, in seconds since 1970. It counts fractions of seconds, or nanoseconds.
const ofApple = 978_307_200

// Whole numbers are counts of time if their column has the name of a time, and all are between these seconds since 1970: from 1980 to 2100.
const firstSecond, lastSecond = 315_532_800, 4_102_444_800

// moment returns a count as a time, "" for 0. Text that is not a number stays as it is.
func (c timeCount) moment(count string) string {
	if strings.ContainsAny(count, "eE") { // some programs write large numbers so
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

// Counted returns a count of time, in any unit, in the form that records have; "" for any other text, and for times before 1980 or after
// 2100.
func Counted(count string) string {
	var one counted
	if !one.add(count) {
		one.addFraction(count)
	}
	return one.clock().since(count)
}

// Since1970 returns a count of a unit since 1970 in the form that records have; "" for any other text.
func Since1970(count string, unit time.Duration) string { return timeCount{unit: unit}.since(count) }

func (c timeCount) since(count string) string {
	if c.unit == 0 {
		return ""
	}
	when, ok := model.ParseInstant(c.moment(count))
	if !ok {
		return ""
	}
	return when.UTC().Format(time.RFC3339Nano)
}
