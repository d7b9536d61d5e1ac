package embedded

import "time"

// wireTime is how times are written in responses.
const wireTime = "2006-01-02T15:04:05.000Z07:00"

// formatInstant writes microseconds since 1970 as the store keeps them.
func formatInstant(micros int64) string {
	return time.UnixMicro(micros).UTC().Format(wireTime)
}
