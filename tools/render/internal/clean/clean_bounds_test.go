package clean

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// D19: the first and last character of each removed range are removed, and the characters next to the range stay.
func TestCharactersNextToRemovedRangesStay(t *testing.T) {
	tags := func(n int) string { return "🏴" + strings.Repeat("\U000E0061", n) + "\U000E007F" }
	for name, row := range map[string]struct {
		text, want string
		removed    Removed
	}{
		"next to the bidi controls":     {"a\u202Fb\u2070", "a\u202Fb\u2070", Removed{}},
		"the ends of the bidi controls": {"a\u202A\u202E\u2066\u206Fb", "ab", Removed{Bidi: 4}},
		"next to the noncharacters":     {"\uFDCF\uFDF0\uFFFD\U0001FFFD", "\uFDCF\uFDF0\uFFFD\U0001FFFD", Removed{}},
		"the ends of the noncharacters": {"a\uFDD0\uFDEF\uFFFE\U0001FFFE\U0010FFFFb", "ab", Removed{Control: 5}},
		"next to the tags":              {"\U000DFFFD\U000E1000", "\U000DFFFD\U000E1000", Removed{}},
		"the ends of the tags":          {"a\U000E0000\U000E007F\U000E0080\U000E00FF\U000E01F0\U000E0FFFb", "ab", Removed{Tag: 6}},
		"next to the variation selectors": {
			"\uFDFF\uFDFF\uFE10\uFE10",
			"\uFDFF\uFDFF\uFE10\uFE10",
			Removed{},
		},
		"the first selectors, twice":           {"☂\uFE00\uFE00葛\U000E0100\U000E0100", "☂\uFE00葛\U000E0100", Removed{Combining: 2}},
		"the last selectors, twice":            {"☂\uFE0F\uFE0F葛\U000E01EF\U000E01EF", "☂\uFE0F葛\U000E01EF", Removed{Combining: 2}},
		"a selector on each of two symbols":    {"\x00☂\uFE0F☂\uFE0F", "☂\uFE0F☂\uFE0F", Removed{Control: 1}},
		"a selector after a removed character": {"☂\x00\uFE0Fa", "☂\uFE0Fa", Removed{Control: 1}},
		"a selector after invalid UTF-8":       {"\xff\uFE0F", "\uFFFD\uFE0F", Removed{Invalid: 1}},
		"a selector after a flag":              {"\x00" + tags(2) + "\uFE0F", tags(2) + "\uFE0F", Removed{Control: 1}},
		"a selector after each line":           {"\uFE0F\n\uFE0F\v\uFE0F \uFE0F\t\uFE0F\u3000\uFE0F", "\n\n \t\u3000", Removed{Combining: 6}},
		"a selector after each letter": {
			"a\uFE00z\uFE0EA\uFE0FZ\U000E0100é\uFE01ж\uFE02ג\uFE03ل\uFE04ก\uFE05e\u0301\uFE06.\uFE07",
			"azAZéжגلกe\u0301.", Removed{Combining: 11},
		},
		"a selector after the last sign of ASCII":     {"~\uFE0F", "~", Removed{Combining: 1}},
		"a selector of the supplement after a symbol": {"😀\U000E0101☂\U000E01EF1\U000E0100", "😀☂1", Removed{Combining: 3}},
		"selectors that are needed": {
			"\x00❤\uFE0F‼\uFE0E©\uFE0F1\uFE0F\u20E3#\uFE0F\u20E3*\uFE0F0\uFE009\uFE0Fက\uFE00葛\uFE00葛\U000E0100",
			"❤\uFE0F‼\uFE0E©\uFE0F1\uFE0F\u20E3#\uFE0F\u20E3*\uFE0F0\uFE009\uFE0Fက\uFE00葛\uFE00葛\U000E0100", Removed{Control: 1},
		},
		"a selector after ten marks": {
			"e" + strings.Repeat("\u0301", 10) + "\uFE0F",
			"e" + strings.Repeat("\u0301", 10),
			Removed{Combining: 1},
		},
		"ten marks, a selector among them": {
			"☂\uFE0F" + strings.Repeat("\u0301", 10),
			"☂\uFE0F" + strings.Repeat("\u0301", 9),
			Removed{Combining: 1},
		},
		"ten marks on each letter": {
			"\x00" + strings.Repeat("e"+strings.Repeat("\u0301", 10), 2),
			strings.Repeat("e"+strings.Repeat("\u0301", 10), 2),
			Removed{Control: 1},
		},
		"eleven marks at the beginning":              {strings.Repeat("\u0301", 11), strings.Repeat("\u0301", 10), Removed{Combining: 1}},
		"eleven marks on a joiner":                   {"م\u200D" + strings.Repeat("\u0301", 11), "م\u200D" + strings.Repeat("\u0301", 10), Removed{Combining: 1}},
		"ten marks on a joiner":                      {"م\u200D" + strings.Repeat("\u0301", 10) + "\x00", "م\u200D" + strings.Repeat("\u0301", 10), Removed{Control: 1}},
		"a selector after the last of the Near East": {"\u0FFF\uFE00", "\u0FFF", Removed{Combining: 1}},
		"ten marks at the beginning":                 {strings.Repeat("\u0301", 10) + "e\x00", strings.Repeat("\u0301", 10) + "e", Removed{Control: 1}},
		"ten marks after invalid UTF-8": {
			"e" + strings.Repeat("\u0301", 10) + "\xff" + strings.Repeat("\u0301", 10),
			"e" + strings.Repeat("\u0301", 10) + "\uFFFD" + strings.Repeat("\u0301", 10),
			Removed{Invalid: 1},
		},
		"ten marks after a flag": {
			"\x00e" + strings.Repeat("\u0301", 10) + tags(2) + strings.Repeat("\u0301", 10),
			"e" + strings.Repeat("\u0301", 10) + tags(2) + strings.Repeat("\u0301", 10),
			Removed{Control: 1},
		},
		"a flag of the first and last letters": {
			"🏴\U000E0030\U000E0039\U000E0061\U000E007A\U000E007F",
			"🏴\U000E0030\U000E0039\U000E0061\U000E007A\U000E007F",
			Removed{},
		},
		"the characters beside variation selectors": {"a\uFDFF\uFDFF\uFE10\uFE10b", "a\uFDFF\uFDFF\uFE10\uFE10b", Removed{}},
		"the first and last variation selectors, each second": {
			"☂\uFE00\uFE00☃\uFE0F\uFE0F葛\U000E0100\U000E0100辻\U000E01EF\U000E01EFe", "☂\uFE00☃\uFE0F葛\U000E0100辻\U000E01EFe", Removed{Combining: 4},
		},
		"a noncharacter before the tags":       {"a\U000DFFFFb", "ab", Removed{Control: 1}},
		"a flag of what is before the digits":  {"🏴\U000E002F\U000E007F", "🏴", Removed{Tag: 2}},
		"a flag of what is after the digits":   {"🏴\U000E003A\U000E007F", "🏴", Removed{Tag: 2}},
		"a flag of what is before the letters": {"🏴\U000E0060\U000E007F", "🏴", Removed{Tag: 2}},
		"a flag of what is after the letters":  {"🏴\U000E007B\U000E007F", "🏴", Removed{Tag: 2}},
		"a flag of no region":                  {tags(0), "🏴", Removed{Tag: 1}},
		"a flag of seven letters":              {tags(7), tags(7), Removed{}},
		"a flag of eight letters":              {tags(8), "🏴", Removed{Tag: 9}},
		"a truncated flag":                     {"🏴\U000E0061", "🏴", Removed{Tag: 1}},
	} {
		t.Run("D19 "+name, func(t *testing.T) { checkClean(t, row.text, row.want, row.removed) })
	}
}

