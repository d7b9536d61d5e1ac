package clean

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// D19: what remains of a hostile text, and what is counted as removed.
func TestCleanText(t *testing.T) {
	flag := "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F"
	for _, c := range []struct {
		name, text, want string
		removed          Removed
	}{
		{name: "ordinary text with line breaks and tabs stays", text: "a\n\tb — “c” é", want: "a\n\tb — “c” é"},
		{name: "right-to-left text, joiners, emoji and Japanese stay", text: "שלום مرحبا 👩‍👩‍👧 ❤️ 日本語 प्रार्थना", want: "שלום مرحبا 👩‍👩‍👧 ❤️ 日本語 प्रार्थना"},
		{name: "an emoji flag of a region stays", text: flag, want: flag},
		{name: "decomposed letters keep their marks", text: "e\u0301o\u0302\u0323", want: "e\u0301o\u0302\u0323"},
		{name: "a carriage return before a line break is no loss", text: "a\r\nb", want: "a\nb"},
		{name: "a single carriage return is a line break", text: "a\rb\r\rc\n\r", want: "a\nb\n\nc\n\n"},
		{name: "a NUL is removed", text: "a\x00b", want: "ab", removed: Removed{Control: 1}},
		{name: "a colour sequence is removed completely", text: "a\x1b[1;31mred\x1b[0m", want: "ared", removed: Removed{Escape: 11}},
		{name: "a colour sequence in its eight-bit form is removed completely", text: "a\u009b31mred", want: "ared", removed: Removed{Escape: 4}},
		{name: "a hyperlink sequence leaves its text", text: "\x1b]8;;https://evil.example\x07click\x1b]8;;\x1b\\", want: "click", removed: Removed{Escape: 33}},
		{name: "a window title sequence is removed", text: "\u009d0;title\u009cx", want: "x", removed: Removed{Escape: 9}},
		{name: "a sequence without an end loses only its introducer", text: "\x1b]0;the rest of a long mail", want: "]0;the rest of a long mail", removed: Removed{Control: 1}},
		{name: "a clear screen sequence is removed", text: "\x1bcx", want: "x", removed: Removed{Escape: 2}},
		{name: "an escape character at the end is removed", text: "x\x1b", want: "x", removed: Removed{Control: 1}},
		{name: "a bidi override is removed", text: "invoice\u202Efdp.exe", want: "invoicefdp.exe", removed: Removed{Bidi: 1}},
		{name: "bidi isolates are removed", text: "\u2066a\u2069", want: "a", removed: Removed{Bidi: 2}},
		{name: "deprecated format characters are removed", text: "a\u206A\u206B\u206C\u206D\u206E\u206Fb", want: "ab", removed: Removed{Bidi: 6}},
		{name: "break hints are removed", text: "ig\u00ADno\u200Bre\u2060d", want: "ignored", removed: Removed{Control: 3}},
		{name: "joiners and the Mongolian vowel separator stay", text: "می\u200cخواهم क्\u200dष ᠬᠠᠭ\u180eᠠ", want: "می\u200cخواهم क्\u200dष ᠬᠠᠭ\u180eᠠ"},
		{name: "text hidden in tag characters is removed", text: "hi\U000E0069\U000E0067", want: "hi", removed: Removed{Tag: 2}},
		{name: "a flag that does not end loses its tags", text: "🏴\U000E0067x", want: "🏴x", removed: Removed{Tag: 1}},
		{name: "a flood of marks ends at ten", text: "e" + strings.Repeat("\u0301", 10000) + "f", want: "e" + strings.Repeat("\u0301", 10) + "f", removed: Removed{Combining: 9990}},
		{name: "bytes hidden in variation selectors are removed", text: "😀\U000E0101\U000E0102\U000E0103", want: "😀", removed: Removed{Combining: 3}},
		{name: "a byte order mark and a noncharacter are removed", text: "\uFEFFa\uFFFF\uFDD0", want: "a", removed: Removed{Control: 3}},
		{name: "invalid UTF-8 is shown as U+FFFD", text: "a\xff\xc0b", want: "a\uFFFD\uFFFDb", removed: Removed{Invalid: 2}},
		{name: "other line breaks become the usual one", text: "a\u2028b\u0085c\vd\fe", want: "a\nb\nc\nd\ne"},
		{name: "a removed character in the middle makes no flag", text: "🏴\x00\U000E0067\U000E0062\U000E007F", want: "🏴", removed: Removed{Control: 1, Tag: 3}},
	} {
		t.Run("D19 "+c.name, func(t *testing.T) {
			var removed Removed
			if diff := cmp.Diff(c.want, removed.Text(c.text)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.removed, removed); diff != "" {
				t.Error(diff)
			}
			// The same text as a JSON value is cleaned to the same text.
			removed = Removed{}
			raw := `{"k":"` + jsonEscapes(c.text) + `"}`
			cleaned := removed.JSON(raw, Visible)
			var got struct{ K string }
			if err := json.Unmarshal([]byte(cleaned), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.K); diff != "" {
				t.Errorf("in JSON: %s", diff)
			}
			if diff := cmp.Diff(c.removed, removed); diff != "" {
				t.Errorf("in JSON: %s", diff)
			}
		})
	}
}

