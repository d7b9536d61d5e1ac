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
	KindList                // compared with its items
)

// KindOf says how a field's values compare. A string that states when something happened is a time.
func KindOf(field model.Field) Kind {
	switch field.Type {
	case "timestamp":
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

// stored turns a field's JSON into the value of its column: nil when it is absent, null or of another type.
func (k Kind) stored(raw json.RawMessage) any {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	switch k {
	case KindNumber:
		return storedNumber(string(raw))
	case KindBoolean:
		return storedBoolean(string(raw))
	case KindList:
		return string(raw)
	case KindInstant:
		return storedInstant(raw)
	case KindText:
		return storedText(raw)
	}
	return nil
}

func storedNumber(literal string) any {
	if whole, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return whole
	}
	if number, err := strconv.ParseFloat(literal, 64); err == nil {
		return number
	}
	return nil
}

func storedBoolean(literal string) any {
	switch literal {
	case "true":
		return int64(1)
	case "false":
		return int64(0)
	}
	return nil
}

func storedInstant(raw json.RawMessage) any {
	if len(raw) == 0 || raw[0] != '"' {
		return nil
	}
	instant, ok := model.ParseInstant(model.Unquote(raw))
	if !ok {
		return nil
	}
	return instant.UnixMicro()
}

// storedText keeps a number or boolean in a text field by its literal, so that it can still be filtered by.
func storedText(raw json.RawMessage) any {
	if raw[0] == '{' || raw[0] == '[' {
		return nil
	}
	if raw[0] != '"' {
		return string(raw)
	}
	return model.Unquote(raw)
}

// operand turns a filter's text into a value comparable with the column: ok is false if it is none of the kind.
func (k Kind) operand(text string) (value any, ok bool) {
	switch k {
	case KindNumber:
		value = storedNumber(text)
	case KindBoolean:
		value = storedBoolean(text)
	case KindInstant:
		if instant, ok := model.ParseInstant(text); ok {
			value = instant.UnixMicro()
		}
	default:
		value = text
	}
	return value, value != nil
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

// Wire turns a column's value back into JSON for an aggregation's key.
func (k Kind) Wire(value any) any {
	whole, isWhole := value.(int64)
	switch {
	case k == KindBoolean && isWhole:
		return whole == 1
	case k == KindInstant && isWhole:
		return model.FormatInstant(&whole)
	case k == KindList:
		if text, ok := value.(string); ok {
			return json.RawMessage(text)
		}
	}
	return value
}
