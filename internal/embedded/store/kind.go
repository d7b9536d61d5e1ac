package store

import (
	"encoding/json"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A Kind is how values of a field are stored and compared.
type Kind int

// The kinds.
const (
	KindNone    Kind = iota // not comparable: objects, blobs
	KindText                // by code point
	KindNumber              // numerically
	KindBoolean             // false before true
	KindInstant             // chronologically, as microseconds since 1970
	KindList                // by its items
)

// KindOf returns how the values of a field compare. A string with the role event-time is an instant.
func KindOf(field model.Field) Kind {
	switch field.Type {
	case "timestamp", "date", model.LocalTime:
		return KindInstant
	case "integer", "number":
		return KindNumber
	case "boolean":
		return KindBoolean
	case "array":
		return KindList
	case "object", "blob":
		return KindNone
	}
	if field.Role == "event-time" {
		return KindInstant
	}
	return KindText
}

// stored converts the JSON of a field into the value of its column: nil if it is absent, null or of another type. A number or boolean in a
// text field is stored as its literal, so that filters can match it.
func (k Kind) stored(raw json.RawMessage) any {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	isText, isNested := raw[0] == '"', raw[0] == '{' || raw[0] == '['
	switch {
	case k == KindList:
		return string(raw)
	case k == KindNone, k == KindText && isNested, k == KindInstant && !isText:
		return nil
	case isText && (k == KindText || k == KindInstant):
		return k.parse(model.Unquote(raw))
	}
	return k.parse(string(raw))
}

// booleans are stored as numbers.
var booleans = map[string]any{"true": int64(1), "false": int64(0)}

// parse converts text into a value of the column, or nil if it is not of this kind.
func (k Kind) parse(text string) any {
	switch k {
	case KindNumber:
		if whole, err := strconv.ParseInt(text, 10, 64); err == nil {
			return whole
		}
		if number, err := strconv.ParseFloat(text, 64); err == nil {
			return number
		}
		return nil
	case KindBoolean:
		return booleans[text]
	case KindInstant:
		if instant, ok := model.ParseInstant(text); ok {
			return instant.UnixMicro()
		}
		return nil
	}
	return text
}

// Noun names the kind of value that a filter on the column takes.
func (k Kind) Noun() string {
	switch k {
	case KindNumber:
		return "number"
	case KindBoolean:
		return "boolean (true or false)"
	case KindInstant:
		return "timestamp (RFC 3339, such as 2026-03-01T00:00:00Z)"
	}
	return "text"
}

// Wire converts the value of a column into the key of an aggregation.
func (k Kind) Wire(value any) any {
	whole, isWhole := value.(int64)
	switch {
	case k == KindBoolean && isWhole:
		return whole == 1
	case k == KindInstant && isWhole:
		return model.FormatInstant(&whole)
	}
	return value
}