// D19: every form of a terminal sequence is removed completely; text that only begins like one loses its first character.
func TestTerminalSequencesAreRemovedCompletely(t *testing.T) {
	long := strings.Repeat("1", 62)
	for name, row := range map[string]struct {
		text, want string
		removed    Removed
	}{
		"of two characters, the first":          {"\x1b0x", "x", Removed{Escape: 2}},
		"of two characters, the last":           {"\x1b~x", "x", Removed{Escape: 2}},
		"with an intermediate, the first":       {"\x1b 0x", "x", Removed{Escape: 3}},
		"with an intermediate, the last":        {"\x1b//Bx", "x", Removed{Escape: 4}},
		"with what is before an intermediate":   {"\x1b\x1f0x", "0x", Removed{Control: 2}},
		"of no such character":                  {"\x1b\x7fx\x1bé", "xé", Removed{Control: 3}},
		"an index":                              {"a\x1bMb", "ab", Removed{Escape: 2}},
		"an eight-bit index is a control":       {"a\u008Db", "ab", Removed{Control: 1}},
		"a control sequence without parameters": {"\x1b[@x\x1b[~x\u009b@x", "xxx", Removed{Escape: 8}},
		"the first and last parameters":         {"\x1b[ ?mx", "x", Removed{Escape: 5}},
		"a control sequence with a line in it":  {"\x1b[1\n2mx", "[1\n2mx", Removed{Control: 1}},
		"a control sequence that ends with DEL": {"\x1b[1\x7fx", "[1x", Removed{Control: 2}},
		"the beginning of one at the end":       {"a\x1b[", "a[", Removed{Control: 1}},
		"the longest":                           {"\x1b[" + long + "mx", "x", Removed{Escape: 65}},
		"one longer than the longest":           {"\x1b[" + long + "1mx", "[" + long + "1mx", Removed{Control: 1}},
		"a device control":                      {"\x1bPa\x07x\u0090a\x07x", "xx", Removed{Escape: 7}},
		"a start of string":                     {"\x1bXa\x07x\u0098a\x07x", "xx", Removed{Escape: 7}},
		"an operating system command":           {"\x1b]a\u009cx\u009da\x1b\\x", "xx", Removed{Escape: 8}},
		"a privacy message":                     {"\x1b^a\x07x\u009ea\x07x", "xx", Removed{Escape: 7}},
		"a program command":                     {"\x1b_a\x07x\u009fa\x07x", "xx", Removed{Escape: 7}},
		"a control string with a control in it": {"\x1b]a\x01b\x07x", "]abx", Removed{Control: 3}},
		"a control string with an escape in it": {"\x1b]a\x1b[1mx\x07", "]ax", Removed{Escape: 4, Control: 2}},
		"the longest control string":            {"\x1b]" + strings.Repeat("a", 4095) + "\x07x", "x", Removed{Escape: 4098}},
		"one longer than the longest of strings": {
			"\x1b]" + strings.Repeat("a", 4096) + "\x07x",
			"]" + strings.Repeat("a", 4096) + "x",
			Removed{Control: 2},
		},
	} {
		t.Run("D19 "+name, func(t *testing.T) { checkClean(t, row.text, row.want, row.removed) })
	}
}

