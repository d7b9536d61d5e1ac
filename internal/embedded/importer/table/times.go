package table

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// dateForms are the forms of a day, without its time, that are converted to that of records. A column is converted if exactly one of them
// fits all of its cells: 03/04/2026 alone is in March or in April.
var dateForms = [...]string{
	"02.01.06", "2.1.06", "2/1/2006", "1/2/2006", "2.1.2006", "2. 1. 2006", "2006/1/2", "2006.1.2", "2006.1.2.", "2006. 1. 2.", isoDay,
	"2-1-2006", "1-2-2006", "2/1/06", "1/2/06",
	"2 Jan 2006", "2. Jan 2006", "2-Jan-2006", "2-Jan-06", "2 Jan 06", "Jan 2, 2006", "Jan 2 2006", "2/Jan/2006", "2/Jan/06",
}

// isoDay is a date as records have it, perhaps without its zeros.
const isoDay = "2006-1-2"

// Bits of dateForms: of those with the day before the month, and of the same with the month before the day; of dates as records have them;
// and of those with points and a short year.
var (
	dayFirst    = bitsOf("2/1/2006", "2-1-2006", "2/1/06")
	monthFirst  = bitsOf("1/2/2006", "1-2-2006", "1/2/06")
	isoBit      = bitsOf(isoDay)
	dottedLong  = bitsOf("02.01.06")
	dottedShort = bitsOf("2.1.06")
)

func bitsOf(forms ...string) (bits uint64) {
	for index, form := range dateForms {
		if slices.Contains(forms, form) {
			bits |= 1 << index
		}
	}
	return bits
}

const digits = "0123456789"

var (
	// clockForm matches a time of day after a date: "02:15", ", 2:15:09 PM", " klo 14.15", " 02:15:00.123 UTC".
	clockForm = item.Expression(`(?i)(?:,| -|,? (?:at|um|klo|kl\.?|à|a las|` +
		`às))? (\d{1,2})[:.](\d{2})(?:[:.](\d{2})([.,]\d{1,9})?)?(?: ?([ap])\.? ?m\.?)?(?: ?(?:(?:utc|gmt)?` +
		`([+-]\d{2}:?\d{2})(?: utc)?|(z|[a-z]{3,4})))?(?: uhr| \([^()]*\))?$`)
	// yearLast matches a date as C, Ruby and mbox files write it: "Thu Jan 15 02:15:00 +0000 2026".
	yearLast = item.Expression(`^\w{3} (\w{3}) +(\d{1,2}) (\d{1,2}:\d\d(?::\d\d)?(?: [+-]\d{4}| UTC| GMT)?) (\d{4})( [+-]\d{4})?$`)
	weekday  = item.Expression(`(?i)^(?:(?:mon|tue|wed|thu|fri|sat|sun)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|` +
		`frei|sams|sonn)tag|mittwoch|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|` +
		`lunes|martes|miércoles|jueves|viernes|sábado|domingo|(?:lune|marte|mercole|giove|vener)dì|sabato|domenica|(?:segunda|terça|quarta|` +
		`quinta|sexta)-feira|(?:maan|dins|woens|donder|vrij|zater|zon)dag|(?:m[oai]|d[io]|wo|[fv]r|[sz][ao])[.,])[.,]* `)
	// basic matches a date and time in the basic format of ISO 8601, without separators.
	basic = item.Expression(`^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(Z?)$`)
	// ordinal matches a number with its ending: 1st, 1er.
	ordinal  = item.Expression(`(\d)(?:st|nd|rd|th|er|º|ª)\b`)
	dateName = item.Expression(`(?i)date|datum|dátum|fecha|data|dato|buchung|valuta|wertstellung|^tag$|^day$`)
	month    = item.Expression(`\pL{3,}\.?`)
	spaces   = strings.NewReplacer("\u00a0", " ", "\u202f", " ", " de ", " ", "年", "/", "月", "/", "日", "")
)

// months are the beginnings of the names of months, from January on, in English, German, French, Spanish, Portuguese, Italian and Dutch.
var months = [...]string{"jan gen ene", "feb fév fev", "mar mär mrt maa", "apr avr abr", "may mai mei mag", "jun juin giu", "jul juil lug",
	"aug aoû ago", "sep set", "oct okt out ott", "nov", "dec dez déc dic"}

// abbreviate returns the name of a month in the form of dateForms.
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

// splitDate splits a text into a date, in the words of dateForms, and the parts of the time of day after it: nil if there is none.
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

