package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Arguments makes a tool's arguments of what was typed: one JSON object, or words of the form key=value. A value is sent as a text, of
// which the tool makes a number or a list where it takes one, unless it is itself an object or a list in JSON. A key that is typed twice
// makes a list. Its errors are one sentence each and belong to the command line.
func Arguments(words []string) (json.RawMessage, error) {
	if len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "{") {
		if !json.Valid([]byte(words[0])) {
			return nil, errors.New("the arguments are not a JSON object")
		}
		return json.RawMessage(words[0]), nil
	}
	typed := map[string][]string{}
	for _, word := range words {
		key, text, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is neither a JSON object nor key=value", word)
		}
		typed[key] = append(typed[key], text)
	}
	arguments := map[string]any{}
	for key, texts := range typed {
		text := texts[0]
		switch composed := strings.HasPrefix(text, "{") || strings.HasPrefix(text, "["); {
		case len(texts) > 1:
			arguments[key] = strings.Split(strings.Join(texts, ","), ",")
		case composed && json.Valid([]byte(text)):
			arguments[key] = json.RawMessage(text)
		default:
			arguments[key] = text
		}
	}
	return json.Marshal(arguments)
}