// jsonEscapes returns the text as the inside of a JSON string, with its invalid bytes unchanged.
func jsonEscapes(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			b.Write(appendEscape(nil, rune(c)))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// The total adds up all kinds of removed characters.
func TestTheTotalCountsEveryKind(t *testing.T) {
	if total := (Removed{Control: 1, Escape: 2, Bidi: 4, Tag: 8, Combining: 16, Invalid: 32}).Total(); total != 63 {
		t.Errorf("%d", total)
	}
}

func TestCleanJSON(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"a clean document is unchanged, including escapes", `{"a":"\u00e9 \ud83d\ude80 \/ \n","b":[1,true,null]}`, `{"a":"\u00e9 \ud83d\ude80 \/ \n","b":[1,true,null]}`},
		{"a lone surrogate is shown as U+FFFD", `{"a":"x\ud800y\udc00z"}`, "{\"a\":\"x\uFFFDy\uFFFDz\"}"},
		{"a name keeps what does not print as a visible escape", "{\"a\u202eb\":\"c\u202ed\"}", `{"a\\u202eb":"cd"}`},
		{"a name with an escape sequence", `{"a\u001b[31m":1}`, `{"a\\u001b[31m":1}`},
		{"a string in a list is a value even before a colon in text", `["\u0000",":"]`, `["",":"]`},
		{"an empty string stays a string", `{"":"","a":"\u0000"}`, `{"":"","a":""}`},
		{"other strings of a dirty document are not rewritten", `{"a":"\u0000","b":"\u00e9"}`, `{"a":"","b":"\u00e9"}`},
	} {
		t.Run("D19 "+c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, new(Removed).JSON(c.raw, Visible)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// D19: a control string that does not end, or not within its limit, does not remove the text after it, in either form of every kind.
func TestAControlStringWithoutEndIsBounded(t *testing.T) {
	for _, start := range []string{"\x1bP", "\x1bX", "\x1b]", "\x1b^", "\x1b_", "\u0090", "\u0098", "\u009d", "\u009e", "\u009f"} {
		for name, end := range map[string]string{"none": "", "a bell": "\a", "a string terminator": "\u009c", "an escape": "\x1b\\"} {
			rest := ""
			if len(start) == 2 && start[0] == '\x1b' {
				rest = start[1:]
			}
			long := strings.Repeat("mail ", 4096/5+1)
			if got := Lines("before " + start + long + end + " after"); !strings.HasPrefix(got, "before "+rest+long) || !strings.HasSuffix(got, " after") {
				t.Errorf("%q with %s as its end: %.60q … %d bytes of %d", start, name, got, len(got), len(long))
			}
			short := strings.Repeat("m", 4096-8)
			if got := Lines("before " + start + short + end + " after"); end != "" && got != "before  after" {
				t.Errorf("%q ended by %s leaves %.60q", start, name, got)
			}
		}
	}
}

// FuzzClean: cleaning is idempotent, returns valid UTF-8 without characters that must not reach a host, leaves clean text unchanged, and
// never adds lines.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"plain", "a\x1b[31mred", "hi\U000E0069\U000E0067", "\x1b[31mred\x1b[0m", "\x1b]8;;u\x07t\x1b]8;;\x07", "\x1b\x1b[[31m31m", "a\u202Eb\u2066", "🏴\U000E0067\U000E0062\U000E007F",
		"e" + strings.Repeat("\u0301", 30), "😀\uFE0F\uFE0F", "\xff\xed\xa0\x80", "\r\n\r\u2028\u0085", "> forged\nnext page: {}", "\u009b\u009d\u0090x\u009c", "\x00\x7f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var removed Removed
		got := removed.Text(text)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		if again := Lines(got); again != got {
			t.Errorf("cleaning %q again gives %q", got, again)
		}
		marks := 0
		for i, c := range got {
			switch {
			case c == '\n' || c == '\t':
			case unicode.IsControl(c), c >= 0x202A && c <= 0x202E, c >= 0x2066 && c <= 0x206F, c == 0x2028, c == 0x2029, c == 0xFEFF, c == 0xAD, c == 0x200B, c == 0x2060,
				c >= 0xE0000 && c <= 0xE007F && !inFlag(got, i):
				t.Errorf("%q contains %U", got, c)
			}
			if marks++; !isMark(c) {
				marks = 0
			}
			if marks > 10 {
				t.Errorf("%q has a flood of marks", got)
			}
		}
		rest := strings.Map(func(c rune) rune { // the visible text without sequences of one colour
			if !unicode.IsGraphic(c) || unicode.IsMark(c) {
				return -1
			}
			return c
		}, strings.ReplaceAll(text, "\x1b[31m", ""))
		if strings.Contains(got, "[31m") && !strings.Contains(rest, "[31m") && !strings.ContainsRune(text, 0x9b) && strings.Count(text, "\x1b") == strings.Count(text, "\x1b[31m") {
			t.Errorf("%q keeps the rest of an escape sequence of %q", got, text)
		}
		if removed.Total() == 0 && strings.ToValidUTF8(text, "") == text && utf8.RuneCountInString(got)+strings.Count(text, "\r\n") != utf8.RuneCountInString(text) {
			t.Errorf("%q became %q and nothing was counted", text, got)
		}
		if line := Line(text); strings.ContainsAny(line, "\n\t\r") || line != strings.TrimSpace(line) || Line(line) != line {
			t.Errorf("Line(%q) = %q", text, line)
		}
		// In JSON the same text is cleaned to the same result, once and twice.
		raw := `{"k":` + string(rs.AppendText(nil, text)) + `}`
		cleaned := new(Removed).JSON(raw, Visible)
		var decoded struct{ K string }
		if err := json.Unmarshal([]byte(cleaned), &decoded); err != nil || decoded.K != Lines(strings.ToValidUTF8(text, "\uFFFD")) && strings.ToValidUTF8(text, "") == text {
			t.Errorf("%s became %s: %v", raw, cleaned, err)
		}
		if again := new(Removed).JSON(cleaned, Visible); again != cleaned {
			t.Errorf("cleaning %s again gives %s", cleaned, again)
		}
	})
}

