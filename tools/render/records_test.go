package render

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A line shows of a long value what it would show if all of it were read and cleaned first.
func TestALineShowsTheStartOfALongValue(t *testing.T) {
	long := strings.Repeat("word wörd 🚀 ", 40)
	for title, text := range map[string]string{
		"nothing":                        "",
		"a short text":                   "word",
		"a name that needs no quotes":    strings.Repeat("a", 40),
		"one character more":             strings.Repeat("a", 41),
		"two characters more":            strings.Repeat("a", 42),
		"many more":                      strings.Repeat("a", 5000),
		"words":                          long,
		"a space where it is cut":        strings.Repeat("a", 39) + " " + long,
		"a space before it":              strings.Repeat("a", 38) + " " + long,
		"a space behind it":              strings.Repeat("a", 40) + " " + long,
		"nothing but spaces behind it":   strings.Repeat("a", 40) + strings.Repeat(" ", 100),
		"spaces, and a letter at last":   strings.Repeat("a", 40) + strings.Repeat(" ", 100) + "b",
		"spaces before it":               "  " + long,
		"two spaces in it":               "a  b" + long,
		"line breaks in it":              "a\nb\r\n\tc" + long,
		"line breaks for a whole screen": strings.Repeat("\n", 900) + "a",
		"quotation marks and brackets":   `"a" \ {b}` + long,
		"a terminal sequence in it":      "a\x1b[31mb" + long,
		"one behind it":                  long + "\x1b[31m",
		"one where it is cut":            strings.Repeat("a", 39) + "\x1b[31m" + long,
		"a flag where it is cut":         strings.Repeat("a", 39) + scotland + long,
		"a flag at the start":            scotland + long,
		"many marks where it is cut":     strings.Repeat("a", 39) + strings.Repeat("\u0301", 30) + long,
		"what does not print":            "a\u00adb" + long,
	} {
		t.Run(title, func(t *testing.T) {
			const max = 40
			escaped := strings.NewReplacer("w", `\u0077`).Replace(encode(text))
			for _, raw := range []string{encode(text), escaped} {
				line := oneLine(clip(text, 8*max))
				want := quote(clip(line, max))
				switch {
				case line == "":
					want = ""
				case !longerThan(line, max):
					want = name(line)
				}
				if got, cut := appendShort(nil, raw, max); string(got) != want || cut != longerThan(line, max) {
					t.Errorf("of %s the line shows %s, cut: %t; want %s", raw, got, cut, want)
				}
			}
			raw := rs.JoinArray([]string{encode(text), escaped})
			line := oneLine(readable(raw))
			if got, cut := appendShort(nil, raw, max); string(got) != clip(line, max) || cut != longerThan(line, max) {
				t.Errorf("of %s the line shows %s, cut: %t", raw, got, cut)
			}
		})
	}
}

// What stands beside the records may leave no room for any: then the cursor would skip them all, and there is no answer.
func TestACursorThatLeavesNoRoom(t *testing.T) {
	page := func(cursor int) string {
		return `{"data":[` + strings.TrimSuffix(strings.Repeat(`{"id":"a","data":{"x":"`+strings.Repeat("y", 900)+`"}},`, 60), ",") +
			`],"next_cursor":"` + strings.Repeat("c", cursor) + `"}`
	}
	if r, err := Records(answer(page(30_000)), RecordsQuery{Stream: "messages"}); err != nil || len(r.Structured) > StructuredHard {
		t.Errorf("%d bytes, %v", len(r.Structured), err)
	}
	for _, cursor := range []int{StructuredHard - ladderJSON - 1000, 60_000} {
		_, err := Records(answer(page(cursor)), RecordsQuery{Stream: "messages"})
		if e := rs.AsError(err); e == nil || e.Code != rs.InvalidResponse || !strings.Contains(e.Message, "cursor") {
			t.Errorf("a cursor of %d bytes: %v", cursor, err)
		}
	}
}
