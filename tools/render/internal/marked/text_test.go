package marked

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
	"github.com/rivo/uniseg"
)

// For every character that standsAlone accepts: it is never removed, is not white space or a mark, and is always a grapheme cluster
// alone.
func TestCharactersThatStandAlone(t *testing.T) {
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if c <= '~' || !standsAlone(c) {
			continue
		}
		if !clean.Shows(c) || strings.ContainsRune("\n\v\f\u0085\u2028\u2029", c) || unicode.IsSpace(c) || unicode.In(c, unicode.Mn, unicode.Me) {
			t.Errorf("%U may have to be removed", c)
		}
		for _, text := range []string{"a" + string(c) + "a", strings.Repeat(string(c), 3), "é" + string(c) + "한"} {
			if n := uniseg.GraphemeClusterCount(text); n != 3 {
				t.Errorf("%+q has %d characters", text, n)
			}
		}
	}
}

// FuzzClusters: clusterBorders finds the grapheme clusters that Unicode defines, from any position in the text.
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

// A mark may enclose only a space and be trimmed from both sides; the remaining range is then empty, not negative.
func TestAMarkedSpace(t *testing.T) {
	for _, line := range []string{"écc <mark> </mark> a –x<mark>a</mark>aé bb 🚀é éé", "a🚀céaé bc <mark> </mark> a cc<mark>x</mark><mark>x</mark>xbb é c", "a <mark> </mark> b", "ab cd ef <mark> </mark> <mark> </mark> gh ij kl"} {
		markedText := Read(line)
		for most := range 60 {
			text, shown := shownOf(markedText, most)
			if shown.From > shown.To || utf8.RuneCountInString(text) > most {
				t.Errorf("%q in %d characters is %q, from byte %d to %d", line, most, text, shown.From, shown.To)
			}
		}
	}
}

// shownOf returns the shown part of an excerpt.
func shownOf(p Text, most int) (string, Range) {
	if p.Plain == "" || most == 0 {
		return "", Range{}
	}
	shown := p.Window(most)
	quoted := p.Append(nil, shown, func(b []byte, text string) []byte { return append(b, text...) })
	return string(quoted[1 : len(quoted)-1]), shown
}

// FuzzMarks: wherever an excerpt is truncated, marks stay balanced and the text within its limit.
func FuzzMarks(f *testing.F) {
	f.Add("a <mark>b</mark> c", 5)
	f.Add("<mark><mark>x</mark>", 3)
	f.Add("</mark>x<mark>", 9)
	f.Add("<ma<mark>rk>x</mark>", 12)
	f.Add(strings.Repeat("é ", 200)+"<mark>needle</mark>"+strings.Repeat(" 🚀", 200), 60)
	f.Fuzz(func(t *testing.T, text string, max int) {
		if max < 1 || max > 2000 {
			return
		}
		p := Read(clean.Line(text))
		got, shown := shownOf(p, max)
		if !balanced(got) {
			t.Errorf("%q is not balanced", got)
		}
		if clean.LongerThan(got, max) {
			t.Errorf("%q has more than %d characters", got, max)
		}
		whole := borders(p.Plain)
		if !whole[shown.From] || !whole[shown.To] {
			t.Errorf("%q splits a cluster of %q", got, p.Plain)
		}
		if strings.ContainsAny(p.Plain, "<"+write.Ellipsis) {
			return // the text's own marks cannot be told from added ones below
		}
		if words := strings.Trim(Strip(got), write.Ellipsis); words != p.Plain[shown.From:shown.To] {
			t.Errorf("%q is not %q", got, p.Plain[shown.From:shown.To])
		}
		for at, rest := shown.From, strings.TrimPrefix(got, write.Ellipsis); ; {
			before, tag, after := nextMark(rest)
			if at += len(before); tag == "" {
				break
			}
			if !whole[at] {
				t.Errorf("%q has a mark inside a cluster", got)
			}
			rest = after
		}
	})
}

// balanced reports whether marks alternate, opening first.
func balanced(s string) bool {
	for open := false; ; open = !open {
		_, tag, rest := nextMark(s)
		if tag == "" {
			return !open
		}
		if open == (tag == markOpen) {
			return false
		}
		s = rest
	}
}

// borders returns where the grapheme clusters of a text start and end.
func borders(text string) map[int]bool {
	at := map[int]bool{0: true}
	for g := uniseg.NewGraphemes(text); g.Next(); {
		_, to := g.Positions()
		at[to] = true
	}
	return at
}

func TestExcerptsAreTruncatedAtCharacters(t *testing.T) {
	family := "👩‍👩‍👧‍👦"
	for name, line := range map[string]string{
		"a family of joined people":       strings.Repeat(family, 40) + "<mark>needle</mark>" + strings.Repeat(family, 40),
		"flags":                           strings.Repeat("🇨🇭", 90) + "<mark>needle</mark>" + strings.Repeat("🇨🇭", 90),
		"letters and their accents":       strings.Repeat("e\u0301", 200) + "<mark>needle</mark>" + strings.Repeat("e\u0301", 200),
		"a mark inside a character":       strings.Repeat("x ", 100) + "e<mark>\u0301a</mark>" + strings.Repeat(" y", 100),
		"Devanagari":                      strings.Repeat("क्षत्रिय", 50) + "<mark>नमस्ते</mark>" + strings.Repeat("क्षत्रिय", 50),
		"a match longer than the excerpt": "<mark>" + strings.Repeat(family, 90) + "</mark>",
		"a very long line":                strings.Repeat("hay ", 20000) + "<mark>needle</mark>" + strings.Repeat(" hay", 20000),
	} {
		p := Read(line)
		whole := borders(p.Plain)
		for _, max := range []int{30, 60, 90, 130, 200} {
			got, shown := shownOf(p, max)
			if !balanced(got) || clean.LongerThan(got, max) || !whole[shown.From] || !whole[shown.To] || !strings.Contains(got, markOpen) {
				t.Errorf("%s in %d: %q", name, max, got)
			}
			before, _, _ := strings.Cut(got, markOpen)
			_, after, _ := strings.Cut(got, markClose)
			a, b := utf8.RuneCountInString(before), utf8.RuneCountInString(after)
			if a-b > 26 || b-a > 26 { // truncating at a space can remove this much
				t.Errorf("%s in %d: %d characters before the match, %d after", name, max, a, b)
			}
		}
	}
}
