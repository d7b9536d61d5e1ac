package table

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
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
func (c *lasting) addLasting(text string) {
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
