package written_test

import (
	"testing"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// How long something took is read in the ways in which people and programs write it, and nothing else is.
func TestSeconds(t *testing.T) {
	for text, want := range map[string]string{
		`"02:00:00"`: "7200", `"2:00:00.5"`: "7200.5", `"2h"`: "7200", `"90 min"`: "5400", `"1h 30m"`: "5400", `"1h30m"`: "5400", `"1h30"`: "5400",
		`"PT2H"`: "7200", `"P1DT30M"`: "88200", `"PT45.5S"`: "45.5", `"1.5 hours"`: "5400", `"1,5 Stunden"`: "5400", `"2 hours and 5 minutes"`: "7500",
		`"5:33"`: "333", `"45 Sek."`: "45", `"1 día"`: "86400", `"0 min"`: "0",
		`""`: "", `"2"`: "", `"P"`: "", `"PT"`: "", `"2 weeks"`: "", `"5 stars"`: "", `"30m 1h"`: "", `"2026-01-02"`: "", `"25:61:00"`: "",
		`"hours"`: "", `7200`: "", `"2h or so"`: "", `"1m30"`: "", `"-2h"`: "",
	} {
		if got := written.Seconds("Duration", text); got != want {
			t.Errorf("%s is %q seconds; want %q", text, got, want)
		}
	}
	if got := written.Seconds("Hours_worked", `"1:30"`); got != "5400" {
		t.Errorf("a pair of hours is %s", got)
	}
}
