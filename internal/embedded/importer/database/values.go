package database

import (
	"math"
	"strconv"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// valueOf is a value as JSON: null for bytes. A number of a column of Apple's is a time.
func valueOf(value any, isTime bool) []byte {
	switch v := value.(type) {
	case int64:
		if isTime {
			return ofApple(float64(v))
		}
		return strconv.AppendInt(nil, v, 10)
	case float64:
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
		case isTime:
			return ofApple(v)
		default:
			return item.JSON(v)
		}
	case string:
		return item.JSON(utf8text.Mend(v))
	}
	return []byte("null")
}

// ofApple is a count of seconds since 2001 as a time, null for 0 and for what is no time.
func ofApple(seconds float64) []byte {
	if seconds == 0 || math.Abs(seconds) > 1e11 {
		return []byte("null")
	}
	whole, fraction := math.Modf(seconds)
	when := time.Date(2001, time.January, 1, 0, 0, int(whole), 0, time.UTC).Add(time.Duration(fraction * float64(time.Second)))
	return item.JSON(when.Round(time.Microsecond).Format(time.RFC3339Nano))
}
