package table

import (
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// dateForms are the ways to write a day that records do not have, beside its time. A column is converted when exactly one of them fits all
// of its cells: 03/04/2026 alone is in March or in April.
var dateForms = [...]string{
	"02.01.06", "2.1.06", "2/1/2006", "1/2/2006", "2.1.2006", "2. 1. 2006", "2006/1/2", "2006.1.2", "2006.1.2.", "2006. 1. 2.", isoDay,
	"2-1-2006", "1-2-2006", "2/1/06", "1/2/06",
	"2 Jan 2006", "2. Jan 2006", "2-Jan-2006", "2-Jan-06", "2 Jan 06", "Jan 2, 2006", "Jan 2 2006", "2/Jan/2006", "2/Jan/06",
}

// Which of them have the day before the month, and which the month before the day, and are the same otherwise, as bits.
const (
	dayFirst   = 1<<2 | 1<<11 | 1<<13
	monthFirst = dayFirst << 1
)

// isoDay is a date as records have it, or without its zeros.
const isoDay, isoBit = "2006-1-2", 1 << 10

// The bits of the first two of dateForms.
const dottedLong, dottedShort = 1, 2

const digits = "0123456789"

var (
	// clockForm ends a date: "02:15", ", 2:15:09 PM", " klo 14.15", " 02:15:00.123 UTC".
	clockForm = item.Expression(`(?i)(?:,| -|,? (?:at|um|klo|kl\.?|à|a las|` +
		`às))? (\d{1,2})[:.](\d{2})(?:[:.](\d{2})([.,]\d{1,9})?)?(?: ?([ap])\.? ?m\.?)?(?: ?(?:(?:utc|gmt)?` +
		`([+-]\d{2}:?\d{2})(?: utc)?|(z|[a-z]{3,4})))?(?: uhr| \([^()]*\))?$`)
	// yearLast is a date as C, Ruby and mbox files write it: "Thu Jan 15 02:15:00 +0000 2026".
	yearLast = item.Expression(`^\w{3} (\w{3}) +(\d{1,2}) (\d{1,2}:\d\d(?::\d\d)?(?: [+-]\d{4}| UTC| GMT)?) (\d{4})( [+-]\d{4})?$`)
	weekday  = item.Expression(`(?i)^(?:(?:mon|tue|wed|thu|fri|sat|sun)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|` +
		`frei|sams|sonn)tag|mittwoch|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|` +
		`lunes|martes|miércoles|jueves|viernes|sábado|domingo|(?:lune|marte|mercole|giove|vener)dì|sabato|domenica|(?:segunda|terça|quarta|` +
		`quinta|sexta)-feira|(?:maan|dins|woens|donder|vrij|zater|zon)dag|(?:m[oai]|d[io]|wo|[fv]r|[sz][ao])[.,])[.,]* `)
	// basic is a date and a time as ISO 8601 writes them without marks.
	basic = item.Expression(`^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(Z?)$`)
	// ordinal is the ending of a number: 1st, 1er.
	ordinal  = item.Expression(`(\d)(?:st|nd|rd|th|er|º|ª)\b`)
	dateName = item.Expression(`(?i)date|datum|dátum|fecha|data|dato|buchung|valuta|wertstellung|^tag$|^day$`)
	month    = item.Expression(`\pL{3,}\.?`)
	spaces   = strings.NewReplacer("\u00a0", " ", "\u202f", " ", " de ", " ", "年", "/", "月", "/", "日", "")
)

// months are how the names of months begin, from January on, in English, German, French, Spanish, Portuguese, Italian and Dutch.
var months = [...]string{"jan gen ene", "feb fév fev", "mar mär mrt maa", "apr avr abr", "may mai mei mag", "jun juin giu", "jul juil lug",
	"aug aoû ago", "sep set", "oct okt out ott", "nov", "dec dez déc dic"}

// abbreviate writes the name of a month as dateForms have it.
func abbreviate(name string) string {
	name = strings.ToLower(name)
	found, longest := name, 0
	for index, all := range months {
		for one := range strings.FieldsSeq(all) {
			if strings.HasPrefix(name, one) && len(one) > longest {
				found, longest = time.Month(index + 1).String()[:3], len(one)
			}
		}
	}
	return found
}

// splitDate takes a date, in the words of dateForms, from the time of the day that follows it: nil if none does.
func splitDate(text string) (day string, clock []string) {
	if strings.Trim(text, digits+"./-") == "" {
		return text, nil
	}
	text = yearLast().ReplaceAllString(spaces.Replace(text), "$1 $2, $4 $3$5")
	text = ordinal().ReplaceAllString(basic().ReplaceAllString(text, "$1/$2/$3 $4:$5:$6$7"), "$1")
	if clock = clockForm().FindStringSubmatch(text); clock != nil {
		text = strings.TrimSuffix(text, clock[0])
	}
	return month().ReplaceAllStringFunc(weekday().ReplaceAllString(text, ""), abbreviate), clock
}

// offsets are those of the names of zones that stand behind times: the ones of RFC 822, and the ones of Europe, East Asia and Australia
// that have no second meaning.
var offsets = map[string]string{
	"EST": "-05:00", "EDT": "-04:00", "CST": "-06:00", "CDT": "-05:00", "MST": "-07:00", "MDT": "-06:00", "PST": "-08:00", "PDT": "-07:00",
	"WET": "+00:00", "WEST": "+01:00", "CET": "+01:00", "CEST": "+02:00", "MEZ": "+01:00", "MESZ": "+02:00", "EET": "+02:00", "EEST": "+03:00",
	"MSK": "+03:00",
	"JST": "+09:00", "KST": "+09:00", "AEST": "+10:00", "AEDT": "+11:00", "NZST": "+12:00", "NZDT": "+13:00",
}

// MayBeDate reports the name of a field that says when something was.
func MayBeDate(name string) bool { return timeName().MatchString(name) || dateName().MatchString(name) }

const allForms = 1<<len(dateForms) - 1

// formsOf are those of some of dateForms that a text has, and the text as records have it in one of them.
func formsOf(text string, some uint64) (found uint64, as string) {
	if len(text) < len("1/2/26") || len(text) > 80 || !strings.ContainsAny(text, digits) || IsDigits(text) {
		return 0, ""
	}
	day, clock := splitDate(text)
	for index, form := range dateForms {
		if some&(1<<index) == 0 {
			continue
		}
		if written, ok := writeDate(form, day, clock); ok {
			found |= 1 << index
			as = written
		}
	}
	return found, as
}

// isDay reports whether a text is a date, in records' form or in one of dateForms.
func isDay(text string) bool {
	if len(text) >= len(time.DateOnly) {
		if _, err := time.Parse(time.DateOnly, text[:len(time.DateOnly)]); err == nil {
			return true
		}
	}
	return isDate(text)
}

func isDate(text string) bool {
	forms, _ := formsOf(text, allForms)
	return forms > 0
}

// firstOfLastCentury is the first year of two digits that is of the last century.
const firstOfLastCentury = 2050

// writeDate writes a date of the form, and a time of the day if there is one, as records do, as precisely as it is.
func writeDate(form, day string, clock []string) (written string, ok bool) {
	when, err := time.Parse(form, day)
	if when.Year() >= firstOfLastCentury && !strings.Contains(form, "2006") {
		when = when.AddDate(-100, 0, 0)
	}
	if err != nil || clock == nil {
		return when.Format(time.DateOnly), err == nil
	}
	hour := clock[1]
	if hour == "24" && strings.Trim(clock[2]+clock[3], "0") == "" { // the end of the day
		when, hour = when.AddDate(0, 0, 1), "0"
	}
	layout, of := "15:4", hour+":"+clock[2]
	if clock[3] != "" {
		layout, of = layout+":5", of+":"+clock[3]+clock[4] // a fraction may follow the seconds
	}
	if clock[5] != "" {
		layout, of = "3"+layout[2:]+" PM", of+" "+strings.ToUpper(clock[5])+"M"
	}
	at, err := time.Parse(layout, of)
	zone := clock[6]
	switch name := strings.ToUpper(clock[7]); name {
	case "":
		if zone != "" {
			zone = zone[:3] + ":" + zone[len(zone)-2:]
		}
	case "Z", "UTC", "GMT":
		zone = "Z"
	default:
		if zone = offsets[name]; zone == "" {
			return "", false
		}
	}
	if zone != "" && strings.Trim(zone[1:], "0:") == "" {
		zone = "Z"
	}
	return when.Format(time.DateOnly) + at.Format("T15:04:05.999999999") + zone, err == nil
}

// timeName is a name of a column that holds times.
var timeName = item.Expression(`(?i:^(?:.*[_. -])?(?:time|timestamp|date|datetime|ts|epoch|at|created|updated|modified|added|visited|` +
	`start|end|started|ended|posted|published|taken|played|watched|when|day|datum|fecha)(?:_?(?:ms|s|millis|seconds|utc|gmt|usec|us|micros|ns|` +
	`nanos|unixtime))?$)` +
	`|(?i:(?:^|[_. -])date_(?:added|created|delivered|edited|last_[a-z_]+|modified|opened|played|read|received|recovered|retracted|seen|sent|taken)$|_utc$)|(?:Time|Date|At|Timestamp|Modified)(?:Ms|Millis|Usec|Nanos|GMT|Gmt|UTC|Utc|InSeconds)?$|(?:^|\.)date[A-Z]`)

// universalName is a name of a column whose times are those of UTC: "Created (UTC)", "startTimeGMT".
var universalName = item.Expression(`(?i:(?:^|[^a-z])(?:utc|gmt)(?:$|[^a-z]))|(?:UTC|GMT|Utc|Gmt)$`)

// A clock is a way to count time: its unit, and for how many seconds it had counted in 1970.
type clock struct {
	unit   time.Duration
	before int64
}

// clocks are those of Unix, and that of Windows and Chrome, which begins in 1601.
var clocks = [...]clock{{time.Second, 0}, {time.Millisecond, 0}, {time.Microsecond, 0}, {time.Microsecond, 11_644_473_600},
	{time.Nanosecond, 0}}

// ofApple is when Apple begins to count, in seconds since 1970. Apple counts fractions of seconds, or nanoseconds.
const ofApple = 978_307_200

// Whole numbers count time if their column is called so, and all of them are between these seconds since 1970: from 1980 to 2100.
const firstSecond, lastSecond = 315_532_800, 4_102_444_800

// So do those that are days, written in the form wholeDay.
const firstDay, lastDay, wholeDay = 1980_01_01, 2100_12_31, "20060102"
