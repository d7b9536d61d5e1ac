package rs

import (
	"encoding/json"
	"time"
)

// ReadTime parses RFC 3339, or a date, which means its first instant in UTC. On error it returns the zero time.
func ReadTime(text string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	return time.Parse(time.DateOnly, text)
}

// ReadExpiry parses an RFC 3339 time or seconds as [UnixTime] does, from valid JSON. If raw is empty, null or an empty string, it returns
// the zero time. It reports false for anything else.
func ReadExpiry(raw json.RawMessage) (time.Time, bool) {
	text, _ := AsText(string(raw))
	switch Kind(string(raw)) {
	case "number":
		return UnixTime(json.Number(text))
	case "string":
		t, err := time.Parse(time.RFC3339, text)
		return t, err == nil || text == ""
	case "null", "nothing":
		return time.Time{}, true
	}
	return time.Time{}, false
}

// UnixTime converts a NumericDate (seconds, RFC 7519) to a time; an empty number is the zero time. It reports false for a
// number that is negative or beyond the year 9999.
func UnixTime(number json.Number) (time.Time, bool) {
	if number == "" {
		return time.Time{}, true
	}
	seconds, err := number.Float64()
	if err != nil || seconds < 0 || seconds > 253402300799 { // the year 9999
		return time.Time{}, false
	}
	return time.Unix(int64(seconds), 0), true
}
