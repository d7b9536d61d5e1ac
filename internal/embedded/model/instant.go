package model

import "time"

// instantLayouts are the forms of a timestamp that are understood in records and filters. A form without a zone is UTC.
var instantLayouts = [...]string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02 15:04",
	"2006-01-02T15:04:05.999999999Z0700",
	"2006-01-02 15:04:05.999999999 Z0700",
	"2006-01-02T15:04",
	time.DateOnly,
}

// ParseInstant reads a timestamp.
func ParseInstant(text string) (time.Time, bool) {
	for _, layout := range instantLayouts {
		if instant, err := time.Parse(layout, text); err == nil {
			return instant, true
		}
	}
	return time.Time{}, false
}

// FormatInstant writes microseconds since 1970 as responses have them: an unknown time, nil, as nothing.
func FormatInstant(micros *int64) string {
	if micros == nil {
		return ""
	}
	return time.UnixMicro(*micros).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
