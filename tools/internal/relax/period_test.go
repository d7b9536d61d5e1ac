package relax_test

import (
	"testing"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
)

func TestPeriod(t *testing.T) {
	for query, want := range map[string]string{
		"invoices March 2026":                   "2026-03-01 2026-03-31 invoices",
		"What did Rosa write in February 2024?": "2024-02-01 2024-02-29 What did Rosa write",
		"dentist on 12 March 2026":              "2026-03-12 2026-03-12 dentist",
		"dentist March 3rd, 2026 at noon":       "2026-03-03 2026-03-03 dentist at noon",
		"2026-03-09 orders":                     "2026-03-09 2026-03-09 orders",
		"Sept. 2025":                            "2025-09-01 2025-09-30 ",
		"orders 2026-12":                        "2026-12-01 2026-12-31 orders",
		"orders 2026-13":                        "",
		"31 February 2026":                      "",
		"March 2026 or April 2026":              "", // which?
		`"March 2026" invoice`:                  "",
		"decision 2025":                         "",
		"invoice TW-7141":                       "",
		"in March":                              "", // of which year?
	} {
		since, until, rest, ok := relax.Period(query)
		got := since + " " + until + " " + rest
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q (%t)", query, got, ok)
		}
	}
}
