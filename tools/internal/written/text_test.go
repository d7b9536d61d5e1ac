package written_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A name with all parts of the wanted one is nearer than one with as many common letters, and a common prefix is nearer than a common
// suffix.
func TestNearest(t *testing.T) {
	for name, row := range map[string]struct {
		known []string
		want  string
	}{
		"marcus@tidewater.example": {[]string{"watch@tidewater.example", "nora.marcus@tidewater.example", "marcus.webb@tidewater.example"}, "marcus.webb@tidewater.example"},
		"webb@tidewater.example":   {[]string{"web@tidewater.com", "marcus.webb@tidewater.example"}, "marcus.webb@tidewater.example"},
		"Cafe Krumel":              {[]string{"Café Kramer", "Café Krümel"}, "Café Krümel"},
		"Anna Smith":               {[]string{"Annas, Smit", "Smith, Anne", "Smith, Anna"}, "Smith, Anna"},
		"muller, JORG":             {[]string{"Jörg Mulle", "Jörg Müller"}, "Jörg Müller"},
		"choir":                    {[]string{"Choirs", "CHOIR"}, "CHOIR"},
	} {
		if near := written.Nearest(name, row.known, 1); len(near) == 0 || near[0] != row.want {
			t.Errorf("%s: %q; want %q", name, near, row.want)
		}
	}
	if near := written.Nearest(strings.Repeat("a", 200), []string{strings.Repeat("b", 200)}, 1); len(near) > 0 {
		t.Errorf("long names that have nothing in common are near: %q", near)
	}
}

// A name matches with its parts in either order.
func TestTheOtherOrderOfAName(t *testing.T) {
	for name, want := range map[string]string{
		"Anna Smith": "Smith, Anna", "Anna Maria Smith": "Smith, Anna Maria", "Smith, Anna": "Anna Smith", "Smith,Anna M.": "Anna M. Smith",
		"Smith": "", "Smith,": "", "a, b, c": "", "12 Main": "", "": "",
	} {
		if got := written.OtherOrder(name); got != want {
			t.Errorf("%q is %q; want %q", name, got, want)
		}
	}
}

// A long name is prepared once, not for each name that it is compared with; a call may have a hundred names.
func TestNearestReadsANameOnce(t *testing.T) {
	known := make([]string, 1000)
	for i := range known {
		known[i] = fmt.Sprintf("field_number_%04d", i)
	}
	if near := written.Nearest("Field number 7", known, 3); len(near) != 3 || near[0] != "field_number_0007" {
		t.Errorf("near is %q", near)
	}
	allocations := func(name string) float64 {
		return testing.AllocsPerRun(3, func() { written.Nearest(name, known, 3) })
	}
	if long, short := allocations("g_"+strings.Repeat("z", 240)), allocations("g_z"); long > short+100 {
		t.Errorf("%.0f allocations for a long name, %.0f for a short one", long, short)
	}
}

// One text can list several values with various separators.
func TestAlternatives(t *testing.T) {
	for text, want := range map[string][]string{
		"shipped OR returned": {"shipped", "returned"}, "shipped|returned": {"shipped", "returned"},
		"(shipped; returned)":       {"shipped", "returned"},
		"['shipped', \"returned\"]": {"shipped", "returned"},
		"shipped/returned":          {"shipped", "returned"}, "Order of merit": {"Order of merit"},
	} {
		if got := written.Alternatives(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q; want %q", text, got, want)
		}
	}
}
