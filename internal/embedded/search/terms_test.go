package search

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTerms(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"letters are lowered and lose their accents", "Ångström Déjà-VU", "angstrom deja vu"},
		{"accents written apart are dropped", "cafe\u0301s", "cafes"},
		{"Japanese is split into characters", "京都駅でAI会議", "京 都 駅 で ai 会 議"},
		{"Katakana keeps its long sign", "メール", "メ ー ル"},
		{"Korean is split too", "회의에서", "회 의 에 서"},
		{"Arabic loses vowel signs and its forms of alif are one", "أَحمَد مـحمد", "احمد محمد"},
		{"Hindi keeps its vowels", "हिन्दी", "हिन्दी"},
		{"full-width letters are letters", "ＡＢＣ１", "abc1"},
		{"emoji are separate words", "go 🚀 go", "go 🚀 go"},
		{"an empty text has no words", "—…!", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(textsOf(Terms(test.text)), " "); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("前置き。", 200) + "会議" + strings.Repeat("あとがき", 200)
	for _, test := range []struct{ name, text, query string }{
		{"the match is in the middle", long, "会議"},
		{"the match is at the start", "会議" + strings.Repeat("あとがき", 200), "会議"},
		{"the match is at the end", strings.Repeat("前置き。", 200) + "会議", "会議"},
		{"everything matches", strings.Repeat("long ", 300), "long"},
		{"the match is longer than the window", strings.Repeat("長", 700), strings.Repeat("長", 650)},
	} {
		t.Run(test.name, func(t *testing.T) {
			spans := marker(test.query).Find(test.text)
			cut := Snippet(test.text, spans)
			marked := cut.Marked
			if strings.Count(marked, "<mark>") == 0 || strings.Count(marked, "<mark>") != strings.Count(marked, "</mark>") {
				t.Errorf("marks are not balanced: %s", marked)
			}
			shown := strings.NewReplacer("<mark>", "", "</mark>", "").Replace(marked)
			bare := strings.TrimSuffix(strings.TrimPrefix(shown, "…"), "…")
			if runes := len([]rune(bare)); runes > snippetSize || string([]rune(test.text)[cut.Start:cut.End]) != bare || !cut.Truncated {
				t.Errorf("%d code points, truncated %v: %s", runes, cut.Truncated, marked)
			}
			if strings.HasPrefix(shown, "…") == strings.HasPrefix(test.text, bare) ||
				strings.HasSuffix(shown, "…") == strings.HasSuffix(test.text, bare) {
				if !strings.HasPrefix(test.name, "everything") && !strings.Contains(test.name, "longer") {
					t.Errorf("the truncated ends are not marked: %s", marked)
				}
			}
		})
	}
}

// The window with the most words is found in every script: its size is counted in code points.
func TestASnippetShowsTheMostWordsOfATextThatIsNotASCII(t *testing.T) {
	between := strings.Repeat("ещё ", 50)
	text := "счёт " + strings.Repeat("вот ", 200) + "счёт " + between + "аренда " + strings.Repeat("вот ", 200)
	if cut := Snippet(text, marker("счёт аренда").Find(text)); strings.Count(cut.Marked, "<mark>") != 2 {
		t.Error(cut.Marked)
	}
}

// marker marks the words of a query as they are written.
func marker(text string) *Marker {
	marks := &Marker{}
	for i, u := range parseQuery(text).units {
		marks.add(i, u.phrase)
	}
	return marks
}

// FuzzSnippet checks that words are in the text in order and only the joined digits of a number overlap them, and that a snippet without
// its marks is the stated part of the text.
func FuzzSnippet(f *testing.F) {
	f.Add("The café bill, 会議", "cafe")
	f.Add("明日の会議は京都駅で行います。", "京都")
	f.Add("e\u0301\u0301 \u0301x\U0001F680", "e x")
	f.Add("<mark>a</mark>", "a")
	f.Add("888888)800", "888888800")
	f.Add("+49 89 12345-67", "89 49891234567")
	f.Add("StepCount", "count")
	f.Fuzz(func(t *testing.T, content, query string) {
		if len(query) > 1000 || len(content) > 1<<14 {
			t.Skip()
		}
		content = strings.ToValidUTF8(content, "") // as JSON decodes it
		at := 0
		inOrder, all := words(content), Terms(content)
		for _, term := range inOrder {
			if term.start < at || term.end <= term.start || term.end > len(content) {
				t.Fatalf("term %+v after byte %d of %q", term, at, content)
			}
			at = term.end
		}
		further := all[len(inOrder):] // the joined digits, or the words of one without spaces
		for i, term := range further {
			isFirst, isLast := i == 0, i == len(further)-1
			if isFirst && term.start != inOrder[0].start || isLast && term.end != at || !isFirst && term.start != further[i-1].end {
				t.Fatalf("term %d further is %+v of %q", i, term, content)
			}
		}
		cut := Snippet(content, marker(query).Find(content))
		marked := cut.Marked
		shown := strings.NewReplacer("<mark>", "", "</mark>", "").Replace(marked)
		bare := string([]rune(content)[cut.Start:cut.End])
		if !strings.Contains(content, "mark>") && !strings.Contains(content, "…") && strings.Trim(shown, "…") != bare {
			t.Fatalf("snippet %q is not characters %d to %d of %q", shown, cut.Start, cut.End, content)
		}
		if strings.Count(marked, "<mark>") != strings.Count(marked, "</mark>") {
			t.Fatalf("marks of %q are not balanced", marked)
		}
	})
}

