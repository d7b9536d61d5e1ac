package embedded

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// brief is a title for a record of a stream without a title field: its first three granted texts of up to 40 code points, except keys and
// fields that a hit shows anyway. It is "" if the stream has a title, or only one such field: then the excerpt shows the text.
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
		_ = json.Unmarshal(fields[field.Name], &text) // null or a number leaves it empty
		if length := utf8.RuneCountInString(text); length > 0 && length <= chars && len(texts) < most {
			texts = append(texts, text)
		}
	}
	if candidates < 2 {
		return ""
	}
	return strings.Join(texts, ", ")
}
