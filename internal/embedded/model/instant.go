package model

import "time"

// The forms of a timestamp that are understood in records and filters, by what comes after the date. A form without a zone is UTC. To try
// the others first would cost more than all else that is done with a date.
var (
	afterT     = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04"}
	afterSpace = []string{"2006-01-02 15:04:05.999999999", "2006-01-02 15:04", "2006-01-02 15:04:05.999999999Z07:00",
		"2006-01-02 15:04:05.999999999 Z0700", "2006-01-02 15:04 Z0700", "2006-01-02 15:04:05 UTC", "2006-01-02 15:04:05.999999999Z07",
		"2006-01-02 15:04:05.999999999Z0700", "2006-01-02 15:04:05.999999999 Z07:00"}
)

// ParseInstant reads a timestamp.
func ParseInstant(text string) (time.Time, bool) {
	layouts := afterT
	switch {
	case len(text) < len(time.DateOnly):
		return time.Time{}, false
	case len(text) == len(time.DateOnly):
		instant, err := time.Parse(time.DateOnly, text)
		return instant, err == nil
	case text[len(time.DateOnly)] == ' ':
		layouts = afterSpace
	}
	for _, layout := range layouts {
		if instant, err := time.Parse(layout, text); err == nil {
			return instant, true
		}
	}
	return time.Time{}, false
}

// LocalTime is the type of a field whose times name no zone: each is what a clock showed, and no zone moves it.
const LocalTime = "local_time"

// ParseLocal reads what a clock shows at a timestamp, in the zone that it names or in UTC, as if that were UTC.
func ParseLocal(text string) (time.Time, bool) {
	instant, ok := ParseInstant(text)
	_, offset := instant.Zone()
	return instant.Add(time.Duration(offset) * time.Second).UTC(), ok
}

// FormatInstant writes microseconds since 1970 as responses have them: an unknown time, nil, as nothing.
func FormatInstant(micros *int64) string {
	if micros == nil {
		return ""
	}
	return time.UnixMicro(*micros).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
