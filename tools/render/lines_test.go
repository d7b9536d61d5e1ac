package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLines(t *testing.T) {
	long := func(n int) string { return strings.Repeat("é", n) }
	for name, row := range map[string]struct {
		beginning string
		items     []string
		want      string
	}{
		"a list follows its beginning":                           {"a: ", []string{"b", "c"}, "a: b, c"},
		"a list without items is its beginning":                  {"a: ", nil, "a: "},
		"it goes on behind the indent where a line is too short": {"a: ", []string{long(1000), long(1000), "b"}, "a: " + long(1000) + ",\n  " + long(1000) + ", b"},
		"a line has characters, not bytes":                       {"a: ", []string{long(1900), "b"}, "a: " + long(1900) + ", b"},
		"an item that no line can hold stands alone and is cut":  {"a: ", []string{long(2500)}, "a:\n  " + long(1997) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			got := folded(row.beginning, "  ", row.items)
			if diff := cmp.Diff(row.want, strings.Join(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
