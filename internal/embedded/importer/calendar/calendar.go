// Package calendar reads the events of iCalendar files (RFC 5545).
package calendar

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // a container may have no time zone files

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/contentline"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// A reader reads the components of an iCalendar file (RFC 5545) line by line. It does not use the library golang-ical, which reads a whole
// file into memory and rejects it for one bad line, and whose streams do not limit the length of a line.
type reader struct {
	lines *contentline.Reader
	name  string // X-WR-CALNAME
	zones *calendarZones
}

func newReader(file io.Reader) (*reader, error) {
	zones := &calendarZones{rules: map[string][]zoneRule{}, refused: map[string]bool{}, iana: map[string]*time.Location{}}
	r := &reader{lines: contentline.NewReader(item.Buffer(file)), zones: zones}
	one, err := r.lines.Property()
	if item.IsUnusable(err) || err == nil && !one.Is("BEGIN", "VCALENDAR") {
		err = item.UnusableError{Reason: "not a calendar: it does not begin with BEGIN:VCALENDAR"}
	}
	return r, err
}

func (r *reader) next() (component, error) {
	for {
		one, err := r.lines.Property()
		if err != nil {
			return component{}, err
		}
		switch {
		case one.Name == "X-WR-CALNAME":
			r.name = one.Text()
		case one.Is("BEGIN", "VCALENDAR"): // another one, which need not have a name
			r.name = ""
		}
		if one.Name != "BEGIN" || one.Is("BEGIN", "VCALENDAR") {
			continue
		}
		kind := strings.ToUpper(strings.TrimSpace(one.Value))
		c, err := r.component(kind)
		switch {
		case err != nil || kind == "VEVENT":
			return c, err
		case kind != "VTIMEZONE":
			return c, item.UnusableError{Line: c.line, Reason: "a " + utf8text.OneLine(kind) + ": only events are loaded"}
		}
	}
}

type component struct {
	line       int
	properties map[string][]contentline.Property
	zones      *calendarZones // of its calendar
	defects    []string
}

const maxDefects = 100

func (c *component) defect(text string) {
	if len(c.defects) == maxDefects || slices.Contains(c.defects, text) {
		return
	}
	if len(c.defects) == maxDefects-1 {
		text = "and others"
	}
	c.defects = append(c.defects, text)
}

// component reads the rest of a component. It adds the rules of a VTIMEZONE to r.zones, and skips all other nested components.
func (r *reader) component(kind string) (component, error) {
	c := component{line: r.lines.Number, properties: map[string][]contentline.Property{}, zones: r.zones}
	unfinished := item.UnusableError{Line: c.line, Reason: "the " + utf8text.OneLine(kind) + " does not end"}
	var inner []string
	var rule zoneRule
	zone := ""
	for {
		one, err := r.lines.Property()
		bad, isUnusable := errors.AsType[item.UnusableError](err)
		switch {
		case isUnusable:
			c.defect(fmt.Sprintf("line %d: %s", bad.Line, bad.Reason))
		case errors.Is(err, io.EOF), err == nil && one.Is("END", "VCALENDAR"):
			return c, unfinished
		case err != nil:
			return c, err
		case one.Is("BEGIN", kind):
			r.lines.Back(one) // it begins the next component
			return c, unfinished
		case one.Name == "BEGIN":
			inner, rule = append(inner, strings.ToUpper(strings.TrimSpace(one.Value))), zoneRule{}
		case len(inner) > 0 && one.Is("END", inner[len(inner)-1]):
			if kind == "VTIMEZONE" {
				r.zones.add(zone, rule)
			}
			inner = inner[:len(inner)-1]
		case len(inner) > 0:
			rule.learn(one)
		case one.Is("END", kind) && kind == "VTIMEZONE" && r.zones.refused[zone]:
			return c, item.UnusableError{Line: c.line, Reason: "the rules of the time zone " + utf8text.OneLine(zone) + " are not read"}
		case one.Is("END", kind):
			return c, nil
		default:
			if one.Name == "TZID" && kind == "VTIMEZONE" {
				zone = one.Value
				r.zones.begin(zone)
			}
			c.properties[one.Name] = append(c.properties[one.Name], one)
		}
	}
}

func (r *reader) event(c component, id, series string, starts, ends calendarTime) item.Item {
	one := item.Item{Line: c.line, ID: id}
	one.Put("summary", c.text("SUMMARY"))
	one.Put("starts_at", starts.String())
	if !ends.when.IsZero() {
		one.Put("ends_at", ends.String())
	}
	one.Put("all_day", starts.day)
	one.Put("time_zone", starts.zone)
	one.Put("location", c.text("LOCATION"))
	one.Put("description", c.text("DESCRIPTION"))
	one.Put("organizer", cmp.Or(c.people("ORGANIZER", "")...))
	one.Put("attendees", c.people("ATTENDEE", ""))
	one.Put("declined", c.people("ATTENDEE", "DECLINED"))
	one.Put("tentative", c.people("ATTENDEE", "TENTATIVE"))
	one.Put("status", strings.ToLower(c.text("STATUS")))
	one.Put("series_id", series)
	one.Put("recurrence", c.text("RRULE"))
	one.Put("categories", c.categories())
	one.Put("url", c.text("URL"))
	one.Put("calendar", r.name)
	one.Put("defects", c.defects)
	digest := sha256.Sum256(one.Data())
	one.Content = string(digest[:])
	return one
}

