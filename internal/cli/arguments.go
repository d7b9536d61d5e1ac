package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Arguments makes a tool's arguments of what was typed: one JSON object, or words of the form key=value, which the
// tool's input schema gives their types. What the schema does not know is sent as text, for the tool to judge. A key
// that is typed twice makes a list. Its errors are one sentence each and belong to the command line.
func Arguments(schema json.RawMessage, words []string) (map[string]any, error) {
	if len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "{") {
		var arguments map[string]any
		decoder := json.NewDecoder(strings.NewReader(words[0]))
		decoder.UseNumber()
		if err := decoder.Decode(&arguments); err != nil || decoder.More() {
			return nil, errors.New("the arguments are not a JSON object")
		}
		return arguments, nil
	}
	var input inputSchema
	if err := json.Unmarshal(schema, &input); err != nil {
		return nil, fmt.Errorf("the tool's input schema cannot be read: %w", err)
	}
	arguments := map[string]any{}
	for _, word := range words {
		key, text, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is neither a JSON object nor key=value", word)
		}
		value, err := input.Properties[key].value(text)
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %w", key, text, err)
		}
		if list, ok := value.([]any); ok {
			if before, ok := arguments[key].([]any); ok {
				value = slices.Concat(before, list)
			}
		} else if _, ok := arguments[key]; ok {
			return nil, fmt.Errorf("%s is given twice, and is no list", key)
		}
		arguments[key] = value
	}
	return arguments, nil
}

// inputSchema is the part of a tool's input schema that types and lists its arguments.
type inputSchema struct {
	Properties map[string]property `json:"properties"`
	Required   []string            `json:"required"`
}

type property struct {
	Type        string    `json:"type"`
	Description string    `json:"description"`
	Enum        []string  `json:"enum"`
	Items       *property `json:"items"`
}

// value reads a text as the type that the schema names.
func (p property) value(text string) (any, error) {
	switch p.Type {
	case "integer":
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return nil, errors.New("a whole number is needed")
		}
		return json.Number(text), nil
	case "number":
		if !json.Valid([]byte(text)) || strings.Trim(text, "+-.0123456789eE") != "" {
			return nil, errors.New("a number is needed")
		}
		return json.Number(text), nil
	case "boolean":
		if text != "true" && text != "false" {
			return nil, errors.New("true or false is needed")
		}
		return text == "true", nil
	case "object":
		var object map[string]any
		if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
			return nil, errors.New("a JSON object is needed")
		}
		return object, nil
	case "array":
		return p.list(text)
	default:
		return text, nil
	}
}

// list reads a JSON list, or items with commas between them.
func (p property) list(text string) (any, error) {
	var list []any
	if strings.HasPrefix(text, "[") {
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return nil, errors.New("a JSON list, or items with commas between them, is needed")
		}
		return list, nil
	}
	item := property{}
	if p.Items != nil {
		item = *p.Items
	}
	for part := range strings.SplitSeq(text, ",") {
		value, err := item.value(part)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}
