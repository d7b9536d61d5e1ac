package calendar

import (
	_ "embed" // windowsZones
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/contentline"
	"github.com/teambition/rrule-go"
)

// calendarZones has the zones that a calendar defines (VTIMEZONE), by name. Names of Outlook are not in the IANA database.
type calendarZones map[string][]zoneRule

// A zoneRule says from which local times on which offset from UTC applies.
type zoneRule struct {
	begins time.Time // local time, stored as UTC
	rule   *rrule.ROption
	offset int // seconds east of UTC
	known  bool
}

// learn reads a property of a STANDARD or DAYLIGHT part.
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

// parseOffset parses an offset such as +0100 to seconds east of UTC.
func parseOffset(text string) (seconds int, ok bool) {
	for _, layout := range [...]string{"-0700", "-070000"} {
		if at, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			_, seconds = at.Zone()
			return seconds, true
		}
	}
	return 0, false
}

// last returns when the rule last took effect, at or before a local time. It returns false before the first time.
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

//go:embed windowszones.txt
var windowsZones string // a name of Windows and one of the IANA database on each line, from windowsZones.xml of the Unicode CLDR

// fromWindows returns the IANA name of a zone that Windows names, "" for any other name.
func fromWindows(name string) string {
	_, after, _ := strings.Cut("\n"+windowsZones, "\n"+name+"=")
	zone, _, _ := strings.Cut(after, "\n")
	return zone
}

// place converts a local time to a time in a zone: one of the IANA database, one that the calendar defines, or one of Windows.
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
	switch zone := fromWindows(name); {
	case found:
		return at(clock, time.FixedZone("", offset)), true
	case zone != "":
		return z.place(clock, zone)
	}
	return time.Time{}, false
}

// at returns the time in a location that has the same date and time of day. UTC is also used for local times without a zone.
func at(clock time.Time, place *time.Location) time.Time {
	return time.Date(clock.Year(), clock.Month(), clock.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0, place)
}