// id is the UID, or a digest of the event.
func (c *component) id() string {
	if id := c.text("UID"); id != "" {
		return id
	}
	digest := sha256.Sum256([]byte(c.text("DTSTART") + "\x00" + c.text("SUMMARY") + "\x00" + c.text("DESCRIPTION")))
	return fmt.Sprintf("sha256-%x", digest[:16])
}

func (c *component) text(name string) string {
	if found := c.properties[name]; len(found) > 0 {
		return found[0].Text()
	}
	return ""
}

// people formats calendar users like mail addresses: all, or only those with an answer (PARTSTAT).
func (c *component) people(name, answer string) []string {
	var people []string
	for _, one := range c.properties[name] {
		if answer != "" && !strings.EqualFold(one.Params["PARTSTAT"], answer) {
			continue
		}
		address := one.Value
		if len(address) > len("mailto:") && strings.EqualFold(address[:len("mailto:")], "mailto:") {
			address = address[len("mailto:"):]
		}
		if known := one.Params["CN"]; known != "" && known != address {
			address = known + " <" + address + ">"
		}
		people = append(people, address)
	}
	return people
}

func (c *component) categories() []string {
	var all []string
	for _, one := range c.properties["CATEGORIES"] {
		all = append(all, one.List(",")...)
	}
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

type calendarTime struct {
	when  time.Time
	day   bool
	local bool   // a local time, without a zone or in an unknown one
	zone  string // as the file names it
}

// isPlaced reports a time that is the same moment everywhere.
func (t calendarTime) isPlaced() bool { return !t.day && !t.local }

func (t calendarTime) String() string {
	switch {
	case t.day:
		return t.when.Format(time.DateOnly)
	case t.local:
		return t.when.Format("2006-01-02T15:04:05")
	}
	return t.when.Format(time.RFC3339)
}

// instant reads the first property with a name as a date, or as a time in UTC, in a zone or without one (local time).
func (c *component) instant(name string) (calendarTime, bool) {
	found := c.properties[name]
	if len(found) == 0 {
		return calendarTime{}, false
	}
	return c.placed(strings.TrimSpace(found[0].Value), found[0].Params["TZID"])
}

// placed parses a date or a time. The zone, if not empty, applies to a time that is not in UTC.
func (c *component) placed(text, zone string) (calendarTime, bool) {
	for _, layout := range [...]string{dayLayout, "20060102T150405Z", clockLayout} {
		when, err := time.Parse(layout, strings.ToUpper(text))
		switch {
		case err != nil:
		case layout == clockLayout && zone != "":
			return c.inZone(when, zone)
		default:
			return calendarTime{when: when, day: layout == dayLayout, local: layout == clockLayout}, sensible(when)
		}
	}
	return calendarTime{}, false
}

const dayLayout, clockLayout = "20060102", "20060102T150405"

// inZone converts a local time to a time in a zone. If the zone is unknown, it adds a defect and the time stays local.
func (c *component) inZone(when time.Time, zone string) (calendarTime, bool) {
	placed, ok := c.zones.place(when, zone)
	if !ok {
		c.defect("unknown time zone " + utf8text.OneLine(zone))
		placed = when
	}
	return calendarTime{when: placed, local: !ok, zone: zone}, sensible(placed)
}

func sensible(when time.Time) bool { return when.Year() >= 1 && when.Year() <= 9999 }

// end returns the end of an event, from DTEND or DURATION, or zero if that cannot be read. The end of a whole-day event is the day after
// its last day. Without DTEND and DURATION a whole-day event lasts one day, and any other ends when it starts (RFC 5545 3.6.1).
func (c *component) end(starts calendarTime) calendarTime {
	if ends, ok := c.instant("DTEND"); ok {
		return ends
	}
	days, clock, ok := period(c.text("DURATION"))
	switch {
	case ok:
	case len(c.properties["DTEND"])+len(c.properties["DURATION"]) > 0:
		return calendarTime{}
	case starts.day:
		days = 1
	}
	return starts.after(days, clock)
}

func period(text string) (days int, clock time.Duration, ok bool) {
	return table.Period(strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(text)), "+"))
}

// after returns a later time, zero if it is out of range.
func (t calendarTime) after(days int, clock time.Duration) calendarTime {
	if t.when = t.when.AddDate(0, 0, days).Add(clock); !sensible(t.when) {
		return calendarTime{}
	}
	return t
}
