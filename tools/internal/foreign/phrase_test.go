package foreign_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
)

// An "or" between phrases needs a search for each; a word in a phrase, and words without one, need none.
func TestAlternativesOfPhrases(t *testing.T) {
	for q, want := range map[string]struct {
		first string
		calls int
	}{
		`"a b" OR "c d"`:              {`"a b"`, 2},
		`"a b"|"c d" || e`:            {`"a b"`, 3},
		`word or "c d"`:               {`word`, 2},
		`"a b" oder "c d"`:            {`"a b"`, 2},
		`("a b" OR c) AND (d OR "e")`: {`"a b" d`, 4},
		`"a b" OR c NOT "d e"`:        {`"a b"`, 2},
		`NOT "d e" f OR "c d"`:        {`-"d e" f`, 2},
		`x -("a b" OR "c d")`:         {``, 2},
		`"a OR b" AND "c d"`:          {`"a OR b" "c d"`, 1},
		`"a b" this or that`:          {`"a b" this or that`, 1},
		`a OR b`:                      {`a OR b`, 1},
		`((("a b") OR`:                {`"a b"`, 1},
		`"a b" ) OR ( "c d"`:          {`"a b"`, 2},
	} {
		first, calls := foreign.Alternatives(q)
		if first != want.first || calls != want.calls {
			t.Errorf("%s: %q of %d, want %q of %d", q, first, calls, want.first, want.calls)
		}
	}
	if _, calls := foreign.Alternatives(strings.Repeat(`("a"|b) `, 64)); calls != 1000 { // not 2^64, which is 0 as an int
		t.Errorf("64 alternatives of two need %d calls", calls)
	}
}

// What a search shall not have is written as the words of its query, each with its sign.
func TestWhatASearchExcludes(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"q":"tax","exclude":"draft, old copy"}`:          `tax -draft -"old copy"`,
		`{"q":"tax","exclude":"draft copy"}`:               `tax -"draft copy"`,
		`{"q":"tax","negative_keywords":["draft","copy"]}`: `tax -draft -copy`,
		`{"q":"tax","exclude":{"a":1}}`:                    `tax`,
		`{"q":"tax AND NOT (draft OR \"old copy\") 2026"}`: `tax -draft -"old copy" 2026`,
		`{"q":"tax -(draft copy)"}`:                        `tax -draft -copy`,
		`{"q":"NOT (draft | copy) tax"}`:                   `-draft -copy tax`,
		`{"q":"tax NOT (draft AND copy)"}`:                 `tax NOT (draft AND copy)`,
		`{"q":"\"tax NOT (draft OR copy)\""}`:              `"tax NOT (draft OR copy)"`,
		`{"q":"tax NOT draft NOT copy"}`:                   `tax NOT draft NOT copy`,
		`{"q":"tax (draft OR copy)"}`:                      `tax (draft OR copy)`,
	} {
		if q := foreign.Dated(foreign.Phrased(rs.AsObject(arguments))).Text("q"); q != want {
			t.Errorf("%s looks for %s; want %s", arguments, q, want)
		}
	}
}
