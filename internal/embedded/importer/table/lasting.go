package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Columns of hours, minutes and seconds without a day have either durations or times of day.

// lasting counts the cells of a column with the name of a duration or of a time of day.
type lasting struct {
	lasts   bool // the column has such a name
	seen    int  // all cells
	spans   int  // durations
	pairs   int  // durations such as 5:33, in minutes or in hours
	clocks  int  // times of day
	late    int  // times of day such as 14:05:00, from noon on
	zonedAt int  // times of day with a zone

	areTimed bool    // each date of the table has a time of day
	times    *Column // the column with the times of its days; nil: none
}

var (
	spanName = item.Expression(`(?i)durat|dura[cç]|dur[ée]e|dauer|duur|length|longueur|länge|längd|varaktig|varighe|kesto|elapsed|runtime|` +
		`laufzeit|hours|stunden|heures|horas|(?:moving|active|total|watch|play|playing|listening|screen|travel|sleep|ride|work|working)_?time|` +
		`time_?(?:spent|worked|tracked|asleep)|(?:arbeits|fahr|spiel|reise|bewegungs|gesamt)zeit`)
	// bareName matches the name of a time of day, or of a duration such as that of a run.
	bareName = item.Expression(`(?i)^(?:time|zeit|temps|tiempo|tempo|tijd|tid)$`)
	hourName = item.Expression(`(?i)hours|stunden|heures|horas|(?:^|_)(?:h|hrs|std|hh_mm)(?:_|$)`)
	dayWord  = item.Expression(`(?i)date|datum|fecha|data|dato|day|tag|jour|giorno|d[ií]a`)
	timeWord = item.Expression(`(?i)uhrzeit|time|zeit|heure|hora|ora|tijd|tid|temps`)

	// isoSpan matches a duration in the form of ISO 8601, without months and years, which have no fixed length.
	isoSpan = item.Expression(`^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?)?$`)
)