// "May" is read as a month or a name, not as a common word.
func TestMayIsAMonth(t *testing.T) {
	for _, text := range []string{"invoice May", "May invoice", "who is May", "May I see the invoice", "may invoice"} {
		s := &searcher{Index: &Index{}, query: parseQuery(text)}
		s.lighten()
		units := s.query.units
		if at := slices.IndexFunc(units, func(u *unit) bool { return u.phrase[0] == "may" }); units[at].light {
			t.Errorf("%q: May is a common word", text)
		}
	}
}

// NOT before a word or a quoted phrase excludes it, like a minus; in a query of capitals it is a word.
func TestNotExcludes(t *testing.T) {
	for text, same := range map[string]string{
		"invoice NOT porto": "invoice -porto", `a NOT "b c" d`: `a -"b c" d`, "DO NOT DISTURB": "do not disturb", "why not porto": "why not porto",
		`"do NOT enter"`: `"do not enter"`,
	} {
		got, want := parseQuery(text), parseQuery(same)
		if !reflect.DeepEqual(got.excluded, want.excluded) || len(got.units) != len(want.units) {
			t.Errorf("%s: %v without %v, want %v without %v", text, got.units, got.excluded, want.units, want.excluded)
		}
	}
}

// A time in a query is only preferred if it is known completely, and is not excluded or part of another expression.
func TestPreferredTimes(t *testing.T) {
	now := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC) // a Thursday
	for text, want := range map[string]string{
		"mail in October":                       "any October",
		"mail last December":                    "2025-12-01 until before 2026-01-01",
		"mail since December":                   "",
		"mail on Monday":                        "any Monday",
		"mail since Monday":                     "",
		"was geschah seit Donnerstag":           "",
		"mail since last Friday":                "",
		"mail last Friday":                      "2026-11-20",
		"letzten Donnerstag":                    "2026-11-19",
		"Friday 20 March 2026":                  "",
		"notes on Friday, 20 March 2026":        "",
		"Thursday 20 March 2026":                "",
		"anything over 50 in March":             "any March",
		"a discount of 50% last week":           "2026-11-16 until before 2026-11-23",
		"run with June in March":                "any March",
		"the wedding day in June":               "any June",
		"working days last month":               "2026-10-01 until before 2026-11-01",
		"the second half in May":                "",
		"year-end in March":                     "any March",
		"mail 14 to 16 April 2026":              "",
		"mail yesterday and rent":               "2026-11-25",
		"mail 5 and 9 October 2026":             "",
		"mail 2026-10-28 to 2026-11-03":         "",
		"mail 2026-10-28 - 2026-11-03":          "",
		"pedidos del 2026-10-28 al 2026-11-03":  "",
		"mail in May or June":                   "",
		"mail in May, June and July":            "",
		"Post im Mai oder Juni":                 "",
		"mail in October or later":              "",
		"mail in October last year":             "",
		"mail before October 2026":              "",
		"mail by 5 October 2026":                "",
		"Post ab dem 5 Oktober 2026":            "",
		"mail 2026-02-31":                       "",
		"mail 2026-02":                          "2026-02-01 until before 2026-03-01",
		"mail until yesterday":                  "",
		"day before yesterday mail":             "",
		"mail yesterday and today":              "",
		"the last week before 14 November 2026": "",
		"mail in the first week of June 2026":   "2026-06-01 until before 2026-06-08",
		"mail in late March":                    "any March, 21 to 31",
		"mail in mid-March 2026":                "2026-03-11 until before 2026-03-21",
		"the end of February 2026":              "2026-02-21 until before 2026-03-01",
		"mail of the last week of March":        "any March, 24 to 31",
		"Post Anfang Mai":                       "any May, 1 to 10",
		"mail since early March":                "",
		"mail by the end of March":              "",
		"mail from mid April to mid May":        "",
		"mail not in early March":               "",
		"mail in early and late March":          "",
		"mail of the week of 5 October 2026":    "",
		"who sat next to me":                    "",
		"next Friday":                           "",
		"next 3 weeks":                          "",
		"stand-up on Monday":                    "any Monday",
		"woke up in May":                        "any May",
		"in May or up":                          "",
		"guten Morgen":                          "",
		"Treffen morgen":                        "2026-11-27",
		"payslips not in October":               "",
		"Post nicht vom letzten Monat":          "",
		"mail that wasn't read in October":      "",
		"mail in October without tea":           "any October",
		"mail in October, not from Tom":         "any October",
	} {
		q, got := parseQuery(text), ""
		if m := q.prefer(now); m != nil {
			got = m.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
