package table

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// durations counts the cells of a column with the name of a duration or of a time of day: hours, minutes and seconds without a day.
type durations struct {
	isNamed      bool // the column has such a name; else nothing is counted
	seen         int  // all cells
	all          int  // durations
	twoParts     int  // durations such as 5:33, in minutes or in hours
	clocks       int  // times of day, as long as all cells are
	afterNoon    int  // times of day such as 14:05:00, from noon on
	clocksInZone int  // times of day with a zone
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

	sexagesimalForm = item.Expression(`^(\d{1,5}):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?$`)
	// isoSpan matches a duration in the form of ISO 8601, without months and years, which have no fixed length.
	isoSpan = item.Expression(`^P(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9}(?:[.,]\d+)?)S)?)?$`)
)

func (d *durations) add(text string) {
	if !d.isNamed {
		return
	}
	positive, isNegative := strings.CutPrefix(text, "-")
	parts, several, fraction, isParts := sexagesimal(positive)
	if _, _, isPeriod := Period(positive); isParts || isPeriod {
		d.all++
		d.twoParts += count(several == 2)
	}
	if d.clocks == d.seen {
		if isParts && !isNegative && fraction == "" && parts[0] < 24 {
			d.clocks++
			d.afterNoon += count(parts[0] >= 12)
		} else if clock := clockOf(text); clock != nil {
			d.clocks++
			d.clocksInZone += count(clock[6]+clock[7] != "")
		}
	}
	d.seen++
}

// sexagesimal parses 1:02:33.5, 1:02:33 and 2:33, which most such cells are. several is the number of parts.
func sexagesimal(text string) (parts [3]int, several int, fraction string, ok bool) {
	found := sexagesimalForm().FindStringSubmatch(text)
	if found == nil {
		return parts, 0, "", false
	}
	for several < len(parts) && found[1+several] != "" {
		parts[several], _ = strconv.Atoi(found[1+several]) // digits
		several++
	}
	return parts, several, found[4], true
}

// span parses a duration. A pair has minutes and seconds or, if ofHours is set, hours and minutes.
func span(text string, ofHours bool) (took time.Duration, ok bool) {
	below := time.Duration(1)
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		text, below = rest, -1
	}
	if parts, several, fraction, ok := sexagesimal(text); ok {
		took = time.Duration(parts[0])*time.Hour + time.Duration(parts[1])*time.Minute + time.Duration(parts[2])*time.Second
		if several == 2 && !ofHours {
			took /= 60
		}
		if fraction != "" {
			took += amountOf("."+fraction, time.Second)
		}
		return below * took, true
	}
	days, took, ok := Period(text)
	return below * (took + time.Duration(days)*24*time.Hour), ok
}

// Period parses a duration in the form of ISO 8601 that is not negative: days, and time.
func Period(text string) (days int, clock time.Duration, ok bool) {
	if !strings.HasPrefix(text, "P") { // most texts
		return 0, 0, false
	}
	found := isoSpan().FindStringSubmatch(text)
	if found == nil || text == "P" || strings.HasSuffix(text, "T") {
		return 0, 0, false
	}
	clock = amountOf(found[3], time.Hour) + amountOf(found[4], time.Minute) + amountOf(found[5], time.Second)
	return int(amountOf(found[1], 7) + amountOf(found[2], 1)), clock, true
}

// amountOf returns the product of a number, which may be empty, and a unit.
func amountOf(number string, unit time.Duration) time.Duration {
	value, _ := strconv.ParseFloat("0"+strings.Replace(number, ",", ".", 1), 64) // digits, or none
	return time.Duration(math.Round(value * float64(unit)))
}
