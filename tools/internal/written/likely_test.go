package written_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

func TestTheIDOrNumberOfAQuery(t *testing.T) {
	for query, want := range map[string][2]string{ // the id and the number
		"":                                 {},
		"invoice A-0007?":                  {"A-0007", ""},
		`order "#1042".`:                   {"1042", ""}, // part of a phrase, so it is not a number
		"A-0007 and B-0008":                {},
		"42":                               {}, // too short
		"12.50":                            {}, // a time of day
		"84.50":                            {"84.50", "84.50"},
		"paid 1.234 EUR":                   {"1.234", "1234"},
		"-80.5, 12:30":                     {"-80.5", "80.5"},
		"paid 1.836,50 EUR":                {"", "1836.50"},
		"2026-03-04":                       {},
		"what happened on 3/12/2026":       {}, // either of two days
		"dinner 3/12/26, 3.12.26":          {},
		"order 2026/0240":                  {"2026/0240", ""},
		strings.Repeat("a1", 51):           {}, // too long
		strings.Repeat("a1", 51) + " 1042": {"1042", "1042"},
		"1042 1043":                        {},
	} {
		if got := [2]string{written.LikelyID(query), written.LikelyNumber(query)}; got != want {
			t.Errorf("%q: %q, not %q", query, got, want)
		}
	}
}