// offsets are the UTC offsets of zone names after times: those of RFC 822, and those of Europe, East Asia and Australia that have no second
// meaning.
var offsets = map[string]string{
	"EST": "-05:00", "EDT": "-04:00", "CST": "-06:00", "CDT": "-05:00", "MST": "-07:00", "MDT": "-06:00", "PST": "-08:00", "PDT": "-07:00",
	"WET": "+00:00", "WEST": "+01:00", "CET": "+01:00", "CEST": "+02:00", "MEZ": "+01:00", "MESZ": "+02:00", "EET": "+02:00", "EEST": "+03:00",
	"MSK": "+03:00",
	"JST": "+09:00", "KST": "+09:00", "AEST": "+10:00", "AEDT": "+11:00", "NZST": "+12:00", "NZDT": "+13:00",
}

// MayBeDate reports the name of a field that may have the time of something.
func MayBeDate(name string) bool { return timeName().MatchString(name) || dateName().MatchString(name) }

const allForms = 1<<len(dateForms) - 1

// formsOf returns which of some dateForms fit a text, as bits, and the text in the form that records have, read in one of them.
func formsOf(text string, some uint64) (found uint64, as string) {
	if len(text) < len("1/2/26") || len(text) > 80 || !strings.ContainsAny(text, digits) || isDigits(text) {
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

// isDay reports whether a text is a date, in the form that records have or in one of dateForms.
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

// firstOfLastCentury is where two-digit years wrap: those that time.Parse puts in this year or later are of the last century.
const firstOfLastCentury = 2050

// writeDate returns a date of the form, with a time of day if there is one, in the form that records have and with the same precision.
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

// timeName matches the name of a column of times.
var timeName = item.Expression(`(?i:^(?:.*[_. -])?(?:time|timestamp|date|datetime|ts|epoch|at|created|updated|modified|added|visited|` +
	`start|end|started|ended|posted|published|taken|played|watched|when|day|datum|fecha)(?:_?(?:ms|s|millis|seconds|utc|gmt|usec|us|micros|ns|` +
	`nanos|unixtime))?$)` +
	`|(?i:(?:^|[_. -])date_(?:added|created|delivered|edited|last_[a-z_]+|modified|opened|played|read|received|recovered|retracted|seen|sent|taken)$|_utc$)|(?:Time|Date|At|Timestamp|Modified)(?:Ms|Millis|Usec|Nanos|GMT|Gmt|UTC|Utc|InSeconds)?$|(?:^|\.)date[A-Z]`)

// universalName matches the name of a column of times in UTC: "Created (UTC)", "startTimeGMT".
var universalName = item.Expression(`(?i:(?:^|[^a-z])(?:utc|gmt)(?:$|[^a-z]))|(?:UTC|GMT|Utc|Gmt)$`)

// Likewise whole numbers that are days in the form wholeDay.
const firstDay, lastDay, wholeDay = 1980_01_01, 2100_12_31, "20060102"

// isEpoch reports the time at which Unix time begins.
func isEpoch(stamp string) bool {
	if len(stamp) <= len(time.DateOnly) || !strings.HasPrefix(stamp, "1970-01-01") && !strings.HasPrefix(stamp, "1969-12-31") {
		return false
	}
	when, ok := model.ParseInstant(stamp)
	return ok && when.Unix() == 0
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

var zoneName = item.Expression(`(?i)zone|^tz|[._ ]tz$|fuseau|huso|fuso|(?:utc|gmt|time)_?offset`)

// inZone returns the moment at which clocks show a local time in a zone: one of IANA, an offset such as UTC+3, or an abbreviation.
func inZone(clock, zone string) (time.Time, error) {
	name := strings.TrimSpace(zone)
	if name == "" || name == "Local" { // which are UTC, and the zone of this computer
		name = "none"
	}
	place, err := time.LoadLocation(name)
	if parts := shortOffset().FindStringSubmatch(cmp.Or(offsets[zone], zone)); parts != nil {
		east, _ := time.ParseDuration(parts[1] + "h0" + parts[2] + "m") // digits
		place, err = time.FixedZone("", int(east.Seconds())), nil
	}
	if err != nil {
		return time.Time{}, err
	}
	layout := "2006-01-02T15:04:05"
	return time.ParseInLocation(layout[:min(len(layout), len(clock))], clock, place)
}

var shortOffset = item.Expression(`^(?:UTC|GMT)? ?([+-](?:0?\d|1[0-4]))(?::?([0-5]\d))?$`)

// withZone adds the zone in another cell to the local time, as JSON, at the end of a record. Any other value stays.
func withZone(record []byte, from int, zone string) []byte {
	clock := strings.Trim(string(record[from:]), `"`)
	if moment, err := inZone(clock, zone); err == nil && len(clock) > len(time.DateOnly) {
		return model.Quote(record[:from], moment.Format(time.RFC3339Nano))
	}
	return record
}
