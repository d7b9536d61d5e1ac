package written_test

import (
	"testing"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A time with a zone or an offset after it is that instant. A zone that there is not, and a word, is no time.
func TestTimesWithAZone(t *testing.T) {
	for text, want := range map[string]string{
		`"2026-03-12T14:30:00 EST"`:        `"2026-03-12T14:30:00-05:00"`,
		`"2026-07-12 14:30 Europe/London"`: `"2026-07-12T14:30:00+01:00"`,
		`"2026-07-12 14:30 PST"`:           `"2026-07-12T14:30:00-07:00"`,
		`"2026-03-01T00:00:00+0530"`:       `"2026-03-01T00:00:00+05:30"`,
		`"2026-03-12 CET"`:                 `"2026-03-12T00:00:00+01:00"`,
		`"2026-03-12T14:30 UTC+2"`:         `"2026-03-12T14:30:00+02:00"`,
		`"20260312T143000Z"`:               `"2026-03-12T14:30:00Z"`,
		`"2026-03-12 14:30 Local"`:         "",
		`"2026-03-12 Narnia"`:              "",
		`"2026-02-30T14:30 CET"`:           "",
		`"1234-5678-A"`:                    "",
	} {
		if got := written.Value(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}
