// Package quote writes texts and names from elsewhere, such as a caller's, into a sentence: bounded, and on one line.
package quote

import (
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// most is how many characters of a text are shown.
const most = 60

// Text is a text in quotation marks.
func Text(text string) string { return rs.EncodeJSON(Line(text)) }

// Line is a text on one line: clipped, and without line breaks and control characters.
func Line(text string) string { return clipped(rs.ErrorText(text)) }

// Exact is a text in quotation marks as it was sent: what does not belong into a line is escaped.
func Exact(text string) string { return JSON(rs.EncodeJSON(text)) }

// JSON is a JSON value as it was sent, but for white space.
func JSON(raw string) string {
	text, _ := rs.Compact(raw)
	return clipped(text)
}

func clipped(text string) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// Names lists at most limit names, as [Each] writes them.
func Names(names []string, limit int) string {
	shown := Each(names[:min(len(names), limit)])
	if len(names) > limit {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}

// AreIn says that words are in something: "a" is in, or "a", "b" are in.
func AreIn(words []string) string {
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, Text(word))
	}
	if len(quoted) == 1 {
		return quoted[0] + " is in"
	}
	return strings.Join(quoted, ", ") + " are in"
}

// Each are names, those in quotation marks that are not plain words. Long ones are cut, but for those that would be alike: none of them
// could be told from another, nor sent.
func Each(names []string) []string {
	shown, cut := make([]string, len(names)), map[string]int{}
	for _, name := range names {
		if len(name) > most {
			cut[Line(name)]++
		}
	}
	for i, name := range names {
		isSign := func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }
		switch shown[i] = name; {
		case cut[Line(name)] > 1:
			shown[i] = rs.EncodeJSON(rs.ErrorText(name))
		case len(name) > most || strings.ContainsFunc(name, isSign):
			shown[i] = Text(name)
		}
	}
	return shown
}

// Connections names at most three connections, with their display names.
func Connections(connections []rs.Connection) string {
	var shown []string
	for _, c := range connections[:min(len(connections), 3)] {
		label := Names([]string{c.ID}, 1)
		if c.DisplayName != "" {
			label += " " + Text(c.DisplayName)
		}
		shown = append(shown, label)
	}
	return strings.Join(shown, ", ")
}
