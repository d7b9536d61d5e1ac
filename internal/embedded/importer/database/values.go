package database

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// valueOf returns a value as JSON: null for bytes. If isTime, a number is a time of Apple's Core Data.
func valueOf(value any, isTime bool) []byte {
	switch v := value.(type) {
	case int64:
		if isTime {
			return ofApple(float64(v))
		}
		return strconv.AppendInt(nil, v, 10)
	case float64:
		if isTime {
			return ofApple(v)
		}
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return item.JSON(v)
		}
	case string:
		return item.JSON(utf8text.Mend(v))
	}
	return []byte("null")
}

// ofApple returns seconds since 2001 as a time in JSON: null for 0 and for numbers that are out of range.
func ofApple(seconds float64) []byte {
	if seconds == 0 || math.IsNaN(seconds) || math.Abs(seconds) > 1e11 {
		return []byte("null")
	}
	whole, fraction := math.Modf(seconds)
	when := time.Date(2001, time.January, 1, 0, 0, int(whole), 0, time.UTC).Add(time.Duration(fraction * float64(time.Second)))
	return item.JSON(when.Round(time.Microsecond).Format(time.RFC3339Nano))
}

// bodyColumn has the text of a message on macOS, since 2022 often as the only column.
const bodyColumn = "attributedBody"

// bodyText returns the first string of an attributed string that Apple archived as a typedstream; "" if it has no string.
func bodyText(body []byte) string {
	_, rest, _ := bytes.Cut(body, []byte("NSString"))
	before, rest, _ := bytes.Cut(rest, []byte("\x84\x01+")) // the type of what follows
	if len(before) > len("\x01\x94") || len(rest) < 5 {
		return ""
	}
	size, rest := int(rest[0]), rest[1:]
	switch size {
	case 0x81:
		size, rest = int(binary.LittleEndian.Uint16(rest)), rest[2:]
	case 0x82:
		size, rest = int(binary.LittleEndian.Uint32(rest)), rest[4:]
	}
	if size > len(rest) {
		return ""
	}
	return strings.Trim(utf8text.Mend(string(rest[:size])), "\ufffc") // the placeholder of an attachment
}
