package calendar

import (
	_ "embed" // windowsZones
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/contentline"
	"github.com/teambition/rrule-go"
)

// calendarZones has the zones that a calendar defines (VTIMEZONE), by name. Names of Outlook are not in the IANA database.
type calendarZones struct {
	rules   map[string][]zoneRule
	iana    map[string]*time.Location // by the names that were looked for; nil: not in the IANA database
	years   int                       // for which a rule was followed
	refused map[string]bool           // zones with rules that are not read
}

// Limits of the zones of a file: maxNameParts is the most ends of a name that are tried, maxParts the most parts of a zone, and
// maxZoneYears the most years for which rules are followed.
const (
	maxNameParts = 8
	maxParts     = 200
	maxZoneYears = 50_000
)

// A zoneRule says from which local times on which offset from UTC applies.
type zoneRule struct {
	begins time.Time // local time, stored as UTC
	rule   *rrule.ROption
	offset int // seconds east of UTC
	known  bool
	onsets map[int][]time.Time // by year
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
			if z.rule = rule; rule.Count == 1 {
				z.rule = nil // it holds when it begins
			}
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

// isZoneRule reports whether a rule, over 20 years, holds in a quarter of them or more and, on average, at most once a month.
func isZoneRule(rule *rrule.ROption) bool {
	const years = 20
	if !isBounded(rule) || times(rule) > 1 || rule.Interval > 1 || rule.Count > 0 {
		return false
	}
	next := occurrences(rule, time.Date(rrule.MAXYEAR-years, time.January, 1, 0, 0, 0, 0, time.UTC), rrule.MAXYEAR)
	count := -1
	for ok := true; ok && count <= 12*years; count++ {
		_, ok = next()
	}
	return count >= years/4 && count <= 12*years
}

// last returns when the rule last took effect, at or before a local time. It returns false before the first time.
func (z *calendarZones) last(of *zoneRule, clock time.Time) (time.Time, bool) {
	if clock.Before(of.begins) {
		return time.Time{}, false
	}
	latest := of.begins
	for _, onset := range z.onsets(of, clock.Year()) {
		if !onset.After(clock) {
			latest = onset
		}
	}
	return latest, true
}

// onsets lists when a rule takes effect in a year and shortly before. Only the last years matter, and rules that began in 1601 are common.
func (z *calendarZones) onsets(of *zoneRule, year int) []time.Time {
	known, ok := of.onsets[year]
	if ok || of.rule == nil {
		return known
	}
	z.years++
	option := *of.rule
	option.Dtstart = of.begins
	if years := year - 2 - of.begins.Year(); years > 0 {
		option.Dtstart = of.begins.AddDate(years, 0, 0)
	}
	if rule, err := rrule.NewRRule(option); err == nil {
		next := rule.Iterator()
		for when, ok := next(); ok && when.Year() <= year; when, ok = next() {
			known = append(known, when)
		}
	}
	of.onsets[year] = known
	return known
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
func (z *calendarZones) place(clock time.Time, name string) (time.Time, bool) {
	if location := z.location(name); location != nil {
		return at(clock, location), true
	}
	var latest time.Time
	offset, found := 0, false
	for index := range z.rules[name] {
		rule := &z.rules[name][index]
		if begun, ok := z.last(rule, clock); ok && (!found || begun.After(latest)) {
			latest, offset, found = begun, rule.offset, true
		}
	}
	switch zone := fromWindows(name); {
	case found && z.years < maxZoneYears:
		return at(clock, time.FixedZone("", offset)), true
	case zone != "":
		return z.place(clock, zone)
	}
	return time.Time{}, false
}

// location returns a zone of the IANA database, or nil.
func (z *calendarZones) location(name string) *time.Location {
	found, known := z.iana[name]
	if known {
		return found
	}
	candidate := strings.TrimPrefix(name, "/")
	for tries := 0; found == nil && candidate != "" && tries < maxNameParts; tries++ {
		if location, err := time.LoadLocation(candidate); err == nil && candidate != "Local" {
			found = location
		}
		_, candidate, _ = strings.Cut(candidate, "/") // /vendor.example/version/Europe/Berlin
	}
	z.iana[name] = found
	return found
}

// begin forgets what an earlier calendar of the file says about a zone.
func (z *calendarZones) begin(name string) {
	delete(z.rules, name)
	delete(z.refused, name)
}

func (z *calendarZones) add(name string, part zoneRule) {
	switch {
	case !part.known || part.begins.IsZero() || z.refused[name]:
	case len(z.rules[name]) == maxParts || part.rule != nil && !isZoneRule(part.rule):
		z.begin(name)
		z.refused[name] = true
	default:
		part.onsets = map[int][]time.Time{}
		z.rules[name] = append(z.rules[name], part)
	}
}

// at returns the time in a location that has the same date and time of day. UTC is also used for local times without a zone.
func at(clock time.Time, place *time.Location) time.Time {
	return time.Date(clock.Year(), clock.Month(), clock.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0, place)
}
