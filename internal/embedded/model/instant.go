package model

import "time"

// The layouts of a timestamp in records and filters, by the character after the date. A layout without a zone is UTC. Trying every layout
// would cost more than all other work on a date.
var (
	afterT     = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04"}
	afterSpace = []string{"2006-01-02 15:04:05.999999999", "2006-01-02 15:04", "2006-01-02 15:04:05.999999999Z07:00",
		"2006-01-02 15:04:05.999999999 Z0700", "2006-01-02 15:04 Z0700", "2006-01-02 15:04:05 UTC", "2006-01-02 15:04:05.999999999Z07",
		"2006-01-02 15:04:05.999999999Z0700", "2006-01-02 15:04:05.999999999 Z07:00"}
)

// ParseInstant parses a timestamp, or a date (YYYY-MM-DD). One without a zone is in UTC.
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

// LocalTime is the type of a field whose times have no zone: each is a clock reading, which no zone shifts.
const LocalTime = "local_time"

// ParseLocal returns the clock reading of a timestamp as a UTC time: 10:00+02:00 becomes 10:00Z.
func ParseLocal(text string) (time.Time, bool) {
	instant, ok := ParseInstant(text)
	_, offset := instant.Zone()
	return instant.Add(time.Duration(offset) * time.Second).UTC(), ok
}

// FormatInstant formats microseconds since 1970 for responses, in UTC with milliseconds. Nil, an unknown time, becomes "".
func FormatInstant(micros *int64) string {
	if micros == nil {
		return ""
	}
	return time.UnixMicro(*micros).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
