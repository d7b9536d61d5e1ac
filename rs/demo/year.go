package demo

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// The connections of the year.
const (
	workMail     = "cin_mail_work"
	personalMail = "cin_mail_personal"
	teamChat     = "cin_chat_team"
	homeCalendar = "cin_calendar_home"
	shopAccount  = "cin_shop"
	notebook     = "cin_notes"
)

// yearSeed makes the year what it is: another seed gives another year of the same shape.
const yearSeed = 20261115

// yearDays is the length of the year: 16 November 2025 to 14 November 2026, both included.
const yearDays = 364

func yearStart() time.Time { return time.Date(2025, time.November, 16, 0, 0, 0, 0, time.UTC) }

// yearEnd is the first instant that is not in the year any more.
func yearEnd() time.Time { return yearStart().AddDate(0, 0, yearDays) }

// Year is a year in the life of one invented person, Nora Lindqvist of Bristol: two mailboxes, the chat of her team, her calendar, what she
// bought, and her notes. It is some 5,000 records from the middle of November 2025 to the middle of November 2026, the same in every
// process. What one source says, others confirm: see [Facts] for things that can be asked of it.
func Year() Corpus {
	builder := &yearBuilder{}
	builder.addMail()
	builder.addChat()
	builder.addCalendar()
	builder.addShop()
	builder.addNotes()
	builder.sort()
	return Corpus{
		Connectors: yearConnectors(),
		Records: func(yield func(Record, error) bool) {
			if builder.err != nil {
				yield(Record{}, builder.err)
				return
			}
			for _, record := range builder.records {
				if !yield(record, nil) {
					return
				}
			}
		},
	}
}

// A yearBuilder collects the records of the year.
type yearBuilder struct {
	records []Record
	err     error // the first record that could not be encoded
}

func (b *yearBuilder) add(connectionID, stream, id string, emitted time.Time, data any) {
	b.addWithBlob(connectionID, stream, id, emitted, data, nil)
}

func (b *yearBuilder) addWithBlob(connectionID, stream, id string, emitted time.Time, data any, blob *Blob) {
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil && b.err == nil {
		b.err = err
	}
	b.records = append(b.records, Record{
		ConnectionID: connectionID,
		Stream:       stream,
		ID:           id,
		EmittedAt:    emitted,
		Data:         bytes.TrimSuffix(encoded.Bytes(), []byte("\n")),
		Blob:         blob,
	})
}

// sort puts the records in the order in which they were emitted. Records of one instant keep the order in which they were added, so that
// a parent comes before its children.
func (b *yearBuilder) sort() {
	slices.SortStableFunc(b.records, func(left, right Record) int { return left.EmittedAt.Compare(right.EmittedAt) })
}

// source gives each part of the year its own random numbers, so that a change in one leaves the others as they are.
func source(number uint64) *rand.Rand {
	return rand.New(rand.NewPCG(yearSeed, number)) // #nosec G404 -- a sample year that is the same each time, and no secret
}

// pick chooses one of several.
func pick[T any](random *rand.Rand, choices []T) T { return choices[random.IntN(len(choices))] }

// sample chooses count of several, each at most once.
func sample[T any](random *rand.Rand, choices []T, count int) []T {
	chosen := make([]T, 0, count)
	for _, index := range random.Perm(len(choices))[:min(count, len(choices))] {
		chosen = append(chosen, choices[index])
	}
	return chosen
}

// stamp writes a time the way every record of the year does: UTC, to the second, so that strings sort as times do.
func stamp(when time.Time) string { return when.UTC().Format("2006-01-02T15:04:05Z") }

// onDay is a time of the clock in Bristol, as UTC. The dates of summer time are written out: a container may have no time zone files.
func onDay(day time.Time, hour, minute int) time.Time {
	local := time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, time.UTC)
	summer := time.Date(2026, time.March, 29, 1, 0, 0, 0, time.UTC)
	winter := time.Date(2026, time.October, 25, 2, 0, 0, 0, time.UTC)
	if !local.Before(summer) && local.Before(winter) {
		return local.Add(-time.Hour)
	}
	return local
}

// clock is a time of the clock in Bristol on a date of the year.
func clock(year int, month time.Month, day, hour, minute int) time.Time {
	return onDay(time.Date(year, month, day, 0, 0, 0, 0, time.UTC), hour, minute)
}

// officeTime is some time in the working hours of the year.
func officeTime(random *rand.Rand) time.Time {
	for {
		day := yearStart().AddDate(0, 0, random.IntN(yearDays))
		if weekday := day.Weekday(); weekday == time.Saturday || weekday == time.Sunday {
			continue
		}
		return onDay(day, 8+random.IntN(10), random.IntN(60)).Add(time.Duration(random.IntN(60)) * time.Second)
	}
}

// wakingTime is some time of the year at which people are awake.
func wakingTime(random *rand.Rand) time.Time {
	day := yearStart().AddDate(0, 0, random.IntN(yearDays))
	return onDay(day, 7+random.IntN(15), random.IntN(60)).Add(time.Duration(random.IntN(60)) * time.Second)
}

// sortedTimes is count times of the year, oldest first.
func sortedTimes(random *rand.Rand, count int, choose func(*rand.Rand) time.Time) []time.Time {
	times := make([]time.Time, count)
	for index := range times {
		times[index] = choose(random)
	}
	slices.SortFunc(times, time.Time.Compare)
	return times
}

// shorten cuts a text to at most limit characters, at a space where there is one.
func shorten(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	characters := []rune(text)
	if len(characters) <= limit {
		return text
	}
	cut := string(characters[:limit])
	if space := strings.LastIndexByte(cut, ' '); space > 0 {
		cut = cut[:space]
	}
	return cut + "…"
}
