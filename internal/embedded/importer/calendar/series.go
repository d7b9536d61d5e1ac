package calendar

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// Limits of the expansion of a series into days: yearsAhead is the number of years after the current year or, if later, after the last year
// in which an event of the file starts; maxDays is the most days of one series.
const (
	yearsAhead = 1
	maxDays    = 5000
	// maxAllDays limits the days of all series of a file together. The first day of a series is always kept.
	maxAllDays = 200_000
	// maxWork limits what all series of a file cost, in microseconds by an estimate. Those after it are not read.
	maxWork = 2_000_000
)

const unreadRule = "how it recurs is not read"

// A seriesReader yields each day of a series as a separate event.
type seriesReader struct {
	file    io.ReadSeeker
	year    int // the current year
	events  *reader
	since   int             // first year of events that do not recur yearly; endless yearly series skip days before it
	end     time.Time       // the local time before which all days of series are
	changed map[string]bool // days of series that another event replaces (RECURRENCE-ID)

	happening                            // the current series
	id        string                     // of the current series
	periods   map[time.Time]calendarTime // ends of its days that an RDATE gives with their ends (VALUE=PERIOD)
	cut       bool                       // it has more days than the limits allow
	later     bool                       // it has days from end on, which are left out
	noted     bool                       // a note about later days was yielded
	work      int                        // cost of all series so far
	unfolded  int                        // number of days of all series so far
}

// A happening is an event with its start and end, which the days of a series have in common.
type happening struct {
	of           component
	starts, ends calendarTime // of the first day; ends is zero if unknown
}

// happeningOf returns false if the start of the event cannot be read.
func happeningOf(c component) (h happening, ok bool) {
	h.of = c
	if h.starts, ok = h.of.instant("DTSTART"); ok {
		h.ends = h.of.end(h.starts)
	}
	return h, ok
}

// NewReader reads the events of a calendar, in two passes over the file. It expands endless series to the end of the year after the given
// one, or after the last year in the file.
func NewReader(file io.ReadSeeker, year int) item.Records {
	r := &seriesReader{file: file, year: year, changed: map[string]bool{}}
	return r.records
}

func (r *seriesReader) components() iter.Seq2[component, error] {
	return item.Read(func() error {
		_, err := r.file.Seek(0, io.SeekStart)
		if err == nil {
			r.events, err = newReader(r.file)
		}
		return err
	}, func() (component, error) { return r.events.next() })
}

func (r *seriesReader) records(yield func(item.Item, error) bool) {
	r.survey()
	for c, err := range r.components() {
		if err != nil && !yield(item.Item{}, err) || err == nil && !r.yield(c, yield) {
			return
		}
	}
}

// yield yields the record of an event, or of each day of a series.
func (r *seriesReader) yield(c component, yield func(item.Item, error) bool) (more bool) {
	now, ok := happeningOf(c)
	if !ok {
		return yield(item.Item{}, item.Unusable(c.line, "an event without a start that can be read"))
	}
	id, series := c.id(), ""
	if day := c.text("RECURRENCE-ID"); day != "" {
		series = id
		id += "#" + day
		if strings.EqualFold(c.properties["RECURRENCE-ID"][0].Params["RANGE"], "THISANDFUTURE") {
			now.of.defect("it changes all later days of its series as well, which are shown unchanged")
		}
	} else if c.text("RRULE")+c.text("RDATE") != "" {
		r.id, r.happening = id, now
		if days, ok := r.unfold(); ok {
			return r.yieldDays(days, yield)
		}
		one := r.events.event(r.of, id, series, r.starts, r.ends)
		one.Note = unreadRule + ": only the event with which it begins is loaded"
		return yield(one, nil)
	}
	return yield(r.events.event(now.of, id, series, now.starts, now.ends), nil)
}

