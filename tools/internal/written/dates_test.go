package written_test

import (
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A text means the same days as a bound of a search and as a condition of a filter.
func TestTimesOfDays(t *testing.T) {
	for text, want := range map[string][3]string{
		"2026":                     {"2026-01-01", "2026-12-31", `{"gte":"2026-01-01","lt":"2027-01-01"}`},
		"2026-Q2":                  {"2026-04-01", "2026-06-30", `{"gte":"2026-04-01","lt":"2026-07-01"}`},
		"Q4 2026":                  {"2026-10-01", "2026-12-31", `{"gte":"2026-10-01","lt":"2027-01-01"}`},
		"2026-W10":                 {"2026-03-02", "2026-03-08", `{"gte":"2026-03-02","lt":"2026-03-09"}`},
		"February 2024":            {"2024-02-01", "2024-02-29", `{"gte":"2024-02-01","lt":"2024-03-01"}`},
		"5. März 2026":             {"2026-03-05", "2026-03-05", ""},
		"5 de marzo 2026":          {"2026-03-05", "2026-03-05", ""},
		"2026/03/05":               {"2026-03-05", "2026-03-05", ""},
		"03/05/2026":               {}, // the order of day and month is ambiguous
		"2026-03-05":               {}, // already in the right form
		"2026-03-05 10:00":         {}, // has no zone
		"2026-Q5":                  {},
		"März 2026":                {"2026-03-01", "2026-03-31", `{"gte":"2026-03-01","lt":"2026-04-01"}`},
		"1er août 2026":            {"2026-08-01", "2026-08-01", ""},
		"dicembre 2025":            {"2025-12-01", "2025-12-31", `{"gte":"2025-12-01","lt":"2026-01-01"}`},
		"Tuesday, 3 March 2026":    {"2026-03-03", "2026-03-03", ""},
		"first week of June 2026":  {"2026-06-01", "2026-06-07", `{"gte":"2026-06-01","lt":"2026-06-08"}`},
		"letzte Woche im Mai 2026": {"2026-05-25", "2026-05-31", `{"gte":"2026-05-25","lt":"2026-06-01"}`},
		"mid-March 2026":           {"2026-03-11", "2026-03-20", `{"gte":"2026-03-11","lt":"2026-03-21"}`},
		"fin mai 2026":             {"2026-05-21", "2026-05-31", `{"gte":"2026-05-21","lt":"2026-06-01"}`},
		"second half of 2026":      {"2026-07-01", "2026-12-31", `{"gte":"2026-07-01","lt":"2027-01-01"}`},
		"third quarter of 2026":    {"2026-07-01", "2026-09-30", `{"gte":"2026-07-01","lt":"2026-10-01"}`},
		"week 10 of 2026":          {"2026-03-02", "2026-03-08", `{"gte":"2026-03-02","lt":"2026-03-09"}`},
		"March":                    {}, // the year depends on today's date
		"Easter 2026":              {},
		"summer 2026":              {}, // depends on the hemisphere
		"5 weeks of 2026":          {},
	} {
		raw := rs.EncodeJSON(text)
		got := [3]string{written.Day("since", raw), written.Day("until", raw), written.Range(raw)}
		if got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// A value as people write it has at most one meaning.
func TestValues(t *testing.T) {
	for raw, want := range map[string]string{
		`"yes"`: "true", `"No"`: "false", `"1.234,50 €"`: "1234.50", `"$1,234"`: "1234", `"1780000000"`: `"2026-05-28T20:26:40Z"`,
		`"5 March 2026 at 3pm"`: `"2026-03-05T15:00:00"`, `"2026-03-05, 12:30 am"`: `"2026-03-05T00:30:00"`, `"5. März 2026 um 9 Uhr"`: `"2026-03-05T09:00:00"`,
		`"5 March 2026 at 15"`: "", `"March 2026 3pm"`: "",
		`"2026-03-05 10:00"`: `"2026-03-05T10:00:00Z"`, `"2026-02-30"`: `"2026-02-28"`, `"otter"`: "", `"12"`: "",
	} {
		if got := written.Value(raw); got != want {
			t.Errorf("%s is %s, want %s", raw, got, want)
		}
	}
	for name, want := range map[string]string{"UTC-3": "Etc/GMT+3", "+01:00": "Etc/GMT-1", "GMT+0": "UTC", "PDT": "America/Los_Angeles",
		"new york": "America/New_York", "Zürich": "Europe/Zurich", "são paulo": "America/Sao_Paulo", "Atlantis": ""} {
		if got := written.Zone(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