// FuzzCleanJSON: a JSON document stays valid, with the same shape and nothing left to clean; anything else is unchanged.
func FuzzCleanJSON(f *testing.F) {
	f.Add([]byte("{\"a\u202e\":[\"\\u001b[1m\",{\"\\ud800\":\"\xff\"}],\"b\":1}"))
	f.Add([]byte(`"\`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		clean := new(Removed).JSON(string(raw), Visible)
		if json.Valid(raw) != json.Valid([]byte(clean)) {
			t.Fatalf("%q became %q", raw, clean)
		}
		if !json.Valid(raw) {
			return
		}
		if !utf8.ValidString(clean) {
			t.Errorf("%q is not UTF-8", clean)
		}
		var removed Removed
		if again := removed.JSON(clean, Visible); again != clean || removed.Total() != 0 {
			t.Errorf("%q became %q, then %q", raw, clean, again)
		}
		if strings.Count(string(raw), `[`) == strings.Count(clean, `[`) {
			return
		}
		var before, after any
		if json.Unmarshal(raw, &before) == nil && json.Unmarshal([]byte(clean), &after) == nil && shape(before) != shape(after) {
			t.Errorf("%q became %q", raw, clean)
		}
	})
}

func shape(v any) int {
	switch v := v.(type) {
	case []any:
		n := 1
		for _, e := range v {
			n += shape(e)
		}
		return n
	case map[string]any:
		n := 1
		for _, e := range v {
			n += shape(e)
		}
		return n
	}
	return 1
}

// inFlag reports whether the character at i of s is inside an emoji flag.
func inFlag(s string, i int) bool {
	start := strings.LastIndex(s[:i], string(blackFlag))
	return start >= 0 && start+flagBytes(s[start:]) > i
}

// Ordinary characters are neither combining marks nor white space, are a grapheme cluster alone, and are never removed.
func TestOrdinaryCharactersStay(t *testing.T) {
	count := 0
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if !IsOrdinary(c) {
			continue
		}
		count++
		if c <= unicode.MaxASCII || unicode.IsMark(c) || unicode.IsSpace(c) || !Shows(c) || isLineBreak(c) || isTag(c) || isVariationSelector(c) || Lines(string(c)) != string(c) ||
			dirty(string(c), false) {
			t.Errorf("%U is not ordinary", c)
		}
		if beside := string(c) + string(c) + "e" + string(c); uniseg.GraphemeClusterCount(beside) != 4 {
			t.Errorf("%U is not a grapheme cluster alone", c)
		}
	}
	for c := ' '; c <= '~'; c++ {
		if dirty(string(c), false) {
			t.Errorf("%q is not skipped", c)
		}
	}
	if count < 100_000 {
		t.Errorf("only %d characters are ordinary", count)
	}
}

// BenchmarkClean cleans texts of 38 KB from which nothing is removed: English with and without other characters, and Japanese.
func BenchmarkClean(b *testing.B) {
	for name, sentence := range map[string]string{
		"ascii": "the invoice was discussed with the team over lunch; a draft comes next week. ", "mixed": "the invoice was discussed with the team — café 🚀. ",
		"japanese": "請求書について昼食をとりながら話し合いました。",
	} {
		text := strings.Repeat(sentence, 38_000/len(sentence))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if Lines(text) != text || DirtyJSON(text) || Line(text) != strings.TrimSpace(text) {
					b.Fatal("something is lost")
				}
			}
		})
	}
}