func (r *seriesReader) yieldDays(days []time.Time, yield func(item.Item, error) bool) (more bool) {
	for index, clock := range days {
		one := r.on(clock)
		if r.later && !r.noted && index == len(days)-1 {
			r.noted = true
			one.Note = fmt.Sprintf("series that go on have events up to %s only; of a yearly series without an end, these are the first event "+
				"and those since %d", r.end.AddDate(0, 0, -1).Format(time.DateOnly), r.since)
		}
		if !yield(one, nil) {
			return false
		}
	}
	if !r.cut {
		return true
	}
	reason := fmt.Sprintf("a series of more than %d days: the later ones are left out", maxDays)
	switch {
	case r.work >= maxWork:
		reason = "the series of the file cover too many years: the later days of this one are left out"
	case r.unfolded >= maxAllDays:
		reason = fmt.Sprintf("the series of the file have more than %d days: the later ones of this one are left out", maxAllDays)
	}
	return yield(item.Item{}, item.UnusableError{Line: r.of.line, Reason: reason})
}

// on returns the event on a day of the series.
func (r *seriesReader) on(clock time.Time) item.Item {
	layout := clockLayout
	if r.starts.day {
		layout = dayLayout
	}
	id := r.id + "#" + clock.Format(layout)
	starts, ends := r.at(clock), r.periods[clock]
	if ends.when.IsZero() && !r.ends.when.IsZero() {
		ends = r.endOf(clock, starts)
	}
	return r.events.event(r.of, id, r.id, starts, ends)
}

// endOf returns when the event ends that starts on a day: as long after that as the first one by the clock, or if it ends in another zone
// by the time.
func (r *seriesReader) endOf(clock time.Time, starts calendarTime) calendarTime {
	if r.ends.zone != r.starts.zone && r.starts.isPlaced() && r.ends.isPlaced() {
		return calendarTime{when: starts.when.Add(r.ends.when.Sub(r.starts.when)).In(r.ends.when.Location()), zone: r.ends.zone}
	}
	length := at(r.ends.when, time.UTC).Sub(at(r.starts.when, time.UTC))
	ends := r.at(clock.Add(length))
	if length > 0 && !ends.when.After(starts.when) { // clocks went forward in between
		ends.when = starts.when.Add(length)
	}
	return ends
}

// survey is the first pass over the file: it determines which years it covers, and which days of series were changed.
func (r *seriesReader) survey() {
	year := r.year
	r.since = year - 1
	for c, err := range r.components() {
		if err != nil { // the second pass yields it
			continue
		}
		if now, ok := happeningOf(c); ok {
			year = max(year, now.starts.when.Year())
			if !strings.Contains(strings.ToUpper(c.text("RRULE")), "FREQ=YEARLY") {
				r.since = min(r.since, now.starts.when.Year())
			}
		}
		if day, ok := c.instant("RECURRENCE-ID"); ok {
			addDay(r.changed, c.id()+" ", day)
		}
	}
	r.end = time.Date(year+yearsAhead+1, time.January, 1, 0, 0, 0, 0, time.UTC)
}

// at converts a local time to a time in the zone of the event.
func (h *happening) at(clock time.Time) calendarTime {
	at := h.starts
	if at.when = clock; at.zone != "" && !at.local {
		at, _ = h.of.inZone(clock, at.zone)
	}
	return at
}

// rule returns the recurrence rule of the series and the end that it names (UNTIL). It fails if the rule recurs within a day or is too
// costly.
func (r *seriesReader) rule() (rule *rrule.ROption, last string, err error) {
	text, last := cutUntil(cmp.Or(r.of.text("RRULE"), "FREQ=DAILY;COUNT=1"))
	rule, err = rrule.StrToROption(text)
	if err == nil && (rule.Freq > rrule.DAILY || !isBounded(rule) || r.work >= maxWork) { // hourly or more often
		err = errors.New(unreadRule)
	}
	if err == nil {
		_, err = rrule.NewRRule(*rule)
	}
	return rule, last, err
}

