package calendar

import (
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/contentline"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/teambition/rrule-go"
)

// calendarZones are the zones that a calendar defines itself, by name. Outlook's names are in no other list.
type calendarZones map[string][]zoneRule

// A zoneRule says from when on the clock is how far from UTC.
type zoneRule struct {
	begins time.Time // by the clock, as if it were UTC
	rule   *rrule.ROption
	offset int // seconds east of UTC
	known  bool
}

// learn takes in a line of a STANDARD or DAYLIGHT part.
func (z *zoneRule) learn(one contentline.Property) {
	switch one.Name {
	case "DTSTART":
		if when, err := time.Parse("20060102T150405", one.Value); err == nil {
			z.begins = when
		}
	case "RRULE":
		if rule, err := rrule.StrToROption(one.Value); err == nil && rule.Freq == rrule.YEARLY {
			z.rule = rule
		}
	case "TZOFFSETTO":
		z.offset, z.known = parseOffset(one.Value)
	}
}

// parseOffset reads how many seconds east of UTC a clock is.
func parseOffset(text string) (seconds int, ok bool) {
	for _, layout := range [...]string{"-0700", "-070000"} {
		if at, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			_, seconds = at.Zone()
			return seconds, true
		}
	}
	return 0, false
}

// last is when the rule last began to hold, up to a time by the clock.
func (z *zoneRule) last(clock time.Time) (time.Time, bool) {
	if clock.Before(z.begins) {
		return time.Time{}, false
	}
	if z.rule == nil {
		return z.begins, true
	}
	// Only the last years matter, and rules that began in 1601 are common.
	option := *z.rule
	option.Dtstart = z.begins
	if years := clock.Year() - 2 - z.begins.Year(); years > 0 && option.Count == 0 && option.Interval <= 1 {
		option.Dtstart = z.begins.AddDate(years, 0, 0)
	}
	if rule, err := rrule.NewRRule(option); err == nil {
		if when := rule.Before(clock, true); !when.IsZero() {
			return when, true
		}
	}
	return z.begins, true
}

// place puts a time of the clock into a zone, which is one of the world's, one that the calendar defines, or one of Windows.
func (z calendarZones) place(clock time.Time, name string) (time.Time, bool) {
	for candidate := strings.TrimPrefix(name, "/"); candidate != ""; {
		if location, err := time.LoadLocation(candidate); err == nil && candidate != "Local" {
			return at(clock, location), true
		}
		_, candidate, _ = strings.Cut(candidate, "/") // /vendor.example/version/Europe/Berlin
	}
	var latest time.Time
	offset, found := 0, false
	for index := range z[name] {
		rule := &z[name][index]
		if begun, ok := rule.last(clock); ok && (!found || begun.After(latest)) {
			latest, offset, found = begun, rule.offset, true
		}
	}
	switch zone := windowsZones[strings.Trim(name, `"`)]; {
	case found:
		return at(clock, time.FixedZone("", offset)), true
	case zone != "":
		return z.place(clock, zone)
	}
	return time.Time{}, false
}

// at is the time in a place at which its clock shows what another shows. In UTC it stands for the clock itself.
func at(clock time.Time, place *time.Location) time.Time {
	return time.Date(clock.Year(), clock.Month(), clock.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0, place)
}

var durationForm = item.Expression(`^([+-]?)P(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$`)

// parseDuration reads how long something takes: days of the calendar, and time by the clock.
func parseDuration(text string) (days int, clock time.Duration, ok bool) {
	match := durationForm().FindStringSubmatch(strings.ToUpper(strings.TrimSpace(text)))
	if match == nil || match[1] == "-" {
		return 0, 0, false
	}
	number := func(index int) int {
		value, _ := strconv.Atoi(match[index]) // digits, or nothing
		return value
	}
	clock = time.Duration(number(4))*time.Hour + time.Duration(number(5))*time.Minute + time.Duration(number(6))*time.Second
	return 7*number(2) + number(3), clock, true
}

// windowsZones are the zones that Windows, and so Outlook, calls otherwise than the world does (Unicode CLDR, windowsZones.xml).
var windowsZones = map[string]string{
	"UTC": "Etc/UTC", "GMT Standard Time": "Europe/London", "Greenwich Standard Time": "Atlantic/Reykjavik",
	"W. Europe Standard Time": "Europe/Berlin", "Central Europe Standard Time": "Europe/Budapest",
	"Central European Standard Time": "Europe/Warsaw", "Romance Standard Time": "Europe/Paris",
	"E. Europe Standard Time": "Europe/Chisinau", "FLE Standard Time": "Europe/Kiev", "GTB Standard Time": "Europe/Bucharest",
	"Turkey Standard Time": "Europe/Istanbul", "Russian Standard Time": "Europe/Moscow", "Belarus Standard Time": "Europe/Minsk",
	"Kaliningrad Standard Time": "Europe/Kaliningrad", "Eastern Standard Time": "America/New_York",
	"US Eastern Standard Time": "America/Indianapolis", "Central Standard Time": "America/Chicago",
	"Canada Central Standard Time": "America/Regina", "Mountain Standard Time": "America/Denver",
	"US Mountain Standard Time": "America/Phoenix", "Pacific Standard Time": "America/Los_Angeles",
	"Alaskan Standard Time": "America/Anchorage", "Hawaiian Standard Time": "Pacific/Honolulu", "Atlantic Standard Time": "America/Halifax",
	"Newfoundland Standard Time": "America/St_Johns", "Central Standard Time (Mexico)": "America/Mexico_City",
	"SA Pacific Standard Time": "America/Bogota", "SA Western Standard Time": "America/La_Paz",
	"SA Eastern Standard Time": "America/Cayenne", "Pacific SA Standard Time": "America/Santiago",
	"E. South America Standard Time": "America/Sao_Paulo", "Argentina Standard Time": "America/Buenos_Aires",
	"Venezuela Standard Time": "America/Caracas", "Israel Standard Time": "Asia/Jerusalem", "Egypt Standard Time": "Africa/Cairo",
	"South Africa Standard Time": "Africa/Johannesburg", "E. Africa Standard Time": "Africa/Nairobi",
	"W. Central Africa Standard Time": "Africa/Lagos", "Morocco Standard Time": "Africa/Casablanca", "Arab Standard Time": "Asia/Riyadh",
	"Arabian Standard Time": "Asia/Dubai", "Arabic Standard Time": "Asia/Baghdad", "Iran Standard Time": "Asia/Tehran",
	"Pakistan Standard Time": "Asia/Karachi", "India Standard Time": "Asia/Calcutta", "Sri Lanka Standard Time": "Asia/Colombo",
	"Nepal Standard Time": "Asia/Katmandu", "Bangladesh Standard Time": "Asia/Dhaka", "SE Asia Standard Time": "Asia/Bangkok",
	"China Standard Time": "Asia/Shanghai", "Taipei Standard Time": "Asia/Taipei", "Singapore Standard Time": "Asia/Singapore",
	"W. Australia Standard Time": "Australia/Perth", "Tokyo Standard Time": "Asia/Tokyo", "Korea Standard Time": "Asia/Seoul",
	"Cen. Australia Standard Time": "Australia/Adelaide", "AUS Central Standard Time": "Australia/Darwin",
	"AUS Eastern Standard Time": "Australia/Sydney", "E. Australia Standard Time": "Australia/Brisbane",
	"Tasmania Standard Time": "Australia/Hobart", "New Zealand Standard Time": "Pacific/Auckland",
}
