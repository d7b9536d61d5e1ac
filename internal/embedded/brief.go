package embedded

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// brief is what a record says first, where none of its stream's fields is called as titles are: its first short granted texts, but for keys
// and what a hit shows anyway. It is empty where the stream has a title, or only one text, in which the match is.
func (s access) brief(fields map[string]json.RawMessage) string {
	const most, chars = 3, 40
	var texts []string
	candidates := 0
	for _, field := range s.Fields {
		if field.Role == "primary-title" {
			return ""
		}
		if !field.Lexical || field.Role != "" || field.Type != "string" && field.Type != "text" {
			continue
		}
		candidates++
		var text string
		_ = json.Unmarshal(fields[field.Name], &text) // null, and a number in a field of texts, leave it empty
		if length := utf8.RuneCountInString(text); length > 0 && length <= chars && len(texts) < most {
			texts = append(texts, text)
		}
	}
	if candidates < 2 {
		return ""
	}
	return strings.Join(texts, ", ")
}