// addLasting counts a cell of such a column, as long as all cells are alike.
func (c *Column) addLasting(text string) {
	c.seen++
	if c.spans+1 == c.seen {
		if _, isPair, ok := span(text, false); ok {
			c.spans++
			c.pairs += count(isPair)
		}
	}
	if c.clocks+1 == c.seen {
		if parts, _, fraction, ok := sexagesimal(text); ok && fraction == "" && parts[0] < 24 {
			c.clocks++
			c.late += count(parts[0] >= 12)
		} else if clock := clockOf(text); clock != nil {
			c.clocks++
			c.zonedAt += count(clock[6]+clock[7] != "")
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// sexagesimal parses 1:02:33.5, 1:02:33 and 2:33, which most such cells are. several is the number of parts.
func sexagesimal(text string) (parts [3]int, several int, fraction string, ok bool) {
	for several < len(parts) {
		end := 0
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			parts[several] = 10*parts[several] + int(text[end]-'0')
			end++
		}
		if several > 0 && (end != 2 || parts[several] >= 60) || end == 0 || end > 5 {
			return parts, 0, "", false
		}
		text = text[end:]
		several++
		if text == "" || text[0] != ':' {
			break
		}
		text = text[1:]
	}
	if text != "" && several == len(parts) && (text[0] == '.' || text[0] == ',') {
		fraction = text[1:]
		return parts, several, fraction, fraction != "" && len(fraction) <= 9 && IsDigits(fraction)
	}
	return parts, several, "", text == "" && several > 1
}

// span parses a duration. A pair has minutes and seconds or, if ofHours is set, hours and minutes.
func span(text string, ofHours bool) (took time.Duration, isPair, ok bool) {
	below := time.Duration(1)
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		text, below = rest, -1
	}
	number := func(text string, unit time.Duration) time.Duration {
		value, _ := strconv.ParseFloat("0"+strings.Replace(text, ",", ".", 1), 64) // digits, or none
		return time.Duration(min(math.Round(value*float64(unit)), float64(1<<60))) // at most 36 years
	}
	if parts, several, fraction, ok := sexagesimal(text); ok {
		isPair = several == 2
		took = time.Duration(parts[0])*time.Hour + time.Duration(parts[1])*time.Minute + time.Duration(parts[2])*time.Second
		if isPair && !ofHours {
			took /= 60
		}
		if fraction != "" {
			took += number("."+fraction, time.Second)
		}
		return below * took, isPair, true
	}
	found := isoSpan().FindStringSubmatch(text)
	if found == nil || text == "P" || strings.HasSuffix(text, "T") {
		return 0, false, false
	}
	took = number(found[1], 24*time.Hour) + number(found[2], time.Hour) + number(found[3], time.Minute) + number(found[4], time.Second)
	return below * took, false, true
}

// putSeconds adds a field with the seconds to a cell of texts, if each value of the column is a duration. A column with the bare name of a
// time has durations if the dates of the table have times of day already, and no cell is a pair or from noon on.
func (c *Column) putSeconds(cell *Cell) {
	isSpan := spanName().MatchString(c.Name) || c.areTimed && c.pairs+c.late == 0 && bareName().MatchString(c.Name)
	if !isSpan || c.Present == 0 || c.seen != c.Present || c.spans != c.Present {
		return
	}
	ofHours := c.pairs == c.Present && hourName().MatchString(c.Name)
	cell.Beside = append(cell.Beside, Beside{Name: c.Name + "_seconds", Kind: "number", Append: func(to []byte, _ Cell, cell, _ string) []byte {
		took, _, ok := span(clean(cell), ofHours)
		if !ok {
			return append(to, "null"...)
		}
		return strconv.AppendFloat(to, took.Seconds(), 'f', -1, 64)
	}})
}

// clockOf returns a time of day as the parts of clockForm; nil if the text is not one.
func clockOf(text string) []string {
	if text = spaces.Replace(text); !strings.Contains(text, ":") {
		return nil
	}
	clock := clockForm().FindStringSubmatch(" " + text)
	if clock == nil || clock[0] != " "+text {
		return nil
	}
	if _, ok := writeDate(time.DateOnly, time.DateOnly, clock); !ok {
		return nil
	}
	return clock
}

// pairTimes tells each column whether all dates of its table have a time of day. If not, a column of days learns which single other column
// has their times.
func pairTimes(columns []*Column) {
	isDated := func(c *Column) bool { return c.days+c.stamps > 0 }
	areTimed := slices.ContainsFunc(columns, isDated) && !slices.ContainsFunc(columns, func(c *Column) bool { return isDated(c) && !c.timed })
	for _, one := range columns {
		one.areTimed = areTimed
		if areTimed || !isDated(one) {
			continue
		}
		times := slices.DeleteFunc(slices.Clone(columns), func(c *Column) bool { return !c.lasts || !areBeside(one.Name, c.Name) })
		if len(times) == 1 {
			one.times = times[0]
		}
	}
}

// areBeside reports that the names of a column of days and of one of times of day belong together: Date and Time, Start Date and Start
// Time.
func areBeside(days, times string) bool {
	rest := func(name string, word string) string {
		return strings.ToLower(strings.Trim(strings.Replace(name, word, "", 1), "_.- "))
	}
	day, clock := dayWord().FindString(days), timeWord().FindString(times)
	return day != "" && clock != "" && rest(days, day) == rest(times, clock)
}

// putMoment adds a field to a cell of days, for the moment that each day and its time of day in another column make, if all cells of that
// column are times of day.
func (c *Column) putMoment(cell *Cell) {
	times := c.times
	if cell.Kind != "date" || cell.hasStrays || times == nil || times.Present == 0 || times.clocks != times.Present ||
		times.seen != times.Present {
		return
	}
	moment := Beside{Name: c.Name + "_time", Kind: model.LocalTime, Clock: times.Name, Append: appendMoment}
	if times.zonedAt > 0 {
		moment.Kind = "timestamp"
	}
	cell.Beside = append(cell.Beside, moment)
}

// appendMoment appends the moment of a day and a time of day as JSON: the day alone if there is no time.
func appendMoment(to []byte, c Cell, day, clock string) []byte {
	written := c.timestamp(clean(day))
	if written == "" || IsMissing(written) {
		return append(to, "null"...)
	}
	clock = clean(clock)
	if parts, _, fraction, ok := sexagesimal(clock); ok && fraction == "" && parts[0] < 24 {
		return append(fmt.Appendf(append(append(to, '"'), written...), "T%02d:%02d:%02d", parts[0], parts[1], parts[2]), '"')
	}
	if at, ok := writeDate(time.DateOnly, written, clockOf(clock)); ok {
		written = at
	}
	return model.Quote(to, written)
}
