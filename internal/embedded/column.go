package embedded

import (
	"encoding/json"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A columnKind is how values of a field are stored and compared.
type columnKind int

const (
	kindNone    columnKind = iota // not comparable: objects, blobs
	kindText                      // by code point
	kindNumber                    // numerically
	kindBoolean                   // false before true
	kindInstant                   // chronologically, as microseconds since 1970
	kindList                      // compared with its items
)

// kindOf says how a field's values compare. A string that states when something happened is a time.
func kindOf(field model.Field) columnKind {
	switch field.Type {
	case "timestamp":
		return kindInstant
	case "integer", "number":
		return kindNumber
	case "boolean":
		return kindBoolean
	case "array":
		return kindList
	case "object", "blob":
		return kindNone
	}
	if field.Role == "event-time" {
		return kindInstant
	}
	return kindText
}

// stored turns a field's JSON into the value of its column: nil when it is absent, null or of another type.
func (k columnKind) stored(raw json.RawMessage) any {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	switch k {
	case kindNumber:
		return storedNumber(string(raw))
	case kindBoolean:
		return storedBoolean(string(raw))
	case kindList:
		return string(raw)
	case kindInstant:
		return storedInstant(raw)
	case kindText:
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
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil
	}
	instant, ok := model.ParseInstant(text)
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
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil
	}
	return text
}

// operand turns a filter's text into a value comparable with the column.
func (k columnKind) operand(field, text string) (any, *apiError) {
	var value any
	switch k {
	case kindNumber:
		value = storedNumber(text)
	case kindBoolean:
		value = storedBoolean(text)
	case kindInstant:
		if instant, ok := model.ParseInstant(text); ok {
			value = instant.UnixMicro()
		}
	default:
		value = text
	}
	if value == nil {
		return nil, invalidRequest("Filter value %q on '%s' is not a %s", text, field, k.noun()).withParam("filter[" + field + "]")
	}
	return value, nil
}

func (k columnKind) noun() string {
	switch k {
	case kindNumber:
		return "number"
	case kindBoolean:
		return "boolean (true or false)"
	case kindInstant:
		return "timestamp (RFC 3339, such as 2026-03-01T00:00:00Z)"
	}
	return "text"
}

// wire turns a column's value back into JSON for an aggregation's key.
func (k columnKind) wire(value any) any {
	whole, isWhole := value.(int64)
	switch {
	case k == kindBoolean && isWhole:
		return whole == 1
	case k == kindInstant && isWhole:
		return formatInstant(whole)
	case k == kindList:
		if text, ok := value.(string); ok {
			return json.RawMessage(text)
		}
	}
	return value
}
