// Package quote formats texts and names from elsewhere, such as a caller's, for a sentence: bounded in length, and on one line.
package quote

import (
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// most is the most characters of a text that are shown.
const most = 60

// Text returns [Line] of a text in quotation marks.
func Text(text string) string { return rs.EncodeJSON(Line(text)) }

// Line returns a text on one line: truncated, and without line breaks and control characters.
func Line(text string) string { return rs.Clip(rs.ErrorText(text), most) }

// Exact returns a text as it was sent, in quotation marks. Line breaks and control characters are escaped; a long text is truncated.
func Exact(text string) string { return JSON(rs.EncodeJSON(text)) }

// JSON returns a JSON value as it was sent, except for white space; a long one is truncated.
func JSON(raw string) string {
	text, _ := rs.Compact(raw)
	return rs.Clip(text, most)
}

// Note returns a member of an answer with a note about it and the call that answers instead, if there is one.
func Note(name, note, tool string, arguments rs.Object) rs.Member {
	o := rs.Object{rs.NewMember("note", note)}
	if tool != "" {
		call := rs.Object{rs.NewMember("tool", tool), {Name: "arguments", Value: arguments.JSON()}}
		o = append(o, rs.Member{Name: "instead", Value: call.JSON()})
	}
	return rs.Member{Name: name, Value: o.JSON()}
}

// Names lists at most limit names, as [Each] writes them.
func Names(names []string, limit int) string {
	shown := Each(names[:min(len(names), limit)])
	if len(names) > limit {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}

// When returns a text if a condition holds, else "".
func When(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}

// AreIn returns the start of a sentence about where words are: "a" is in, or "a", "b" are in.
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

// Each returns names, with quotation marks around those that are not plain words. Long names are truncated, except those that would become
// equal: a reader could not distinguish them, nor send them.
func Each(names []string) []string {
	shown, shortened := make([]string, len(names)), map[string]int{}
	for _, name := range names {
		if len(name) > most {
			shortened[Line(name)]++
		}
	}
	for i, name := range names {
		isSign := func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }
		switch shown[i] = name; {
		case shortened[Line(name)] > 1:
			shown[i] = rs.EncodeJSON(rs.ErrorText(name))
		case len(name) > most || strings.ContainsFunc(name, isSign):
			shown[i] = Text(name)
		}
	}
	return shown
}

// Connections lists at most three connections, with their display names.
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
