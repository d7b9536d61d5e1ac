package render

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// What is passed over without looking closer: every character of which that is said is looked at.
func TestCharactersThatStandAlone(t *testing.T) {
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if c <= '~' || !standsAlone(c) {
			continue
		}
		if !clean.Shows(c) || strings.ContainsRune("\n\v\f\u0085\u2028\u2029", c) || unicode.IsSpace(c) || unicode.In(c, unicode.Mn, unicode.Me) {
			t.Errorf("%U may have to go", c)
		}
		for _, text := range []string{"a" + string(c) + "a", strings.Repeat(string(c), 3), "é" + string(c) + "한"} {
			if n := uniseg.GraphemeClusterCount(text); n != 3 {
				t.Errorf("%+q has %d characters", text, n)
			}
		}
	}
}

// FuzzClusters: a text divides where Unicode says, and from wherever a part of it is looked at.
func FuzzClusters(f *testing.F) {
	for _, seed := range []string{"plain text", "e\u0301a", "\u0600a", "🇩🇪🇫🇷x", "👩‍👩‍👧‍👦 👍🏽", "가각ᄀ각한국", "क्षि नमस्ते", "ば\u3099", "a\u200db\r\n", "© ®\ufe0f", "\u00ad\u0301", "กำ", "日本語のテキスト"} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, max int) {
		if max < 1 || max > 1000 {
			return
		}
		text = strings.ToValidUTF8(text, "")
		whole := borders(text)
		known := 0
		for at := range text {
			before, behind := clusterBorders(text, at, known)
			if before > at || behind < at || !whole[before] || !whole[behind] || whole[at] && before < behind {
				t.Fatalf("%+q divides at %d and %d, beside %d", text, before, behind, at)
			}
			if at >= max {
				known = before
			}
		}
	})
}

// A mark may hold nothing but a space, and be trimmed away from both sides: what is left is empty, and never less.
func TestAMarkedSpace(t *testing.T) {
	for _, line := range []string{"écc <mark> </mark> a –x<mark>a</mark>aé bb 🚀é éé", "a🚀céaé bc <mark> </mark> a cc<mark>x</mark><mark>x</mark>xbb é c", "a <mark> </mark> b", "ab cd ef <mark> </mark> <mark> </mark> gh ij kl"} {
		markedText := readMarkedText(line)
		for most := range 60 {
			text, shown := shownOf(markedText, most)
			if shown.from > shown.to || utf8.RuneCountInString(text) > most {
				t.Errorf("%q in %d characters is %q, from byte %d to %d", line, most, text, shown.from, shown.to)
			}
		}
	}
}

// shownOf is what is shown of an excerpt.
func shownOf(p markedText, most int) (string, textRange) {
	if p.plain == "" || most == 0 {
		return "", textRange{}
	}
	shown := p.window(most)
	quoted := p.appendShown(nil, shown, func(b []byte, text string) []byte { return append(b, text...) })
	return string(quoted[1 : len(quoted)-1]), shown
}
