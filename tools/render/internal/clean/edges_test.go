package clean

import (
	"strings"
	"testing"
	"unicode"
)

// The ranges of ordinary characters, from first to last. The characters next to a range are not ordinary.
func TestEdgesOfOrdinaryBlocks(t *testing.T) {
	blocks := []struct {
		of          string
		first, last rune
	}{
		{"Latin punctuation before the soft hyphen", 0xA1, 0xAC},
		{"Latin letters before the combining marks", 0xAE, 0x2FF},
		{"Greek and Cyrillic before the marks of Old Cyrillic", 0x370, 0x482},
		{"Cyrillic and Armenian before the points of Hebrew", 0x48A, 0x590},
		{"Hebrew before the signs of Arabic", 0x5D0, 0x5FF},
		{"Arabic before its vowel signs", 0x620, 0x64A},
		{"dashes and quotes before the line separator", 0x2010, 0x2027},
		{"punctuation before the wide spaces", 0x2030, 0x205E},
		{"symbols before the marks of Coptic", 0x2100, 0x2CEE},
		{"Chinese punctuation before the tone marks", 0x3001, 0x3029},
		{"kana before the voiced sound marks", 0x3030, 0x3098},
		{"kana and Korean letters before the filler", 0x309B, 0x3163},
		{"Korean letters, Chinese and Yi before the marks of Cyrillic", 0x3165, 0xA66E},
		{"Korean syllables", 0xAC00, 0xD7A3},
		{"emoji before the skin tones", 0x1F200, 0x1F3FA},
		{"emoji after the skin tones", 0x1F400, 0x1FFFD},
		{"rare Chinese characters", 0x20000, 0x2FFFD},
	}
	if bytes := len(ordinary) * 8; bytes > 24<<10 {
		t.Errorf("the table of ordinary characters has %d bytes", bytes)
	}
	at := rune(0)
	for _, block := range blocks {
		for ; at < block.first; at++ {
			if IsOrdinary(at) {
				t.Errorf("%U before %s is ordinary", at, block.of)
			}
		}
		for ; at <= block.last; at++ {
			if !IsOrdinary(at) {
				t.Errorf("%U of %s is not ordinary", at, block.of)
			}
		}
	}
	for ; at <= unicode.MaxRune; at++ {
		if IsOrdinary(at) {
			t.Errorf("%U after the last block is ordinary", at)
		}
	}
}

// D19: the limit of a sequence holds for each of its bytes, and a text may consist of nothing but a sequence.
func TestEdgesOfTerminalSequences(t *testing.T) {
	for name, row := range map[string]struct {
		text, want string
		removed    Removed
	}{
		"a text that is a sequence of two characters":        {"\x1b0", "", Removed{Escape: 2}},
		"a text that is a control sequence":                  {"\x1b[m", "", Removed{Escape: 3}},
		"an intermediate where the final character must be":  {"\x1b" + strings.Repeat("/", 64), strings.Repeat("/", 64), Removed{Control: 1}},
		"a parameter where the final character must be":      {"\x1b[" + strings.Repeat("?", 63), "[" + strings.Repeat("?", 63), Removed{Control: 1}},
		"as many intermediates as a sequence may have":       {"\x1b" + strings.Repeat("/", 63) + "0", "", Removed{Escape: 65}},
		"one intermediate more":                              {"\x1b" + strings.Repeat("/", 64) + "0", strings.Repeat("/", 64) + "0", Removed{Control: 1}},
		"a control string that is empty":                     {"\x1b]\x07x", "x", Removed{Escape: 3}},
		"a control string that its eight-bit end ends":       {"\x1b]\u009cx", "x", Removed{Escape: 3}},
		"a control string that an escape and a letter break": {"\x1b]a\x1bMx", "]ax", Removed{Control: 1, Escape: 2}},
	} {
		t.Run("D19 "+name, func(t *testing.T) { checkClean(t, row.text, row.want, row.removed) })
	}
}

func TestEdgesOfNames(t *testing.T) {
	for _, bare := range []string{"a", "z", "A", "Z", "0", "9", "_", "~", "é", "٣"} {
		if !Unmistakable(bare) || Name(bare) != bare {
			t.Errorf("%q is written %s", bare, Name(bare))
		}
	}
	for _, quotedName := range []string{"`", "{", "[", "?", ";", "é!", "½"} {
		if Unmistakable(quotedName) {
			t.Errorf("%q is bare", quotedName)
		}
	}
}

// Only as much of a long text is cleaned as may be shown: 256 bytes plus 8 for each character.
func TestAPreviewCleansOnlyTheStart(t *testing.T) {
	for before, want := range map[int]string{255: "a…", 270: "a…", 271: "a…", 272: "…"} {
		if got := Preview(strings.Repeat("\x00", before)+"abc", 2); got != want {
			t.Errorf("after %d removed characters: %q, want %q", before, got, want)
		}
	}
	if got := Preview(strings.Repeat("\x00", 270)+"ab", 2); got != "ab" {
		t.Errorf("a text of just that length is %q", got)
	}
}
