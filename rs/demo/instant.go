package demo

import "time"

// wireTime is how times are written in responses.
const wireTime = "2006-01-02T15:04:05.000Z07:00"

// instantLayouts are the forms of a timestamp that are understood in records and filters. A form without a zone is UTC.
var instantLayouts = [...]string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04",
	time.DateOnly,
}

// parseInstant reads a timestamp.
func parseInstant(text string) (time.Time, bool) {
	for _, layout := range instantLayouts {
		if instant, err := time.Parse(layout, text); err == nil {
			return instant, true
		}
	}
	return time.Time{}, false
}

// formatInstant writes microseconds since 1970 as the store keeps them.
func formatInstant(micros int64) string {
	return time.UnixMicro(micros).UTC().Format(wireTime)
}
