package rs

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Wherever in a word of eight a character stands that ends a run, it is found, and nothing else is.
func TestRuns(t *testing.T) {
	isPlain := func(c rune) bool { return c >= ' ' && c <= '~' }
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "~", " ", " ", "!", "]", "\"", "\\", "\x7f", "\x1f", "é", "ō", "π", "ж", "–", "’", "…", "漢", "한", "🚀", "\u0301", "\u0085", "\u2028", "か", "🏻", "\x80", "\x9f", "\xc3", "\xe2\x80", "\xe4\xb8", "\xf0\x9f\x9a"}
	for range 100_000 {
		var b strings.Builder
		for range random.IntN(24) {
			switch random.IntN(8) {
			case 0:
				b.WriteString(pieces[random.IntN(len(pieces))])
			case 1:
				b.WriteByte(byte(random.IntN(256)))
			default:
				b.WriteByte("a~b !]"[random.IntN(6)])
			}
		}
		text := b.String()
		quoted, ascii := textRun(text)
		if ascii && strings.ContainsFunc(text[:quoted], func(c rune) bool { return c > unicode.MaxASCII }) {
			t.Fatalf("%q is taken for ASCII", text[:quoted])
		}
		for _, run := range []struct {
			says   string
			got    int
			passes func(c rune, next string) bool
		}{
			{"textRun", quoted, func(c rune, _ string) bool { return c >= ' ' && c != '"' && c != '\\' }},
			{"PlainRun", PlainRun(text), func(c rune, _ string) bool { return isPlain(c) && c != '"' && c != '\\' || isLetter(c) }},
			{"OrdinaryRun", OrdinaryRun(text), func(c rune, _ string) bool { return isPlain(c) && c != '\\' || isLetter(c) }},
			{"OrdinaryRun of bytes", OrdinaryRun([]byte(text)), func(c rune, _ string) bool { return isPlain(c) && c != '\\' || isLetter(c) }},
			{"LineRun", LineRun(text), func(c rune, next string) bool {
				return isPlain(c) && (c != ' ' || !strings.HasPrefix(next, " ")) || isLetter(c)
			}},
		} {
			want := 0
			for want < len(text) {
				c, size := utf8.DecodeRuneInString(text[want:])
				if !run.passes(c, text[want+size:]) {
					break
				}
				want += size
			}
			if run.got != want {
				t.Fatalf("%s of %q is %d, want %d", run.says, text, run.got, want)
			}
		}
	}
}

// isLetter says by its number what letter says by its bytes.
func isLetter(c rune) bool {
	switch {
	case c < 0x2000:
		return c > 0x00A0 && c < 0x0300 && c != 0x00AD || c >= 0x03A3 && c < 0x0480
	case c < 0x4000:
		return c >= 0x2010 && c <= 0x2027 || c > 0x3040 && c < 0x3097 || c > 0x30A0 && c < 0x30FB
	case c < 0x10000:
		return c < 0xA000 || c >= 0xAC00 && c < 0xD780
	}
	return c >= 0x1F300 && c < 0x1F3C0 || c >= 0x1F400 && c < 0x1F6C0 || c >= 0x1F900 && c < 0x1FA00
}

func TestLetters(t *testing.T) {
	for c := rune(0); c <= unicode.MaxRune; c++ {
		text := string(c)
		want := 0
		if isLetter(c) {
			want = len(text)
			if !unicode.IsGraphic(c) || unicode.IsSpace(c) || unicode.IsMark(c) {
				t.Errorf("%U does not print, or not for itself", c)
			}
		}
		if got := letter(text + "a"); got != want {
			t.Errorf("%U has %d bytes, want %d", c, got, want)
		}
		for cut := range len(text) {
			if got := letter(text[:cut]); got != 0 {
				t.Errorf("%q has %d bytes", text[:cut], got)
			}
		}
	}
}

// So many runes are counted eight bytes at a time as one by one.
func TestRuneIndex(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		var b strings.Builder
		for range random.IntN(40) {
			b.WriteString([]string{"a", " ", "word ", "é", "’", "漢", "🚀", "\u0301"}[random.IntN(8)])
		}
		text, most := b.String(), random.IntN(50)-2
		want := []rune(text)
		want = want[:max(0, min(most, len(want)))]
		if index, runes := RuneIndex(text, most); text[:index] != string(want) || runes != len(want) {
			t.Fatalf("the first %d runes of %q are %q (%d), want %q", most, text, text[:index], runes, string(want))
		}
	}
}
