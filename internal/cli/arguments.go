package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Arguments parses a tool's arguments from the command line: one JSON object, or words of the form key=value, whose types the tool's
// input schema gives. An argument that the schema does not have, and a value of another type, is sent as text, for the tool to check. Its
// errors are one sentence each, about the command line. The arguments reach the tool as they are written.
func Arguments(schema json.RawMessage, words []string) (json.RawMessage, error) {
	if len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "{") {
		if json.Valid([]byte(words[0])) {
			return json.RawMessage(words[0]), nil
		}
		return nil, errors.New("the arguments are not a JSON object")
	}
	var input inputSchema
	_ = json.Unmarshal(schema, &input) // schemas of this program are valid
	arguments := map[string]any{}
	for _, word := range words {
		key, text, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is neither a JSON object nor key=value", word)
		}
		if _, ok := arguments[key]; ok {
			return nil, fmt.Errorf("%s is given twice", key)
		}
		arguments[key] = input.Properties[key].value(text)
	}
	return json.Marshal(arguments)
}

// inputSchema is the part of a tool's input schema that lists its arguments and their types.
type inputSchema struct {
	Properties map[string]property `json:"properties"`
	Required   []string            `json:"required"`
}

type property struct {
	Type        string   `json:"type"`
	Description string   `json:"description"`
	Enum        []string `json:"enum"`
}

// value parses a text as the type that the schema names; a text of no such type stays as it is.
func (p property) value(text string) any {
	if p.Type == "array" && !strings.HasPrefix(text, "[") {
		return strings.Split(text, ",")
	}
	kind := rs.Kind(strings.TrimSpace(text))
	if _, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && p.Type == "integer" {
		kind = p.Type
	}
	if p.Type == "string" || kind != p.Type || !json.Valid([]byte(text)) {
		return text
	}
	return json.RawMessage(text) // as written: the tool refuses a name that occurs twice
}
