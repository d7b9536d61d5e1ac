package database

import (
	"math"
	"strconv"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// ofApple is a count of seconds since 2001 as a time, null for 0, and anything else as it is.
func ofApple(value any) []byte {
	var seconds float64
	switch v := value.(type) {
	case int64:
		seconds = float64(v)
	case float64:
		seconds = v
	default:
		return valueOf(value)
	}
	if seconds == 0 || math.Abs(seconds) > 1e11 { // or what is no time
		return []byte("null")
	}
	whole, fraction := math.Modf(seconds)
	when := time.Date(2001, time.January, 1, 0, 0, int(whole), 0, time.UTC).Add(time.Duration(fraction * float64(time.Second)))
	return item.JSON(when.Round(time.Microsecond).Format(time.RFC3339Nano))
}

// valueOf is a value as JSON: nil for bytes that are no text.
func valueOf(value any) []byte {
	switch v := value.(type) {
	case int64:
		return strconv.AppendInt(nil, v, 10)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return []byte("null")
		}
		return item.JSON(v)
	case string:
		return item.JSON(utf8text.Mend(v))
	case nil:
		return []byte("null")
	}
	return nil
}
