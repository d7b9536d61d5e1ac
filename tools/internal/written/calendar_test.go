package written_test

import (
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A season is three months and a holiday a few days, of a given year or relative to a day; otherwise they are ambiguous.
func TestSeasons(t *testing.T) {
	for text, row := range map[string]struct{ now, want string }{
		"summer":          {"2026-11-26", "2026-06-01 2026-08-31"},
		"in summer":       {"2026-05-31", "2025-06-01 2025-08-31"},
		"the summer":      {"2026-06-01", "2026-06-01 2026-08-31"},
		"last summer":     {"2026-07-01", "2025-06-01 2025-08-31"},
		"this winter":     {"2027-01-10", "2026-12-01 2027-02-28"},
		"last winter":     {"2027-01-10", "2025-12-01 2026-02-28"},
		"next winter":     {"2027-01-10", "2027-12-01 2028-02-29"},
		"next spring":     {"2026-01-10", "2026-03-01 2026-05-31"},
		"winter 2023":     {"2026-01-10", "2023-12-01 2024-02-29"},
		"summer of 2025":  {"2026-01-10", "2025-06-01 2025-08-31"},
		"letzten Herbst":  {"2026-12-10", "2026-09-01 2026-11-30"},
		"été 2024":        {"2026-12-10", "2024-06-01 2024-08-31"},
		"last fall":       {"2026-12-10", "2026-09-01 2026-11-30"},
		"Easter":          {"2026-11-26", "2026-04-03 2026-04-06"},
		"Easter 2025":     {"2026-11-26", "2025-04-18 2025-04-21"},
		"last Easter":     {"2026-04-04", "2025-04-18 2025-04-21"},
		"Ostern 2038":     {"2026-11-26", "2038-04-23 2038-04-26"},
		"Christmas":       {"2026-11-26", "2025-12-24 2025-12-26"},
		"summer holidays": {"2026-11-26", ""},
		"at night":        {"2026-11-26", ""},
	} {
		now, _ := time.Parse(time.DateOnly, row.now)
		got := ""
		if first, last, ok := written.Days(text, now); ok {
			got = first.Format(time.DateOnly) + " " + last.Format(time.DateOnly)
		}
		if _, _, certain := written.Days(text, time.Time{}); got != row.want || certain {
			t.Errorf("%s on %s: %s, certain: %v; want %q", text, row.now, got, certain, row.want)
		}
	}
}
