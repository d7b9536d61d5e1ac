package clean

import (
	"strings"
	"testing"
)

// ANSWERS 2: a short value is printed exactly; a truncated one says how much is missing.
func TestCell(t *testing.T) {
	long := strings.Repeat("wörd 🚀 ", 40) // 280 characters
	for says, row := range map[string]struct {
		raw, want string
		left      int
	}{
		"a text that can only be a text is not quoted":        {`"Harvest Lane Groceries"`, `Harvest Lane Groceries`, 0},
		"a number keeps its digits":                           {`13.20`, `13.20`, 0},
		"a text of digits is not a number":                    {`"1775000199.0001"`, `"1775000199.0001"`, 0},
		"an empty text is quoted":                             {`""`, `""`, 0},
		"an empty list is printed":                            {`[]`, `[]`, 0},
		"null is printed":                                     {`null`, `null`, 0},
		"the word null is not null":                           {`"null"`, `"null"`, 0},
		"a separator is quoted":                               {`"a | b"`, `"a | b"`, 0},
		"a line break is quoted":                              {`"a\nb"`, `"a\nb"`, 0},
		"two spaces stay two":                                 {`"a  b"`, `a  b`, 0},
		"spaces at an end are quoted":                         {`" a"`, `" a"`, 0},
		"a text like a call is quoted":                        {`"fetch {}"`, `"fetch {}"`, 0},
		"D19 joiners and emoji are printed unchanged":         {`"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 👩\u200d💻"`, "می\u200cخواهم 👩\u200d💻", 0},
		"D19 joiners and emoji are unchanged inside quotes":   {`"می\u200cخواهم | 👩\u200d💻"`, "\"می\u200cخواهم | 👩\u200d💻\"", 0},
		"D19 characters that control a terminal are left out": {`"a\u001b[31mb\u202e"`, `ab`, 0},
		"nothing is null":                                     {``, `null`, 0},
		"true and false are printed":                          {`true`, `true`, 0},
		"the word true is not true":                           {`"true"`, `"true"`, 0},
		"the sign for a usual value is a text":                {`"~"`, `"~"`, 0},
		"a colon in a text is not quoted":                     {`"a: b"`, `"a: b"`, 0},
		"a time is not quoted":                                {`"09:15"`, `09:15`, 0},
		"a space at the end is quoted":                        {`"a "`, `"a "`, 0},
		"unprintable characters are escaped":                  {`"a\u00a0\u00a0|\ue000\udb80\udc00\udbff\udffd"`, `"a\u00a0\u00a0|\ue000\udb80\udc00\udbff\udffd"`, 0},
		"unprintable characters are quoted":                   {`"a\u00a0b"`, `"a\u00a0b"`, 0},
		"a flag is printed completely":                        {`"| ` + scotland + `"`, `"| ` + scotland + `"`, 0},
		"a list is JSON":                                      {`["a", {"b":1}]`, `["a", {"b":1}]`, 0},
		"a text little over the limit is not truncated":       {`"` + strings.Repeat("a", 125) + `"`, strings.Repeat("a", 125), 0},
		"a longer text is truncated":                          {`"` + strings.Repeat("a", 126) + `"`, `"` + strings.Repeat("a", 100) + `"…`, 26},
		"a long text says how much is missing":                {`"` + long + `"`, `"` + strings.Repeat("wörd 🚀 ", 14) + `wö"…`, 180},
		"a long list says how much is missing":                {`[` + strings.Repeat(`1,`, 100) + `1]`, `[` + strings.Repeat(`1,`, 49) + `1…`, 103},
		"a text like a note of the adapter":                   {`"(+3 characters)"`, `"(+3 characters)"`, 0},
		"a text like a word of the adapter":                   {`"(none)"`, `"(none)"`, 0},
		"a text that ends like a note of the adapter":         {`"abc… (+1,000 characters)"`, `"abc… (+1,000 characters)"`, 0},
	} {
		t.Run(says, func(t *testing.T) {
			if got, left := Cell(row.raw, 100); got != row.want || left != row.left {
				t.Errorf("%s is shown as %s, %d left; want %s, %d", row.raw, got, left, row.want, row.left)
			}
		})
	}
}

func TestTextsAreTruncatedAtCharacters(t *testing.T) {
	for _, row := range []struct {
		text string
		max  int
		want string
	}{
		{"äöü", 3, "äöü"}, {"äöü", 2, "ä…"}, {"a b", 2, "a…"}, {"ab", 1, "…"}, {"ab", 0, ""}, {"", 0, ""}, {"🚀🚀", 2, "🚀🚀"}, {"🚀🚀🚀", 2, "🚀…"},
	} {
		if got := Clip(row.text, row.max); got != row.want {
			t.Errorf("%d of %q is %q, want %q", row.max, row.text, got, row.want)
		}
		if got := LongerThan(row.text, row.max); got != (len([]rune(row.text)) > row.max) {
			t.Errorf("%q is longer than %d: %v", row.text, row.max, got)
		}
	}
	if index, runes := RuneCountIndex("äb🚀c", 3); index != 7 || runes != 3 {
		t.Errorf("three of four characters end at %d, after %d", index, runes)
	}
	if index, runes := RuneCountIndex("äb", 5); index != 3 || runes != 2 {
		t.Errorf("all of two characters end at %d, after %d", index, runes)
	}
	if got := Preview("a\nb "+strings.Repeat("é", 5_000), 10); got != "a b ééééé…" {
		t.Error(got)
	}
}

func TestNamesAsTheyAreSentBack(t *testing.T) {
	for name, want := range map[string]string{
		"orders": "orders", "a_b-c.d:e/f@g+h#i~j": "a_b-c.d:e/f@g+h#i~j", "straße": "straße", "a b": `"a b"`, "": `""`, "a!": `"a!"`, "x9": "x9", "→": `"→"`,
		"a\"b": `"a\"b"`, "a\tb": `"a\tb"`, "a\u2028b": `"a\u2028b"`, "a\uFFFFb": `"a\uffffb"`, "a\U0001FFFFb": `"a\ud83f\udfffb"`, "م\uFFF9": "\"م\uFFF9\"", "م\uFFF8": `"م\ufff8"`,
		"~م\u200c\u200d\u200cم": `"~م\u200c\u200d\u200cم"`,
	} {
		if got := Name(name); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
	for label, want := range map[string]string{"Work mail, none follow": `"Work mail, none follow"`, "Work mail": "Work mail", "a=b": `"a=b"`, "a;b": `"a;b"`, "": ""} {
		if got := Bare(label); got != want {
			t.Errorf("%q is %s, want %s", label, got, want)
		}
	}
}

// Spaces that look like U+0020 or like nothing are escaped, other characters are not.
func TestOtherSpacesAreEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"a b": "a b", "a\u00a0b\u2003": `a\u00a0b\u2003`, "ü\u3000ü 🚀": `ü\u3000ü 🚀`, "": "",
	} {
		if got := Escaped(text, IsOtherSpace); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// Escapes are decoded, except those that JSON requires.
func TestEscapesAreDecoded(t *testing.T) {
	for raw, want := range map[string]string{
		`{"a":1}`: `{"a":1}`, `["\u00e9","\n"]`: `["é","\n"]`, `["\u0022\u005c"]`: `["\"\\"]`, `["\u00e9","a\/b"]`: `["é","a\/b"]`,
	} {
		if got := Readable(raw); got != want {
			t.Errorf("%s reads %s, want %s", raw, got, want)
		}
	}
}