// D19: invisible characters cannot encode a message: those without a use are removed, and of the others only as many stay as scripts
// need.
func TestInvisibleCharactersCannotEncodeMessages(t *testing.T) {
	spelled := func(zero, one string) string { // "hi" in bits
		return strings.NewReplacer("0", zero, "1", one).Replace("0110100001101001")
	}
	beside := ""
	for _, c := range "\u034E\u0350\u061B\u115E\u1161\u17B3\u17B6\u180A\u1810\u2010\u205F\uFFEF\uFFFC\u3163\u3165\uFF9F\uFFA1\u2070\U0001BC9F\U0001BCA4\U0001D172\U0001D17B" {
		beside += strings.Repeat(string(c), 3)
	}
	for name, row := range map[string]struct {
		text, want string
		removed    Removed
	}{
		"operators that formulas leave out": {"a" + spelled("\u2062", "\u2064") + "b\u2061c\u2063d\u2065", "abcd", Removed{Control: 19}},
		"fillers":                           {"한" + spelled("\u3164", "\uFFA0") + "글", "한글", Removed{Control: 16}},
		"reserved characters":               {"a\uFFF0\uFFF8b م\uFFF8م\u200B", "ab مم", Removed{Control: 4}},
		"joiners in a row":                  {"م" + spelled("\u200C", "\u200D") + "م", "م\u200C\u200Dم", Removed{Control: 14}},
		"marks of direction in a row":       {"א" + spelled("\u200E", "\u200F") + "\u061Cא", "א\u200E\u200Fא", Removed{Control: 15}},
		"graphemes joined in a row":         {"م" + spelled("\u034F", "\u180B") + "م", "م\u034F\u180Bم", Removed{Control: 14}},
		"all others in a row": {
			"م\u115F\u1160\u17B4\u17B5\u180C\u180D\u180E\u180F\uFFF9\uFFFA\uFFFB\U0001BCA0\U0001BCA3\U0001D173\U0001D17A", "م\u115F\u1160", Removed{Control: 13},
		},
		"those in a row with removed characters":               {"م\u200C\x00\u200D\u202E\u200Cم", "م\u200C\u200Dم", Removed{Control: 2, Bidi: 1}},
		"those in a row, on each of two":                       {"م\u200C\u200Dم\u200C\u200Dم\x00", "م\u200C\u200Dم\u200C\u200Dم", Removed{Control: 1}},
		"a joiner between letters":                             {"ig\u200Dno\u200Cre A\u200EZ a\u034Fz", "ignore AZ az", Removed{Control: 4}},
		"two joiners between letters":                          {"i\u200D\u200Cg", "ig", Removed{Control: 2}},
		"a joiner and a removed character between two letters": {"i\u200D\x00g h\x1b[1m\u200Di", "ig hi", Removed{Control: 3, Escape: 4}},
		"joiners that are needed": {
			"HTML\u200Cها می\u200Cخواهم ه\u200D\u200C क्\u200Dष 👩\u200D💻 ❤\uFE0F\u200D🔥 a\u0301\u200Db ᠬᠠᠭ\u180Eᠠ\u180B C++\u200E\x00",
			"HTML\u200Cها می\u200Cخواهم ه\u200D\u200C क्\u200Dष 👩\u200D💻 ❤\uFE0F\u200D🔥 a\u0301\u200Db ᠬᠠᠭ\u180Eᠠ\u180B C++\u200E", Removed{Control: 1},
		},
		"next to them, three times":        {"\x00" + beside, beside, Removed{Control: 1}},
		"a joiner between other signs":     {"a\u200D@ [\u200Db z\u200D{ `\u200Dy", "a\u200D@ [\u200Db z\u200D{ `\u200Dy", Removed{}},
		"joiners at the beginning":         {"\u200C\u200D\u200Cم", "\u200C\u200Dم", Removed{Control: 1}},
		"a mark behind a joiner that went": {"a\u200Db e\u0301f\u0301\u200D\u200D\u200D", "ab e\u0301f\u0301\u200D\u200D", Removed{Control: 2}},
	} {
		t.Run("D19 "+name, func(t *testing.T) {
			checkClean(t, row.text, row.want, row.removed)
			checkClean(t, row.want, row.want, Removed{})
			if dirty := DirtyJSON(`"` + row.want + `"`); !dirty && Lines("\x00"+row.want) != row.want {
				t.Errorf("%q is reported as clean", row.want)
			}
		})
	}
}