// unfold lists the days of the series, as local times. If its rule is not read, it returns false and adds a defect: then the first event
// represents the series.
func (r *seriesReader) unfold() (days []time.Time, ok bool) {
	rule, last, err := r.rule()
	if err != nil {
		r.of.defects = append(r.of.defects, unreadRule)
		return nil, false
	}
	isForEver := rule.Freq == rrule.YEARLY && last == "" && rule.Count == 0
	excluded := r.excluded()
	until, _ := r.of.placed(last, "")
	seen := map[time.Time]bool{}
	r.later, r.cut = false, false
	add := func(clock time.Time) bool {
		day := r.at(clock)
		switch {
		case isPast(day, until):
			return false
		case !clock.Before(r.end):
			r.later = true
			return false
		case isNamed(excluded, "", day, clock), isNamed(r.changed, r.id+" ", day, clock), seen[clock],
			isForEver && len(days) > 0 && clock.Year() < r.since:
			return true
		}
		seen[clock] = true
		if r.cut = r.cut || len(days) == maxDays || len(days) > 0 && r.unfolded >= maxAllDays; r.cut {
			return false
		}
		days = append(days, clock)
		r.unfolded++
		return true
	}
	begins := at(r.starts.when, time.UTC)
	if years := r.since - begins.Year(); isForEver && years > 0 && isSameEachYear(rule, begins) && add(begins) && len(days) > 0 {
		begins = begins.AddDate(years, 0, 0) // the years before are not kept
	}
	r.follow(rule, begins, add)
	until, r.periods = calendarTime{}, map[time.Time]calendarTime{}
	for _, day := range r.times("RDATE") {
		clock, before := r.clockOf(day.starts), len(days)
		if _ = add(clock); len(days) > before { // else this day is skipped
			r.periods[clock] = day.ends
		}
	}
	return days, true
}

// follow adds the times of a rule until add returns false or they cost too much.
func (r *seriesReader) follow(rule *rrule.ROption, begins time.Time, add func(time.Time) bool) {
	next, cost := occurrences(rule, begins, r.end.Year()), costOfYear(rule)
	clock, ok := next()
	if !ok { // it was followed to the last year
		r.work += cycle * cost
	}
	for year := begins.Year(); ok && add(clock) && !r.cut; clock, ok = next() {
		r.work += 1 + (clock.Year()-year)*cost
		r.cut, year = r.work >= maxWork, clock.Year()
	}
}

func (r *seriesReader) excluded() map[string]bool {
	keys := map[string]bool{}
	for _, day := range r.times("EXDATE") {
		addDay(keys, "", day.starts)
	}
	return keys
}

// clockOf returns a time as a local time in the zone of the series.
func (r *seriesReader) clockOf(t calendarTime) time.Time {
	if t.day || t.local || r.starts.day || r.starts.local {
		return at(t.when, time.UTC)
	}
	clock := at(t.when.In(r.starts.when.Location()), time.UTC)
	return clock.Add(t.when.Sub(r.at(clock).when)) // a zone of the file has another offset in another season
}

// isPast reports whether a day is after the end of a series, if that is known. An end that is a date includes the day; an end in UTC is
// compared in UTC, any other in local time.
func isPast(day, until calendarTime) bool {
	limit, when := until.when, day.when
	if until.day || until.local {
		when = at(when, time.UTC)
	}
	if until.day {
		limit = limit.AddDate(0, 0, 1).Add(-time.Second)
	}
	return !until.when.IsZero() && when.After(limit)
}

// cutUntil splits the end (UNTIL) from a rule, because it may be in another zone than the days.
func cutUntil(rule string) (without, until string) {
	var parts []string
	for part := range strings.SplitSeq(rule, ";") {
		if end, ok := strings.CutPrefix(strings.ToUpper(part), "UNTIL="); ok {
			until = end
		} else if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ";"), until
}

// times returns the times of a property, with the ends of those that are periods.
func (r *seriesReader) times(name string) (all []happening) {
	for _, property := range r.of.properties[name] {
		for text := range strings.SplitSeq(property.Value, ",") {
			text, end, _ := strings.Cut(strings.TrimSpace(text), "/")
			starts, ok := r.of.placed(text, property.Params["TZID"])
			if !ok && text != "" {
				r.of.defect("a time of " + name + " is not read: " + utf8text.OneLine(text))
			}
			if !ok {
				continue
			}
			ends, _ := r.of.placed(end, property.Params["TZID"])
			if days, clock, ok := period(end); ok {
				ends = starts.after(days, clock)
			}
			all = append(all, happening{starts: starts, ends: ends})
		}
	}
	return all
}
