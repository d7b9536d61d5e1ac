package write

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

func TestLines(t *testing.T) {
	long := func(n int) string { return strings.Repeat("é", n) }
	for name, row := range map[string]struct {
		beginning string
		items     []string
		want      string
	}{
		"a list follows its beginning":                         {"a: ", []string{"b", "c"}, "a: b, c"},
		"a list without items is its beginning":                {"a: ", nil, "a: "},
		"it continues after the indent if a line is too short": {"a: ", []string{long(1000), long(1000), "b"}, "a: " + long(1000) + ",\n  " + long(1000) + ", b"},
		"a line is measured in characters, not bytes":          {"a: ", []string{long(1900), "b"}, "a: " + long(1900) + ", b"},
		"an item too long for a line is alone and truncated":   {"a: ", []string{long(2500)}, "a:\n  " + long(1997) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Folded(row.beginning, "  ", row.items)
			if diff := cmp.Diff(row.want, strings.Join(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzQuoteLines: no line of a quoted text can be mistaken for a line of the adapter (D19).
func FuzzQuoteLines(f *testing.F) {
	for _, seed := range []string{"", "a\nb", "> a\r\n+ b", "a\u2028b\vc", strings.Repeat("é", 2*LineChars)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, line := range QuoteLines(text) {
			if !strings.HasPrefix(line, "> ") && !strings.HasPrefix(line, "+ ") || strings.Contains(line, "\n") || clean.LongerThan(line, LineChars) {
				t.Errorf("%q forges the line %q", text, line)
			}
		}
	})
}

// Rounding errors of binary floating point are not shown; digits that a number really has are.
func TestRoundingErrorsAreNotShown(t *testing.T) {
	for raw, want := range map[string]string{
		"80.19999999999999": "80.2", "0.30000000000000004": "0.3", "1234567.8900000001": "1234567.89", "-12.600000000000001": "-12.6",
		"51.12345678901234": "51.12345678901234", "123456789012345.67": "123456789012345.67", "9007199254740993": "9007199254740993",
		"98.50": "98.50", "1e21": "1e21",
	} {
		if got := withoutRounding(raw); got != want {
			t.Errorf("%s is shown as %s, want %s", raw, got, want)
		}
	}
}

func TestOfferedCallsCanBeCopied(t *testing.T) {
	for name, row := range map[string]struct{ call, want string }{
		"a call follows its lead":                              {`search {"q":"a b"}`, `next: search {"q":"a b"}`},
		"a space that lines would change is escaped":           {"search {\"q\":\"10\u202f000\u00a0€\"}", `next: search {"q":"10\u202f000\u00a0€"}`},
		"there is no call if a line would change it otherwise": {"search {\"q\":\"a  b\"}", ""},
		"there is no call if it is too long":                   {`search {"q":"` + strings.Repeat("a", 40) + `"}`, ""},
		"there is nothing without a call":                      {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Offer("next: ", row.call, 40); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}