// D19: a name is shown so that it is the exact name when copied into JSON, even with characters that would be removed from a text.
func TestNamesKeepAllCharacters(t *testing.T) {
	for _, name := range []string{
		"a\u200Db", "a\u2062\u2064", "م\u200C\u200D\u200Cم", "x\uFE0F", "\u3164", "a\U000E0080\U000E0100", "e" + strings.Repeat("\u0301", 12), "é\"\\\u202e", "می\u200cخواهم", "ﾠ",
	} {
		for _, shown := range []string{`"` + Visible(name) + `"`, Name(name)} {
			var copied string
			if err := json.Unmarshal([]byte(shown), &copied); err != nil || copied != name || Lines(shown) != shown {
				t.Errorf("%q is shown as %s, which is %q: %v", name, shown, copied, err)
			}
		}
	}
}

func checkClean(t *testing.T, text, want string, counts Removed) {
	t.Helper()
	var removed Removed
	if diff := cmp.Diff(want, removed.Text(text)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(counts, removed); diff != "" {
		t.Error(diff)
	}
}

// D19: half of a surrogate pair is counted, however its digits are written; a complete pair is not.
func TestHalfSurrogatePairsAreCounted(t *testing.T) {
	for token, want := range map[string]int{
		`"\uD83D\uDE00"`: 0, `"\ud83d\ude00"`: 0, `"\uDBFF\uDFFF"`: 0, `"\ud800\udc00"`: 0, `"\uDaBc\uDeF9"`: 0,
		`"\uD7FF\uE000"`: 0, `"\uD800"`: 1, `"\udfff"`: 1, `"\uDBFFx"`: 1, `"x\uDC00"`: 1, `"\uD800\uD800"`: 2, `"\uDC00\uDFFF"`: 2,
		`"\uD83D\\uDE00"`: 1, `"\\uD83D"`: 0, `"\uD83D\n\uDE00"`: 2, `"\uD83D\uDE00\uDE00"`: 1, `"\uDBFE\uDCFD"`: 0, `"\u00e9"`: 0,
		`"\uFffD\ud800"`: 1, `"\\ufffd\ud800"`: 1, "\"\uFFFD\xff\"": 1,
	} {
		var removed Removed
		removed.JSON(token, Visible)
		if removed.Invalid != want {
			t.Errorf("%s: %+v, want %d", token, removed, want) // U+10FFFF is a complete pair, and is removed as a noncharacter
		}
	}
}

// A text is never truncated inside an emoji flag of a region.
func TestOpenFlag(t *testing.T) {
	const begun, whole = "🏴\U000E0067\U000E0062", "🏴\U000E0067\U000E0062\U000E007F"
	for text, want := range map[string]int{
		"":                                    0,
		"ab":                                  2,
		begun:                                 0,
		"ab" + begun:                          2,
		"ab" + whole:                          2 + len(whole),
		whole + begun:                         len(whole),
		begun + "x":                           len(begun) + 1,
		"🏴":                                   0,
		"🏴" + strings.Repeat("\U000E0061", 9): 4 + 9*4,
	} {
		if got := OpenFlag(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// D19: text that only resembles something to remove stays, and an escaped backslash does not hide what follows it.
func TestHarmlessLookalikesStay(t *testing.T) {
	checkClean(t, "a\\\x00b\\\u202Ec\\u202e", "a\\b\\c\\u202e", Removed{Control: 1, Bidi: 1})
	checkClean(t, "\\\a", "\\", Removed{Control: 1})
	for _, noJSON := range []string{"\"\u202E", "\"a\u202E\\", "{\"\u202E", `"\q\ufffd"`} {
		var removed Removed
		if got := removed.JSON(noJSON, Visible); got != noJSON || removed != (Removed{}) {
			t.Errorf("%q is %q, without %+v", noJSON, got, removed)
		}
	}
	for raw, hidden := range map[string]bool{`"\n\u202e"`: true, "\"\\n\uFE0F\uFE0F\"": true, `"\\u202e"`: false, `"\n\n"`: false} {
		if DirtyJSON(raw) != hidden {
			t.Errorf("%q hides something: %v", raw, !hidden)
		}
	}
	for text, want := range map[string]string{
		" a\n\n b  c\t": "a b c", "a b": "a b", "\n": "", "\ta": "a", "\na": "a", "a\u2028b": "a b", "a\u00a0 b": "a b", "a\uFEFFb": "ab",
		"\\\a": "\\",
	} {
		if got := Line(text); got != want {
			t.Errorf("%q on one line is %q; want %q", text, got, want)
		}
	}
}
